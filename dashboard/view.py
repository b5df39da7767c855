"""What all pages share: the frame, the status badge, and ages that tick."""

import re
from collections.abc import Iterable, Mapping

import msgspec

from common.masking import mask
from dashboard.html import Child, Html, join, raw, tag
from dashboard.model import Snapshot
from dashboard.words import Words
from store.dashboard import Row

Fragments = dict[str, Html]  # by the id of the element that each replaces
MARKS = {"ok": "●", "warning": "▲", "error": "✖", "waiting": "◌", "unknown": "?", "paused": "❚❚"}
SILENT = 45.0  # seconds after which the watchdog is missed
PAGES = (("/", "overview"), ("/incidents", "incidents"), ("/surebets", "surebets"), ("/containers", "containers"))
# Stands where the text of an age comes: the markup of a page then only changes with what it says, not every second.
TICKING = "\0"
_AGES = re.compile(rf'data-(since|until)="(-?[\d.]+)"([^>]*)>{TICKING}')


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """How this reader wants the page, and what this reader may do."""

    words: Words
    theme: str = ""  # light, dark, or empty for the system's
    path: str = "/"
    may_act: bool = False
    can_log_in: bool = False
    styles: str = ""  # addresses of the static files, with their versions
    script: str = ""


def page(frame: Frame, title: str, topic: str, version: str, now: float, *content: Child) -> Html:
    """A whole page. `topic` names its live updates, `version` what this page already shows of them."""
    words = frame.words
    texts = {key: words(key) for key in ("seconds", "minutes", "hours", "days", "nothing_found")}
    texts["shown"] = words("shown", shown="{shown}", total="{total}")
    document = tag(
        "html",
        tag(
            "head",
            raw('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
            tag("meta", name="color-scheme", content=frame.theme or "light dark"),
            tag("title", f"{title} · oddsfleet"),
            tag("link", rel="icon", href="data:,"),
            tag("link", rel="stylesheet", href=frame.styles),
            tag("script", src=frame.script, defer=True),
        ),
        tag(
            "body",
            tag("a", words("skip"), class_="skip", href="#content"),
            header(frame),
            tag("p", words("lost"), id="lost", class_="banner bad", role="alert", hidden=True),
            tag("main", *content, id="content", tabindex="-1"),
            tag("p", id="said", class_="unseen", role="status", aria_live="polite"),
            tag("footer", words("footer")),
            data_topic=topic, data_version=version, data_now=f"{now:.1f}",
            data_words=msgspec.json.encode(texts).decode(),
        ),
        lang=words.language, data_theme=frame.theme or None,
    )  # fmt: skip
    return raw("<!DOCTYPE html>" + fill_ages(document, now, words))


def header(frame: Frame) -> Html:
    words = frame.words
    links = [
        tag("li", tag("a", words(name), href=path, aria_current="page" if path == frame.path else None))
        for path, name in PAGES
    ]
    session = None
    if frame.may_act:
        session = tag("form", tag("button", words("log_out")), method="post", action="/logout")
    elif frame.can_log_in:
        session = tag("a", words("log_in"), href="/login")
    return tag(
        "header",
        tag("a", "oddsfleet", class_="brand", href="/"),
        tag("nav", tag("ul", links), aria_label=words("menu")),
        tag(
            "div",
            tag("a", words("theme_dark"), class_="to-dark", href="?theme=dark", aria_label=words("to_dark")),
            tag("a", words("theme_light"), class_="to-light", href="?theme=light", aria_label=words("to_light")),
            tag("a", words("language"), href=f"?lang={words('language_code')}", lang=words("language_code")),
            session,
            class_="tools",
        ),
    )


def banner(snapshot: Snapshot, words: Words) -> Html:
    """What the reader must know before believing the rest."""
    state, said = snapshot.state, []
    if snapshot.down:
        what = sentence(words, "down", age=since(state.now)) if state else words("down_never")
        said.append(tag("p", what, " ", tag("small", words("reason", reason=mask(snapshot.down))), class_="banner bad"))
    elif state and state.watchdog is None:
        said.append(tag("p", words("watchdog_never"), class_="banner"))
    elif state and state.watchdog and state.now - state.watchdog.beat_at > SILENT:
        said.append(
            tag("p", sentence(words, "watchdog_silent", age=since(state.watchdog.beat_at)), class_="banner bad")
        )
    return tag("div", said, id="banner", role="status")


def badge(standing: str, words: Words) -> Html:
    mark = tag("span", MARKS.get(standing, "?"), class_="mark", aria_hidden="true")
    return tag("span", mark, words(standing), class_=f"badge {standing}")


def number(value: int | None, words: Words) -> str:
    """What is unknown is a dash, never 0."""
    return "–" if value is None else words.number(value)


def called(row: Row) -> Html:
    """The book's name, and the scraper's where several read one book."""
    plain = row.title.lower().replace(" ", "")
    return join(tag("bdi", row.title), tag("small", f" {row.name}") if plain != row.name else None)


def since(at: float | None, missing: str = "–") -> Html:
    """The age of something, which ticks."""
    return tag("span", missing) if at is None else tag("time", raw(TICKING), data_since=f"{at:.1f}")


def until(at: float) -> Html:
    return tag("time", raw(TICKING), data_until=f"{at:.1f}")


def sentence(words: Words, key: str, **parts: Html) -> Html:
    """A sentence with markup in it."""
    pieces = re.split(r"\x01(\w+)\x01", words(key, **{name: f"\x01{name}\x01" for name in parts}))
    return join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def fill_ages(markup: str, now: float, words: Words) -> str:
    """The text of every age as of now; in the browser, static/page.js goes on with it."""

    def text(found: re.Match[str]) -> str:
        seconds = now - float(found[2]) if found[1] == "since" else float(found[2]) - now
        return found[0].replace(TICKING, words.age(seconds))

    return _AGES.sub(text, markup)


def why(row: Row, words: Words) -> Html:
    """Cause, last error and how often in a row, in words."""
    cause = row.cause or ""
    told: list[Child] = []
    if cause:
        told.append(tag("strong", words.cause(cause).what))
    elif row.outcome and (outcome := words(f"outcome_{row.outcome}")):
        told.append(outcome)
    if row.failures > 1:
        told.append(words("failures", count=row.failures))
    if row.error:
        told.append(tag("bdi", mask(row.error), class_="error"))
    return join(part if index == 0 else join(" · ", part) for index, part in enumerate(told))


def table(headings: Iterable[str], rows: Iterable[Html], caption: str, **attributes: str) -> Html:
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption, class_="unseen"),
            tag("thead", tag("tr", [tag("th", heading, scope="col") for heading in headings])),
            tag("tbody", rows),
            **attributes,
        ),
        class_="scroll", tabindex="0", role="region", aria_label=caption,
    )  # fmt: skip


def row(cells: Mapping[str, Child], **attributes: str) -> Html:
    """Cells by their headings, which a phone shows beside each."""
    shown = [
        tag("th", cell, scope="row") if index == 0 else tag("td", cell, data_label=heading)
        for index, (heading, cell) in enumerate(cells.items())
    ]
    return tag("tr", shown, **attributes)
