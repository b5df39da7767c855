"""What Discord should say about surebets: which messages, and their words. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple

import msgspec

from common.discord import Embed, Field, Footer, plain
from common.markets import EARLY_PAYOUT, pays_early
from sidecars.export import Found
from store.alerts import Alert

GREEN, ORANGE, GREY, MOSS = 0x2ECC71, 0xE67E22, 0x95A5A6, 0x556B5D

WORDS: Mapping[str, Mapping[str, str]] = {
    "pt-BR": {
        "title": "Surebet de {profit} %: {home} x {away}",
        "ended": "Encerrada · {home} x {away}",
        "lasted": "Durou {time}, até {profit} % de lucro.",
        "below": "▼ Agora abaixo de {limit} %, o limite para avisar.",
        "suspicious": "⚠ Confira antes de apostar: lucro ou preços fora do comum.",
        "early_payout": "Com pagamento antecipado: pode pagar duas vezes.",
        "league": "{league} · início",
        "leg": "{outcome} · {bookmaker}",
        "stake": "{price} · aposte R$ {stake} · recebe R$ {payout}",
        "age": "preço de {age} s atrás",
        "open": "abrir",
        "footer": "Total R$ {total} · lucro R$ {profit}",
        "draw": "Empate",
        "market_2up": "mercado 2up",
    },
    "en": {
        "title": "Surebet of {profit}%: {home} v {away}",
        "ended": "Ended · {home} v {away}",
        "lasted": "Lasted {time}, up to {profit}% of profit.",
        "below": "▼ Now below {limit}%, the limit for alerts.",
        "suspicious": "⚠ Check before you bet: the profit or the prices are out of the ordinary.",
        "early_payout": "With early payout: may pay twice.",
        "league": "{league} · kick-off",
        "leg": "{outcome} · {bookmaker}",
        "stake": "{price} · stake R$ {stake} · returns R$ {payout}",
        "age": "price seen {age} s ago",
        "open": "open",
        "footer": "Total R$ {total} · profit R$ {profit}",
        "draw": "Draw",
        "market_2up": "2up market",
    },
}


class ShownLeg(msgspec.Struct, frozen=True):
    outcome: str
    market: str
    bookmaker: str
    price: float
    stake: float
    payout: float
    link: str | None
    title: str = ""  # of the bookmaker; unknown to messages of an older version


class Shown(msgspec.Struct, frozen=True):
    """What a message says, without the ages: when this changes, the message is edited."""

    match_id: int
    league: str
    home: str
    away: str
    starts_at: int
    profit_percent: float
    profit: float
    total: float
    suspicious: bool
    early_payout: bool
    legs: tuple[ShownLeg, ...]
    best_percent: float = 0.0  # that the message ever showed; unknown to messages of an older version
    below: float | None = None  # the limit for alerts, when it pays less by now


class Act(Enum):
    POST = "post"
    EDIT = "edit"
    CLOSE = "close"
    FORGET = "forget"  # it was being sent when the process died, and the surebet is gone


# A new one is worth more than news of an old one, and that one is over more than that its price moved.
URGENCY = {Act.POST: 0, Act.CLOSE: 1, Act.FORGET: 1, Act.EDIT: 2}


class Step(NamedTuple):
    act: Act
    shown: Shown
    alert: Alert | None = None


def plan(found: Iterable[Found], alerts: Sequence[Alert], min_profit: float) -> list[Step]:
    """From what there is and what was said to what is to be said. One message per match: the best of its surebets.

    A message goes on while there is any surebet on its match, so that a profit around the limit does not ring twice.
    """
    best: dict[int, Found] = {}
    for one in found:
        if one.match.id not in best or worth(one, min_profit) > worth(best[one.match.id], min_profit):
            best[one.match.id] = one
    said = {alert.match_id: alert for alert in sorted(alerts, key=lambda alert: (not alert.closed, alert.id))}
    steps = []
    for match_id, one in best.items():
        alert = said.get(match_id)
        before = shown_by(alert) if alert else None
        shown = show(one, min_profit, before)
        if (alert is None or alert.closed) and one.bet.profit_percent < min_profit:
            continue
        if alert is None:
            steps.append(Step(Act.POST, shown))
        elif alert.message_id and (alert.closed or before != shown):
            steps.append(Step(Act.EDIT, shown, alert))
    steps += (
        Step(Act.FORGET if alert.message_id is None else Act.CLOSE, shown_by(alert), alert)
        for alert in said.values()
        if not alert.closed and alert.match_id not in best
    )
    return sorted(steps, key=lambda step: (URGENCY[step.act], -step.shown.profit_percent))


def worth(found: Found, min_profit: float) -> tuple[bool, float]:
    """In money from the limit on: a high percentage of a few reais must not hide the bet that pays."""
    percent = found.bet.profit_percent
    return (True, found.bet.profit) if percent >= min_profit else (False, percent)


def shown_by(alert: Alert) -> Shown:
    shown = msgspec.convert(alert.shown, Shown)
    return msgspec.structs.replace(shown, best_percent=max(shown.best_percent, shown.profit_percent))


def show(found: Found, min_profit: float = 0.0, before: Shown | None = None) -> Shown:
    """`before` is what the same message said last."""
    bet, match = found.bet, found.match
    return Shown(
        match_id=match.id,
        league=found.league.title,
        home=match.home,
        away=match.away,
        starts_at=match.starts_at,
        profit_percent=bet.profit_percent,
        profit=bet.profit / 100,
        total=bet.total / 100,
        suspicious=found.suspicious,
        early_payout=bet.early_payout,
        legs=tuple(
            ShownLeg(
                leg.offer.outcome,
                leg.offer.market,
                leg.offer.bookmaker,
                leg.offer.price,
                leg.stake / 100,
                leg.payout / 100,
                leg.offer.link,
                found.titles.get(leg.offer.bookmaker, ""),
            )
            for leg in bet.legs
        ),
        best_percent=max(bet.profit_percent, before.best_percent if before else 0.0),
        below=min_profit if bet.profit_percent < min_profit else None,
    )


def open_embed(shown: Shown, ages: Mapping[str, int], language: str, now: datetime) -> Embed:
    """`ages` by bookmaker, in seconds."""
    words = WORDS[language]
    described = [f"{words['league'].format(league=plain(shown.league))} <t:{shown.starts_at}:f>"]
    if shown.below is not None:
        described.append(words["below"].format(limit=number(shown.below, language)))
    described += [words[name] for name in ("suspicious", "early_payout") if getattr(shown, name)]
    return Embed(
        title=words["title"].format(
            profit=number(shown.profit_percent, language), home=plain(shown.home), away=plain(shown.away)
        ),
        description="\n".join(described),
        color=color(shown),
        fields=tuple(leg_field(leg, shown, ages.get(leg.bookmaker), language) for leg in shown.legs),
        footer=footer(shown, language),
        timestamp=now.astimezone(UTC).isoformat(timespec="seconds"),
    )


def color(shown: Shown) -> int:
    if shown.below is not None:
        return MOSS
    return ORANGE if shown.suspicious else GREEN


def closed_embed(shown: Shown, opened_at: datetime, language: str, now: datetime) -> Embed:
    words, seconds = WORDS[language], max(0, round((now - opened_at).total_seconds()))
    time = f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
    return Embed(
        title=words["ended"].format(home=plain(shown.home), away=plain(shown.away)),
        description=words["lasted"].format(time=time, profit=number(shown.best_percent, language)),
        color=GREY,
        fields=tuple(leg_field(leg, shown, None, language) for leg in shown.legs),
        footer=footer(shown, language),
        timestamp=now.astimezone(UTC).isoformat(timespec="seconds"),
    )


def leg_field(leg: ShownLeg, shown: Shown, age: int | None, language: str) -> Field:
    words = WORDS[language]
    outcome = {"home": plain(shown.home), "draw": words["draw"], "away": plain(shown.away)}[leg.outcome]
    told = [
        words["stake"].format(
            price=number(leg.price, language, whole=True),
            stake=number(leg.stake, language),
            payout=number(leg.payout, language),
        )
    ]
    if age is not None:
        told.append(words["age"].format(age=age))
    if leg.link and ")" not in leg.link:
        told.append(f"[{words['open']}]({leg.link})")
    return Field(
        words["leg"].format(outcome=outcome, bookmaker=plain(leg.title or leg.bookmaker)) + market_note(leg, words),
        " · ".join(told),
    )


def market_note(leg: ShownLeg, words: Mapping[str, str]) -> str:
    if leg.market != EARLY_PAYOUT:
        return ""
    return " (2up)" if pays_early(leg.market, leg.outcome) else f" ({words['market_2up']})"


def footer(shown: Shown, language: str) -> Footer:
    text = WORDS[language]["footer"]
    return Footer(text.format(total=number(shown.total, language), profit=number(shown.profit, language)))


def number(value: float, language: str, *, whole: bool = False) -> str:
    """1.234,50 or 1,234.50; a price keeps all of its digits."""
    text = f"{value:,.4f}".rstrip("0") if whole else f"{value:,.2f}"
    if whole and len(text.partition(".")[2]) < 2:
        text = f"{value:,.2f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "pt-BR" else text
