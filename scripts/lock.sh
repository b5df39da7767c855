#!/usr/bin/env bash
# Renews the lock files from pyproject.toml: every version and hash pinned, no registry named.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
have_uv=.venv/bin/uv
[[ -x $have_uv ]] || .venv/bin/pip install --quiet uv
options=(--quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade)
"$have_uv" pip compile "${options[@]}" pyproject.toml --output-file requirements/runtime.txt
"$have_uv" pip compile "${options[@]}" --extra browser --constraint requirements/runtime.txt pyproject.toml \
    --output-file requirements/browser.txt
"$have_uv" pip compile "${options[@]}" --extra browser --extra dev --constraint requirements/runtime.txt pyproject.toml \
    --output-file requirements/dev.txt
echo "Renewed requirements/. Next: make test"
