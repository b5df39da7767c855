"""The bookmakers: the only list of them.

A new brand on a known platform is one row here and one service in compose.yml.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Engine = Literal["http", "impersonate", "browser", "browser_once"]
Kind = Literal["book", "exchange"]


@dataclass(frozen=True, slots=True)
class Bookmaker:
    name: str  # of the scraper: service `scraper-<name>`, label, heartbeat row
    title: str
    platform: str  # a file in scrapers/platforms
    site: str  # origin of the pages that people open
    api: str  # origin of the feed that we read
    sports: tuple[str, ...] = ("football", "basketball")
    params: Mapping[str, str] = field(default_factory=dict)  # what the platform wants to know about this brand
    engine: Engine = "http"
    every: int = 30  # seconds from the start of a cycle to the start of the next
    memory_mb: int = 100
    grace: int = 30  # seconds from SIGTERM to SIGKILL
    kind: Kind = "book"
    commission: float = 0.0  # share of the winnings that an exchange keeps
    key_env: str = ""  # variable whose value the runner puts in `params["key"]`, when the feed wants a key
    book: str = ""  # whose odds these are, when several scrapers read one bookmaker

    @property
    def book_key(self) -> str:
        return self.book or self.name

    @property
    def is_heavy(self) -> bool:
        """Needs a browser, if only to begin."""
        return self.engine.startswith("browser")

    @property
    def service(self) -> str:
        return "scraper-" + self.name.replace("_", "-")

    def at(self, simulator_url: str | None) -> "Bookmaker":
        """The same bookmaker, served by the simulator instead of its own site."""
        if not simulator_url:
            return self
        origin = f"{simulator_url.rstrip('/')}/{self.name}"
        return replace(self, site=origin, api=origin)


ALTENAR = "https://sb2frontend-altenar2.biahosted.com"
SPORTS_LINK = "{site}/sports/{sport}/{country}/{home}-vs-{away}/e-{id}"

BOOKMAKERS: tuple[Bookmaker, ...] = (
    Bookmaker(
        "superbet",
        "Superbet",
        "superbet",
        site="https://superbet.bet.br",
        api="https://production-superbet-offer-br.freetls.fastly.net",
    ),
    Bookmaker(
        "novibet",
        "Novibet",
        "novibet",
        site="https://www.novibet.bet.br",
        api="https://www.novibet.bet.br",
        params={"application": "NoviBR", "country": "BR"},
        engine="impersonate",  # Cloudflare answers 403 to plain clients
    ),
    Bookmaker(
        "kto",
        "KTO",
        "kambi",
        site="https://www.kto.bet.br",
        api="https://us.offering-api.kambicdn.com",
        params={"offering": "ktobr"},
    ),
    Bookmaker(
        "estrelabet",
        "EstrelaBet",
        "altenar",
        site="https://www.estrelabet.bet.br",
        api=ALTENAR,
        params={
            "integration": "estrelabet",
            "link": "{site}/aposta-esportiva?page=event&eventId={id}&sportId={sport_id}",
        },
    ),
    Bookmaker(
        "sportingbet",
        "Sportingbet",
        "entain",
        site="https://www.sportingbet.bet.br",
        api="https://www.sportingbet.bet.br",
        params={"access_id": "YTRhMjczYjctNTBlNy00MWZlLTliMGMtMWNkOWQxMThmZTI2"},  # public, the same for everybody
    ),
    Bookmaker(
        "betnacional",
        "Betnacional",
        "betnacional",
        site="https://betnacional.bet.br",
        api="https://prod-global-bff-events.bet6.com.br",
        params={"provider": "ramp", "hours": "72"},
        engine="impersonate",  # Cloudflare lets plain clients in on some days only
    ),
    Bookmaker(
        "br4bet",
        "BR4Bet",
        "altenar",
        site="https://br4.bet.br",
        api=ALTENAR,
        sports=("football",),
        params={"integration": "br4bet", "link": SPORTS_LINK},
    ),
    Bookmaker(
        "mcgames",
        "MCGames",
        "altenar",
        site="https://mcgames.bet.br",
        api=ALTENAR,
        sports=("football",),
        params={"integration": "mcgames2", "link": SPORTS_LINK},
    ),
    Bookmaker(
        "jogodeouro",
        "Jogo de Ouro",
        "altenar",
        site="https://jogodeouro.bet.br",
        api=ALTENAR,
        sports=("football",),
        params={"integration": "jogodeouro", "link": "{site}/pt/sports?page=event&eventId={id}&sportId={sport_id}"},
    ),
    Bookmaker(
        "tradeball",
        "Tradeball",
        "tradeball",
        site="https://betbra.bet.br",
        api="https://tradeball.betbra.bet.br",
        sports=("football",),
        params={"utc_offset": "1"},
        kind="exchange",
        commission=0.028,  # as its sister Betbra: its own is not published
    ),
    Bookmaker(
        "bet365",
        "Bet365",
        "oddsapi",
        site="https://www.bet365.bet.br",
        api="https://api.odds-api.io",
        params={"bookmaker": "Bet365"},
        key_env="BET365_FEED_KEY",
    ),
    Bookmaker(
        "br4bet_nba",
        "BR4Bet",
        "altenar",
        site="https://br4.bet.br",
        api=ALTENAR,
        sports=("basketball",),
        params={"integration": "br4bet", "link": SPORTS_LINK},
        book="br4bet",
    ),
    Bookmaker(
        "mcgames_nba",
        "MCGames",
        "altenar",
        site="https://mcgames.bet.br",
        api=ALTENAR,
        sports=("basketball",),
        params={"integration": "mcgames2", "link": SPORTS_LINK},
        book="mcgames",
    ),
    Bookmaker(
        "jogodeouro_nba",
        "Jogo de Ouro",
        "altenar",
        site="https://jogodeouro.bet.br",
        api=ALTENAR,
        sports=("basketball",),
        params={"integration": "jogodeouro", "link": "{site}/pt/sports?page=event&eventId={id}&sportId={sport_id}"},
        book="jogodeouro",
    ),
    Bookmaker(
        "betano",
        "Betano",
        "betano",
        site="https://www.betano.bet.br",
        api="https://www.betano.bet.br",
        params={"match_pages": "2"},
        engine="browser",
        every=45,
        memory_mb=512,
    ),
    Bookmaker(
        "betbra",
        "Betbra",
        "mexchange",
        site="https://betbra.bet.br",
        api="https://mexchange-api.betbra.bet.br",
        engine="browser",
        every=45,
        memory_mb=512,
        kind="exchange",
        commission=0.028,  # public sources say 2.5 % or 2.8 %: with the higher no surebet is promised too much
    ),
    Bookmaker(
        "stake",
        "Stake",
        "stake",
        site="https://stake.bet.br",
        api="https://sbweb.stake.bet.br",
        params={
            "h2h": "1000316018,1001159858",
            "h2h_2up": "2100089307_0",
            "moneyline": "1001159732",
            "match_pages": "0",
        },
        engine="browser",
        every=45,
        memory_mb=400,
    ),
    Bookmaker(
        "aposta1",
        "Aposta1",
        "altenar",
        site="https://www.aposta1.bet.br",
        api=ALTENAR,
        params={
            "integration": "aposta1",
            "link": "{site}/esportes#/sport/{sport_id}/category/{category_id}/championship/{champ_id}/event/{id}",
        },
        engine="browser_once",
        every=45,
        memory_mb=512,
    ),
    Bookmaker(
        "esportivabet",
        "Esportiva Bet",
        "altenar",
        site="https://esportiva.bet.br",
        api=ALTENAR,
        params={
            "integration": "esportiva",
            "link": "{site}/sports/{sport}/{country}/{league}/{home}-vs-{away}/ev-{id}",
        },
        engine="browser_once",
        every=45,
        memory_mb=512,
    ),
)

_BY_NAME = {book.name: book for book in BOOKMAKERS}


def get(name: str) -> Bookmaker:
    """Raises `KeyError` with the names there are."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no bookmaker called {name!r}; there are: {', '.join(_BY_NAME)}") from None
