#!/usr/bin/env bash
# Secrets as .env has them, and images where there are none: `make up` renews those that are there.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

scripts/secrets.sh
for image in base playwright supabase docker-proxy; do
    docker image inspect "oddsfleet/$image" >/dev/null 2>&1 || scripts/images.sh "$image"
done
