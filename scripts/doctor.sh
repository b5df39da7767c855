#!/usr/bin/env bash
# Does this machine fit the fleet, and in which mode? Nothing is started but the one who looks.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

echo "Looking at $(scripts/compose.sh told)"
for order in parallel sequential; do
    ORDER=$order scripts/compose.sh config --format json
done | scripts/compose.sh run --rm --no-deps -T operator scrapers doctor
