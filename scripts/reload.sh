#!/usr/bin/env bash
# Rebuilds a scraper's image and replaces its container; every other one goes on with the code it has.
#
#   scripts/reload.sh SCRAPER                   the code of this folder
#   KEEP_IMAGES=1 scripts/reload.sh SCRAPER     the images as they are: only changed settings are taken up
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

scraper=${1//-/_}
service=$(scripts/compose.sh unit "$scraper")
if [[ -z ${KEEP_IMAGES:-} ]]; then
    scripts/images.sh "base playwright" # the second takes the code from the first; unchanged, each costs a second
fi
step "replacing $service, after its cycle in hand" scripts/compose.sh up --detach --no-deps --force-recreate "$service" ||
    fail "$service was not replaced." "Compose says it above" "scripts/compose.sh ps --all" "make logs S=$scraper"
say "waiting for its first odds"
scripts/compose.sh run --rm --no-deps operator store wait --new "$scraper"
