"""Incidents, newest first, with their course and evidence."""

from collections.abc import Mapping, Sequence

from common.masking import mask
from dashboard.html import Child, Html, join, tag
from dashboard.model import Snapshot
from dashboard.view import Fragments, banner, sentence, since
from dashboard.words import Words
from store.dashboard import IncidentRow
from watchdog.words import span


def fragments(incidents: Sequence[IncidentRow], snapshot: Snapshot, words: Words) -> Fragments:
    names = {row.name for row in snapshot.scrapers}
    shown = [tag("li", article(one, words, linked=one.subject in names), class_=mark_of(one)) for one in incidents]
    body = tag("ol", shown, class_="timeline") if shown else tag("p", words("no_incidents"), class_="quiet")
    return {"banner": banner(snapshot, words), "incidents": tag("div", body, id="incidents")}


def content(parts: Fragments, words: Words) -> Html:
    return join(parts["banner"], tag("h1", words("incidents")), parts["incidents"])


def mark_of(one: IncidentRow) -> str:
    return "open" if one.closed_at is None else "closed"


def article(one: IncidentRow, words: Words, *, linked: bool = False) -> Html:
    name = tag("bdi", words.subject(one.subject))
    say = words.cause(one.cause)
    over = one.closed_at is not None
    mark = tag("span", "✔" if over else "✖", class_="mark", aria_hidden="true")
    title = join(tag("a", name, href=f"/scraper/{one.subject}") if linked else name, ": ", say.what)
    facts: list[Child] = [sentence(words, "ago", age=since(one.opened_at))]
    if one.closed_at is not None:
        facts.append(words("lasted", span=span((one.healthy_at or one.closed_at) - one.opened_at)))
    if one.restarts:
        facts.append(words("restarts_used", used=one.restarts))
    if one.grouped:
        facts.append(words("grouped"))
    if len(one.timeline) > 1:
        course = " → ".join(words.cause(str(step.get("cause"))).what for step in one.timeline)
        facts.append(f"{words('course')}: {course}")
    return tag(
        "article",
        tag("h3", mark, title),
        tag("p", join_with(" · ", facts), class_="quiet"),
        tag("p", tag("bdi", mask(one.detail)), class_="error") if one.detail else None,
        None if over else tag("p", say.advice_for(one.subject), class_="advice"),
        evidence(one.evidence, words),
    )


def evidence(kept: Mapping[str, object], words: Words) -> Html | None:
    """What was kept before a restart destroyed it; masked once more, whoever wrote it."""
    parts: list[Child] = []
    if kept.get("memory_mb"):
        parts.append(
            tag("p", words("evidence_memory", used=kept["memory_mb"], limit=kept.get("memory_limit_mb") or "–"))
        )
    for key in ("log", "processes"):
        lines = kept.get(key)
        if isinstance(lines, list) and lines:
            parts += [tag("h4", words(f"evidence_{key}")), block("\n".join(map(str, lines)), words(f"evidence_{key}"))]
    if stacks := kept.get("stacks"):
        parts += [tag("h4", words("evidence_stacks")), block(str(stacks), words("evidence_stacks"))]
    return tag("details", tag("summary", words("evidence")), parts) if parts else None


def block(text: str, label: str) -> Html:
    return tag("pre", mask(text), tabindex="0", role="region", aria_label=label)


def join_with(separator: str, parts: Sequence[Child]) -> Html:
    return join(part if index == 0 else join(separator, part) for index, part in enumerate(parts))
