"""The webhook client, against the simulated Discord; and what strangers' text may look like there."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.discord import Busy, Embed, Field, Gone, Lost, Rejected, Webhook, plain
from common.settings import Secret
from tests.conftest import Simulator
from tests.fleet import free_port

HELLO = Embed("hello")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def webhook(simulator: Simulator, path: str = "42/secret") -> AsyncIterator[tuple[Webhook, Clock]]:
    clock = Clock()
    async with Webhook(Secret(f"{simulator.url}/discord/api/webhooks/{path}"), clock=clock) as client:
        yield client, clock


async def test_a_message_is_sent_and_edited(simulator: Simulator) -> None:
    async with webhook(simulator) as (client, _):
        message_id = await client.post(HELLO)
        await client.edit(message_id, Embed("goodbye", fields=(Field("a", "b"),)))
    (kept,) = simulator.discord()
    assert kept["id"] == message_id
    assert kept["embeds"] == [{"title": "goodbye", "fields": [{"name": "a", "value": "b"}]}]


async def test_too_much_is_cut_rather_than_refused(simulator: Simulator) -> None:
    long = Embed("t" * 999, "d" * 9999, fields=tuple(Field("n" * 999, "v" * 9999) for _ in range(40)))
    async with webhook(simulator) as (client, _):
        await client.post(long)
    assert len(simulator.discord()) == 1


async def test_a_rate_limit_is_kept_without_asking_again(simulator: Simulator) -> None:
    simulator.fault("discord", "429", count=1, retry_after=7)
    async with webhook(simulator) as (client, clock):
        with pytest.raises(Busy) as limited:
            await client.post(HELLO)
        assert limited.value.retry_after == 7
        clock.now += 6.9
        with pytest.raises(Busy):
            await client.post(HELLO)
        assert simulator.requests("discord")["count"] == 1, "nothing is asked before its time"
        clock.now += 0.2
        await client.post(HELLO)


@pytest.mark.parametrize("fault", ["500", "drop"])
async def test_a_fault_means_later(simulator: Simulator, fault: str) -> None:
    simulator.fault("discord", fault, count=1)
    async with webhook(simulator) as (client, clock):
        with pytest.raises(Busy):
            await client.post(HELLO)
        clock.now += 5.1
        await client.post(HELLO)


@pytest.mark.parametrize("fault", ["drop", "truncated"])
async def test_without_an_answer_a_new_message_may_stand_there_and_an_edit_is_made_again(
    simulator: Simulator, fault: str
) -> None:
    async with webhook(simulator) as (client, clock):
        message_id = await client.post(HELLO)
        simulator.fault("discord", fault, count=2)
        with pytest.raises(Lost):
            await client.post(HELLO)
        clock.now += 5.1
        with pytest.raises(Busy) as later:
            await client.edit(message_id, HELLO)
        assert not isinstance(later.value, Lost)


async def test_what_was_refused_or_never_left_is_not_lost(simulator: Simulator) -> None:
    simulator.fault("discord", "500", count=1)
    nobody = f"http://127.0.0.1:{free_port()}"
    for url in (simulator.url, nobody):
        async with Webhook(Secret(f"{url}/discord/api/webhooks/42/secret")) as client:
            with pytest.raises(Busy) as later:
                await client.post(HELLO)
            assert not isinstance(later.value, Lost)


async def test_a_deleted_message_is_gone(simulator: Simulator) -> None:
    async with webhook(simulator) as (client, _):
        with pytest.raises(Gone):
            await client.edit("1", HELLO)


async def test_what_is_wrong_is_rejected(simulator: Simulator) -> None:
    simulator.fault("discord", "403", count=1)
    async with webhook(simulator) as (client, _):
        with pytest.raises(Rejected):
            await client.post(HELLO)


@pytest.mark.parametrize("fault", ["429", "500", "drop", "403", "redirect", "challenge"])
async def test_no_error_shows_the_address(simulator: Simulator, fault: str) -> None:
    simulator.fault("discord", fault, count=1)
    async with webhook(simulator) as (client, _):
        with pytest.raises((Busy, Rejected)) as raised:
            await client.post(HELLO)
    assert "secret" not in repr(raised.value) + str(raised.value.__cause__)


@pytest.mark.parametrize(
    "name",
    ["Paris Saint-Germain", "Atlético-MG", "Botafogo (RJ)", "KeyError: 1", "no row for 500 s: 12:30", "Fla #1 > Flu"],
)
def test_what_discord_would_not_read_as_markup_is_left_alone(name: str) -> None:
    """Titles, previews and notifications may show a backslash as it is."""
    assert plain(name) == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("[x](https://evil)", r"\[x\](https\://evil)"),
        ("https://evil", r"https\://evil"),
        ("<https://evil>", r"\<https\://evil>"),
        ("@everyone <@1> <#2> <t:3:R>", r"\@everyone \<\@1> \<#2> \<t\:3:R>"),
        ("*a* _b_ ~~c~~ ||d|| `e`", r"\*a\* \_b\_ \~\~c\~\~ \|\|d\|\| \`e\`"),
        ("\\*a*", r"\\\*a\*"),
        (":skull:", r"\:skull:"),
        ("# big", r"\# big"),
        ("a\n - b\r>>> c\n-# d", "a\n \\- b\r\\>>> c\n\\-# d"),
    ],
)
def test_a_strangers_markup_is_text(name: str, told: str) -> None:
    assert plain(name) == told


@given(st.text(alphabet="\\*_~`|<>@[]()#-:/ \n\r\fhttpsa", max_size=30))
def test_no_markup_is_left_beside_the_escapes_and_nothing_is_lost(name: str) -> None:
    told = plain(name)
    unescaped = re.sub(r"\\[^\w\s]|\\_", "x", told)
    assert re.sub(r"\\([^\w\s]|_)", r"\1", told) == name
    assert not re.search(r"[*_~`|<@\[\]\\]|:\s*//|:[^\s:]+:|(^|[\n\r])\s*[#>-]", unescaped)
