#!/usr/bin/env bash
# Stops everything of ours; data stays.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

is_empty() { # Docker 20 may lose count and keep an empty network, which is no harm
    local containers
    containers=$(scripts/compose.sh ps --all --quiet) && [[ -z $containers ]]
}

if engine_is_silent; then
    echo "Docker does not run, so nothing of ours does. The data is kept; 'make up' or 'make demo' goes on with it."
    exit
fi
scripts/compose.sh down --remove-orphans || is_empty ||
    fail "Not everything was stopped." "Docker says it above" "make down      again" "scripts/compose.sh ps --all"
echo "Stopped. The data is kept; 'make up' or 'make demo' goes on with it."
