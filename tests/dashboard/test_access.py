"""Who may act, and who may not."""

import pytest

from common.settings import BadSetting, DashboardSettings, Secret
from dashboard.access import HOURS, Access, is_known_host, is_same_origin

TOKEN = "correct horse battery"


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def access(token: str = TOKEN) -> tuple[Access, Clock]:
    clock = Clock()
    return Access(Secret(token), clock), clock


def logged_in(door: Access) -> str:
    session = door.log_in(TOKEN)
    assert session
    return session


def test_a_session_holds_no_token_and_ends() -> None:
    door, clock = access()
    session = logged_in(door)
    assert TOKEN not in session
    assert door.is_session(session)
    clock.now += HOURS * 3600 + 1
    assert not door.is_session(session)


def test_a_session_survives_a_restart_and_not_another_token() -> None:
    session = logged_in(access()[0])
    assert access()[0].is_session(session)
    assert not access("another token!!")[0].is_session(session)


@pytest.mark.parametrize(
    "change", [lambda text: "9" + text, lambda text: text[:-1] + "é", lambda _: "", lambda _: "..."]
)
def test_a_session_cannot_be_made_up(change: object) -> None:
    door, _ = access()
    assert callable(change)
    assert not door.is_session(change(logged_in(door)))


def test_a_form_belongs_to_its_session() -> None:
    door, clock = access()
    mine = logged_in(door)
    clock.now += 1
    other = logged_in(door)
    assert door.is_own_form(mine, door.form_token(mine))
    assert not door.is_own_form(mine, door.form_token(other))
    assert not door.is_own_form(mine, "")
    assert not door.is_own_form("", "")
    assert not door.is_own_form(mine, "é")


def test_without_a_token_nobody_may_act() -> None:
    door, _ = access("")
    assert not door.is_possible
    assert door.log_in("") is None
    assert not door.is_session(logged_in(access()[0]))
    assert not door.is_own_form("", "")


def test_wrong_tokens_are_slowed_down_and_a_right_one_is_then_not_looked_at() -> None:
    door, clock = access()
    waits = []
    for _ in range(12):
        assert door.log_in("wrong") is None
        waits.append(door.wait())
        assert not waits[-1] or door.log_in(TOKEN) is None
        clock.now += door.wait()
    assert waits[:2] == [0, 0]
    assert waits[2:5] == [0.5, 1, 2]
    assert waits[-1] == 30
    assert door.log_in(TOKEN)
    assert door.log_in("wrong") is None
    assert door.wait() == 0


@pytest.mark.parametrize(
    ("headers", "same"),
    [
        ({"host": "127.0.0.1:8080", "origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}, True),
        ({"host": "127.0.0.1:8080"}, True),
        ({"host": "127.0.0.1:8080", "origin": "http://evil.example"}, False),
        ({"host": "127.0.0.1:8080", "origin": "null"}, False),
        ({"host": "127.0.0.1:8080", "origin": "http://127.0.0.1:9000"}, False),
        ({"host": "127.0.0.1:8080", "sec-fetch-site": "cross-site"}, False),
        ({"host": "localhost:8080", "sec-fetch-site": "same-site"}, False),
    ],
)
def test_where_a_form_came_from(headers: dict[str, str], same: bool) -> None:
    assert is_same_origin(headers) is same


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8080", True), ("127.0.0.1", True), ("[::1]:8080", True), ("[::1]", True), ("localhost:8080", True),
        ("status.example.com", True), ("STATUS.example.com.:443", True), ("fleet.localhost", True),
        ("evil.example", False), ("127.0.0.1.evil.example", False), ("localhost.evil.example:8080", False),
        ("", False), ("status.example.com.evil.example", False), ("[evil]", False),
    ],
)  # fmt: skip
def test_names_that_are_ours(host: str, known: bool) -> None:
    assert is_known_host(host, frozenset({"status.example.com"})) is known


def test_a_short_token_stops_the_process() -> None:
    with pytest.raises(BadSetting, match="DASHBOARD_TOKEN"):
        DashboardSettings(token=Secret("short"))


def test_places_outside_are_checked() -> None:
    assert DashboardSettings(outside="off").outside_places == ()
    assert DashboardSettings(outside="a.example:443, b.example:53").outside_places == ("a.example:443", "b.example:53")
    with pytest.raises(BadSetting, match="HEALTH_OUTSIDE"):
        DashboardSettings(outside="https://a.example/")
