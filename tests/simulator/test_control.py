"""The simulator's own door."""

import httpx

from scrapers import catalog
from simulator.model import is_open
from simulator.schedule import fixtures
from simulator.state import clock
from tests.conftest import Simulator
from tests.simulator.client import fetch, page, raw_request


def test_concurrency_is_counted(simulator: Simulator, client: httpx.Client) -> None:
    simulator.fault("superbet", "hang", count=3)
    held = [raw_request(simulator.url) for _ in range(3)]
    while simulator.requests("superbet")["open"] < 3:
        pass
    for connection in held:
        connection.close()
    fetch(simulator, client)
    visits = simulator.requests("superbet")
    assert visits["max_concurrency"] >= 3
    assert visits["count"] == 4
    assert len(visits["last"]) == 4
    assert visits["user_agent"].startswith("python-httpx")


def test_refusals_name_what_there_is(simulator: Simulator) -> None:
    for target, fault, part in [
        ("nobody", "403", "no target called 'nobody'"),
        ("superbet", "404", "no fault called '404'"),
        ("discord", "hostile", "is about odds"),
    ]:
        answer = httpx.put(f"{simulator.url}/_control/faults/{target}", json={"fault": fault})
        assert answer.status_code == 400
        assert part in answer.text
    assert httpx.put(f"{simulator.url}/_control/faults/superbet", json={"fault": "403", "typo": 1}).status_code == 400


def test_a_price_jump_is_seen_by_the_next_request(simulator: Simulator, client: httpx.Client) -> None:
    simulator.prices(freeze=True)
    line = next(line for line in simulator.board("superbet").lines if is_open(line) and line.sport == "football")
    before = {event.external_id: event for event in page(fetch(simulator, client)).events}
    changed = simulator.prices(fixture=line.fixture, shift=0.8)
    after = {event.external_id: event for event in page(fetch(simulator, client)).events}
    moved = {event_id for event_id, event in after.items() if event != before[event_id]}
    assert moved == {str(line.event_id)}
    assert changed["shifts"] == {str(line.fixture): 0.8}
    assert simulator.prices(reset=True)["frozen_at"] is None


def test_answers_cover_the_fleet(simulator: Simulator) -> None:
    answers = simulator.answers()
    assert answers["books"].keys() == {book.name for book in catalog.BOOKMAKERS}
    assert len(answers["probabilities"]) == len(fixtures(1, clock()))


def test_unknown_places(simulator: Simulator) -> None:
    assert "no bookmaker called" in httpx.get(f"{simulator.url}/nobody/x").text
    assert httpx.get(f"{simulator.url}/_control/board/nobody").status_code == 404
    assert httpx.get(f"{simulator.url}/_control/requests/nobody").status_code == 404
    assert httpx.get(f"{simulator.url}/health").text == "ok"
    assert httpx.post(f"{simulator.url}/_control/prices", json={"fixture": 1, "shift": 0.5}).status_code == 400
