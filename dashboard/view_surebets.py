"""Surebets of now with their legs, and how the prices of one match moved."""

from collections.abc import Sequence

from common.markets import EARLY_PAYOUT, pays_early
from dashboard.html import Html, join, tag
from dashboard.model import Snapshot
from dashboard.plots import Course, courses_plot
from dashboard.view import Fragments, banner, row, sentence, since, table, until
from dashboard.words import Words
from store.dashboard import EndedSurebet, LegRow, LineRow, MatchDetail, MatchRow, SurebetRow, Surebets
from watchdog.words import span

OUTCOMES = ("home", "draw", "away")
GENERATOR, LATE = "json-generator", 4.0  # intervals of its silence after which its surebets are doubted


def fragments(found: Surebets, snapshot: Snapshot, words: Words) -> Fragments:
    shown = [surebet(one, words) for one in found.open]
    body = tag("div", shown, class_="surebets") if shown else tag("p", words("no_surebets"), class_="quiet")
    return {
        "banner": banner(snapshot, words),
        "now": tag("section", doubt(snapshot, words), body, id="now"),
        "ended": ended(found.ended, words),
        "matches": matches(found.matches, words),
    }


def content(parts: Fragments, words: Words) -> Html:
    order = ("now", "ended", "matches")
    return join(parts["banner"], tag("h1", words("surebets_now")), [parts[name] for name in order])


def doubt(snapshot: Snapshot, words: Words) -> Html | None:
    """Surebets are as good as the service that finds them."""
    now = snapshot.state.now if snapshot.state else 0.0
    for service in snapshot.services:
        beat = service.heartbeat_at
        if service.name == GENERATOR and beat is not None and now - beat > LATE * service.interval:
            return tag("p", sentence(words, "generator_old", age=since(beat)), class_="banner bad")
    return None


def surebet(one: SurebetRow, words: Words) -> Html:
    doubtful = tag("span", "⚠ ", words("suspicious"), title=words("suspicious_why"), class_="badge warning")
    headings = [words(name) for name in ("leg", "bookmaker", "price", "stake", "payout", "age")]
    return tag(
        "article",
        tag(
            "h2",
            tag("a", tag("bdi", one.home), " × ", tag("bdi", one.away), href=f"/match/{one.match_id}"),
            tag("strong", f"{words.number(one.profit, 2)} %", class_="profit", title=words("profit")),
            doubtful if one.suspicious else None,
        ),
        tag(
            "p",
            kick_off(one.starts_at, words),
            " · ",
            sentence(words, "ago", age=since(one.first_seen)),
            class_="quiet",
        ),
        table(headings, [leg_row(leg, one, headings, words) for leg in one.legs], f"{one.home} × {one.away}"),
    )


def leg_row(leg: LegRow, bet: SurebetRow, headings: Sequence[str], words: Words) -> Html:
    side = {"home": bet.home, "away": bet.away}.get(leg.outcome) or words("draw").capitalize()
    cells = (
        tag("bdi", side, market_note(leg, words)), leg.title or leg.bookmaker, words.number(leg.price, 2),
        words.number(leg.stake, 2), words.number(leg.payout, 2), since(leg.seen_at),
    )  # fmt: skip
    return row(dict(zip(headings, cells, strict=True)))


def market_note(leg: LegRow, words: Words) -> str:
    if leg.market != EARLY_PAYOUT:
        return ""
    return f" ({words('h2h_2up' if pays_early(leg.market, leg.outcome) else 'market_2up')})"


def kick_off(at: float, words: Words) -> Html:
    return join(words("starts"), " ", sentence(words, "in", age=until(at)))


def ended(kept: Sequence[EndedSurebet], words: Words) -> Html:
    headings = [words(name) for name in ("match", "best_profit", "when", "duration")]
    rows = [
        row(
            dict(
                zip(
                    headings,
                    (
                        tag("a", tag("bdi", one.home), " × ", tag("bdi", one.away), href=f"/match/{one.match_id}"),
                        f"{words.number(one.best_profit, 2)} %{' ⚠' if one.suspicious else ''}",
                        sentence(words, "ago", age=since(one.ended_at)),
                        span(one.ended_at - one.first_seen),
                    ),
                    strict=True,
                )
            )
        )
        for one in kept
    ]
    body = [tag("h2", words("ended_surebets")), table(headings, rows, words("ended_surebets"))] if rows else []
    return tag("section", body, id="ended")


def matches(upcoming: Sequence[MatchRow], words: Words) -> Html:
    headings = [words(name) for name in ("match", "league", "kickoff", "books")]
    rows = [
        row(
            dict(
                zip(
                    headings,
                    (
                        tag("a", tag("bdi", one.home), " × ", tag("bdi", one.away), href=f"/match/{one.match_id}"),
                        one.league,
                        sentence(words, "in", age=until(one.starts_at)),
                        str(one.books),
                    ),
                    strict=True,
                )
            )
        )
        for one in upcoming
    ]
    body = table(headings, rows, words("next_matches")) if rows else tag("p", words("no_matches"), class_="quiet")
    return tag("section", tag("h2", words("next_matches")), body, id="matches")


def match_fragments(match: MatchDetail, snapshot: Snapshot, words: Words) -> Fragments:
    now = snapshot.state.now // 60 * 60 if snapshot.state else match.starts_at
    markets = sorted({line.market for line in match.lines})
    shown = [market_plots(match, market, now, words) for market in markets]
    body = tag("div", shown or tag("p", words("no_lines"), class_="quiet"), id="lines")
    return {"banner": banner(snapshot, words), "lines": body}


def match_content(match: MatchDetail, parts: Fragments, words: Words) -> Html:
    return join(
        parts["banner"],
        tag("h1", tag("bdi", match.home), " × ", tag("bdi", match.away)),
        tag("p", match.league, " · ", kick_off(match.starts_at, words), class_="quiet"),
        parts["lines"],
    )


def market_plots(match: MatchDetail, market: str, now: float, words: Words) -> Html:
    lines = [line for line in match.lines if line.market == market]
    books = {book: index for index, book in enumerate(sorted({line.bookmaker for line in lines}))}
    names = {"home": match.home, "draw": words("draw").capitalize(), "away": match.away}
    figures = [
        tag("figure", tag("figcaption", tag("bdi", names[outcome])), courses_plot(courses, now, names[outcome]))
        for outcome in OUTCOMES
        if (courses := [course(line, books) for line in lines if line.outcome == outcome])
    ]
    legend = [
        tag("li", swatch(index), book, " ", tag("span", current(lines, book, words), class_="quiet"))
        for book, index in books.items()
    ]
    return tag(
        "section",
        tag("h2", words("movement"), ": ", words(market)),
        tag("div", figures, class_="figures"),
        tag("ul", legend, class_="legend"),
    )


def course(line: LineRow, books: dict[str, int]) -> Course:
    moves = [(move.at.timestamp(), move.price) for move in line.prices]
    return Course(line.bookmaker, moves, books[line.bookmaker])


def swatch(style: int) -> Html:
    path = tag("path", d="M0 6H24", class_=f"line s{style % 20}")
    return tag("svg", path, class_="swatch", viewBox="0 0 24 12", aria_hidden="true")


def current(lines: Sequence[LineRow], book: str, words: Words) -> str:
    """The prices of a book now, home to away: what the colours say, in numbers."""
    last = {line.outcome: line.prices[-1].price for line in lines if line.bookmaker == book and line.prices}
    return " / ".join(
        words("gone") if last[outcome] is None else words.number(last[outcome] or 0, 2)
        for outcome in OUTCOMES
        if outcome in last
    )
