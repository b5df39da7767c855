"""Every fault as a client on a real socket meets it."""

import zlib
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from scrapers.errors import Changed
from simulator.faults import FAULTS, Fault, Faults
from simulator.model import is_open
from simulator.spoil import HOSTILE_NAMES
from tests.conftest import Simulator
from tests.simulator.client import fetch, page, raw_request

MEGABYTE = 1024 * 1024


def test_without_fault(simulator: Simulator, client: httpx.Client) -> None:
    simulator.prices(freeze=True)
    answer = fetch(simulator, client)
    assert answer.headers["content-encoding"] == "gzip"
    ids = {event.external_id for event in page(answer).events}
    lines = [line for line in simulator.board("superbet").lines if is_open(line) and line.sport == "football"]
    assert {str(line.event_id) for line in lines} <= ids


def test_connections_are_kept(simulator: Simulator, client: httpx.Client) -> None:
    streams = {id(fetch(simulator, client).extensions["network_stream"]) for _ in range(3)}
    assert len(streams) == 1


def test_plain_body_when_gzip_is_not_asked_for(simulator: Simulator) -> None:
    with httpx.Client(headers={"accept-encoding": "identity"}) as client:
        assert "content-encoding" not in fetch(simulator, client).headers


@pytest.mark.parametrize(("fault", "status"), [("403", 403), ("429", 429), ("500", 500), ("redirect", 302)])
def test_statuses_are_met_count_times(simulator: Simulator, client: httpx.Client, fault: str, status: int) -> None:
    simulator.fault("superbet", fault, count=2)
    assert [fetch(simulator, client).status_code for _ in range(3)] == [status, status, 200]


def test_429_says_when_to_come_back(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "429", retry_after=7)
    assert fetch(simulator, client).headers["retry-after"] == "7"


def test_redirect_leads_to_another_host(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "redirect")
    assert urlsplit(fetch(simulator, client).headers["location"]).hostname == "blocked.invalid"


def test_challenge_is_a_page_with_status_200(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "challenge")
    answer = fetch(simulator, client)
    assert answer.status_code == 200
    assert "text/html" in answer.headers["content-type"]
    assert "Just a moment" in answer.text


def test_empty_is_valid(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "empty")
    assert page(fetch(simulator, client)).events == []


def test_malformed_is_noticed(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "malformed")
    answer = fetch(simulator, client)
    assert msgspec.json.decode(answer.content)
    with pytest.raises(Changed):
        page(answer)


def test_hostile_events_come_among_normal_ones(simulator: Simulator, client: httpx.Client) -> None:
    simulator.prices(freeze=True)
    normal = fetch(simulator, client)
    simulator.fault("superbet", "hostile")
    answer = fetch(simulator, client)
    hostile = {event["eventId"]: event for event in answer.json()["data"] if event["eventId"] < 10_000}
    football = [event for _, event in sorted(hostile.items()) if event["sportId"] == 5]
    assert [event["odds"][0]["price"] for event in football[:5]] == [-1.5, 0, 1, 1e308, "66,66 <b>"]
    assert [event["matchName"].partition("·")[0] for event in football[5:]] == list(HOSTILE_NAMES)
    good = {event.external_id for event in page(normal).events}
    assert good < {event.external_id for event in page(answer).events}


def test_leak_spares_data_and_spoils_pages(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "leak")
    assert page(fetch(simulator, client)).events
    shown = client.get(f"{simulator.url}/superbet/", headers={"accept": "text/html"})
    assert b"new Uint8Array" in shown.content


def test_truncated_breaks_its_promise_of_length(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "truncated", count=1)
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
        fetch(simulator, client)
    assert fetch(simulator, client).status_code == 200


def test_drop_answers_nothing(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "drop", count=1)
    with pytest.raises(httpx.TransportError):
        fetch(simulator, client)
    assert fetch(simulator, client).status_code == 200


def test_hang_holds_one_site_and_no_other(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "hang", count=1)
    with raw_request(simulator.url) as hanging:
        while simulator.requests("superbet")["open"] == 0:
            pass
        assert fetch(simulator, client).status_code == 200
        hanging.setblocking(False)
        with pytest.raises(BlockingIOError):
            hanging.recv(1)
    while simulator.requests("superbet")["open"]:
        pass
    assert simulator.requests("superbet")["max_concurrency"] == 2


def test_slow_is_right_in_the_end(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "slow", count=1, delay=0.05)
    assert page(fetch(simulator, client)).events


@pytest.mark.parametrize("fault", ["huge", "huge_gzip"])
def test_huge_is_as_large_as_asked(simulator: Simulator, client: httpx.Client, fault: str) -> None:
    simulator.fault("superbet", fault, megabytes=5)
    with client.stream("GET", f"{simulator.url}/superbet/x") as answer:
        raw = list(answer.iter_raw())
    body = b"".join(raw) if fault == "huge" else zlib.decompress(b"".join(raw), 31)
    assert len(body) > 5 * MEGABYTE
    assert msgspec.json.decode(body)
    if fault == "huge_gzip":
        assert sum(map(len, raw)) < MEGABYTE / 10


def test_huge_can_be_left_early(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "huge")
    with client.stream("GET", f"{simulator.url}/superbet/x") as answer:
        next(answer.iter_raw())
    while simulator.requests("superbet")["open"]:
        pass


def test_faults_end_by_count_by_time_and_by_hand() -> None:
    faults = Faults()
    faults.put("a", Fault("403", count=1), now=0)
    faults.put("b", Fault("403", seconds=5), now=0)
    faults.put("c", Fault(500), now=0)
    assert [bool(faults.take("a", 1)), bool(faults.take("a", 1))] == [True, False]
    assert [bool(faults.take("b", 4.9)), bool(faults.take("b", 5))] == [True, False]
    assert faults.state(9) == {"c": {"fault": "500", "count_left": None, "seconds_left": None}}
    faults.clear("c")
    assert faults.take("c", 9) is None


def test_every_fault_is_tested_here() -> None:
    with open(__file__, encoding="utf-8") as source:
        text = source.read()
    assert [fault for fault in FAULTS if f'"{fault}"' not in text] == []
