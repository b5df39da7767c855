"""Superbet's offer API as recorded: `by-date` with the main market, one event with more markets, and `struct`."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

import msgspec

from scrapers import leagues
from scrapers.odds import Outcome, Sport
from scrapers.platforms.superbet import SPORTS, TOURNAMENTS
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance, pick

PREFIX = "/v2/pt-BR"
SPORT_IDS = {Sport.FOOTBALL: 5, Sport.BASKETBALL: 4}
STATE_IDS = {"prematch": "1", "live": "2"}
CODES: dict[Outcome, tuple[str, str]] = {"home": ("1", "1"), "draw": ("0", "X"), "away": ("2", "2")}
MAIN_MARKETS = {
    Sport.FOOTBALL: (547, "Resultado Final", {"home": 1470, "draw": 1471, "away": 1472}),
    Sport.BASKETBALL: (759, "Vencedor (Inc. prorrogação)", {"home": 2182, "away": 2183}),
}
TAGS = "BPWM,Combinable,Match Betting,Pre-selected market,pm_boostable_market,v2"

# The first number of a league is the one in use; leagues that our table does not know have numbers too.
TOURNAMENT_IDS = {ours: int(theirs) for theirs, ours in reversed(TOURNAMENTS.items())}
UNKNOWN_TOURNAMENT = 30_000

# Sports and tournaments that we do not collect, some with the names of teams that we do: (sport, tournament, names).
NOISE = (
    (5, 90153, "Monterrey·Nashville"),
    (5, 37244, "Forward Madison·Greenville Triumph"),
    (5, 2211, "Flamengo (F)·Corinthians (F)"),
    (5, 9120, "Palmeiras Sub-20·Santos Sub-20"),
    (5, 14582, "Simba SC·Young Africans"),
    (4, 2174, "Washington Mystics (F)·Connecticut Sun (F)"),
    (75, 98093, "Real Madrid (JKey)·Barcelona (Kray)"),
    (190, 98101, "Granada (V)·Sevilla (V)"),
)


def answer(board: Board, asked: Asked) -> Answer:
    board = replace(board, lines=tuple(line.listed() for line in board.lines))
    path = asked.path.rstrip("/")
    if path == f"{PREFIX}/events/by-date":
        return _by_date(board, asked)
    if path == f"{PREFIX}/struct":
        return _json(_struct())
    event = path.removeprefix(f"{PREFIX}/events/")
    lines = [line for line in board.lines if str(line.event_id) == event]
    return _json(
        {"error": False, "data": [_match(board, line, "prematch", full=True) for line in lines]} if lines else None
    )


def _by_date(board: Board, asked: Asked) -> Answer:
    state = asked.query.get("offerState", "prematch")
    start, end = _date(asked.query.get("startDate"), board.now), _date(asked.query.get("endDate"))
    if start is None or end is None or state not in STATE_IDS:
        return _json({"error": True, "notice": "invalid parameters", "data": None})
    matches = [
        *(_match(board, line, state) for line in board.lines if line.live == (state == "live")),
        *(_noise(board) if board.lines and state == "prematch" else ()),
    ]
    numbers = {
        "sportId": _numbers(asked.query.get("sportId")),
        "tournamentId": _numbers(asked.query.get("tournamentIds")),
        "categoryId": _numbers(asked.query.get("categoryId")),
    }
    chosen = [
        match
        for match in matches
        if start <= datetime.fromisoformat(str(match["utcDate"])) < end
        and all(not wanted or match[name] in wanted for name, wanted in numbers.items())
    ]
    echo: dict[str, object] = {"lang": "pt-BR", "startDate": _iso(start), "endDate": _iso(end), "offerState": state}
    if sports := numbers["sportId"]:
        echo["sportId"] = min(sports)
    if tournaments := numbers["tournamentId"]:
        echo["tournamentIds"] = sorted(tournaments)
    return _json({"error": False, "dataIn": echo, "data": sorted(chosen, key=lambda match: str(match["utcDate"]))})


def _match(board: Board, line: Line, state: str, *, full: bool = False) -> dict[str, object]:
    # A match without bets is seen in three ways: the event is blocked, its prices are, or there are none.
    closed = pick(("event", "odds", "none"), "closed", line.event_id) if line.suspended else ""
    match = _event(
        board,
        line.event_id,
        sport=SPORT_IDS[line.sport],
        tournament=TOURNAMENT_IDS.get(line.league, UNKNOWN_TOURNAMENT + _league_index(line.league)),
        name=f"{line.home}·{line.away}",
        starts_at=line.starts_at,
    )
    match["offerStateStatus"] = {STATE_IDS[state]: "blocked" if closed == "event" else "active"}
    match["streams"] = [state.upper()]
    if closed == "none":
        match["odds"] = None
        return match
    odds = list(_main_odds(line, "block" if closed == "odds" else "active"))
    if line.sport is Sport.BASKETBALL and (full or chance("777", line.event_id) < 0.5):
        odds += _regulation_odds(line)
    if full:
        odds += _totals(line)
    match["odds"] = odds
    if "h2h_2up" in line.markets:
        match["superAdvantage"] = "SA_PREMATCH"
    return match


def _event(
    board: Board, event_id: int, *, sport: int, tournament: int, name: str, starts_at: datetime
) -> dict[str, object]:
    return {
        "uuid": _uuid("event", event_id),
        "eventId": event_id,
        "matchDate": f"{starts_at:%Y-%m-%d %H:%M:%S}",
        "homeTeamId": str(int(chance("team", name.partition("·")[0]) * 300_000)),
        "awayTeamId": str(int(chance("team", name.partition("·")[2]) * 300_000)),
        "matchCode": event_id % 10_000,
        "incrementId": 1_000_000 + event_id % 3_000,
        "offerId": event_id,
        "sportId": sport,
        "categoryId": tournament % 300,
        "tournamentId": tournament,
        "betradarId": str(60_000_000 + event_id % 9_000_000),
        "matchTags": pick(("v2", "v2,price_boost", "v2,notes,manual,price_boost"), "tags", event_id),
        "matchPromotedLiveOrder": 10_000,
        "tournamentPromotedLiveOrder": 10_000,
        "matchTimestamp": int(board.now.timestamp() * 1000),
        "hasLive": True,
        "matchName": name,
        "specialOfferIds": None,
        "offerStateStatus": {"1": "active"},
        "marketCount": 223,
        "counts": {"odds": {"1": 3521, "2": 0}, "markets": {"1": 223, "2": 0}},
        "odds": None,
        "oddsResults": None,
        "matchResults": None,
        "resolvingRules": None,
        "utcDate": _iso(starts_at),
        "unixDateMillis": int(starts_at.timestamp() * 1000),
        "streams": ["PREMATCH"],
    }


def _main_odds(line: Line, status: str) -> Iterator[dict[str, object]]:
    market, name, outcome_ids = MAIN_MARKETS[line.sport]
    winners = {"home": f"{line.home} vence a partida", "away": f"{line.away} vence a partida"}
    for outcome, price in line.markets["h2h"].items():
        code, label = CODES[outcome]
        odd = _odd(line.event_id, (market, name), code, label, outcome=outcome_ids[outcome], price=price)
        odd |= {"status": status, "marketTags": "preselected", "info": winners.get(outcome, "Resulta em empate")}
        if "h2h_2up" in line.markets and outcome != "draw":
            odd["superAdvantageEligible"] = True
        yield odd


def _regulation_odds(line: Line) -> list[dict[str, object]]:
    """Without overtime, with a draw: close to the winner market and not to be taken for it."""
    prices = {**{outcome: price + 0.07 for outcome, price in line.markets["h2h"].items()}, "draw": 14.0}
    ids = {"home": 2221, "draw": 2222, "away": 2223}
    market = (777, "Resultado Final (Tempo Regulamentar)")
    return [_odd(line.event_id, market, *CODES[way], outcome=ids[way], price=prices[way]) for way in CODES]


def _totals(line: Line) -> list[dict[str, object]]:
    ways = (("+", "Mais de 2.5", 1.95), ("-", "Menos de 2.5", 1.85))
    market = (200_000, "Total de Gols")
    return [_odd(line.event_id, market, code, label, outcome=9_000, price=price) for code, label, price in ways]


def _odd(
    event: int, market: tuple[int, str], code: str, label: str, *, outcome: int, price: float
) -> dict[str, object]:
    return {
        "uuid": _uuid("odd", event, market[0], code),
        "marketUuid": _uuid("market", event, market[0]),
        "marketId": market[0],
        "outcomeId": outcome,
        "price": int(price) if price.is_integer() else price,  # "3", not "3.0", as the site writes it
        "status": "active",
        "marketGroupOrder": 3481,
        "marketTags": "donotshowingroupfilter",
        "offerStateId": 1,
        "showSpecialBetValue": "0",
        "tags": TAGS,
        "code": code,
        "extra": {"tags": TAGS},
        "name": label,
        "marketName": market[1],
        "info": label,
    }


def _noise(board: Board) -> Iterator[dict[str, object]]:
    for index, (sport, tournament, name) in enumerate(NOISE):
        starts_at = board.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=5 * index + 2)
        match = _event(board, 9_000_000 + index, sport=sport, tournament=tournament, name=name, starts_at=starts_at)
        if index % 4 != 1:  # some have no prices yet
            market = (759 if sport == 4 else 547, "Resultado Final")
            ways = ("1", "2") if sport == 4 else ("1", "0", "2")
            match["odds"] = [_odd(9_000_000 + index, market, way, way, outcome=1, price=2.4) for way in ways]
        yield match


def _struct() -> dict[str, object]:
    known = ((number, title.title) for number, key in TOURNAMENTS.items() if (title := leagues.get(key)))
    return {"error": False, "data": {"sports": _named(SPORTS.items()), "tournaments": _named(known)}}


def _named(items: Iterable[tuple[object, str]]) -> list[dict[str, object]]:
    return [{"id": str(number), "localNames": {"pt-BR": name}} for number, name in items]


def _league_index(key: str) -> int:
    return next((index for index, league in enumerate(leagues.LEAGUES) if league.key == key), 999)


def _numbers(text: str | None) -> set[int]:
    return {int(part) for part in (text or "").split(",") if part.strip().isdecimal()}


def _date(text: str | None, default: datetime | None = None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else default
    except ValueError:
        return None


def _iso(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def _uuid(*key: object) -> str:
    return str(uuid5(NAMESPACE_URL, repr(key)))


def _json(value: object) -> Answer:
    return NOT_FOUND if value is None else Answer(msgspec.json.encode(value))
