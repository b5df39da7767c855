"""The first page: cards, services, open incidents, and the table of seed 004."""

from common.masking import mask
from dashboard.html import Child, Html, join, tag
from dashboard.model import Snapshot, has_problem, standing
from dashboard.plots import sparkline
from dashboard.view import SILENT, Fragments, badge, banner, called, number, since, why
from dashboard.words import Words
from store.dashboard import IncidentRow, Row, State

# Each column: its word, and the kind of its sort key; a column without one is not sorted by.
COLUMNS = (
    ("scraper", "text"), ("status", "number"), ("heartbeat", "number"), ("collected", "number"), ("inserted", "number"),
    ("cycle", "number"), ("last_hour", ""), ("restarts", "number"), ("circuit", "text"), ("cause", "text"),
)  # fmt: skip
WORST_FIRST = ("error", "warning", "unknown", "waiting", "paused", "ok")
FILTERS = ("problems", "ok", "warning", "error", "paused", "waiting")


def fragments(snapshot: Snapshot, words: Words) -> Fragments:
    parts = {
        "banner": banner(snapshot, words),
        "cards": cards(snapshot, words),
        "services": services(snapshot, words),
        "open": open_incidents(snapshot, words),
    }
    for scraper in snapshot.scrapers:
        parts[row_id(scraper.name)] = table_row(scraper, words)
    return parts


def content(parts: Fragments, words: Words) -> Html:
    rows = [markup for name, markup in parts.items() if name.startswith("row-")]
    return join(
        tag("h1", words("overview"), class_="unseen"),
        parts["banner"],
        parts["cards"],
        parts["open"],
        tools(words),
        tag("p", words("none_yet"), class_="empty-table", hidden=bool(rows)),
        tag(
            "table",
            tag("caption", words("table"), class_="unseen"),
            # Roles, since a phone shows the rows as cards, and a browser then forgets that it was a table.
            tag(
                "thead", tag("tr", [heading(name, kind, words) for name, kind in COLUMNS], role="row"), role="rowgroup"
            ),
            tag("tbody", rows, data_list="row", role="rowgroup"),
            class_="fleet",
            role="table",
        ),
        tag("p", id="shown", class_="quiet"),
        parts["services"],
    )


def heading(name: str, kind: str, words: Words) -> Html:
    if not kind:
        return tag("th", words(name), scope="col", role="columnheader")
    sort = "ascending" if name == "scraper" else "none"
    arrow = tag("span", class_="arrow", aria_hidden="true")
    button = tag("button", words(name), arrow, type="button", data_sort=name, data_kind=kind)
    return tag("th", button, scope="col", role="columnheader", aria_sort=sort, class_=f"c-{name}")


def tools(words: Words) -> Html:
    """Search and filter work in the browser; without scripts they are not shown."""
    options = [
        tag("option", words("filter_problems") if name == "problems" else words(name), value=name) for name in FILTERS
    ]
    return tag(
        "form",
        tag("label", words("search"), " ", tag("input", type="search", id="search", placeholder=words("search_hint"))),
        tag(
            "label", words("filter"), " ",
            tag("select", tag("option", words("filter_all"), value=""), options, id="filter"),
        ),
        class_="find", role="search", hidden=True,
    )  # fmt: skip


def cards(snapshot: Snapshot, words: Words) -> Html:
    scrapers, state = snapshot.scrapers, snapshot.state
    stands = [standing(row) for row in scrapers]
    well, ill = stands.count("ok"), sum(map(has_problem, scrapers))
    paused = stands.count("paused")
    latest = max((row.heartbeat_at for row in scrapers if row.heartbeat_at), default=None)
    return tag(
        "dl",
        card(words("active"), words.number(well), words("of", total=len(scrapers)), "good" if well else ""),
        card(
            words("problems"), words.number(ill), words("paused_count", count=paused) if paused else "",
            "bad" if ill else "good",
        ),
        card(words("last_update"), since(latest, words("never")), ""),
        card(words("odds_minute"), words.number(state.odds_last_minute if state else 0), ""),
        card(words("surebets_now"), tag("a", words.number(state.surebets if state else 0), href="/surebets"), ""),
        card(words("mode"), words(f"mode_{snapshot.mode}"), "", "word"),
        id="cards",
    )  # fmt: skip


def card(label: str, value: Child, note: str, kind: str = "") -> Html:
    shown = tag("dd", value, tag("small", note) if note else None)
    return tag("div", tag("dt", label), shown, class_=f"card {kind}".strip())


def services(snapshot: Snapshot, words: Words) -> Html:
    items = [
        tag(
            "li", badge(row.status, words), " ", tag("span", row.name), " ", since(row.heartbeat_at, words("never")),
            tag("span", mask(row.error), class_="error") if row.error else None,
        )
        for row in snapshot.services
    ]  # fmt: skip
    if snapshot.state and snapshot.state.watchdog:
        items.append(watchdog(snapshot.state, words))
    return tag("section", tag("h2", words("services")), tag("ul", items, class_="services"), id="services")


def watchdog(state: State, words: Words) -> Html:
    beat = state.watchdog
    late = beat is None or state.now - beat.beat_at > SILENT
    note = tag("em", words("shadow")) if beat and beat.shadow else None
    # In tens of seconds: it beats every few, and nobody needs to see each.
    at = since(beat.beat_at // 10 * 10) if beat else None
    return tag("li", badge("error" if late else "ok", words), " ", words("service_watchdog"), " ", at, " ", note)


def open_incidents(snapshot: Snapshot, words: Words) -> Html:
    shown = [one for one in snapshot.state.incidents if not one.grouped] if snapshot.state else []
    body = tag("ul", [tag("li", incident(one, snapshot, words)) for one in shown]) if shown else None
    return tag("section", tag("h2", words("open_incidents")) if shown else None, body, id="open", class_="incidents")


def incident(one: IncidentRow, snapshot: Snapshot, words: Words) -> Html:
    name = words.subject(one.subject)
    linked = tag("a", name, href=f"/scraper/{one.subject}") if snapshot.scraper(one.subject) else name
    say = words.cause(one.cause)
    return join(
        tag("strong", linked, ": ", say.what), " · ", since(one.opened_at), " · ",
        tag("span", say.advice_for(one.subject), class_="advice"),
    )  # fmt: skip


def row_id(scraper: str) -> str:
    return f"row-{scraper}"


def table_row(row: Row, words: Words) -> Html:
    stands, told = standing(row), why(row, words)
    used = row.restarts_used
    restarts = "–" if used is None else words("restarts_of", used=used, budget=row.restart_budget or "–")
    cells: dict[str, Child] = {
        "scraper": tag("a", called(row), href=f"/scraper/{row.name}"),
        "status": badge(stands, words),
        "heartbeat": since(row.heartbeat_at, words("never")),
        "collected": number(row.collected, words),
        "inserted": number(row.inserted, words),
        "cycle": "–" if row.duration_ms is None else f"{words.number(row.duration_ms / 1000, 1)} s",
        "last_hour": spark(row, words),
        "restarts": tag("span", restarts, class_="bad" if used else None),
        "circuit": tag("span", words(row.circuit), class_="bad" if row.circuit != "closed" else "quiet"),
        "cause": told,
    }
    keys: dict[str, str | int | float | None] = {
        "scraper": f"{row.title.lower()} {row.name}",
        "status": WORST_FIRST.index(stands) if stands in WORST_FIRST else 0,
        "heartbeat": -(row.heartbeat_at or 0),
        "collected": row.collected,
        "inserted": row.inserted,
        "cycle": row.duration_ms,
        "restarts": used,
        "circuit": row.circuit,
        "cause": str(told),
    }
    shown = [
        tag("th", cell, class_=f"c-{name}", data_key=keys.get(name), scope="row", role="rowheader")
        if name == "scraper"
        else tag("td", cell, class_=f"c-{name}", data_key=keys.get(name), data_label=words(name), role="cell")
        for name, cell in cells.items()
    ]
    cause = words.cause(row.cause).what if row.cause else ""
    found = " ".join((row.name, row.title, words(stands), cause, mask(row.error or "")))
    return tag(
        "tr", shown, id=row_id(row.name), class_=f"is-{stands}", data_status=stands, role="row",
        data_problem="yes" if has_problem(row) else None, data_text=found.lower(),
    )  # fmt: skip


def spark(row: Row, words: Words) -> Html:
    if not row.spark:
        return tag("span", "–", title=words("spark_none"), class_="quiet")
    odds = [point.odds for point in row.spark]
    last = min(row.spark, key=lambda point: point.minutes_ago).odds
    return sparkline(row.spark, row.interval, words("spark", least=min(odds), most=max(odds), last=last))
