#!/usr/bin/env bash
# docker compose with the files of what is on: the real bookmakers or the demo, in parallel or in sequence.
#
#   scripts/compose.sh mode [real|demo] [parallel|sequential]     changes it; what is not named stays
#   scripts/compose.sh told                                       says what is on
#   scripts/compose.sh needs fleet|database                       fails with what to type when that is not there: the
#                                                                 database may also be one's own, elsewhere
#   scripts/compose.sh unit SCRAPER                               the service that it runs in, now
#   scripts/compose.sh service NAME                               the same; NAME may also be a service, as json-generator
#   scripts/compose.sh up -d                                      anything else goes to docker compose
#
# COMPOSE_OVERLAY names more files to put on top, STATE_DIR another place for what is on: a second fleet, or a test.
# ORDER is for a look at the other mode, which stays off.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh
state=${STATE_DIR:-.state}
mkdir -p "$state"
world=$(cat "$state/world" 2>/dev/null || echo real)
order=${ORDER:-$(cat "$state/order" 2>/dev/null || echo parallel)}

runs() {
    local ours="label=com.docker.compose.project=${COMPOSE_PROJECT_NAME:-oddsfleet}"
    [[ -n $(docker ps --quiet --filter "$ours" --filter label=com.docker.compose.oneoff=False) ]]
}
has_own_database() { [[ $world == real && -n $(setting SUPABASE_URL) ]]; }

case ${1:-} in
    mode)
        for word in "${@:2}"; do
            if [[ $word == demo && $world == real && -z ${FORCE:-} ]] && runs; then
                fail "The demo would take the place of the fleet that runs here." "both are the project oddsfleet" \
                    "make down      stops the fleet; its data stays" "make demo FORCE=1      takes its place"
            fi
            case $word in
                real | demo) echo "$word" >"$state/world" ;;
                parallel | sequential) echo "$word" >"$state/order" ;;
                *) echo "there is no mode called $word" >&2 && exit 2 ;;
            esac
        done
        exit
        ;;
    needs)
        if [[ $2 == database ]] && has_own_database; then exit; fi
        if engine_is_silent || ! runs; then
            echo "Nothing of ours runs here: \`make up\` or \`make demo\` starts it." >&2 && exit 1
        fi
        exit
        ;;
    told)
        [[ $world == real ]] && echo -n "the real bookmakers" || echo -n "simulated bookmakers (the demo)"
        [[ $order == parallel ]] && echo ", one container each" || echo ", in sequence"
        exit
        ;;
esac

# docker-proxy runs without root: the group of the socket, which differs from machine to machine, lets it in.
DOCKER_SOCKET=$(setting DOCKER_SOCKET)
DOCKER_GID=$(setting DOCKER_GID)
export DOCKER_SOCKET=${DOCKER_SOCKET:-/var/run/docker.sock}
export DOCKER_GID=${DOCKER_GID:-$(stat -Lc %g "$DOCKER_SOCKET" 2>/dev/null || echo 0)}
files=(-f compose.yml)
[[ $order == parallel ]] || files=(-f compose.sequential.yml)
if [[ $world == demo ]]; then
    # Simulated odds must never reach a real database: the demo has its own keys and volumes, and reads no settings.
    export SECRETS_DIR=${DEMO_SECRETS_DIR:-$ROOT/secrets/demo} SUPABASE_URL='' HEALTH_OUTSIDE=off
    export SIMULATOR_URL=http://simulator:9000
    files=(--env-file /dev/null "${files[@]}" -f compose.demo.yml)
fi
for overlay in ${COMPOSE_OVERLAY:-}; do files+=(-f "$overlay"); done

is_service() { docker compose "${files[@]}" config --services | grep -Fx -- "$1" >/dev/null; }

unknown() { # unknown unit|service NAME
    if [[ $1 == service ]]; then
        echo "There is no scraper and no service called $2: \`make list\` shows the scrapers," \
            "\`scripts/compose.sh config --services\` the services."
    elif is_service "$2"; then
        echo "$2 is a service and no scraper: \`scripts/compose.sh restart $2\` restarts it; stop and start go the same way."
    else
        echo "There is no scraper called $2; \`make list\` shows them all."
    fi >&2
    exit 2
}

if [[ ${1:-} == unit || ${1:-} == service ]]; then # in sequence, many run in one container; its label says which
    name=${2#scraper-}
    docker compose "${files[@]}" config | awk -v scraper="${name//-/_}" -v service_name="scraper-${name//_/-}" '
        /^  [a-z0-9-]+:$/ { service = substr($1, 1, length($1) - 1) }
        $1 == "oddsfleet.scraper:" && (index("," $2 ",", "," scraper ",") || service == service_name) {
            print service; found = 1 }
        END { exit !found }' || { [[ $1 == service ]] && is_service "$2" && echo "$2"; } || unknown "$@"
    exit
fi
exec docker compose "${files[@]}" "$@"
