# shellcheck shell=bash
# What the scripts share: how they talk, wait and install. Colours only on a terminal, and never with NO_COLOR.
#
#   say LINE...                     a line of progress
#   step LABEL COMMAND...           a line before, a line after with the seconds; the output shows only on failure
#   report LABEL COMMAND...         "ok LABEL output" or "missing LABEL output"; the status is the command's
#   fail WHAT WHY COMMAND...        what happened, why, and what to type; then exit 1
#   wait_until SECONDS COMMAND...   tries until the command succeeds; fails after that time
#   limit SECONDS COMMAND...        stops a command that takes longer, where the system can (macOS has no timeout)
#   setting NAME                    of the environment, else of .env ($ENV_FILE), as Compose reads it
#   engine_is_silent                Docker is not here, or does not run; one that refuses this user is not silent
#   have COMMAND, is_root, is_running PID_FILE NAME, has_died PID
#   refresh, install_packages NAME..., candidate LEAST NAME...     apt

have() { command -v "$1" >/dev/null; }
is_root() { [[ $(id -u) == 0 ]]; }
limit() { if have timeout; then timeout "$@"; else "${@:2}"; fi; }
has_died() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; } # a zombie is dead, even if nobody buries it
is_running() { # numbers are given out again, so the name must match too
    [[ -r $1 ]] && grep -qsx "Name:.$2" "/proc/$(<"$1")/status" && ! has_died "$(<"$1")"
}

engine_is_silent() {
    local said
    have docker || return 0
    ! said=$(limit 10 docker version 2>&1 >/dev/null) || return 1
    [[ ${said,,} == *"cannot connect to the docker daemon"* || ${said,,} == *"failed to connect to the docker api"* ]] &&
        [[ ${said,,} != *"permission denied"* ]]
}

setting() { # quotes, comments and spaces around a value are no part of it
    local line file=${ENV_FILE:-$ROOT/.env}
    if [[ -n ${!1:-} ]]; then printf '%s' "${!1}" && return; fi
    if [[ ! -r $file ]] || ! line=$(grep -E "^(export )?$1=" "$file"); then return 0; fi
    line=${line##*$'\n'} # the last of several
    line=${line#*=} line=${line%$'\r'}
    case $line in
        \"*) line=${line#\"} line=${line%%\"*} ;;
        \'*) line=${line#\'} line=${line%%\'*} ;;
        *) line=${line%%[[:space:]]#*} line=${line%"${line##*[![:space:]]}"} line=${line#"${line%%[![:space:]]*}"} ;;
    esac
    printf '%s' "$line"
}

paint() { # paint FD CODE TEXT
    if [[ -t $1 && -z ${NO_COLOR:-} ]]; then printf '\033[%sm%s\033[0m' "$2" "$3"; else printf '%s' "$3"; fi
}

say() {
    paint 1 '1;34' '==>'
    printf ' %s\n' "$*"
}

fail() {
    {
        paint 2 '1;31' 'error:'
        printf ' %s\n  why: %s\n  do:\n' "$1" "$2"
        printf '    %s\n' "${@:3}"
    } >&2
    exit 1
}

report() {
    local found state=ok
    found=$("${@:2}") || state=missing
    printf '%-8s %-24s %s\n' "$state" "$1" "${found:--}"
    [[ $state == ok ]]
}

# The command runs as a condition, so `set -e` is off inside it: functions given to step join their commands with &&.
# Descriptor 9 is the caller's lock: a daemon that the command leaves behind must not keep it.
step() {
    local label=$1 began=$SECONDS status=0 log
    log=$(mktemp "${TMPDIR:-/tmp}/oddsfleet.XXXXXX")
    say "$label ..."
    "${@:2}" >"$log" 2>&1 </dev/null 9<&- || status=$?
    if ((status == 0)); then
        say "$label: done in $((SECONDS - began)) s"
    else
        say "$label: failed after $((SECONDS - began)) s"
        tail -n 15 "$log" | sed 's/^/    /'
    fi
    rm -f "$log"
    return "$status"
}

wait_until() {
    local deadline=$((SECONDS + $1))
    until "${@:2}"; do
        if ((SECONDS >= deadline)); then return 1; fi
        sleep 0.2
    done
}

apt() { DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"; }

refresh() { # once per run; a dead third-party source is no reason to stop: the installation will tell
    [[ -z ${REFRESHED:-} ]] || return 0
    step "Reading the package lists" apt update || say "Some lists could not be read: going on with the others"
    REFRESHED=yes
}

install_packages() {
    step "Installing $*" apt install --no-install-recommends "$@" ||
        fail "Packages were not installed: $*." "apt-get says it above" "apt-get install $*    and repeat the command"
    hash -r
}

candidate() { # the first of these packages that the apt sources have, at version LEAST or newer
    local name version
    for name in "${@:2}"; do
        version=$(apt-cache policy "$name" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }')
        if [[ -n $version ]] && dpkg --compare-versions "$version" ge "$1"; then echo "$name" && return; fi
    done
    return 1
}
