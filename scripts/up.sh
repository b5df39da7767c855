#!/usr/bin/env bash
# Starts the containers of the mode that is on, waits for the first odds, and shows them.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

step "starting the containers" scripts/compose.sh up --detach --remove-orphans ||
    fail "The containers did not start." "Compose says it above" "scripts/compose.sh ps --all" "scripts/compose.sh logs"
say "waiting for the first odds"
mapfile -t scrapers < <(scripts/compose.sh config | sed -n 's/^ *oddsfleet.scraper: *//p' | tr ',' '\n' | sort)
scripts/compose.sh run --rm --no-deps operator store wait "${scrapers[@]}"
