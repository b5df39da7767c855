"""From rows of the database to the published files. Pure; one page at a time, so that memory stays small."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from scrapers.names.prices import fair
from scrapers.odds import OUTCOMES, Sport
from sidecars import surebets
from sidecars.feed import (
    Best,
    BookmakerStatus,
    Event,
    EventBookmaker,
    Outcome,
    PricedMarket,
    SurebetLeg,
    SurebetShown,
)
from sidecars.surebets import Offer, Surebet
from store.export import BookRow, LeagueRow, Line, MatchRow

DRAW = "Draw"

_encode = msgspec.json.Encoder().encode
_needs_quotes = re.compile(r'[,"\r\n]').search


class Found(msgspec.Struct, frozen=True):
    """A surebet with the match it is on."""

    match: MatchRow
    league: LeagueRow
    bet: Surebet
    warnings: list[str]
    titles: Mapping[str, str]  # of bookmakers, by key

    @property
    def suspicious(self) -> bool:
        return surebets.suspicious(self.warnings)


class Times(dict[int, str]):
    """Seconds since 1970 as the files show them. The matches of one answer share theirs: most are found here."""

    def __missing__(self, seconds: int) -> str:
        text = self[seconds] = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return text


class Export:
    """Takes match after match and gives the encoded parts of the files."""

    def __init__(self, books: Sequence[BookRow], leagues: Sequence[LeagueRow], bank: int) -> None:
        self._books = {book.id: book for book in books}
        self._titles = {book.key: book.title for book in books}
        self._leagues = {league.id: league for league in leagues}
        self._bank = bank
        self._seen: set[int] = set()
        self.times = Times()
        self.found: list[Found] = []
        self.odds = 0

    def add(self, match: MatchRow) -> tuple[bytes, bytes] | None:
        """The event as JSON and as lines of CSV; None for one that is unknown or came before."""
        league = self._leagues.get(match.league_id)
        if league is None or match.id in self._seen:
            return None  # its league is newer than our list, or its kick-off moved between two pages
        self._seen.add(match.id)
        outcomes = OUTCOMES[Sport(league.sport)]
        best: dict[str, dict[str, Best]] = {}
        shown: dict[int, EventBookmaker] = {}
        rows: list[str] = []
        lines = match.lines()
        start = f"{match.id},{league.key},{self.times[match.starts_at]},{quoted(match.home)},{quoted(match.away)}"
        for line in lines:
            book = self._books.get(line.book_id)
            if book is None:
                continue
            fetched = self.times[line.fetched_at]
            market = PricedMarket(line.market, fetched, self.times[line.changed_at], show_outcomes(line, match))
            compare(best.setdefault(line.market, {}), line, book)
            if line.book_id not in shown:
                shown[line.book_id] = EventBookmaker(book.key, book.title, fetched, line.sid, [], line.link)
            shown[line.book_id].markets.append(market)
            self.odds += len(market.outcomes)
            rows.append(f"{start},{book.key},{line.market},{csv_prices(line)},{fetched},{quoted(line.link or '')}\r\n")
        if not shown:
            return None
        if promises_profit(best, outcomes):
            self._look_for_surebets(match, lines, league, outcomes)
        event = Event(
            str(match.id),
            league.key,
            league.title,
            self.times[match.starts_at],
            match.home,
            match.away,
            list(shown.values()),
            best,
        )
        return _encode(event), "".join(rows).encode()

    def _look_for_surebets(
        self, match: MatchRow, lines: Sequence[Line], league: LeagueRow, outcomes: Sequence[str]
    ) -> None:
        offers: list[Offer] = []
        chances: dict[str, Mapping[str, float]] = {}
        for line in lines:
            book = self._books.get(line.book_id)
            if book is None:
                continue
            priced = prices_of(line)
            amounts = {"home": line.home_liquidity, "draw": line.draw_liquidity, "away": line.away_liquidity}
            offers += (
                Offer(
                    outcome,
                    line.market,
                    book.key,
                    priced[outcome],
                    book.commission,
                    amounts[outcome],
                    line.fetched_at,
                    line.link,
                )
                for outcome in outcomes
                if outcome in priced and takes_bets(book, amounts[outcome])
            )
            if priced.keys() == set(outcomes) and (book.key not in chances or line.market == "h2h"):
                chances[book.key] = fair(priced) or {}
        self.found += (
            Found(match, league, bet, surebets.warnings(bet, chances, self._bank), self._titles)
            for bet in surebets.find(offers, outcomes, self._bank)
        )

    def show_surebets(self, now: int) -> list[SurebetShown]:
        """The best first."""
        ordered = sorted(self.found, key=lambda found: (-found.bet.profit_percent, found.match.id))
        return [show_surebet(found, now, self.times) for found in ordered]

    def show_books(self, now: int) -> list[BookmakerStatus]:
        return [
            BookmakerStatus(
                book.key,
                book.title,
                book.status,
                None if book.last_success is None else max(0, now - int(book.last_success.timestamp())),
                None if book.last_success is None else self.times[int(book.last_success.timestamp())],
                book.commission or None,
            )
            for book in self._books.values()
        ]


def show_surebet(found: Found, now: int, times: Times) -> SurebetShown:
    match, bet = found.match, found.bet
    names = {"home": match.home, "draw": DRAW, "away": match.away}
    legs = [
        SurebetLeg(
            leg.offer.outcome,
            names[leg.offer.outcome],
            leg.offer.market,
            leg.offer.bookmaker,
            leg.offer.price,
            leg.stake / 100,
            round(100 * leg.stake / bet.total, 2),
            leg.payout / 100,
            max(0, now - leg.offer.fetched_at),
            round(leg.offer.net, 4) if leg.offer.commission else None,
            leg.offer.link,
        )
        for leg in bet.legs
    ]
    return SurebetShown(
        event_id=str(match.id),
        home_team=match.home,
        away_team=match.away,
        commence_time=times[match.starts_at],
        market="h2h_2up" if bet.early_payout else "h2h",
        implied_sum=bet.shown_sum,
        profit_percent=bet.profit_percent,
        profit=bet.profit / 100,
        total_stake=bet.total / 100,
        oldest_odds_age_seconds=max(leg.age_seconds for leg in legs),
        suspicious=found.suspicious,
        warnings=found.warnings,
        legs=legs,
    )


def show_outcomes(line: Line, match: MatchRow) -> list[Outcome]:
    outcomes = []
    if line.home is not None:
        outcomes.append(Outcome(match.home, line.home, line.home_opening, line.home_liquidity))
    if line.draw is not None:
        outcomes.append(Outcome(DRAW, line.draw, line.draw_opening, line.draw_liquidity))
    if line.away is not None:
        outcomes.append(Outcome(match.away, line.away, line.away_opening, line.away_liquidity))
    return outcomes


def compare(best: dict[str, Best], line: Line, book: BookRow) -> None:
    """Put this book where it takes bets and is better than those before it, net of commission."""
    kept = 1 - book.commission
    for outcome, price, liquidity in (
        ("home", line.home, line.home_liquidity),
        ("draw", line.draw, line.draw_liquidity),
        ("away", line.away, line.away_liquidity),
    ):
        if price is None or not takes_bets(book, liquidity):
            continue
        net = price if kept == 1 else 1 + (price - 1) * kept
        leader = best.get(outcome)
        if leader is None or net > (leader.net_price or leader.price):
            best[outcome] = Best(price, book.key, None if kept == 1 else round(net, 4))


def takes_bets(book: BookRow, liquidity: float | None) -> bool:
    """No amount is no limit at a bookmaker; an exchange that names none may have nobody on the other side."""
    if liquidity is None:
        return book.kind != "exchange"
    return surebets.cents(liquidity) >= surebets.LEAST_STAKE


def promises_profit(best: Mapping[str, Mapping[str, Best]], outcomes: Sequence[str]) -> bool:
    """A quick look that spares nearly all matches the thorough one."""
    implied = 0.0
    for outcome in outcomes:
        worth = [lead.net_price or lead.price for market in best.values() if (lead := market.get(outcome))]
        if not worth:
            return False
        implied += 1 / max(worth)
    return implied < 1.0001  # `net_price` is rounded


def csv_prices(line: Line) -> str:
    values = (line.home, line.draw, line.away, line.home_opening, line.draw_opening, line.away_opening)
    return _encode(values)[1:-1].decode().replace("null", "")


def prices_of(line: Line) -> dict[str, float]:
    named = {"home": line.home, "draw": line.draw, "away": line.away}
    return {outcome: price for outcome, price in named.items() if price is not None}


def quoted(text: str) -> str:
    """A field of CSV. What a spreadsheet would take for a formula becomes text: names come from strangers."""
    if text[:1] in ("=", "+", "-", "@"):
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text
