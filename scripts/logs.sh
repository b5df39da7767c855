#!/usr/bin/env bash
# Follows the log of a scraper or a service, from its last lines on.
#
#   scripts/logs.sh NAME
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

service=$(scripts/compose.sh service "$1")
engine_is_silent || containers=$(scripts/compose.sh ps --all --quiet "$service")
[[ -n ${containers:-} ]] || fail "There is no container of $service." "it was not started, or \`make down\` removed it" \
    "make up      starts the fleet" "make demo    or the demo"
exec scripts/compose.sh logs --follow --tail 50 "$service"
