#!/usr/bin/env bash
# Builds the images. Unchanged ones cost a second: Docker's own cache decides, and with FRESH=1 is not asked.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

bundle=$(scripts/engine.sh ca-bundle)
ca=() && [[ -z $bundle ]] || ca=(--secret "id=ca_bundle,src=$bundle")

for image in ${1:-base playwright supabase docker-proxy}; do # playwright takes the code from base
    DOCKER_BUILDKIT=1 step "image oddsfleet/$image" docker build --quiet ${FRESH:+--no-cache} --file "images/$image/Dockerfile" --tag "oddsfleet/$image" \
        "${ca[@]}" .
done
