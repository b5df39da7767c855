#!/usr/bin/env bash
# What the fleet needs of its machine: Docker Engine, Compose v2, buildx and the image that all others are built from.
#
#   scripts/engine.sh check           one line per requirement; changes nothing; exit 1 when one is missing
#   scripts/engine.sh up              checks, then gets what is missing (packages: as root, on Debian or Ubuntu)
#   scripts/engine.sh renew           the image that all others are built from, as its packages are now
#   scripts/engine.sh stop            stops the dockerd that `up` started, and no other
#   scripts/engine.sh started-by-us   exit 0 when the running dockerd is the one that `up` started
#   scripts/engine.sh ca-bundle       the CA bundle that image builds must trust; nothing when there is no need of one
#   scripts/engine.sh sources SUITE   this machine's Debian mirrors, as apt sources of another suite
#
# Packages come from the machine's own apt sources, checked with its own keyring; no mirror is named here.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=say.sh
source "$ROOT/scripts/say.sh"

IMAGE=debian:trixie-slim
COMPOSE_LEAST=2.20
NEWER_SUITES="forky trixie" # newest first: where Compose v2 is when the machine's own suite has none (Debian 12)
PLUGINS=/usr/local/lib/docker/cli-plugins
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Tests give other places.
OS_RELEASE=${OS_RELEASE:-/etc/os-release}
RUN=${ENGINE_RUN:-/run}
LOG=${ENGINE_LOG:-/var/log/oddsfleet-dockerd.log}
PATH=$PATH${ENGINE_SBIN-:/usr/sbin:/sbin} # `su` without a dash leaves these out, and dockerd lives there
PID_FILE=$RUN/oddsfleet-dockerd.pid
CONTAINERD_PID_FILE=$RUN/docker/containerd/containerd.pid

# --- What is there: each probe prints what it found, and fails when that is not enough ---

probe_client() { have docker && docker --version | sed 's/^Docker version //; s/,.*//'; }
probe_engine() { have docker && limit 10 docker version --format '{{.Server.Version}}' 2>/dev/null; }
probe_buildx() { have docker && docker buildx version 2>/dev/null | awk '{ print $2 }'; }
probe_image() { have docker && limit 10 docker image inspect --format '{{.Id}}' "$IMAGE" 2>/dev/null | cut -c 8-19; }
probe_compose() {
    local version
    have docker && version=$(docker compose version --short 2>/dev/null) && echo "${version#v}" &&
        [[ $(printf '%s\n' "$COMPOSE_LEAST" "${version#v}" | sort -V | head -n 1) == "$COMPOSE_LEAST" ]]
}

survey() {
    local status=0
    report "docker client" probe_client || status=1
    report "engine answering" probe_engine || status=1
    report "Compose >= $COMPOSE_LEAST" probe_compose || status=1
    report "buildx" probe_buildx || status=1
    report "image $IMAGE" probe_image || status=1
    return "$status"
}

# --- Where we may act, and where the operator has to ---

need_root() { # need_root WHAT
    is_root || fail "$1" "it takes root to change that, and you are $(id -un)" \
        "sudo scripts/engine.sh up" "sudo usermod -aG docker $(id -un)" "newgrp docker"
}

need_packages() { # need_packages WHAT
    local ids=
    # shellcheck disable=SC1090
    [[ ! -r $OS_RELEASE ]] || ids=$(. "$OS_RELEASE" && echo "${ID:-} ${ID_LIKE:-}")
    [[ " $ids " =~ " "(debian|ubuntu)" " ]] || fail "$1" "packages can be installed from here on Debian and Ubuntu only" \
        "install Docker Engine, Compose >= $COMPOSE_LEAST and buildx (https://docs.docker.com/engine/install/), in most cases:" \
        "curl -fsSL https://get.docker.com | sudo sh" "sudo systemctl enable --now docker" "scripts/engine.sh check"
    need_root "$1"
}

need_local_engine() { # an engine that is silent may be somebody else's to start
    local error endpoint
    [[ $(uname -s) == Linux ]] || fail "Docker does not answer." "here Docker Desktop is the engine, and it does not run" \
        "start Docker Desktop (on macOS: open -a Docker), and repeat the command when it says that the engine runs"
    have docker || return 0
    error=$(limit 10 docker version 2>&1 >/dev/null) || true
    [[ $error != *"permission denied"* ]] || fail "Docker runs, but $(id -un) may not use it." \
        "the user is not in the group 'docker'" "sudo usermod -aG docker $(id -un)" "newgrp docker"
    endpoint=$(docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null) || true
    [[ -z $endpoint || $endpoint =~ ^unix://(/var)?/run/docker.sock$ ]] || fail "Docker does not answer at $endpoint." \
        "the client is told to use that engine, by DOCKER_HOST or by 'docker context'" \
        "start it (Docker Desktop: the application), or turn to the engine of this machine:" \
        "unset DOCKER_HOST DOCKER_CONTEXT; docker context use default"
}

# --- Engine ---

get_engine() {
    local packages=() name start=start_dockerd look="less $LOG"
    need_local_engine
    if ! have docker || ! have dockerd; then
        need_packages "Docker Engine is not installed."
        refresh
        packages=("$(candidate 0 docker-ce docker.io || echo docker.io)" iptables ca-certificates)
        have docker || ! name=$(candidate 0 docker-cli) || packages+=("$name") # no longer part of docker.io in Debian 13
        ! grep -qs Y /sys/module/apparmor/parameters/enabled || packages+=(apparmor) # else no container starts
        install_packages "${packages[@]}"
    fi
    if probe_engine >/dev/null; then return; fi
    need_root "Docker Engine is installed, but does not run."
    if [[ -d $RUN/systemd/system ]]; then start=start_service look="journalctl -u docker -n 50"; fi
    step "Starting Docker Engine" "$start" ||
        fail "Docker Engine did not start." "its last words are above" "$look" "scripts/engine.sh up"
}

start_service() {
    (systemctl enable --now docker && wait_until 60 probe_engine) || (journalctl -u docker -n 15 --no-pager && false)
}

start_dockerd() { # without a service manager: in the background, until `stop` or the end of the machine
    # A pid file that outlived its process, and whose number now is another's, keeps dockerd from starting.
    is_running "$CONTAINERD_PID_FILE" containerd || rm -f "$CONTAINERD_PID_FILE"
    is_running "$RUN/docker.pid" dockerd || rm -f "$RUN/docker.pid"
    if [[ -e $RUN/docker.pid ]]; then wait_until 60 probe_engine && return; fi # the package has just started one
    setsid dockerd >"$LOG" 2>&1 </dev/null &
    echo $! >"$PID_FILE"
    (wait_until 60 answers_or_died $! && probe_engine) || { tail -n 10 "$LOG"; docker ps; kill $! 2>/dev/null; false; }
}

answers_or_died() { probe_engine || has_died "$1"; }

stop() {
    if is_running "$PID_FILE" dockerd; then
        step "Stopping dockerd" stop_dockerd "$(<"$PID_FILE")" ||
            fail "dockerd did not stop." "it takes root, and containers that let go within a minute" \
                "sudo scripts/engine.sh stop" "tail $LOG"
    else
        say "No engine was started from here: one that runs is left alone"
    fi
}

stop_dockerd() { # one signal only: at the third, dockerd drops everything and leaves containerd behind
    local child=
    if is_running "$CONTAINERD_PID_FILE" containerd; then child=$(<"$CONTAINERD_PID_FILE"); fi
    kill "$1" && wait_until 60 has_died "$1" && rm -f "$PID_FILE" || return 1
    [[ -z $child ]] || wait_until 10 has_died "$child" || kill "$child"
}

# --- Plugins and image, from Debian's packages ---

debian_sources() { # debian_sources SUITE: apt reads its sources itself; the Origin tells Debian's own from third parties'
    local uri codename suffix
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' |
        sort -u | while read -r uri codename; do
        suffix=${codename#"${codename%%-*}"}
        [[ $suffix =~ ^(|-updates|-security)$ ]] || continue # backports and the like
        uri=${uri%/} # cloud images keep their mirrors in a file, which no image of ours has: take the first of them
        [[ $uri != mirror+file:* ]] || uri=$(awk '/^[a-z]+:/ { print $1; exit }' "/${uri#mirror+file:}")
        echo "deb $uri $1$suffix main"
    done
}

get_plugin() { # get_plugin NAME LEAST PACKAGE...
    local package suite
    need_packages "$1 >= $2 is missing."
    refresh
    if package=$(candidate "${@:2}"); then
        install_packages "$package" && works "$1" && return
    else
        for suite in $NEWER_SUITES; do
            if step "Taking $1 from Debian $suite" take_plugin "$1" "$suite"; then return; fi
            NEWER_SUITES=${NEWER_SUITES#*"$suite"} # what failed once is not tried for the next plugin
        done
    fi
    fail "There is no working $1 >= $2." "no package suits this system, or an older plugin in ~/.docker/cli-plugins comes first" \
        "ls -l ~/.docker/cli-plugins" "see https://docs.docker.com/compose/install/linux/"
}

take_plugin() ( # take_plugin NAME SUITE: the binary alone, through an apt that knows that suite only
    root=$WORK/$2
    there=(-o "Dir::Etc::sourcelist=$root/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$root/lists" -o "Dir::Cache=$root/cache" -o "APT::Default-Release=$2")
    apt -qq install --only-upgrade debian-archive-keyring && # an old one lacks the keys of newer suites
        mkdir -p "$root/lists/partial" "$root/cache/archives/partial" && cd "$root" &&
        debian_sources "$2" | sed -n "s,^deb \(.* $2 main\)$,deb [signed-by=$KEYRING] \1,p" >sources.list &&
        apt "${there[@]}" update && apt "${there[@]}" download "$1" && dpkg-deb -x "$1"_*.deb "$1" &&
        install -D -m 755 "$1/usr/libexec/docker/cli-plugins/$1" "$PLUGINS/$1" && works "$1"
)

works() { # works PLUGIN: it runs with this libc, and the engine understands it
    if [[ $1 == docker-compose ]]; then probe_compose && docker compose ls; else probe_buildx && docker buildx du; fi >/dev/null
}

get_image() {
    if step "Pulling $IMAGE" limit 60 docker pull "$IMAGE"; then return; fi
    if have apt-get && is_root; then refresh; fi
    if have apt-get && [[ -n $(debian_sources trixie) ]]; then
        if ! have mmdebstrap && is_root; then install_packages mmdebstrap; fi
        if have mmdebstrap && step "Making $IMAGE from Debian's packages instead" make_image; then return; fi
    fi
    fail "There is no image $IMAGE." "no registry gave it, and making it takes root on a Debian that reaches its package mirror" \
        "sudo scripts/engine.sh up                   on Debian; elsewhere:" \
        "docker save $IMAGE | gzip > base.tar.gz     on a machine that has it, then" "docker load < base.tar.gz    here"
}

make_image() { # as small as the one of the registries: no documentation, lists or archives; only a whole one gets the name
    local id
    # shellcheck disable=SC2016
    id=$(debian_sources trixie | TMPDIR=/var/tmp mmdebstrap --variant=minbase --include=ca-certificates --keyring="$KEYRING" \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --customize-hook='echo "APT::Keep-Downloaded-Packages \"false\";" >"$1/etc/apt/apt.conf.d/docker-clean"' \
        trixie - - | docker import --change 'CMD ["bash"]' -) && docker tag "$id" "$IMAGE"
}

# --- Verbs ---

up() {
    local found
    found=$(survey) && say "Docker is ready" && return
    echo "$found"
    if have flock; then
        exec 9<"${BASH_SOURCE[0]}"
        flock -n 9 || { say "Another setup is at work: waiting for it" && flock 9; }
    fi
    WORK=$(mktemp -d) && chmod 755 "$WORK" # apt downloads as a user of its own
    trap 'rm -rf "$WORK"' EXIT
    probe_engine >/dev/null || get_engine
    probe_compose >/dev/null || get_plugin docker-compose "$COMPOSE_LEAST" docker-compose-plugin docker-compose-v2 docker-compose
    probe_buildx >/dev/null || get_plugin docker-buildx 0 docker-buildx-plugin docker-buildx
    probe_image >/dev/null || get_image
    say "Docker is ready, after $SECONDS s"
}

renew() { up && get_image; }

ca_bundle() {
    local file name
    file=$(setting CA_BUNDLE)
    if [[ -n $file ]]; then
        [[ $file == /* ]] || file=$ROOT/$file
        [[ -f $file && -r $file ]] || fail "CA_BUNDLE names no readable file." "$file" "correct CA_BUNDLE in .env, or remove it"
        echo "$file" && return
    fi
    for name in SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS; do
        if [[ -f ${!name:-} ]]; then echo "${!name}" && return; fi
    done
}

case ${1:-} in
check) survey ;;
up | renew | stop) "$1" ;;
started-by-us) is_running "$PID_FILE" dockerd || exit 1 ;;
ca-bundle) ca_bundle ;;
sources) debian_sources "${2:?a suite, such as trixie}" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
