"""Memory and CPU of every container, as `pm2 monit` showed them of processes."""

from common.masking import mask
from dashboard.html import Html, join, tag
from dashboard.model import Container, Snapshot
from dashboard.plots import bar
from dashboard.view import Fragments, banner, row, table
from dashboard.words import Words

MEGABYTE = 2**20


def fragments(snapshot: Snapshot, words: Words) -> Fragments:
    return {"banner": banner(snapshot, words), "containers": listed(snapshot, words)}


def content(parts: Fragments, words: Words) -> Html:
    return join(parts["banner"], tag("h1", words("containers")), parts["containers"])


def listed(snapshot: Snapshot, words: Words) -> Html:
    if snapshot.docker_down:
        text = words("containers_away", reason=mask(snapshot.docker_down))
        return tag("div", tag("p", text, class_="banner bad"), id="containers")
    headings = [words(name) for name in ("container", "state", "memory", "cpu_share")]
    running = [container for container in snapshot.containers if container.usage]
    memory = sum(container.usage.memory for container in running if container.usage) / MEGABYTE
    cpu = sum(container.cpu or 0.0 for container in running)
    totals = (
        (words("mode"), words(f"mode_{snapshot.mode}")),
        (words("total_memory"), f"{words.number(memory)} MB"),
        (words("total_cpu"), percent(cpu, words)),
    )
    rows = [container_row(container, headings, words) for container in snapshot.containers]
    return tag(
        "div",
        tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in totals], class_="facts"),
        table(headings, rows, words("table_containers")),
        id="containers",
    )


def container_row(container: Container, headings: list[str], words: Words) -> Html:
    name = container.service or container.name
    alone = len(container.scrapers) == 1
    cells = (
        tag("a", name, href=f"/scraper/{container.scrapers[0]}") if alone else name,
        state(container, words),
        memory_cell(container, words),
        words("measuring") if container.usage and container.cpu is None else percent(container.cpu, words),
    )
    return row(dict(zip(headings, cells, strict=True)))


def state(container: Container, words: Words) -> Html:
    standing = "ok" if container.state == "running" and container.healthy is not False else "error"
    if container.state in ("exited", "created"):
        standing = "paused"
    mark = {"ok": "●", "error": "✖", "paused": "❚❚"}[standing]
    text = words(f"state_{container.state}")
    if container.healthy is not None:
        text += f", {words('healthy_container' if container.healthy else 'unhealthy_container')}"
    return tag("span", tag("span", mark, class_="mark", aria_hidden="true"), text, class_=f"badge {standing}")


def memory_cell(container: Container, words: Words) -> Html | str:
    usage = container.usage
    if usage is None:
        return "–"
    used = words.number(usage.memory / MEGABYTE)
    if not usage.memory_limit:
        return f"{used} MB"
    text = words("memory_of", used=used, limit=words.number(usage.memory_limit / MEGABYTE))
    return join(bar(usage.memory / usage.memory_limit, text), " ", text)


def percent(cores: float | None, words: Words) -> str:
    return "–" if cores is None else f"{words.number(100 * cores, 1)} %"
