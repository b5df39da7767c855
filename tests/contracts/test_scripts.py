"""What the scripts make of settings and of what is on, without starting anything."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fleet import ROOT

REAL = {"SUPABASE_URL": "https://abc.supabase.co", "SUPABASE_DB_URL": "postgresql://x", "HEARTBEAT_URL": "https://ping"}


def run(*command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=60
    )


def config(folder: Path, **environment: str) -> dict[str, Any]:
    environment = {"STATE_DIR": str(folder / "state"), "ENV_FILE": str(folder / ".env"), **environment}
    done = run("scripts/compose.sh", "config", "--format", "json", **environment)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DASHBOARD_TOKEN=correct horse # my token", "correct horse"),
        ('DASHBOARD_TOKEN="correct # horse" # my token', "correct # horse"),
        ("DASHBOARD_TOKEN='correct \"horse\"'", 'correct "horse"'),
        ("DASHBOARD_TOKEN=correct#horse\r", "correct#horse"),
        ("DASHBOARD_TOKEN= # none", ""),
        ("DASHBOARD_TOKEN=first\nDASHBOARD_TOKEN=last", "last"),
        ("#DASHBOARD_TOKEN=commented", ""),
    ],
)
def test_a_secret_is_read_as_compose_reads_it(tmp_path: Path, line: str, value: str) -> None:
    (tmp_path / ".env").write_text(f"{line}\n")
    done = run("scripts/secrets.sh", ENV_FILE=str(tmp_path / ".env"), SECRETS_DIR=str(tmp_path / "s"), SUPABASE_URL="")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "s/dashboard_token").read_text() == value


def test_a_project_of_ones_own_needs_its_key(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SUPABASE_URL=https://abc.supabase.co\n")
    done = run("scripts/secrets.sh", ENV_FILE=str(tmp_path / ".env"), SECRETS_DIR=str(tmp_path / "s"))
    assert done.returncode == 1
    assert "SUPABASE_KEY is not set" in done.stderr


@pytest.mark.docker
def test_the_demo_knows_nothing_of_a_real_project(tmp_path: Path) -> None:
    beside_a_fleet = {"COMPOSE_PROJECT_NAME": "elsewhere", "STATE_DIR": str(tmp_path / "state")}
    assert run("scripts/compose.sh", "mode", "demo", **beside_a_fleet).returncode == 0
    services = config(tmp_path, **REAL)["services"]
    assert services["scraper-kto"]["environment"]["SUPABASE_URL"] == "http://supabase:54321"
    assert services["migrate"]["environment"]["SUPABASE_URL"] == ""
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"{name}=" in makefile.partition("NOT_REAL := ")[2].partition("\n")[0].split() for name in REAL)


@pytest.mark.docker
def test_a_project_of_ones_own_needs_no_database_here(tmp_path: Path) -> None:
    services = config(tmp_path, **REAL)["services"]
    assert not {"db", "supabase"} & services.keys()
    assert services["scraper-kto"]["environment"]["SUPABASE_URL"] == REAL["SUPABASE_URL"]


@pytest.mark.docker
def test_dockers_socket_and_its_group_may_be_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DOCKER_GID=998 # docker\nDOCKER_SOCKET=/elsewhere/docker.sock\n")
    proxy = config(tmp_path)["services"]["docker-proxy"]
    assert proxy["group_add"] == ["998"]
    assert "/elsewhere/docker.sock" in {volume["source"] for volume in proxy["volumes"]}


@pytest.mark.docker
@pytest.mark.parametrize(
    ("order", "name", "service"),
    [
        ("parallel", "json-generator", "json-generator"), ("sequential", "cleanup-service", "cleanup-service"),
        ("parallel", "br4bet_nba", "scraper-br4bet-nba"), ("sequential", "kto", "scraper-seq-light"),
    ],
)  # fmt: skip
def test_a_log_is_found_by_the_name_of_a_scraper_or_a_service(
    tmp_path: Path, order: str, name: str, service: str
) -> None:
    state = {"STATE_DIR": str(tmp_path / "state"), "ENV_FILE": str(tmp_path / ".env"), "ORDER": order}
    assert run("scripts/compose.sh", "service", name, **state).stdout == f"{service}\n"
    assert run("scripts/compose.sh", "service", "nobody", **state).returncode == 2
    is_scraper = service.startswith("scraper-")
    assert run("scripts/compose.sh", "unit", name, **state).returncode == (0 if is_scraper else 2)


@pytest.mark.docker
def test_a_service_is_no_scraper_and_what_to_type_is_said(tmp_path: Path) -> None:
    state = {"STATE_DIR": str(tmp_path / "state"), "ENV_FILE": str(tmp_path / ".env")}
    told = run("scripts/compose.sh", "unit", "json-generator", **state).stderr
    assert "is a service and no scraper: `scripts/compose.sh restart json-generator`" in told
    assert "no scraper called nonsense" in run("scripts/compose.sh", "unit", "nonsense", **state).stderr
    assert "no scraper and no service called nonsense" in run("scripts/logs.sh", "nonsense", **state).stderr


@pytest.mark.docker
@pytest.mark.parametrize("target", ["status", "review", "top", "pause S=kto", "resume S=kto", "restart S=kto"])
def test_where_nothing_runs_that_is_said_and_nothing_made(tmp_path: Path, target: str) -> None:
    project = f"oddsfleet-nobody-{os.getpid()}"
    nobody = {"COMPOSE_PROJECT_NAME": project, "STATE_DIR": str(tmp_path / "state"), "SUPABASE_URL": ""}
    done = run("make", *target.split(), ENV_FILE=str(tmp_path / ".env"), **nobody)
    assert done.returncode != 0
    assert done.stderr.startswith("Nothing of ours runs here: `make up` or `make demo` starts it.\n")
    for kind in ("network", "volume"):
        assert run("docker", kind, "ls", "--quiet", "--filter", f"name={project}").stdout == ""


@pytest.mark.docker
def test_a_log_of_what_does_not_run_is_no_empty_one(tmp_path: Path) -> None:
    nobody = {"COMPOSE_PROJECT_NAME": f"oddsfleet-nobody-{os.getpid()}", "STATE_DIR": str(tmp_path / "state")}
    done = run("scripts/logs.sh", "kto", **nobody)
    assert done.returncode == 1
    assert "There is no container of scraper-kto." in done.stderr


def test_a_database_of_ones_own_may_be_asked_where_nothing_runs(tmp_path: Path) -> None:
    nobody = {"DOCKER_HOST": f"unix://{tmp_path}/nobody.sock", "STATE_DIR": str(tmp_path / "state")}
    nobody |= {"ENV_FILE": str(tmp_path / ".env"), "SUPABASE_URL": ""}
    own = {**nobody, "SUPABASE_URL": REAL["SUPABASE_URL"]}
    assert run("scripts/compose.sh", "needs", "database", **own).returncode == 0
    assert run("scripts/compose.sh", "needs", "fleet", **own).returncode == 1
    assert run("scripts/compose.sh", "needs", "database", **nobody).returncode == 1
    run("scripts/compose.sh", "mode", "demo", **own)
    assert run("scripts/compose.sh", "needs", "database", **own).returncode == 1


def test_where_docker_does_not_run_nothing_is_to_be_stopped(tmp_path: Path) -> None:
    done = run("scripts/down.sh", DOCKER_HOST=f"unix://{tmp_path}/nobody.sock", STATE_DIR=str(tmp_path / "state"))
    assert done.returncode == 0
    assert done.stdout.startswith("Docker does not run, so nothing of ours does.")
    assert done.stderr == ""


def test_an_engine_that_refuses_is_not_taken_for_one_that_does_not_run(tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho 'permission denied while trying to connect to the Docker daemon' >&2; exit 1\n")
    docker.chmod(0o755)
    done = run("scripts/down.sh", PATH=f"{tmp_path}:{os.environ['PATH']}", STATE_DIR=str(tmp_path / "state"))
    assert done.returncode == 1
    assert "permission denied" in done.stderr
    assert "Stopped" not in done.stdout


@pytest.mark.docker
def test_once_knows_a_name_that_is_none_before_it_makes_anything(tmp_path: Path) -> None:
    """Without an engine it could not make anything, and would say so."""
    nobody = {"DOCKER_HOST": f"unix://{tmp_path}/nobody.sock", "STATE_DIR": str(tmp_path / "state")}
    done = run("scripts/once.sh", "nonsense", SECRETS_DIR=str(tmp_path / "secrets"), **nobody)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "There is no scraper called nonsense; `make list` shows them all.\n"


@pytest.mark.parametrize("command", ["once", "run"])
def test_a_scraper_that_is_none_is_said_in_a_sentence(command: str) -> None:
    done = run(sys.executable, "-m", "scrapers", command, "nonsense")
    assert done.returncode == 2
    assert done.stderr == "There is no scraper called nonsense; `make list` shows them all.\n"


def test_what_is_on_is_said(tmp_path: Path) -> None:
    state = {"STATE_DIR": str(tmp_path / "state")}
    assert run("scripts/compose.sh", "told", **state).stdout == "the real bookmakers, one container each\n"
    run("scripts/compose.sh", "mode", "demo", "sequential", COMPOSE_PROJECT_NAME="nobody", **state)
    assert run("scripts/compose.sh", "told", **state).stdout == "simulated bookmakers (the demo), in sequence\n"
