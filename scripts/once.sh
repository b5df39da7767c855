#!/usr/bin/env bash
# One cycle of a scraper with the code of this folder, as a table, written nowhere.
#
#   scripts/once.sh SCRAPER               with RECORD=1, the answers become a test in tests/recorded
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

name=${1#scraper-} # a row that has no service yet may be tried as well
grep -Fq "\"${name//-/_}\"" scrapers/catalog.py || scripts/compose.sh unit "$1" >/dev/null
scripts/ready.sh
scripts/images.sh "base playwright"
run=(scripts/compose.sh run --rm --no-deps)
if [[ -z ${RECORD:-} ]]; then
    exec "${run[@]}" operator-browser scrapers once "$1"
fi
# The container's user may not write here, and may alone read the secrets that root made.
folder=$(mktemp -d "${TMPDIR:-/tmp}/oddsfleet.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mine=() && is_root || mine=(--user "$(id -u)")
chmod 777 "$folder"
"${run[@]}" "${mine[@]}" -e RECORD=1 -e RECORD_DIR=/recorded -v "$folder:/recorded" operator-browser scrapers once "$1"
mkdir -p tests/recorded
cp -R "$folder/." tests/recorded/
say "Recorded in tests/recorded: check expected.json against response.* by eye, then commit it"
