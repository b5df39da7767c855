"""One scraper: how it stands, its last hours as plots, incidents, restarts, proxies and log."""

import msgspec

from common.masking import mask
from dashboard.html import Child, Html, join, tag
from dashboard.model import Container, Snapshot, standing
from dashboard.plots import cycles_plot
from dashboard.view import Fragments, badge, banner, called, number, row, sentence, since, table, why
from dashboard.view_incidents import article, mark_of
from dashboard.words import Words
from store.dashboard import HOURS, RestartRow, Row, ScraperDetail

LEVELS = ("debug", "info", "warning", "error", "critical")
ACTIONS = ("restart", "pause", "resume")


class ScraperPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the page of one scraper is made of."""

    row: Row
    detail: ScraperDetail = ScraperDetail()
    container: Container | None = None
    log: tuple[str, ...] = ()
    log_away: str = ""


def fragments(shown: ScraperPage, snapshot: Snapshot, words: Words) -> Fragments:
    return {
        "banner": banner(snapshot, words),
        "head": head(shown, words),
        "plots": plots(shown, snapshot, words),
        "incidents": incidents(shown, words),
        "restarts": restarts(shown.detail.restarts, words),
        "proxies": proxies(shown.detail.extra.get("proxies"), words),
        "log": log(shown, words),
    }


def content(parts: Fragments, own: Child) -> Html:
    """`own` is what this reader may do here."""
    order = ("plots", "incidents", "restarts", "log", "proxies")
    return join(parts["banner"], parts["head"], own, [parts[name] for name in order])


def head(shown: ScraperPage, words: Words) -> Html:
    scraper, container = shown.row, shown.container
    stands = standing(scraper)
    used = "–" if scraper.restarts_used is None else scraper.restarts_used
    facts: dict[str, Child] = {
        "heartbeat": since(scraper.heartbeat_at, words("never")),
        "collected": number(scraper.collected, words),
        "inserted": number(scraper.inserted, words),
        "cycle": "–" if scraper.duration_ms is None else f"{words.number(scraper.duration_ms / 1000, 1)} s",
        "interval": f"{scraper.interval:g} s",
        "cycles": words.number(scraper.cycles),
        "restarts": words("restarts_of", used=used, budget=scraper.restart_budget or "–"),
        "circuit": words(scraper.circuit),
        "memory": memory(container, words),
        "cpu": "–" if container is None or container.cpu is None else f"{words.number(100 * container.cpu, 1)} %",
    }
    told = why(scraper, words)
    return tag(
        "section",
        tag("h1", called(scraper), " ", badge(stands, words)),
        tag("p", told, class_="why") if told else None,
        tag("p", words.cause(scraper.cause).advice_for(scraper.name), class_="advice") if scraper.cause else None,
        tag("dl", [fact(words(name), value) for name, value in facts.items()], class_="facts"),
        id="head", data_desired=scraper.desired,
    )  # fmt: skip


def fact(name: str, value: Child) -> Html:
    return tag("div", tag("dt", name), tag("dd", value))


def memory(container: Container | None, words: Words) -> str:
    usage = container.usage if container else None
    if usage is None:
        return "–"
    limit = "–" if usage.memory_limit is None else words.number(usage.memory_limit / 2**20)
    return words("memory_of", used=words.number(usage.memory / 2**20), limit=limit)


def plots(shown: ScraperPage, snapshot: Snapshot, words: Words) -> Html:
    cycles, interval = shown.detail.cycles, shown.row.interval
    title = tag("h2", words("history", hours=HOURS))
    if not cycles or not snapshot.state:
        return tag("section", title, tag("p", words("no_cycles"), class_="quiet"), id="plots")
    now = cycles[-1].finished_at if snapshot.down else max(cycles[-1].finished_at, snapshot.state.now // 60 * 60)
    missed = sum(not cycle.collected for cycle in cycles)
    figures = [
        tag(
            "figure",
            tag("figcaption", words(name)),
            cycles_plot(cycles, values, words(name), now=now, hours=HOURS, interval=interval),
        )
        for name, values in (
            ("odds_per_cycle", [float(cycle.collected) for cycle in cycles]),
            ("cycle_time", [cycle.duration_ms / 1000 for cycle in cycles]),
        )
    ]
    note = tag("p", words("failed_cycles", count=missed), class_="quiet") if missed else None
    return tag("section", title, tag("div", figures, class_="figures"), note, id="plots")


def incidents(shown: ScraperPage, words: Words) -> Html:
    kept = shown.detail.incidents
    items = [tag("li", article(one, words), class_=mark_of(one)) for one in kept]
    body = tag("ol", items, class_="timeline") if items else tag("p", words("no_incidents"), class_="quiet")
    return tag("section", tag("h2", words("incidents")), body, id="incidents")


def restarts(events: tuple[RestartRow, ...], words: Words) -> Html:
    headings = [words(name) for name in ("when", "made_by", "cause_word", "state", "note")]
    rows = [
        row(
            dict(
                zip(
                    headings,
                    (
                        sentence(words, "ago", age=since(event.at)),
                        words(event.made_by),
                        words("asked for") if event.cause == "asked for" else words.cause(event.cause).what,
                        words(event.state),
                        join(
                            words("charged" if event.charged else "not_charged"),
                            f" · {event.note}" if event.note else "",
                        ),
                    ),
                    strict=True,
                )
            )
        )
        for event in events
    ]
    body = table(headings, rows, words("restarts")) if rows else tag("p", words("no_restarts"), class_="quiet")
    return tag("section", tag("h2", words("restarts")), body, id="restarts")


def proxies(described: object, words: Words) -> Html:
    """As the scraper's last heartbeat describes them: places and hosts, never accounts."""
    headings = [words(name) for name in ("proxy", "proxy_state", "proxy_strikes", "proxy_rests")]
    rows = [
        row(
            {
                headings[0]: mask(str(proxy.get("proxy"))),
                headings[1]: words(str(proxy.get("state"))),
                headings[2]: str(proxy.get("strikes", "–")),
                headings[3]: f"{proxy['rests_s']} s" if "rests_s" in proxy else "–",
            }
        )
        for proxy in (described if isinstance(described, list) else [])
    ]
    body = table(headings, rows, words("proxies")) if rows else tag("p", words("no_proxies"), class_="quiet")
    return tag("section", tag("h2", words("proxies")), body, id="proxies")


def log(shown: ScraperPage, words: Words) -> Html:
    if shown.log_away:
        body = tag("p", words("log_away", reason=mask(shown.log_away)), class_="quiet")
    elif not shown.log:
        body = tag("p", words("log_empty"), class_="quiet")
    else:
        lines = [log_line(line) for line in shown.log]
        body = tag("pre", lines, class_="log", tabindex="0", role="region", aria_label=words("log"))
    return tag("section", tag("h2", words("log")), body, id="log")


def log_line(line: str) -> Html:
    """Time, level and event of a line of ours; any other line as it is. Masked, and text whatever it holds."""
    try:
        entry = msgspec.json.decode(line.encode(errors="replace"), type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError):
        return tag("span", mask(line)[:500], "\n")
    level, event = str(entry.pop("level", "info")), str(entry.pop("event", ""))
    time = str(entry.pop("time", ""))[11:19]
    rest = " ".join(f"{key}={value}" for key, value in entry.items() if key not in ("scraper", "service"))
    kind = level if level in LEVELS else "info"
    return tag("span", f"{time} {level:7} ", tag("b", mask(event)[:300]), f" {mask(rest)[:300]}\n", class_=f"l-{kind}")


def actions(shown: ScraperPage, unit: str, words: Words, *, csrf: str, can_log_in: bool) -> Html:
    """Forms for who is logged in; for others, what to do to get them. `csrf` is empty without a session."""
    name = shown.row.name
    if not csrf:
        hint = (
            join(words("log_in_to_act"), " ", tag("a", words("log_in"), href=f"/login?next=/scraper/{name}"))
            if can_log_in
            else words("read_only")
        )
        return tag("p", hint, id="actions", class_="quiet")
    forms = [
        tag(
            "form",
            tag("input", type="hidden", name="csrf", value=csrf),
            tag("button", words(action), data_confirm=words(f"confirm_{action}", name=unit)),
            method="post", action=f"/scraper/{name}/{action}", class_=action,
        )
        for action in ACTIONS
    ]  # fmt: skip
    shared = tag("p", words("shared_unit", unit=unit), class_="quiet") if unit != name else None
    return tag("section", tag("h2", words("actions"), class_="unseen"), forms, shared, id="actions")
