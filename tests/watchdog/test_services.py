"""Services that are no scrapers: the watchdog tells of them, and leaves them alone."""

import pytest

from tests.watchdog.worlds import World
from watchdog.model import FLEET, Cause
from watchdog.policy import Policy

POLICY = Policy()
GENERATOR = "json-generator"


@pytest.fixture
def served() -> World:
    world = World(POLICY, service_names=(GENERATOR, "cleanup-service"))
    world.services["cleanup-service"].interval = 300.0
    world.go_on(1000)
    assert (world.incidents, world.closed) == ([], [])
    return world


def looks_in(seconds: float) -> int:
    return int(seconds / POLICY.poll)


@pytest.mark.parametrize(("service", "silent_for"), [(GENERATOR, 120), ("cleanup-service", 1800)])
def test_a_service_that_ended_is_told_once_touched_by_nobody_and_closed(
    served: World, service: str, silent_for: float
) -> None:
    served.services[service].state = "exited"
    served.go_on(looks_in(silent_for) - 1)
    assert served.incidents == []
    served.go_on(500)
    (incident,) = served.incidents
    assert (incident.subject, incident.cause) == (service, Cause.SERVICE_SILENT)
    assert incident.detail == f"no good round for {silent_for} s"
    served.services[service].state = "running"
    back = served.now
    served.go_on(looks_in(POLICY.settle) + 2)
    assert served.incidents == []
    assert [each.healthy_at for each in served.closed] == [back + POLICY.poll]
    assert (served.actions, served.controls.keys() & served.services.keys(), served.events) == ([], set(), {})


@pytest.mark.parametrize("ever_good", [True, False])
def test_a_service_whose_rounds_all_fail_is_told_with_its_error(served: World, *, ever_good: bool) -> None:
    service = served.services[GENERATOR]
    service.state, service.interval = "failing", POLICY.poll  # one round per look
    if not ever_good:
        service.success_at = None
    served.go_on(looks_in(POLICY.service_least) - 1)
    assert served.incidents == []
    served.go_on(2)
    (incident,) = served.incidents
    assert incident.detail.endswith(" s: KeyError: as the test wants it")


def test_a_service_gets_its_time_after_a_stop_of_everything(served: World) -> None:
    """`make down`, and hours later `make up`: nobody looked in between, and the watchdog may be the first to start."""
    for service in served.services.values():
        service.state = "exited"
    served.pass_time(8 * 3600)
    served.new_watchdog()
    served.go_on(looks_in(POLICY.service_least) - 1)
    for service in served.services.values():
        service.state = "running"
    served.go_on(1000)
    assert (served.incidents, served.closed) == ([], [])


def test_a_service_gets_its_time_when_the_database_is_back(served: World) -> None:
    served.database_up = False
    served.go_on(1000)
    served.services[GENERATOR].state = "exited"
    served.database_up = True
    served.go_on(looks_in(POLICY.service_least))
    assert served.incidents == []
    served.go_on(2)
    assert [incident.subject for incident in served.incidents] == [GENERATOR]


def test_a_new_watchdog_leaves_an_open_incident_of_a_service_open(served: World) -> None:
    served.services[GENERATOR].state = "exited"
    served.go_on(100)
    served.new_watchdog()
    served.go_on(100)
    assert [incident.subject for incident in served.incidents] == [GENERATOR]
    assert served.closed == []


def test_services_are_no_share_of_the_fleet(served: World) -> None:
    """Three of eight scrapers are less than 40 %, however many services are silent."""
    for service in served.services.values():
        service.state, service.interval = "exited", 15.0
    for name in "abc":
        served.scrapers[name].outcome, served.scrapers[name].success_at = "unavailable", served.now - 3600
    served.go_on(100)
    assert {incident.subject for incident in served.incidents} == {"a", "b", "c", *served.services}


def test_a_service_that_is_silent_with_half_the_fleet_is_part_of_it(served: World) -> None:
    for name in "abcd":
        served.scrapers[name].outcome = "timeout"
    served.go_on(20)
    served.services[GENERATOR].state = "exited"
    served.go_on(100)
    assert [(incident.subject, incident.cause) for incident in served.incidents] == [(FLEET, Cause.SHARED)]
    for name in "abcd":
        served.scrapers[name].outcome = "ok"
    served.go_on(50)
    assert [incident.subject for incident in served.incidents] == [GENERATOR], "it is still silent"
