"""Both languages say all of it, in the same places."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from dashboard.phrases import PHRASES
from dashboard.words import SPEAKERS, choose
from watchdog.model import Cause

DASHBOARD = Path(__file__).parent.parent.parent / "dashboard"
# Made at run time: by a status, an outcome, a state of a container, …
BUILT = re.compile(
    r"(mode|outcome|state|evidence|asked|confirm)_\w+|ok|warning|error|waiting|unknown|paused|closed|open|half_open"
    r"|requested|intended|done|verified|answered|failed|operator|docker|watchdog|healthy|blocked|not working"
    r"|home|draw|away|h2h|h2h_2up|restart|pause|resume|asked for"
)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", PHRASES)
def test_both_languages_have_the_same_places(key: str) -> None:
    portuguese, english = PHRASES[key]
    assert fields(portuguese) == fields(english)
    assert bool(portuguese) == bool(english)


def test_every_phrase_is_said_somewhere_and_back() -> None:
    said: set[str] = set()
    for path in DASHBOARD.glob("*.py"):
        if path.name != "phrases.py":
            said |= {
                node.value
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    assert {key for key in PHRASES if key not in said and not BUILT.fullmatch(key)} == set()
    for path in DASHBOARD.glob("*.py"):
        for key in re.findall(r'\bwords\("(\w+)"', path.read_text()):
            assert key in PHRASES, f"{path.name} says {key}"


@pytest.mark.parametrize("language", SPEAKERS)
def test_every_cause_has_words(language: str) -> None:
    for cause in Cause:
        assert SPEAKERS[language].cause(cause).what != cause.value


@pytest.mark.parametrize(
    ("header", "chosen", "expected"),
    [
        ("pt-BR,pt;q=0.9,en;q=0.8", None, "pt-BR"),
        ("pt-PT", None, "pt-BR"),
        ("en-US,en;q=0.9,pt;q=0.8", None, "en"),
        ("de,pt;q=0.5,en;q=0.7", None, "en"),
        ("fr", None, "en"),
        ("pt;q=0, en", None, "en"),
        ("pt;q=0", None, "en"),
        ("", None, "en"),
        ("pt;q=nonsense,,;;", None, "pt-BR"),
        ("pt-BR", "en", "en"),
        ("en", "xx", "en"),
    ],
)
def test_the_reader_is_understood(header: str, chosen: str | None, expected: str) -> None:
    assert choose(header, chosen) == expected


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0 s"), (59.6, "60 s"), (125, "2 min"), (7300, "2 h"), (400_000, "5 d")]
)
def test_ages(seconds: float, text: str) -> None:
    assert SPEAKERS["en"].age(seconds) == text


def test_numbers_are_written_as_the_language_does() -> None:
    assert SPEAKERS["pt-BR"].number(1234.5, 1) == "1.234,5"
    assert SPEAKERS["en"].number(1234.5, 1) == "1,234.5"
