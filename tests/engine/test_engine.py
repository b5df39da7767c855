"""scripts/engine.sh on machines of every kind: a machine here is a folder of commands that is its whole PATH."""

import fcntl
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Docker Desktop is the engine")

SCRIPTS = Path(__file__).parents[2] / "scripts"
TOOLS = """
    awk bash cat chmod cut dirname env flock grep head id mkdir mktemp
    rm sed setsid sh sleep sort tail timeout touch uname
"""
DEBIAN = 'ID=debian\nVERSION_ID="12"\n'

# Answers as a client would; the engine answers while the file `answers` exists, the image is there while `image` does.
DOCKER = """
case "$1 $2" in
"--version ") echo "Docker version 28.2.2, build e6534b4" ;;
"compose version") echo "${COMPOSE:-v2.40.3}" ;;
"buildx version") echo "github.com/docker/buildx 0.29.1 x" ;;
"image inspect") [ -e "$MACHINE/image" ] && echo sha256:0123456789abcdef ;;
"context inspect") echo "${DOCKER_HOST:-unix:///var/run/docker.sock}" ;;
"pull "*) touch "$MACHINE/image" ;;
*) if [ -e "$MACHINE/answers" ]; then echo 20.10.24; else echo "${REFUSAL:-Cannot connect}" >&2; exit 1; fi ;;
esac
"""
DOCKERD = """
trap 'kill $!; rm "$MACHINE/answers"; exit' TERM
touch "$MACHINE/answers"
sleep 600 & wait
"""


class Machine:
    """A copy of the script with a PATH of its own. Commands leave a line each in `calls`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.run_dir = root / "run"
        self.log = root / "dockerd.log"
        self.pid_file = self.run_dir / "oddsfleet-dockerd.pid"
        self.bin = root / "bin"
        for folder in (self.bin, self.run_dir, root / "scripts"):
            folder.mkdir()
        for name in ("engine.sh", "say.sh"):
            shutil.copy(SCRIPTS / name, root / "scripts")
        for tool in TOOLS.split():
            found = shutil.which(tool)
            assert found, f"{tool} is needed"
            (self.bin / tool).symlink_to(found)
        self.system(DEBIAN)
        self.user(0)

    @property
    def script(self) -> Path:
        return self.root / "scripts" / "engine.sh"

    @property
    def calls(self) -> list[str]:
        calls = self.root / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def command(self, name: str, body: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!{self.bin}/bash\necho "{name} $*" >>"$MACHINE/calls"\n{body}\n')
        path.chmod(0o755)

    def system(self, os_release: str) -> None:
        (self.root / "os-release").write_text(os_release)

    def user(self, number: int) -> None:
        self.command("id", f'if [ "$1" = -u ]; then echo {number}; else echo ana; fi')

    def has(self, *names: str) -> None:
        for name in names:
            (self.root / name).touch()

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        own = {"OS_RELEASE": "os-release", "ENGINE_RUN": "run", "ENGINE_LOG": "dockerd.log", "MACHINE": ""}
        places = {name: str(self.root / place) for name, place in own.items()}
        return {"PATH": str(self.bin), "ENGINE_SBIN": "", "TMPDIR": str(self.root), **places, **more}

    def engine(self, *verb: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.script, *verb],
            env=self.environment(environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def changes(self) -> list[str]:
        """The calls that change a machine."""
        return [call for call in self.calls if call.split()[0] in {"apt-get", "dockerd", "systemctl", "mmdebstrap"}]


def lives(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.engine("stop")


@pytest.fixture
def idle(machine: Machine) -> Machine:
    """Everything is installed, and the daemon does not run."""
    machine.command("docker", DOCKER)
    machine.command("dockerd", DOCKERD)
    machine.has("image")
    return machine


@pytest.fixture
def ready(idle: Machine) -> Machine:
    idle.has("answers")
    return idle


# --- check ---


def test_check_names_everything_that_a_bare_machine_lacks(machine: Machine) -> None:
    done = machine.engine("check")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert [line.split()[0] for line in lines] == ["missing"] * 5
    for part, line in zip(["client", "engine", "Compose", "buildx", "debian:trixie-slim"], lines, strict=True):
        assert part in line


def test_check_is_content_with_a_ready_machine(ready: Machine) -> None:
    done = ready.engine("check")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ok"] * 5
    assert not ready.changes()


@pytest.mark.parametrize(
    ("version", "enough"),
    [("1.29.2", False), ("2.9.0", False), ("2.19.1", False), ("2.20.0", True), ("v2.26.1-4", True), ("5.0.1", True)],
)
def test_compose_must_be_recent(ready: Machine, version: str, enough: bool) -> None:
    done = ready.engine("check", COMPOSE=version)
    compose = next(line for line in done.stdout.splitlines() if "Compose" in line)
    assert compose.startswith("ok" if enough else "missing")
    assert version.removeprefix("v") in compose
    assert (done.returncode == 0) is enough


# --- up, where the operator has to act ---


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert "error:" in done.stderr
    assert "why:" in done.stderr
    assert "do:" in done.stderr
    return done.stderr


def test_up_without_root_says_what_to_type_and_changes_nothing(machine: Machine) -> None:
    machine.user(1000)
    machine.command("apt-get", "")
    text = refusal(machine.engine("up"))
    assert "sudo scripts/engine.sh up" in text
    assert "sudo usermod -aG docker ana" in text
    assert not machine.changes()


def test_up_without_root_does_not_start_a_daemon(idle: Machine) -> None:
    idle.user(1000)
    assert "does not run" in refusal(idle.engine("up"))
    assert not idle.changes()


@pytest.mark.parametrize("os_release", ["ID=fedora\n", 'ID=arch\nID_LIKE="archlinux"\n', "ID=notdebian\n", ""])
def test_up_on_another_system_says_what_to_type_and_changes_nothing(machine: Machine, os_release: str) -> None:
    machine.system(os_release)
    machine.command("apt-get", "")
    assert "https://docs.docker.com/engine/install/" in refusal(machine.engine("up"))
    assert not machine.changes()


def test_a_user_outside_the_docker_group_is_told_so(idle: Machine) -> None:
    idle.user(1000)
    text = refusal(idle.engine("up", REFUSAL="permission denied while trying to connect to the socket"))
    assert "usermod -aG docker ana" in text
    assert "scripts/engine.sh up" not in text
    assert not idle.changes()


def test_an_engine_elsewhere_is_not_replaced_by_one_here(idle: Machine) -> None:
    text = refusal(idle.engine("up", DOCKER_HOST="tcp://elsewhere:2375"))
    assert "tcp://elsewhere:2375" in text
    assert not idle.changes()


def test_docker_desktop_has_to_be_started_by_hand(idle: Machine) -> None:
    idle.command("uname", "echo Darwin")
    assert "Docker Desktop" in refusal(idle.engine("up"))
    assert not idle.changes()


# --- up, where we act ---


def test_up_on_a_ready_machine_is_one_line(ready: Machine) -> None:
    done = ready.engine("up")
    assert (done.returncode, done.stdout, done.stderr) == (0, "==> Docker is ready\n", "")
    assert not ready.changes()


def test_up_installs_the_engine_on_relatives_of_debian(machine: Machine) -> None:
    machine.system('ID=linuxmint\nID_LIKE="ubuntu debian"\n')
    machine.command("apt-cache", '[ "$2" != docker.io ] || echo "  Candidate: 26.1"')
    machine.command("dpkg", "true")
    machine.command("apt-get", "case $* in *install*) echo no space left; exit 100 ;; esac")
    done = machine.engine("up")
    assert "no space left" in done.stdout
    assert "docker.io iptables ca-certificates" in refusal(done)
    update, install = machine.changes()
    assert update.endswith(" update")
    assert "install --no-install-recommends docker.io" in install


def test_up_starts_a_daemon_that_stop_stops(idle: Machine) -> None:
    up = idle.engine("up")
    assert up.returncode == 0, up.stderr
    assert "Starting Docker Engine: done in" in up.stdout
    assert idle.engine("started-by-us").returncode == 0
    assert idle.engine("up").stdout == "==> Docker is ready\n"
    assert len([call for call in idle.calls if call.startswith("dockerd")]) == 1

    pid = int(idle.pid_file.read_text())
    assert lives(pid)
    stop = idle.engine("stop")
    assert stop.returncode == 0, stop.stderr
    assert not lives(pid)
    assert not idle.pid_file.exists()
    assert idle.engine("started-by-us").returncode == 1


def test_a_daemon_that_dies_shows_its_last_words(idle: Machine) -> None:
    idle.command("dockerd", "echo no cgroups on this machine; exit 1")
    done = idle.engine("up")
    assert "no cgroups on this machine" in done.stdout
    assert str(idle.log) in refusal(done)
    assert idle.engine("started-by-us").returncode == 1


def test_a_service_manager_starts_the_daemon_where_there_is_one(idle: Machine) -> None:
    (idle.run_dir / "systemd" / "system").mkdir(parents=True)
    idle.command("systemctl", 'touch "$MACHINE/answers"')
    assert idle.engine("up").returncode == 0
    assert idle.changes() == ["systemctl enable --now docker"]
    assert idle.engine("started-by-us").returncode == 1


def test_pid_files_of_the_dead_do_not_keep_the_daemon_down(idle: Machine) -> None:
    stale = idle.run_dir / "docker.pid"
    stale.write_text(str(os.getpid()))
    assert idle.engine("up").returncode == 0
    assert not stale.exists()


def test_stop_leaves_a_process_alone_that_only_has_the_number(ready: Machine) -> None:
    other = subprocess.Popen(["sleep", "600"])
    try:
        ready.pid_file.write_text(str(other.pid))
        done = ready.engine("stop")
        assert done.returncode == 0
        assert "left alone" in done.stdout
        assert other.poll() is None
        assert ready.engine("started-by-us").returncode == 1
    finally:
        other.kill()
        other.wait()


def test_the_second_of_two_runs_waits_for_the_first(idle: Machine) -> None:
    with idle.script.open() as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = subprocess.Popen([idle.script, "up"], env=idle.environment({}), stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        assert any("waiting for it" in line for line in second.stdout)
        assert not idle.changes()
        idle.has("answers")
    assert "Docker is ready" in second.stdout.read()
    second.stdout.close()
    assert second.wait(timeout=30) == 0
    assert not idle.changes()


def test_the_daemon_does_not_keep_the_lock(idle: Machine) -> None:
    assert idle.engine("up").returncode == 0
    with idle.script.open() as script:
        fcntl.flock(script, fcntl.LOCK_EX | fcntl.LOCK_NB)


# --- the base image ---


def test_the_image_is_pulled_where_a_registry_answers(ready: Machine) -> None:
    (ready.root / "image").unlink()
    ready.user(1000)
    assert ready.engine("up").returncode == 0
    assert "docker pull debian:trixie-slim" in ready.calls
    assert not ready.changes()


def test_half_an_image_never_gets_the_name(ready: Machine) -> None:
    (ready.root / "image").unlink()
    ready.command(
        "docker", "case $1 in pull) echo refused; exit 1 ;; import) echo sha256:half; exit ;; esac\n" + DOCKER
    )
    ready.command("apt-get", 'case $* in *indextargets*) echo "http://mirror.example/debian bookworm" ;; esac')
    ready.command("mmdebstrap", "echo half; exit 1")
    done = ready.engine("up")
    assert "docker load" in refusal(done)
    assert any(call.startswith("docker import") for call in ready.calls)
    assert not any(call.startswith("docker tag") for call in ready.calls)


def test_without_a_debian_mirror_the_way_out_is_a_copy(ready: Machine) -> None:
    (ready.root / "image").unlink()
    ready.command("docker", "case $1 in pull) echo refused; exit 1 ;; esac\n" + DOCKER)
    ready.command("apt-get", "")
    assert "docker save debian:trixie-slim" in refusal(ready.engine("up"))
    assert not any("install" in call for call in ready.changes())


# --- sources ---


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt reads its own sources")
def test_sources_are_debians_own_with_the_suite_replaced(tmp_path: Path) -> None:
    etc, lists, mirrors = tmp_path / "etc", tmp_path / "lists", tmp_path / "mirrors.list"
    (etc / "sources.list.d").mkdir(parents=True)
    (lists / "partial").mkdir(parents=True)
    mirrors.write_text("# mirrors\nhttp://cloud.example/debian priority:1\nhttp://second.example/debian\n")
    (etc / "sources.list").write_text(
        "deb [arch=amd64] http://one.example/debian bookworm main contrib\n"
        "deb http://one.example/debian bookworm-backports main\n"
        "deb http://browser.example/deb stable main\n"
        f"deb mirror+file:{mirrors} bookworm-updates main\n"
        "# deb http://off.example/debian bookworm main\n"
    )
    (etc / "sources.list.d" / "security.sources").write_text(
        "Types: deb\nURIs: http://safe.example/debian-security\nSuites: stable-security\nComponents: main\n"
    )
    known = {
        "one.example_debian_dists_bookworm": ("Debian", "bookworm"),
        "one.example_debian_dists_bookworm-backports": ("Debian Backports", "bookworm-backports"),
        "browser.example_deb_dists_stable": ("Browser", "stable"),
        f"{str(mirrors).replace('_', '%5f').replace('/', '_')}_dists_bookworm-updates": ("Debian", "bookworm-updates"),
        "safe.example_debian-security_dists_stable-security": ("Debian", "bookworm-security"),
    }
    for name, (origin, codename) in known.items():
        (lists / f"{name}_InRelease").write_text(f"Origin: {origin}\nCodename: {codename}\n")
        (lists / f"{name}_main_binary-amd64_Packages").write_text("Package: any\n")
    config = tmp_path / "apt.conf"
    config.write_text(
        f'Dir::Etc "{etc}";\nDir::State::lists "{lists}";\n'
        'APT::Architecture "amd64";\nAPT::Architectures { "amd64"; };\n'
    )
    done = subprocess.run(
        [SCRIPTS / "engine.sh", "sources", "forky"],
        env={**os.environ, "APT_CONFIG": str(config)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.splitlines()) == [
        "deb http://cloud.example/debian forky-updates main",
        "deb http://one.example/debian forky main",
        "deb http://safe.example/debian-security forky-security main",
    ]


# --- ca-bundle ---


def test_no_bundle_where_none_is_needed(machine: Machine) -> None:
    done = machine.engine("ca-bundle", SSL_CERT_FILE="/nowhere.crt")
    assert (done.returncode, done.stdout) == (0, "")


def test_the_usual_variables_are_found_in_order(machine: Machine) -> None:
    machine.has("requests.crt", "node.crt")
    requests, node = str(machine.root / "requests.crt"), str(machine.root / "node.crt")
    gone = str(machine.root / "gone.crt")
    done = machine.engine("ca-bundle", SSL_CERT_FILE=gone, NODE_EXTRA_CA_CERTS=node, REQUESTS_CA_BUNDLE=requests)
    assert done.stdout == requests + "\n"
    assert machine.engine("ca-bundle", NODE_EXTRA_CA_CERTS=node).stdout == node + "\n"


@pytest.mark.parametrize(
    "line", ["CA_BUNDLE={}", 'CA_BUNDLE="{}"', "CA_BUNDLE='{}'", "CA_BUNDLE={} # the proxy's", "CA_BUNDLE={}\r"]
)
@pytest.mark.parametrize("written", ["absolute", "relative"])
def test_env_file_names_the_bundle(machine: Machine, line: str, written: str) -> None:
    machine.has("own.crt", "usual.crt")
    own = machine.root / "own.crt"
    value = str(own) if written == "absolute" else "own.crt"
    (machine.root / ".env").write_text(f"#CA_BUNDLE=/commented.crt\n{line.format(value)}\nOTHER_CA_BUNDLE=/other.crt\n")
    done = machine.engine("ca-bundle", SSL_CERT_FILE=str(machine.root / "usual.crt"))
    assert done.stdout == f"{own}\n"


def test_an_empty_entry_of_the_env_file_means_none(machine: Machine) -> None:
    (machine.root / ".env").write_text("CA_BUNDLE=\nNEXT=/next.crt\n")
    assert machine.engine("ca-bundle").stdout == ""


def test_the_environment_wins_over_the_env_file(machine: Machine) -> None:
    machine.has("own.crt")
    (machine.root / ".env").write_text("CA_BUNDLE=/from/file.crt\n")
    own = str(machine.root / "own.crt")
    assert machine.engine("ca-bundle", CA_BUNDLE=own).stdout == own + "\n"


def test_a_bundle_that_does_not_exist_is_an_error(machine: Machine) -> None:
    text = refusal(machine.engine("ca-bundle", CA_BUNDLE="/nowhere/ca.crt"))
    assert "CA_BUNDLE" in text
    assert "/nowhere/ca.crt" in text


# --- how it talks ---


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_for_terminals_that_want_them(ready: Machine, environment: dict[str, str], coloured: bool) -> None:
    ours, theirs = pty.openpty()
    subprocess.run([ready.script, "up"], env=ready.environment(environment), stdout=theirs, timeout=60, check=True)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    os.close(theirs)
    assert "Docker is ready" in shown
    assert ("\x1b[" in shown) is coloured


def test_an_unknown_verb_gets_the_usage(machine: Machine) -> None:
    done = machine.engine("restart")
    assert done.returncode == 2
    assert "scripts/engine.sh started-by-us" in done.stdout
