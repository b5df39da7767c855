"""Tradeball, Betbra's second exchange ("dball"): one list of football matches per day, read as a guest, without login.

Each row has one price per outcome in `wldHm`, `wldDm`, `wldAm`, as number or text; how much it takes is not said.
A brand needs `api` (https://tradeball.<domain>) and `site`. Optional `params`: `utc_offset`, the hours that the list's
clock is ahead of UTC (1; whether it follows summer time is not known), and `market` (2, the one guests are shown).
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from uuid import NAMESPACE_URL, uuid5

import msgspec

from scrapers.catalog import Bookmaker
from scrapers.errors import Blocked, Changed
from scrapers.odds import Page
from scrapers.wire import EVIDENCE_BYTES, Request, Response, read_json, try_decode, utc

DAYS = 4
PER_PAGE = 100
MAX_PAGES = 4
SORT = '[{"property":"created_at","direction":"desc"}]'
REAIS = "4"

TOURNAMENTS = {
    "England Premier League": "soccer_epl",
    "Spain LaLiga": "soccer_spain_la_liga",
    "Germany Bundesliga": "soccer_germany_bundesliga",
    "Italy Serie A": "soccer_italy_serie_a",
    "France Ligue 1": "soccer_france_ligue_one",
    "Holland Eredivisie": "soccer_netherlands_eredivisie",
    "Brazil Serie A": "soccer_brazil_campeonato",
    "Brazil Paulista": "soccer_brazil_paulista",
    # Not seen, formed like those above: a wrong one matches nothing.
    "Brazil Serie B": "soccer_brazil_serie_b",
    "Brazil Cup": "soccer_brazil_copa_do_brasil",
    "Brazil Carioca": "soccer_brazil_carioca",
    "England Championship": "soccer_efl_champ",
    "England FA Cup": "soccer_fa_cup",
    "Portugal Primeira Liga": "soccer_portugal_primeira_liga",
    "Copa Libertadores": "soccer_conmebol_copa_libertadores",
    "Copa Sudamericana": "soccer_conmebol_copa_sudamericana",
    "UEFA Champions League": "soccer_uefa_champs_league",
    "UEFA Europa League": "soccer_uefa_europa_league",
    "UEFA Conference League": "soccer_uefa_europa_conference_league",
}


class Match(msgspec.Struct, rename="camel"):
    ce_id: int | str
    cth_name: str
    cta_name: str
    cl_name: str | None = None
    dg: str | None = None
    wld_hm: object = None
    wld_dm: object = None
    wld_am: object = None


class Answer(msgspec.Struct):
    init: list[msgspec.Raw] | None = None
    total: object = msgspec.UNSET
    message: object = None


def requests(book: Bookmaker, now: datetime) -> Sequence[Request]:
    today = now.astimezone(clock(book))
    return [
        Request(
            url=f"{book.api}/api/feedDballGuest/list",
            params={
                "page": "1",
                "start": "0",
                "limit": str(PER_PAGE),
                "filter": day_filter(book, today + timedelta(days=day)),
                "sort": SORT,
                "requiredDictionaries[]": "LeagueGroup",
                "version": "0",
                "currencyId": REAIS,
                "uniqAppId": str(uuid5(NAMESPACE_URL, f"{book.api} {today:%Y-%m-%d}")),
                "locale": "pt",
                "_": str(int(now.timestamp() * 1000)),
            },
            headers={
                "accept": "application/json",
                "referer": f"{book.api}/dballTradingFeed",
                "x-requested-with": "XMLHttpRequest",
            },
            note=now.isoformat(),  # the list goes on with running matches and does not mark them
        )
        for day in range(DAYS)
    ]


def day_filter(book: Bookmaker, day: datetime) -> str:
    market = int(book.params.get("market", "2"))
    chosen = {"line": 1, "periodTypeId": 1, "tradingTypeId": 2, "marketId": market, "date": f"{day:%Y-%m-%d}"}
    return msgspec.json.encode(chosen).decode()


def clock(book: Bookmaker) -> timezone:
    return timezone(timedelta(hours=float(book.params.get("utc_offset", "1"))))


def parse(book: Bookmaker, response: Response) -> Page:
    if response.body.lstrip()[:1] == b"<":
        raise Blocked("an HTML page instead of the feed: blocked, or not a Brazilian address")
    answer = read_json(response, Answer)
    if answer.init is None and answer.message is not None:
        raise Changed(f"tradeball refuses the guest list: {answer.message!r:.200}", response.body[:EVIDENCE_BYTES])
    if answer.init is None and answer.total is msgspec.UNSET and read_json(response, dict[str, msgspec.Raw]):
        raise Changed("tradeball's list has neither `init` nor `total`", response.body[:EVIDENCE_BYTES])
    page = Page()
    rows = answer.init or []  # a day without matches has none
    asked_at = utc(response.request.note)
    for raw in rows:
        if match := try_decode(raw, Match):
            read_match(book, match, asked_at, page)
        else:
            page.skip("unreadable event")
    unreadable = page.skipped.get("unreadable event", 0)
    if unreadable * 2 > len(rows):
        raise Changed(f"{unreadable} of {len(rows)} matches are unreadable", response.body[:EVIDENCE_BYTES])
    if rows and response.request.params.get("start") == "0":
        follow_pages(answer, response.request, page)
    return page


def follow_pages(answer: Answer, request: Request, page: Page) -> None:
    total = number(answer.total) or 0
    for start in range(PER_PAGE, PER_PAGE * MAX_PAGES, PER_PAGE):
        if start < total:
            page.follow.append(msgspec.structs.replace(request, params={**request.params, "start": str(start)}))
    if total > PER_PAGE * MAX_PAGES:
        page.skip("pages beyond the limit")


def read_match(book: Bookmaker, match: Match, asked_at: datetime | None, page: Page) -> None:
    starts_at = kick_off(match.dg, clock(book))
    if starts_at and asked_at and starts_at <= asked_at:
        return page.skip("live")
    league_name = (match.cl_name or "").strip()
    return page.add(
        external_id=match.ce_id,
        sport="football",
        league=TOURNAMENTS.get(league_name),
        league_name=league_name,
        home=match.cth_name,
        away=match.cta_name,
        starts_at=starts_at,
        url=f"{book.site}/tradeball/dballTradingFeed",  # the list: whether a match has a page of its own is not known
        markets={"h2h": {"home": number(match.wld_hm), "draw": number(match.wld_dm), "away": number(match.wld_am)}},
    )


def kick_off(text: str | None, zone: timezone) -> datetime | None:
    """Written without a zone, by the list's own clock."""
    try:
        written = datetime.fromisoformat(text or "")
        return (written if written.tzinfo else written.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def number(value: object) -> float | None:
    """Prices come as numbers or as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
