#!/usr/bin/env bash
# The packages that tests need, in .venv, exactly as locked. Done again only when the lock changes.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
can_make_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

stamp=.venv/.locked
cmp --silent requirements/dev.txt "$stamp" && exit

if ! have python3 || ! can_make_venv python3; then
    is_root && have apt-get || fail "Python cannot make virtual environments." "python3 or its venv module is missing" \
        "sudo apt-get install python3-venv"
    refresh
    install_packages python3-venv
fi
is_new_enough python3 || fail "$(python3 --version) is too old." "Python 3.11 or newer is needed" "see python.org"

rm -rf .venv
step "Making .venv" python3 -m venv .venv
step "Installing the locked packages" .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes \
    -r requirements/dev.txt || fail "The packages were not installed." "pip says it above" \
    "behind a proxy that re-signs HTTPS: PIP_CERT=/path/to/ca-bundle.crt make test"
cp requirements/dev.txt "$stamp"
