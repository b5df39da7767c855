"""What Discord is told of surebets, whoever is slow or goes away on the way: Discord, or the database."""

from collections.abc import AsyncIterator, Callable

import pytest

from common.settings import AlertSettings, Secret
from sidecars.alerting import Alerting
from sidecars.alerts import show
from sidecars.export import Found
from store.rpc import StoreDown
from tests.conftest import Simulator
from tests.sidecars.notes import Notes
from tests.sidecars.rows import KTO, STAKE, draft, line, match

BETS: list[Found] = draft(
    *(match(number, line(KTO, 3.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9)) for number in (1, 2, 3))
)[0].found
BET = BETS[0]


@pytest.fixture
async def notes() -> AsyncIterator[Notes]:
    async with Notes() as notes:
        yield notes


def teller(simulator: Simulator, notes: Notes, every: float = 15, touch: Callable[[], None] = lambda: None) -> Alerting:
    """As after a start: it knows of no pause that Discord asked for."""
    hook = AlertSettings(discord_webhook_url=Secret(f"{simulator.url}/discord/api/webhooks/42/secret"))
    return Alerting(notes, hook, 1.0, every=every, touch=touch)


def titles(simulator: Simulator) -> list[str]:
    return [message["embeds"][0]["title"].split(" ")[0] for message in simulator.discord()]


async def test_what_discord_may_have_taken_is_not_told_again(simulator: Simulator, notes: Notes) -> None:
    simulator.fault("discord", "truncated", count=1)  # taken, and the answer breaks off
    for found in ([BET], [BET], []):
        async with teller(simulator, notes) as alerting:
            await alerting.tell(found)
    assert titles(simulator) == ["Surebet"], "which nobody can edit"
    assert [alert["closed"] for alert in notes.alerts.values()] == [True]
    async with teller(simulator, notes) as alerting:
        await alerting.tell([BET])
    assert titles(simulator) == ["Surebet"], "back soon: no second message"


@pytest.mark.parametrize("fault", ["429", "500"])
async def test_what_discord_refused_is_told_later(simulator: Simulator, notes: Notes, fault: str) -> None:
    simulator.fault("discord", fault, count=1)
    for _ in range(2):
        async with teller(simulator, notes) as alerting:
            await alerting.tell([BET])
    assert titles(simulator) == ["Surebet"]


@pytest.mark.parametrize("made", [True, False])
async def test_a_claim_whose_answer_is_lost_is_made_again(simulator: Simulator, notes: Notes, *, made: bool) -> None:
    async with teller(simulator, notes) as alerting:
        (notes.goes_away_after if made else notes.away_for).add("claim_surebet_alert")
        with pytest.raises(StoreDown):
            await alerting.tell([BET])
        assert len(notes.alerts) == made
        notes.goes_away_after, notes.away_for = set(), set()
        for _ in range(2):
            await alerting.retry()
    assert titles(simulator) == ["Surebet"]


async def test_the_claim_of_another_is_let_be(simulator: Simulator, notes: Notes) -> None:
    notes.claim_surebet_alert(p_match=BET.match.id, p_shown=show(BET))
    async with teller(simulator, notes) as alerting:
        await alerting.tell([BET])
    assert titles(simulator) == []


async def test_a_slow_discord_gets_a_share_of_each_round(simulator: Simulator, notes: Notes) -> None:
    simulator.fault("discord", "slow", delay=0.05)
    async with teller(simulator, notes, every=0.1) as alerting:
        for told in (1, 2, 3, 3):
            await alerting.tell(BETS)
            assert len(titles(simulator)) == told


async def test_it_shows_life_between_two_messages(simulator: Simulator, notes: Notes) -> None:
    lives: list[int] = []
    async with teller(simulator, notes, touch=lambda: lives.append(len(titles(simulator)))) as alerting:
        await alerting.tell(BETS)
    assert lives == [0, 1, 2]
