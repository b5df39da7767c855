"""What a name says besides the club: women, age, reserves, e-sports, state, country.

Both sides must agree on these before likeness counts: "Flamengo (F)" is one letter from "Flamengo", and another team.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from scrapers.names.fold import fold
from scrapers.names.words import AMBIGUOUS, CLUB_WORDS, FORMS, SHORT_FORMS, SHORT_PLACES, TELLING_WORDS, word_set

STATES = word_set("al am ap ba df es go ma mg ms mt pa pb pe pi pr rj rn ro rr rs sp to")
LOOSE_STATES = word_set("ac ce sc se")  # also Atlético Clube, Club Esportiu, Sport Club, Sociedade Esportiva
STATE_ADJECTIVES = {
    "mineiro": "mg",
    "goianiense": "go",
    "paranaense": "pr",
    "paulista": "sp",
    "carioca": "rj",
    "gaucho": "rs",
    "potiguar": "rn",
    "cearense": "ce",
    "acreano": "ac",
}
_COUNTRIES = {
    "br": "br bra brasil brazil bresil",
    "py": "py par paraguay paraguai",
    "ar": "ar arg argentina argentine",
    "uy": "uy uru uruguay uruguai",
    "cl": "cl chi chile chili",
    "co": "col colombia colombie",
    "ec": "ecu equ ecuador equador equateur",
    "pe": "per peru",
    "bo": "bol bolivia",
    "ve": "ven venezuela",
    "mx": "mex mexico",
    "es": "esp spain espanha espagne",
    "pt": "por portugal",
    "it": "ita italy italia italie",
    "gb": "eng england inglaterra",
    "fr": "fra france franca",
    "de": "ger deu germany alemanha",
    "us": "usa",
}
# As FIFA writes them, and what books put into brackets in the languages that they speak.
_ELSEWHERE = word_set(
    """afg aia alb alg and ang arm aru asa atg aus aut aze bah ban bdi bel ben ber bfa bhr bhu bih blr blz bot brb bru
    bul cam can cay cgo cha chn civ cmr cod cok com cpv crc cro cta cub cuw cyp cze den dji dma dom egy eqg eri
    est eth fij fin fro gab gam geo gha gib gnb gre grn gua gui gum guy hai hkg hon hun idn ind irl irn irq isl
    isr jam jor jpn kaz ken kgz kor kos ksa kuw lao lat lbn lbr lby lca les lie ltu lux mac mad mar mas mda mdv
    mkd mli mlt mne mng moz mri msr mtn mwi mya nam nca ncl ned nep nga nig nir nor nzl oma pak pan phi ple png
    pol prk pur qat rou rsa rus rwa sco sdn sen sey sgp skn sle slo slv smr sol som srb sri ssd stp sui sur svk
    swe swz syr tah tan tca tga tha tjk tkm tls tog ton tpe tri tun tur uae uga ukr usa uzb van vgb vie vin vir
    wal yem zam zim"""
)
_NAMES_ELSEWHERE = {
    "alg": "algeria argelia algerie", "aus": "australia australie", "aut": "austria autriche", "aze": "azerbaijan",
    "bel": "belgium belgica belgique", "bih": "bosnia bosnie", "bul": "bulgaria bulgarie", "can": "canada",
    "chn": "china chine", "cmr": "cameroon camaroes cameroun", "cro": "croatia croacia croatie",
    "cyp": "cyprus chipre chypre", "cze": "czechia tchequia tchequie", "den": "denmark dinamarca danemark",
    "egy": "egypt egito egypte", "est": "estonia estonie", "fin": "finland finlandia finlande",
    "geo": "georgia georgie",
    "gre": "greece grecia grece", "hun": "hungary hungria hongrie", "irl": "ireland irlanda irlande",
    "isl": "iceland islandia islande", "isr": "israel", "jpn": "japan japao japon", "kaz": "kazakhstan cazaquistao",
    "kor": "korea coreia coree", "ksa": "saudi", "lat": "latvia letonia lettonie", "ltu": "lithuania lituania lituanie",
    "mar": "morocco marrocos maroc", "mda": "moldova moldavie", "mlt": "malta malte", "ned": "netherlands holanda",
    "nga": "nigeria", "nor": "norway noruega norvege", "pol": "poland polonia pologne", "qat": "qatar catar",
    "rou": "romania romenia roumanie", "rus": "russia russie", "sco": "scotland escocia ecosse",
    "slo": "slovenia eslovenia slovenie", "srb": "serbia servia serbie", "sui": "switzerland suica suisse",
    "svk": "slovakia eslovaquia slovaquie", "swe": "sweden suecia suede", "tun": "tunisia tunisie",
    "tur": "turkey turquia turquie", "uae": "emirates emirados", "ukr": "ukraine ucrania", "wal": "wales gales galles",
    "alb": "albania", "and": "andorra", "ang": "angola", "arm": "armenia", "ben": "benin", "bhr": "bahrain bahrein",
    "blr": "belarus", "cod": "congo", "crc": "costa_rica", "cub": "cuba", "eth": "ethiopia etiopia",
    "gab": "gabon gabao", "gha": "ghana gana", "gib": "gibraltar", "gua": "guatemala", "hai": "haiti",
    "hkg": "hong_kong", "hon": "honduras",
    "idn": "indonesia", "ind": "india", "irn": "iran", "irq": "iraq iraque", "jam": "jamaica", "jor": "jordan jordania",
    "ken": "kenya quenia", "kos": "kosovo", "kuw": "kuwait", "lbn": "lebanon libano", "lby": "libya libia",
    "lux": "luxembourg luxemburgo", "mas": "malaysia malasia", "mkd": "macedonia north_macedonia", "mli": "mali",
    "mne": "montenegro", "moz": "mozambique mocambique", "nca": "nicaragua", "nir": "northern_ireland",
    "nzl": "new_zealand nova_zelandia", "oma": "oman oma", "pan": "panama", "phi": "philippines filipinas",
    "ple": "palestine palestina", "rsa": "south_africa africa_do_sul", "rwa": "rwanda ruanda", "sen": "senegal",
    "sgp": "singapore singapura sin", "slv": "el_salvador", "smr": "san_marino", "syr": "syria siria",
    "tan": "tanzania", "tha": "thailand tailandia", "tog": "togo", "uga": "uganda", "uzb": "uzbekistan",
    "vie": "vietnam vietna", "yem": "yemen iemen", "zam": "zambia", "zim": "zimbabwe",
}  # fmt: skip
COUNTRIES = {
    **{code: code for code in sorted(_ELSEWHERE)},
    **{word.replace("_", " "): code for code, words in _NAMES_ELSEWHERE.items() for word in words.split()},
    **{word: code for code, words in _COUNTRIES.items() for word in words.split()},
}
# Written without brackets only these are surely a country: "Sol de América (PAR)", but "Paraguay" is a team.
_BARE_COUNTRIES = word_set("br bra py par arg uru")

_WOMEN = word_set(
    """feminino feminina femenino femenina feminine feminin feminines femminile femminino women womens woman wom ladies
    lady dames damen frauen kvinner fem girls"""
)
_RESERVES = word_set(
    "reserves reserve reservas reserva aspirantes jong castilla promesas mestalla amateure amateur amat"
)
_VIRTUAL = word_set(
    """esports esport esoccer ebasketball efootball ebasket virtual srl simulated cyber 2k 2k23 2k24 2k25 2k26 fifa
    efifa volta"""
)
_KINDS = word_set("futsal beach legends lendas masters veterans 3x3 youth juvenil primavera")
_ROUTES = word_set("playoff playoffs winner winners runner up qualifier")  # how the club came here
KING = "willem ii"  # whose club plays in Tilburg: no reserves
_AT_END = {"f": "women", "w": "women", "b": "reserves", "ii": "reserves", "iii": "reserves", "2": "reserves"}
_IN_BRACKETS = {**_AT_END, "v": "virtual", "e": "virtual", "r": "reserves", "res": "reserves"}
_RUN_TOGETHER = re.compile(r"(?<=[a-zà-ÿ]{3})(?=[A-ZÀ-Ý][a-zà-ÿ]{2})")  # "RakowCzestoch.", but "McTavish"
_AGE = re.compile(r"\b(?:u|sub|under|s|moins de)\s?(1[3-9]|2[0-3])\b|\b(espoirs?|esp)$")
_AGE_AFTER_DASH = re.compile(r"\s-(1[3-9]|2[0-3])$")
_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_E_SPORTS = re.compile(r"\be (sports?|soccer|football|basketball)\b")


class Reading(NamedTuple):
    """One name, taken apart."""

    folded: str
    core: tuple[str, ...]  # the words that name the club, short forms written out
    words: tuple[str, ...]  # all words, with those that say nothing
    marks: frozenset[str]
    state: str
    country: str
    tag: frozenset[str]  # in brackets, and nothing that we know: a player of e-sports, a town

    @property
    def bare(self) -> str:
        return " ".join(self.core)

    @property
    def forms(self) -> frozenset[str]:
        return FORMS.intersection((*self.words, self.state))

    @property
    def ambiguous(self) -> bool:
        return self.bare in AMBIGUOUS or " ".join(word for word in self.core if not word.isdigit()) in AMBIGUOUS


@lru_cache(maxsize=4096)
def read(name: str, sport: str = "football") -> Reading:
    marks: set[str] = set()
    tag: set[str] = set()
    state = country = ""
    if dash := _AGE_AFTER_DASH.search(name):
        marks.add("u" + dash[1])
        name = name[: dash.start()]
    for found in _BRACKETS.finditer(name):
        inside = fold(found[1]) if found[1].strip() else ""
        if inside in STATES or inside in LOOSE_STATES:
            state = inside
        elif inside in COUNTRIES:
            country = COUNTRIES[inside]
        elif inside.isdigit() and 13 <= int(inside) <= 23:
            marks.add("u" + inside)
        elif not (known := _marks(inside, _IN_BRACKETS)):
            if found.start() > 0:
                tag.update(word for word in inside.split() if word not in CLUB_WORDS and word not in _ROUTES)
        else:
            marks.update(known)
    outside = _BRACKETS.sub(lambda found: " " if found.start() else found[1], name)
    text = fold(_RUN_TOGETHER.sub(" ", outside) if outside.strip() else name).replace(KING, "willem")
    marks |= _marks(text, _AT_END)
    words = [
        word for word in _joined(_AGE.sub(" ", _E_SPORTS.sub(" ", text)).split()) if not _is_mark(word)
    ] or text.split()
    while len(words) > 1 and words[-1] in _AT_END:
        words.pop()
    words, found_state, found_country = _suffix(words, sport == "football")
    if "st" in words:  # "St Mirren", but "Mississippi Valley St"
        last = len(words) - 1 if sport == "basketball" and len(words) > 1 else len(words)
        words = [
            "state" if word == "st" and place == last else "saint" if word == "st" else word
            for place, word in enumerate(words)
        ]
    idle, forms = (CLUB_WORDS, SHORT_FORMS) if sport == "football" else (CLUB_WORDS - TELLING_WORDS, SHORT_PLACES)
    core = tuple(part for word in words if word not in idle for part in forms.get(word, word).split()) or tuple(words)
    if "athletico" in core:  # only one club is written so
        core = tuple("atletico" if word == "athletico" else word for word in core)
        found_state = found_state or "pr"
    return Reading(
        fold(name), core, tuple(words), frozenset(marks), state or found_state, country or found_country, frozenset(tag)
    )


def veto(a: Reading, b: Reading) -> str | None:
    """Why these two cannot be one team, whatever their letters; None if nothing speaks against it."""
    if a.marks != b.marks:
        return "marks " + " / ".join(", ".join(sorted(side.marks)) or "none" for side in (a, b))
    for one, other in ((a, b), (b, a)):
        if one.tag and one.tag != other.tag and not one.tag <= {*other.words, *other.core}:
            return f"({' '.join(sorted(one.tag))}) on one side only"
    if a.state in b.words or b.state in a.words:  # "AC Milan", "Milan AC": no state at all
        return None
    surely = not {a.state, b.state} & LOOSE_STATES or a.ambiguous or b.ambiguous
    return (_apart("state", a.state, b.state) if surely else None) or _apart("country", _country(a), _country(b))


def _apart(what: str, a: str, b: str) -> str | None:
    """Where one side does not say, it may be the same; whether the name alone can tell is for `alike`."""
    return f"{what} {a} / {b}" if a and b and a != b else None


def _country(reading: Reading) -> str:
    return reading.country or ("br" if reading.state in STATES else "")


def _marks(text: str, at_end: dict[str, str]) -> set[str]:
    words = _joined(text.split())  # "R&F" does not end in a mark of women
    marks = {"u" + (age[1] or "21") for age in _AGE.finditer(text)}
    for word in words:
        if word in _WOMEN:
            marks.add("women")
        elif word in _RESERVES:
            marks.add("reserves")
        elif word in _VIRTUAL:
            marks.add("virtual")
        elif word in _KINDS:
            marks.add(word)
    if _E_SPORTS.search(text):
        marks.add("virtual")
    alone = at_end is _IN_BRACKETS  # "(W)" says it by itself, "W" only after a name
    for word in reversed(words if alone else words[1:]):
        if word not in at_end:
            break
        marks.add(at_end[word])
    return marks


def _is_mark(word: str) -> bool:
    return word in _WOMEN or word in _RESERVES or word in _VIRTUAL or word in _KINDS


def _joined(words: Iterable[str]) -> list[str]:
    """Initials as one word: "l a lakers" is "la lakers"."""
    joined: list[str] = []
    single = False
    for word in words:
        if single and len(word) == 1 and word.isalpha():
            joined[-1] += word
            continue
        single = len(word) == 1 and word.isalpha()
        joined.append(word)
    return joined


def _suffix(words: list[str], states: bool) -> tuple[list[str], str, str]:
    """The words without a state or country at their end, if a name is left without them."""
    state = country = ""
    if len(words) > 1 and words[-1] in _BARE_COUNTRIES:
        country = COUNTRIES[words[-1]]
        words = words[:-1]
    last = words[-1]
    found = "" if not states else last if last in STATES or last in LOOSE_STATES else STATE_ADJECTIVES.get(last, "")
    if found and any(word not in CLUB_WORDS for word in words[:-1]):
        state = found
        words = words[:-1]
        if words[-1] == state and len(words) > 1:
            words = words[:-1]
    return words, state, country
