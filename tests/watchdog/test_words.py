"""What the operator reads, in both languages, within Discord's limits."""

import msgspec
import pytest

from simulator.discord import problem
from store.watchdog import Day, DayOfScraper, Untold, Worst
from watchdog.model import Cause
from watchdog.words import CAUSES, WORDS, day_embed, incident_embed

LANGUAGES = ("pt-BR", "en")


def test_both_languages_say_the_same_things() -> None:
    assert CAUSES["pt-BR"].keys() == CAUSES["en"].keys() == set(Cause)
    assert WORDS["pt-BR"].keys() == WORDS["en"].keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("cause", Cause)
def test_the_worst_incident_fits(language: str, cause: Cause) -> None:
    incident = Untold(
        id="1", subject="br4bet_nba", cause=cause, detail="x" * 1000, opened_at=1e9, restarts=5, budget="5/5",
        timeline=[dict[str, object](cause=str(each)) for each in Cause] * 3,
        evidence={"log": ["```" + "y" * 300] * 20, "stacks": "z" * 6000, "memory_mb": 99, "memory_limit_mb": 100},
    )  # fmt: skip
    for closed_at in (None, 1e9 + 90):
        shown = msgspec.structs.replace(incident, closed_at=closed_at)
        embed = incident_embed(shown, language).clipped()
        assert problem({"embeds": [msgspec.to_builtins(embed)]}, new=True) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_service_is_named_in_what_to_type(language: str) -> None:
    incident = Untold(id="1", subject="json-generator", cause=Cause.SERVICE_SILENT, opened_at=1)
    advice = incident_embed(incident, language).description
    assert "`make logs S=json-generator`" in advice
    assert "{" not in advice


def test_secrets_and_markdown_of_strangers_stay_out() -> None:
    evidence: dict[str, object] = {"log": ["proxy http://a:geheim@h:1", "```@everyone"], "stacks": "token=abcdefgh"}
    incident = Untold(
        id="1", subject="kto", cause="hang", detail="key=sb_secret_abcdef **x**", opened_at=1, evidence=evidence
    )
    text = msgspec.json.encode(incident_embed(incident, "pt-BR")).decode()
    for secret in ("geheim", "abcdef", "abcdefgh"):
        assert secret not in text
    assert text.count("```") == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_day_of_the_whole_fleet_fits(language: str) -> None:
    day = Day(
        tuple(DayOfScraper(f"scraper_{n}", 2880, 2800 - n, 10**6, n) for n in range(40)), 12, Worst("kto", "hang", 99)
    )
    embed = day_embed(day, language, 1e9).clipped()
    assert problem({"embeds": [msgspec.to_builtins(embed)]}, new=True) is None
    assert "scraper" in embed.description
