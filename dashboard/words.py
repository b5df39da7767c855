"""How the page speaks: one reader, one language. Causes are the watchdog's own words."""

import re

from dashboard.phrases import PHRASES
from watchdog.model import FLEET
from watchdog.words import CAUSES, Say

LANGUAGES = ("pt-BR", "en")  # in the order of the phrases
DEFAULT = "en"


class Words:
    """One language. An unknown key is shown as it is: what a newer part wrote is still readable."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._place = LANGUAGES.index(language)

    def __call__(self, key: str, **values: object) -> str:
        phrases = PHRASES.get(key)
        return phrases[self._place].format(**values) if phrases else key

    def cause(self, cause: str) -> Say:
        return CAUSES[self.language].get(cause, Say(cause, ""))

    def subject(self, subject: str) -> str:
        return self("fleet") if subject == FLEET else subject

    def number(self, value: int | float, digits: int = 0) -> str:
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.language == "pt-BR" else text

    def age(self, seconds: float) -> str:
        """The same as `age` in static/page.js, which takes over in the browser."""
        seconds = max(0.0, seconds)
        if seconds < 100:
            return f"{seconds:.0f} {self('seconds')}"
        if seconds < 100 * 60:
            return f"{seconds / 60:.0f} {self('minutes')}"
        if seconds < 48 * 3600:
            return f"{seconds / 3600:.0f} {self('hours')}"
        return f"{seconds / 86400:.0f} {self('days')}"


SPEAKERS = {language: Words(language) for language in LANGUAGES}


def choose(accept_language: str, chosen: str | None = None) -> str:
    """What the reader chose, or else what the browser asks for most, or else English."""
    if chosen in LANGUAGES:
        return chosen
    wanted = []
    for position, part in enumerate(accept_language.split(",")[:20]):
        name, _, quality = part.strip().partition(";")
        weight = float(found[1]) if (found := re.fullmatch(r"\s*q=([01](?:\.\d{1,3})?)\s*", quality)) else 1.0
        wanted.append((-weight, position, name.strip().lower()))
    for weight, _, name in sorted(wanted):
        if weight and name.partition("-")[0] == "pt":
            return "pt-BR"
        if weight and name.partition("-")[0] == "en":
            return "en"
    return DEFAULT
