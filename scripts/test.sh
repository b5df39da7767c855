#!/usr/bin/env bash
# All checks, or with `fast` those that need no Docker. What the run started is stopped at its end, the engine too.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh
bin=.venv/bin

step "ruff" "$bin/ruff" check .
step "ruff format" "$bin/ruff" format --check .
step "mypy" "$bin/mypy"
if [[ ${1:-} == fast ]]; then
    exec "$bin/pytest" -m "not docker" --numprocesses auto
fi
# Two at a time, a file each: most tests wait for containers, and each worker has a fleet of its own.
together=(--numprocesses 2 --dist loadfile)
if ! docker info >/dev/null 2>&1; then
    trap 'scripts/engine.sh stop' EXIT
fi
scripts/engine.sh up
scripts/images.sh
"$bin/pytest" "${together[@]}"
