"""What we tell Prometheus, checked by its own tool: metrics, alert rules, and every expression of the Grafana file."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboard.metrics import exposition
from dashboard.model import Container, Usage
from store.dashboard import IncidentRow
from tests.dashboard.rows import NOW, row, snapshot
from tests.fleet import ROOT

pytestmark = pytest.mark.docker
TOOL = "oddsfleet/promtool"


@pytest.fixture(scope="module")
def promtool() -> str:
    """Built once; afterwards Docker's cache answers."""
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", TOOL, str(ROOT / "tests/promtool")],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    return TOOL


def run(tool: str, *arguments: str, given: str = "", folder: Path | None = None) -> str:
    mount = ["--volume", f"{folder}:/rules:ro"] if folder else []
    command = ["docker", "run", "--rm", "--interactive", *mount, tool, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def everything() -> str:
    """All metrics that there are."""
    usage = Usage(at=1, cpu_seconds=1.5, memory=1, memory_limit=2)
    container = Container(name="kto-1", service="scraper-kto", state="running", scrapers=("kto",), usage=usage)
    return exposition(
        snapshot(
            row(),
            row("json-generator", kind="service"),
            containers=(container,),
            incidents=(IncidentRow(id="1", subject="kto", cause="hang", opened_at=NOW),),
        ),
        readers=1,
    )


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\boddsfleet_\w+", expression))


def expressions() -> list[str]:
    board: dict[str, Any] = json.loads((ROOT / "docs/grafana-dashboard.json").read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def test_the_metrics_are_as_prometheus_wants_them(promtool: str) -> None:
    assert run(promtool, "check", "metrics", given=everything()).strip() == ""


def test_the_alert_rules_are_valid(promtool: str) -> None:
    assert "8 rules found" in run(promtool, "check", "rules", "/rules/alerts.yml", folder=ROOT / "docs")


def test_every_expression_of_the_grafana_dashboard_is_valid(promtool: str, tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(expressions())]
    tmp_path.chmod(0o755)
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    assert f"{len(rules)} rules found" in run(promtool, "check", "rules", "/rules/panels.yml", folder=tmp_path)


def test_rules_and_panels_name_only_metrics_that_exist() -> None:
    known = set(re.findall(r"^# TYPE (\w+)", everything(), re.MULTILINE))
    rules = yaml.safe_load((ROOT / "docs/alerts.yml").read_text())["groups"][0]["rules"]
    for text in [*expressions(), *(rule["expr"] for rule in rules)]:
        assert names_in(text) <= known, text


def test_the_alerts_fire_when_they_should(promtool: str, tmp_path: Path) -> None:
    """A silent watchdog, and a scraper without odds; a paused one does not."""
    (tmp_path / "alerts.yml").write_text((ROOT / "docs/alerts.yml").read_text())
    series = {
        "oddsfleet_database_up": "1x40",
        "oddsfleet_watchdog_beat_timestamp_seconds": "0x40",
        'oddsfleet_scraper_success_timestamp_seconds{scraper="kto"}': "0x40",
        'oddsfleet_scraper_success_timestamp_seconds{scraper="stake"}': "0x40",
        'oddsfleet_scraper_interval_seconds{scraper="kto"}': "30x40",
        'oddsfleet_scraper_interval_seconds{scraper="stake"}': "30x40",
        'oddsfleet_scraper_paused{scraper="kto"}': "0x40",
        'oddsfleet_scraper_paused{scraper="stake"}': "1x40",
    }
    scrapers = [{"exp_labels": {"severity": "warning", "scraper": "kto"}, "exp_annotations": {
        "summary": "kto brings no odds",
        "description": "None for 20m 0s. The status page tells the cause.",
    }}]  # fmt: skip
    case = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": "1m", "alertname": "OddsfleetWatchdogSilent", "exp_alerts": []},
            {"eval_time": "20m", "alertname": "OddsfleetScraperWithoutOdds", "exp_alerts": scrapers},
        ],
    }
    (tmp_path / "cases.yml").write_text(yaml.safe_dump({"rule_files": ["alerts.yml"], "tests": [case]}))
    tmp_path.chmod(0o755)
    assert "SUCCESS" in run(promtool, "test", "rules", "/rules/cases.yml", folder=tmp_path)
