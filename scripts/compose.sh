#!/usr/bin/env bash
# docker compose with the files of what is on: the real bookmakers or the demo, in parallel or in sequence.
#
#   scripts/compose.sh mode [real|demo] [parallel|sequential]     changes it; what is not named stays
#   scripts/compose.sh unit SCRAPER                               the service that it runs in, now
#   scripts/compose.sh up -d                                      anything else goes to docker compose
#
# COMPOSE_OVERLAY names more files to put on top, STATE_DIR another place for what is on: a second fleet, or a test.
# ORDER is for a look at the other mode, which stays off.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
state=${STATE_DIR:-.state}
mkdir -p "$state"
world=$(cat "$state/world" 2>/dev/null || echo real)
order=${ORDER:-$(cat "$state/order" 2>/dev/null || echo parallel)}

if [[ ${1:-} == mode ]]; then
    for word in "${@:2}"; do
        case $word in
            real | demo) echo "$word" >"$state/world" ;;
            parallel | sequential) echo "$word" >"$state/order" ;;
            *) echo "there is no mode called $word" >&2 && exit 2 ;;
        esac
    done
    exit
fi

# docker-proxy runs without root: the group of the socket, which differs from machine to machine, lets it in.
DOCKER_GID=${DOCKER_GID:-$(stat -Lc %g /var/run/docker.sock 2>/dev/null || echo 0)}
export DOCKER_GID
files=(-f compose.yml)
[[ $order == parallel ]] || files=(-f compose.sequential.yml)
if [[ $world == demo ]]; then
    # Simulated odds must never reach a real database: the demo has its own keys and volumes, and reads no .env.
    export SECRETS_DIR=${DEMO_SECRETS_DIR:-$ROOT/secrets/demo} SIMULATOR_URL=http://simulator:9000 HEALTH_OUTSIDE=off
    files=(--env-file /dev/null "${files[@]}" -f compose.demo.yml)
fi
for overlay in ${COMPOSE_OVERLAY:-}; do files+=(-f "$overlay"); done

if [[ ${1:-} == unit ]]; then # in sequence, many run in one container; its label says which
    docker compose "${files[@]}" config | awk -v scraper="${2//-/_}" '
        /^  [a-z0-9-]+:$/ { service = substr($1, 1, length($1) - 1) }
        $1 == "oddsfleet.scraper:" && index("," $2 ",", "," scraper ",") { print service; found = 1 }
        END { exit !found }' || { echo "There is no scraper called $2; \`make list\` shows them all." >&2 && exit 2; }
    exit
fi
exec docker compose "${files[@]}" "$@"
