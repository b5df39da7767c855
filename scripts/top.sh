#!/usr/bin/env bash
# Memory and processor of our containers: live on a terminal, once elsewhere.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

scripts/compose.sh needs fleet
mapfile -t containers < <(scripts/compose.sh ps --quiet)
once=() && [[ -t 1 ]] || once=(--no-stream)
exec docker stats "${once[@]}" --format 'table {{.Name}}\t{{.MemUsage}}\t{{.MemPerc}}\t{{.CPUPerc}}\t{{.PIDs}}' "${containers[@]}"
