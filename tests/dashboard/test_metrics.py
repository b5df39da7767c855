"""What Prometheus reads; whether it can is asked of promtool, in test_promtool.py."""

import re

from dashboard.metrics import exposition
from dashboard.model import Container, Snapshot, Usage
from store.dashboard import IncidentRow
from tests.dashboard.rows import NOW, row, snapshot

SAMPLE = re.compile(r"^(?P<name>[a-z_]+)(\{(?P<labels>[^}]*)\})? (?P<value>[-+0-9.e]+)$")


def samples(text: str) -> dict[str, float]:
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            assert SAMPLE.match(line), line
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


def test_a_fleet_in_numbers() -> None:
    usage = Usage(at=1, cpu_seconds=12.5, memory=1000, memory_limit=2000)
    container = Container(name="x-1", service="scraper-kto", state="running", scrapers=("kto",), usage=usage)
    hang = IncidentRow(id="1", subject="stake", cause="hang", opened_at=NOW)
    shown = snapshot(
        row("kto"),
        row("stake", status="error", circuit="open", heartbeat_at=None, collected=None),
        row("json-generator", kind="service"),
        containers=(container,),
        incidents=(hang,),
        odds_last_minute=321,
    )
    found = samples(exposition(shown, readers=3))
    assert found["oddsfleet_database_up"] == 1
    assert found["oddsfleet_odds_last_minute"] == 321
    assert found['oddsfleet_scraper_up{scraper="kto"}'] == 1
    assert found['oddsfleet_scraper_up{scraper="stake"}'] == 0
    assert found['oddsfleet_scraper_status{scraper="stake",status="error"}'] == 1
    assert found['oddsfleet_scraper_circuit_open{scraper="stake"}'] == 1
    assert found['oddsfleet_scraper_cycle_duration_seconds{scraper="kto"}'] == 1.5
    assert found['oddsfleet_incidents_open_by_cause{cause="hang"}'] == 1
    assert found['oddsfleet_container_cpu_seconds_total{service="scraper-kto"}'] == 12.5
    assert found['oddsfleet_service_up{service="json-generator"}'] == 1
    assert found["oddsfleet_dashboard_open_pages"] == 3
    # Unknown is left out, never 0.
    assert 'oddsfleet_scraper_heartbeat_timestamp_seconds{scraper="stake"}' not in found
    assert 'oddsfleet_scraper_cycle_odds{scraper="stake"}' not in found


def test_every_name_is_explained_once_and_counters_are_called_so() -> None:
    text = exposition(snapshot(row()), readers=0)
    names = re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE)
    assert len(names) == len(set(names)) == text.count("# HELP")
    for name, kind in names:
        assert name.endswith("_total") == (kind == "counter"), name


def test_a_name_cannot_break_out_of_its_label() -> None:
    text = exposition(snapshot(row('a"} 1\noddsfleet_evil 1\\')), readers=0)
    assert not re.search(r"^oddsfleet_evil", text, re.MULTILINE)


def test_the_database_away_and_nothing_known() -> None:
    assert samples(exposition(Snapshot(down="gone"), readers=0)) == {
        "oddsfleet_database_up": 0,
        "oddsfleet_dashboard_open_pages": 0,
    }
