"""What the operator reads: an incident, an outage and a day as Discord embeds, in Portuguese or English. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from common.discord import Embed, Field, Footer, plain
from common.masking import mask
from store.watchdog import Day, Untold
from watchdog.model import FLEET, Cause

RED, ORANGE, GREEN, GREY, BLUE = 0xD83A3A, 0xE8912D, 0x2E9E5B, 0x8A8F98, 0x3B7DD8
# A restart helps against these; the others are the site's, the operator's, or ours to repair.
COLORS = {Cause.STOPPED_BY_HAND: GREY, Cause.EMPTY: ORANGE, Cause.BLOCKED: ORANGE, Cause.SITE_DOWN: ORANGE}


class Say(NamedTuple):
    what: str
    advice: str  # {name} stands for whom it is about

    def advice_for(self, subject: str) -> str:
        return self.advice.replace("{name}", subject)


CAUSES: Mapping[str, Mapping[str, Say]] = {
    "pt-BR": {
        Cause.CRASH: Say("o processo caiu", "O Docker já o reiniciou; esperando a primeira linha boa."),
        Cause.OUT_OF_MEMORY: Say(
            "sem memória", "Reiniciado. Se repetir, aumente `mem_limit` deste serviço no compose.yml."
        ),
        Cause.CRASH_LOOP: Say(
            "cai sem parar", "Parado ao esgotar os reinícios; nova tentativa após a pausa, ou `make restart`."
        ),
        Cause.HANG: Say("travado", "Pilhas e log guardados; reiniciado."),
        Cause.EMPTY: Say("ciclos sem odds", "Reiniciar não ajuda: o site responde, mas sem jogos."),
        Cause.BLOCKED: Say("bloqueado pelo site", "Reiniciar não ajuda: ritmo reduzido; considere PROXY_LIST."),
        Cause.CHANGED: Say("o formato do site mudou", "Reiniciar não ajuda: o parser precisa acompanhar."),
        Cause.SITE_DOWN: Say("site fora do ar", "Reiniciar não ajuda: tentando de novo a cada ciclo."),
        Cause.TIMEOUT: Say("ciclos lentos demais", "Se continuar, é reiniciado."),
        Cause.INTERNAL: Say("erro nosso", "Se continuar, é reiniciado. Por favor, reporte."),
        Cause.DATABASE_DOWN: Say("banco de dados fora", "Ninguém é reiniciado; os ciclos esperam no spool."),
        Cause.DOCKER_DOWN: Say("Docker não responde", "Ninguém pode ser reiniciado até ele voltar."),
        Cause.SHARED: Say("muitos de uma vez", "Suspeita: rede, banco ou máquina. Ninguém é reiniciado."),
        Cause.STOPPED_BY_HAND: Say("parado à mão", "Fica assim até você iniciá-lo: `make resume`."),
        Cause.SERVICE_SILENT: Say(
            "não faz suas rodadas",
            "Não é reiniciado daqui: `make logs S={name}` diz por quê, `scripts/compose.sh restart {name}` o reinicia.",
        ),
    },
    "en": {
        Cause.CRASH: Say("crashed", "Docker has restarted it; waiting for its first good row."),
        Cause.OUT_OF_MEMORY: Say("out of memory", "Restarted. If it repeats, raise its `mem_limit` in compose.yml."),
        Cause.CRASH_LOOP: Say(
            "keeps crashing", "Stopped when its restarts are used up; tried again after a pause, or `make restart`."
        ),
        Cause.HANG: Say("hangs", "Stacks and log kept; restarted."),
        Cause.EMPTY: Say("cycles without odds", "A restart does not help: the site answers, without matches."),
        Cause.BLOCKED: Say("blocked by the site", "A restart does not help: slowed down; consider PROXY_LIST."),
        Cause.CHANGED: Say("the site's format changed", "A restart does not help: the parser has to follow."),
        Cause.SITE_DOWN: Say("site down", "A restart does not help: tried again every cycle."),
        Cause.TIMEOUT: Say("cycles take too long", "If it goes on, it is restarted."),
        Cause.INTERNAL: Say("a fault of ours", "If it goes on, it is restarted. Please report it."),
        Cause.DATABASE_DOWN: Say("database away", "Nobody is restarted; cycles wait in the spool."),
        Cause.DOCKER_DOWN: Say("Docker does not answer", "Nobody can be restarted until it is back."),
        Cause.SHARED: Say("many at once", "Suspected: network, database or machine. Nobody is restarted."),
        Cause.STOPPED_BY_HAND: Say("stopped by hand", "It stays so until you start it: `make resume`."),
        Cause.SERVICE_SILENT: Say(
            "does not do its rounds",
            "Not restarted from here: `make logs S={name}` says why, `scripts/compose.sh restart {name}` restarts it.",
        ),
    },
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "pt-BR": {
        "fleet": "Frota", "detail": "Detalhe", "restarts": "Reinícios (usados/limite)", "duration": "Duração",
        "since": "Desde", "course": "Evolução", "log": "Últimas linhas do log", "stacks": "Pilhas",
        "memory": "Memória", "back": "normalizado", "shadow": "modo sombra: nada foi feito",
        "summary": "Resumo do dia", "uptime": "disponível", "odds": "odds", "restarted": "reinícios",
        "worst": "Pior incidente", "incidents": "incidentes", "test": "Teste de alerta",
        "test_text": "Se você lê isto, os alertas chegam.", "none": "nenhum",
    },
    "en": {
        "fleet": "Fleet", "detail": "Detail", "restarts": "Restarts (used/allowed)", "duration": "Duration",
        "since": "Since", "course": "Course", "log": "Last log lines", "stacks": "Stacks",
        "memory": "Memory", "back": "recovered", "shadow": "shadow mode: nothing was done",
        "summary": "Daily summary", "uptime": "up", "odds": "odds", "restarted": "restarts",
        "worst": "Worst incident", "incidents": "incidents", "test": "Alert test",
        "test_text": "If you read this, alerts arrive.", "none": "none",
    },
}  # fmt: skip


def incident_embed(incident: Untold, language: str, *, shadow: bool = False) -> Embed:
    words = WORDS[language]
    say = CAUSES[language].get(incident.cause, Say(incident.cause, ""))
    name = words["fleet"] if incident.subject == FLEET else plain(incident.subject)
    closed = incident.closed_at is not None
    fields = [Field(words["detail"], plain(mask(incident.detail)))] if incident.detail else []
    if incident.restarts or incident.budget:
        fields.append(Field(words["restarts"], f"{incident.restarts} ({incident.budget or '–'})", inline=True))
    if incident.closed_at is not None:
        end = incident.healthy_at or incident.closed_at
        fields.append(Field(words["duration"], span(end - incident.opened_at), inline=True))
    else:
        fields.append(Field(words["since"], f"<t:{incident.opened_at:.0f}:R>", inline=True))
    if len(incident.timeline) > 1:
        causes = (CAUSES[language].get(str(step.get("cause")), Say("?", "")).what for step in incident.timeline)
        fields.append(Field(words["course"], " → ".join(causes)))
    fields += [] if closed else evidence_fields(incident.evidence, words)
    mark, color = ("✅", GREEN) if closed else ("🔴", COLORS.get(Cause(incident.cause), RED))
    title = f"{mark} {name}: {say.what}" + (f" – {words['back']}" if closed else "")
    return Embed(
        title=title,
        description="" if closed else say.advice_for(incident.subject),
        color=color,
        fields=tuple(fields),
        footer=Footer(words["shadow"] if shadow else "oddsfleet"),
        timestamp=iso(incident.opened_at),
    )


def evidence_fields(evidence: Mapping[str, object], words: Mapping[str, str]) -> list[Field]:
    fields = []
    if memory := evidence.get("memory_mb"):
        fields.append(Field(words["memory"], f"{memory} / {evidence.get('memory_limit_mb', '–')} MB", inline=True))
    log = evidence.get("log")
    if isinstance(log, list) and log:
        fields.append(Field(words["log"], code("\n".join(str(line) for line in log), keep_end=True)))
    if stacks := evidence.get("stacks"):
        fields.append(Field(words["stacks"], code(str(stacks), keep_end=False)))
    return fields


def code(text: str, *, keep_end: bool, limit: int = 1000) -> str:
    text = mask(text).replace("```", "'''")
    room = limit - 8
    return f"```\n{text[-room:] if keep_end else text[:room]}\n```"


def day_embed(day: Day, language: str, now: float) -> Embed:
    words = WORDS[language]
    lines = [
        f"{'🟢' if row.good >= 0.95 * row.cycles > 0 else '🟠' if row.good else '🔴'} {plain(row.scraper)}: "
        f"{share(row.good, row.cycles)} {words['uptime']}, {row.odds} {words['odds']}"
        + (f", {row.restarts} {words['restarted']}" if row.restarts else "")
        for row in day.scrapers
    ]
    worst = words["none"]
    if day.worst:
        say = CAUSES[language].get(day.worst.cause, Say(day.worst.cause, ""))
        worst = f"{plain(day.worst.subject)}: {say.what}, {span(day.worst.seconds)}"
    return Embed(
        title=f"📊 {words['summary']}",
        description="\n".join(lines),
        color=BLUE,
        fields=(Field(words["worst"], worst), Field(words["incidents"], str(day.incidents), inline=True)),
        timestamp=iso(now),
    )


def test_embed(language: str, now: float) -> Embed:
    words = WORDS[language]
    return Embed(title=f"🔔 {words['test']}", description=words["test_text"], color=BLUE, timestamp=iso(now))


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def span(seconds: float) -> str:
    seconds = max(0.0, seconds)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
