#!/usr/bin/env bash
# docker compose with the files of what is on: the real bookmakers or the demo, in parallel or in sequence.
#
#   scripts/compose.sh mode [real|demo] [parallel|sequential]     changes it; what is not named stays
#   scripts/compose.sh up -d                                      anything else goes to docker compose
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
mkdir -p .state
world=$(cat .state/world 2>/dev/null || echo real)
order=$(cat .state/order 2>/dev/null || echo parallel)

if [[ ${1:-} == mode ]]; then
    for word in "${@:2}"; do
        case $word in
            real | demo) echo "$word" >.state/world ;;
            parallel | sequential) echo "$word" >.state/order ;;
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
    export SECRETS_DIR=$ROOT/secrets/demo SIMULATOR_URL=http://simulator:9000 HEALTH_OUTSIDE=off
    files=(--env-file /dev/null "${files[@]}" -f compose.demo.yml)
fi
exec docker compose "${files[@]}" "$@"
