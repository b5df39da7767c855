#!/usr/bin/env bash
# Removes everything of oddsfleet's on this machine, and nothing else: containers, networks, volumes, images, secrets.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

echo "This removes the containers, the odds collected so far, the images and the generated keys of oddsfleet."
read -r -p "Type 'yes' to go on: " answer || true
[[ ${answer:-} == yes ]] || { echo "Nothing was removed."; exit 1; }

containers=$(docker ps --all --quiet --filter label=com.docker.compose.project=oddsfleet)
[[ -z $containers ]] || step "containers" docker rm --force --volumes $containers
for kind in network volume; do
    found=$(docker "$kind" ls --quiet --filter label=com.docker.compose.project=oddsfleet)
    [[ -z $found ]] || step "${kind}s" docker "$kind" rm $found || left=" Docker kept some ${kind}s: restart it, and repeat."
done
images=$(docker images --quiet --filter reference='oddsfleet/*' | sort -u)
[[ -z $images ]] || step "images" docker rmi --force $images
rm -rf secrets .state
echo "Removed.${left:-} 'make demo' or 'make up' starts from nothing; .env is still here."
