"""A rented server, fresh from the provider: Debian 12 without Docker, in a container that may run an engine of its own.

Takes two to four minutes, most of it apt's. The machine is used up by the tests in their order.
"""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.docker

ROOT = Path(__file__).parents[2]
IMAGE = "oddsfleet/bare:bookworm"
NAME = "oddsfleet-bare-machine"
PATIENCE = 180.0
Shell = Callable[[str], subprocess.CompletedProcess[str]]

# What --privileged gives, less what a machine may lack itself (SYS_RESOURCE), with control groups of its own.
ALLOWED = """
    --cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined --security-opt apparmor=unconfined
    --security-opt systempaths=unconfined --cgroupns private --volume /var/lib/docker
"""
# The engine inside writes there; with version 2, processes have to leave the topmost group before it can be divided.
CONTROL_GROUPS = """
    mount -o remount,bind,rw /sys/fs/cgroup
    for group in /sys/fs/cgroup/*; do ! mountpoint -q "$group" || mount -o remount,bind,rw "$group"; done
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        mkdir -p /sys/fs/cgroup/init
        xargs -rn1 < /sys/fs/cgroup/cgroup.procs > /sys/fs/cgroup/init/cgroup.procs || :
        sed -e 's/ / +/g' -e 's/^/+/' < /sys/fs/cgroup/cgroup.controllers > /sys/fs/cgroup/cgroup.subtree_control
    fi
"""
BUILD = """
    echo hidden > /tmp/secret
    echo 'FROM debian:trixie-slim
        RUN --mount=type=secret,id=s grep -qx hidden /run/secrets/s && touch /built' |
        docker buildx build --load --tag built --secret id=s,src=/tmp/secret -
    docker run --rm --memory 64m built ls /built
"""


FLEET = "supabase simulator docker-proxy watchdog json-generator scraper-superbet scraper-kto"
IMAGES = ("oddsfleet/base", "oddsfleet/supabase", "oddsfleet/docker-proxy")
START = f"""
    scripts/compose.sh mode demo parallel &&
        SECRETS_DIR=secrets/demo ENV_FILE=/dev/null scripts/secrets.sh && scripts/compose.sh up --detach {FLEET}
"""
PSQL = 'scripts/compose.sh exec -T db psql -AtXc "{query}"'
ROWS = "select count(distinct scraper_name) from scraper_cycles where outcome = 'ok' and epoch > {epoch}"


def docker(*arguments: str) -> str:
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def image() -> str:
    """Made once for all runs (`make clean` removes it), from a registry or from the machine's own package mirror."""
    if docker("images", "--quiet", IMAGE):
        return IMAGE
    if subprocess.run(["docker", "pull", "debian:bookworm-slim"], timeout=120, check=False).returncode == 0:
        docker("tag", "debian:bookworm-slim", IMAGE)
        return IMAGE
    make = (
        "set -o pipefail; scripts/engine.sh sources bookworm | TMPDIR=/var/tmp mmdebstrap --variant=minbase"
        " --include=ca-certificates bookworm - - >{archive}"
    )
    archive = Path("/var/tmp/oddsfleet-bare.tar")
    try:
        subprocess.run(["bash", "-c", make.format(archive=archive)], cwd=ROOT, timeout=300, check=True)
        docker("import", str(archive), IMAGE)
    finally:
        archive.unlink(missing_ok=True)
    return IMAGE


@pytest.fixture(scope="module")
def bare(image: str) -> Iterator[Shell]:
    def shell(script: str) -> subprocess.CompletedProcess[str]:
        command = ["docker", "exec", "--workdir", "/srv/oddsfleet", NAME, "bash", "-c", script]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400, check=False
        )
        print(f"$ {script.strip()}\n{done.stdout}")  # noqa: T201
        return done

    bundle = subprocess.run([ROOT / "scripts/engine.sh", "ca-bundle"], stdout=subprocess.PIPE, text=True, check=True)
    trust = (
        ["--volume", f"{bundle.stdout.strip()}:/ca.crt:ro", "--env", "SSL_CERT_FILE=/ca.crt"] if bundle.stdout else []
    )
    ours = ["scripts", "compose.yml", "compose.sequential.yml", "compose.demo.yml"]
    scripts = [word for name in ours for word in ("--volume", f"{ROOT / name}:/srv/oddsfleet/{name}:ro")]
    every_device = ["--device-cgroup-rule", "a *:* rwm"]
    try:
        docker(
            "run", "--detach", "--name", NAME, *ALLOWED.split(), *every_device, *trust, *scripts, image, "sleep", "3600"
        )
        docker("exec", NAME, "sh", "-ec", CONTROL_GROUPS)
        yield shell
    finally:
        docker("rm", "--force", "--volumes", NAME)


def test_a_bare_machine_becomes_ready_and_quiet_again(bare: Shell) -> None:
    check = bare("scripts/engine.sh check")
    assert check.returncode == 1
    assert check.stdout.count("missing") == 5
    assert bare("command -v docker").returncode != 0, "check has installed something"

    up = bare("scripts/engine.sh up")
    assert up.returncode == 0
    assert "Installing docker.io" in up.stdout
    assert bare("scripts/engine.sh check").stdout.count("ok ") == 5
    assert bare("scripts/engine.sh up").stdout == "==> Docker is ready\n"
    assert bare("scripts/engine.sh started-by-us").returncode == 0

    assert "/built" in bare(BUILD).stdout
    left = bare(
        "docker run --rm debian:trixie-slim sh -c 'ls /var/lib/apt/lists /var/cache/apt/archives | grep _dists_'"
    )
    assert left.returncode == 1, "the base image carries package lists"

    assert bare("scripts/engine.sh stop").returncode == 0
    assert bare("scripts/engine.sh started-by-us").returncode == 1
    assert bare("docker version").returncode != 0
    assert bare("grep -lx 'State:.[^ZX].*' $(grep -lxE 'Name:.(dockerd|containerd)' /proc/[0-9]*/status)").stdout == ""


def test_a_power_cut_and_the_fleet_is_back_by_itself(bare: Shell) -> None:
    """Nobody types anything: the machine starts its engine, as it does at boot, and the engine starts the rest."""
    assert bare("scripts/engine.sh up").returncode == 0
    for name in IMAGES:
        copy = f"set -o pipefail; docker save {name} | docker exec --interactive {NAME} docker load"
        subprocess.run(["bash", "-c", copy], check=True, capture_output=True, timeout=300)
    assert bare(START).returncode == 0
    await_rows(bare, epoch=0)
    epoch = int(bare(PSQL.format(query="select max(epoch) from scraper_leases")).stdout)
    before = containers(bare)
    assert len(before) == len(FLEET.split()) + 1, "and the database"

    docker("kill", NAME)
    docker("start", NAME)
    docker("exec", NAME, "sh", "-ec", CONTROL_GROUPS)
    assert bare("docker version").returncode != 0, "nothing is left of it"
    assert bare("scripts/engine.sh up").returncode == 0
    await_rows(bare, epoch)
    assert containers(bare) == before
    assert bare("scripts/engine.sh stop").returncode == 0


def containers(bare: Shell) -> list[str]:
    return sorted(bare("docker ps --no-trunc --quiet").stdout.split())


def await_rows(bare: Shell, epoch: int) -> None:
    """Until both scrapers have brought odds, in a life after that one."""
    deadline = time.monotonic() + PATIENCE
    while (shown := bare(PSQL.format(query=ROWS.format(epoch=epoch)))).stdout.strip() != "2":
        assert time.monotonic() < deadline, shown.stdout + bare("docker ps --all; scripts/compose.sh logs").stdout
        time.sleep(1)
