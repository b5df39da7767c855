#!/usr/bin/env bash
# Secrets as files, one each, for Compose to mount where they are needed: they show in no environment, no
# `docker inspect` and no log. Values come from the environment or .env; keys of the embedded Supabase are made here,
# once. Nothing is printed but names.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DIR=${SECRETS_DIR:-$ROOT/secrets}
# shellcheck source-path=SCRIPTDIR source=say.sh
source "$ROOT/scripts/say.sh"
OWNER=10001 # the user of every image of ours

# What an operator may set; each becomes secrets/<lower-case name>.
SETTABLE="SUPABASE_KEY SUPABASE_DB_URL PROXY_LIST BET365_FEED_KEY DISCORD_WEBHOOK_URL DASHBOARD_TOKEN HEARTBEAT_URL"

random() { head -c 32 /dev/urandom | base64 | tr -d '+/=\n' | head -c 40; }

store() { # store FILE VALUE: whole or not at all, and only when it differs
    local file=$DIR/$1
    if [[ -f $file && $(<"$file") == "$2" ]]; then return; fi
    rm -f "$file.new"
    (umask 077 && printf '%s' "$2" >"$file.new")
    # Containers read it as their own user. Only root can give a file away; for anybody else the folder, which is closed
    # to others, keeps it.
    if [[ $(id -u) == 0 ]]; then
        chown "$OWNER:$OWNER" "$file.new" && chmod 400 "$file.new"
    else
        chmod 444 "$file.new"
    fi
    mv -f "$file.new" "$file"
}

keep() { # keep FILE VALUE: only when there is none yet
    if [[ ! -s $DIR/$1 ]]; then
        store "$1" "$2"
        echo "made secrets/$1"
    fi
}

mkdir -p "$DIR" && chmod 700 "$DIR"
keep postgres_password "$(random)"
keep embedded_supabase_key "sb_secret_$(random)"
keep supabase_anon_key "sb_publishable_$(random)"
for name in $SETTABLE; do
    store "${name,,}" "$(setting "$name")"
done
if [[ -z $(setting SUPABASE_URL) ]]; then
    store supabase_key "$(<"$DIR/embedded_supabase_key")"
elif [[ -z $(setting SUPABASE_KEY) ]]; then
    fail "SUPABASE_KEY is not set." "SUPABASE_URL names your own project" "put its service-role key into .env"
fi
