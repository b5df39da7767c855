"""The Discord sink: takes what Discord takes, refuses what it refuses, and remembers every edit."""

from collections.abc import Iterator

import httpx
import pytest

from simulator.discord import KEPT, Sink, problem
from simulator.state import clock
from tests.conftest import Simulator

HOOK = "/discord/api/webhooks/42/secret"


@pytest.fixture
def discord(simulator: Simulator) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=simulator.url) as client:
        yield client


def test_a_message_is_posted_edited_and_listed(simulator: Simulator, discord: httpx.Client) -> None:
    posted = discord.post(HOOK, params={"wait": "true"}, json={"content": "betano is silent"})
    assert posted.status_code == 200
    message = f"{HOOK}/messages/{posted.json()['id']}"
    edited = discord.patch(message, json={"content": "betano is back", "embeds": [{"title": "closed"}]})
    assert edited.json()["content"] == "betano is back"
    assert discord.get(message).json() == edited.json()
    (kept,) = simulator.discord()
    assert kept["id"] == posted.json()["id"]
    assert kept["content"] == "betano is back"
    assert [edit["payload"]["content"] for edit in kept["edits"]] == ["betano is back"]
    assert discord.delete(message).status_code == 204
    assert simulator.discord() == []


def test_without_wait_there_is_no_body(simulator: Simulator, discord: httpx.Client) -> None:
    answer = discord.post(HOOK, json={"content": "hello"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert len(simulator.discord()) == 1
    assert discord.delete("/_control/discord").status_code == 204
    assert simulator.discord() == []


def test_unknown_message(discord: httpx.Client) -> None:
    answer = discord.patch(f"{HOOK}/messages/1", json={"content": "x"})
    assert (answer.status_code, answer.json()["code"]) == (404, 10008)


def test_another_webhook_cannot_edit_it(discord: httpx.Client) -> None:
    posted = discord.post(HOOK, params={"wait": "true"}, json={"content": "x"}).json()
    other = f"/discord/api/webhooks/43/secret/messages/{posted['id']}"
    assert discord.patch(other, json={"content": "y"}).status_code == 404


def test_rate_limit_is_in_discords_words(simulator: Simulator, discord: httpx.Client) -> None:
    simulator.fault("discord", "429", count=1, retry_after=0.64)
    limited = discord.post(HOOK, json={"content": "x"})
    assert limited.status_code == 429
    assert limited.json() == {"message": "You are being rate limited.", "retry_after": 0.64, "global": False}
    assert limited.headers["retry-after"] == "0.64"
    assert discord.post(HOOK, json={"content": "x"}).status_code == 204
    assert simulator.requests("discord")["count"] == 2
    assert len(simulator.discord()) == 1


def test_discord_away(simulator: Simulator, discord: httpx.Client) -> None:
    simulator.fault("discord", "500", count=1)
    assert discord.post(HOOK, json={"content": "x"}).status_code == 500
    simulator.fault("discord", "drop", count=1)
    with pytest.raises(httpx.TransportError):
        discord.post(HOOK, json={"content": "x"})
    assert simulator.discord() == []


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, 50006),
        ({"content": ""}, 50006),
        ([], 50109),
        ({"content": "x" * 2001}, 50035),
        ({"embeds": [{}] * 11}, 50035),
        ({"embeds": [{"title": "x" * 257}]}, 50035),
        ({"embeds": [{"description": "x" * 4097}]}, 50035),
        ({"embeds": [{"fields": [{"name": "n", "value": "x" * 1025}]}]}, 50035),
        ({"embeds": [{"fields": [{"name": "n", "value": "v"}] * 26}]}, 50035),
        ({"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]}, 50035),
        ({"embeds": "x"}, 50035),
    ],
)
def test_what_discord_does_not_take(discord: httpx.Client, payload: object, code: int) -> None:
    answer = discord.post(HOOK, json=payload)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_not_json(discord: httpx.Client) -> None:
    assert discord.post(HOOK, content=b"{").json()["code"] == 50109


def test_an_edit_may_leave_things_as_they_are() -> None:
    assert problem({}, new=False) is None


def test_old_messages_are_forgotten() -> None:
    sink = Sink()
    for number in range(KEPT + 5):
        sink.post("1", {"content": str(number)}, clock())
    assert len(sink.state()) == KEPT
    assert sink.state()[0]["content"] == "5"
