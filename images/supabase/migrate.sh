#!/bin/bash
# Runs every /sql/*.sql once, in order, each in a transaction of its own together with its line in
# oddsfleet_migrations. Safe to run at any time, also twice at once. Every file may run twice without harm, so one that was
# edited since runs again, and with it those that build on it.
set -euo pipefail
here=/opt/supabase
secrets=/run/secrets
export PGCONNECT_TIMEOUT=5 PGAPPNAME=migrate

fail() { echo "migrate: $*" >&2; exit 1; }
run() { psql -X -q -v ON_ERROR_STOP=1 --single-transaction -o /dev/null "$@"; }

if [ -n "${SUPABASE_URL:-}" ] && [ ! -s $secrets/supabase_db_url ]; then
  echo "$SUPABASE_URL is your own, and SUPABASE_DB_URL is not set: nothing is applied. Run sql/*.sql in its SQL editor, in order."
  exit 0
elif [ -s $secrets/supabase_db_url ]; then
  while IFS= read -r -d '' setting; do export "$setting"; done < <(
    node -e '
      const url = new URL(require("fs").readFileSync(process.argv[1], "utf8").trim())
      const is = { PGHOST: url.hostname, PGPORT: url.port || "5432", PGUSER: decodeURIComponent(url.username),
        PGPASSWORD: decodeURIComponent(url.password), PGDATABASE: decodeURIComponent(url.pathname.slice(1)) || "postgres",
        PGSSLMODE: url.searchParams.get("sslmode") || "require" }
      for (const name in is) process.stdout.write(`${name}=${is[name]}\0`)' $secrets/supabase_db_url)
  where="the Supabase at $PGHOST"
  hint=". Take the address of its session pooler (Connect, Session pooler): the direct one is IPv6 only, and containers have IPv4"
else
  [ -s $secrets/postgres_password ] || fail "$secrets/postgres_password is missing or empty"
  [ -s $secrets/supabase_key ] || fail "$secrets/supabase_key is missing or empty"
  export PGHOST=${DB_HOST:-db} PGPORT=5432 PGUSER=postgres PGDATABASE=postgres PGSSLMODE=disable
  PGPASSWORD=$(head -n 1 $secrets/postgres_password); export PGPASSWORD
  where="the embedded PostgreSQL" hint=
fi

for ((i = 0; ; i++)); do
  pg_isready -q -t 2 -U supabase_admin && break
  [ $i -lt 60 ] || fail "no answer from $where after a minute$hint"
  [ $i -gt 0 ] || echo "waiting for $where"
  sleep 1
done

if [ ! -s $secrets/supabase_db_url ]; then
  echo "making $where look like a Supabase (roles, default privileges, storage)"
  # The API logs in as authenticator, with a password that both sides derive from the service key.
  AUTHENTICATOR_PASSWORD=$(node -p 'require("crypto").createHmac("sha256", require("fs").readFileSync(process.argv[1], "utf8").trim()).update("authenticator").digest("hex")' $secrets/supabase_key) \
    PGUSER=supabase_admin run -f $here/bootstrap.sql
fi

run -f $here/migrations.sql
applied=0 again=0 skipped=0
shopt -s nullglob
export LC_ALL=C
for file in /sql/*.sql; do
  name=${file##*/}
  sum=$(sha256sum "$file"); sum=${sum%% *}
  outcome=$(run -v name="$name" -v sum="$sum" -v file="$file" -v again=$((again > 0)) -f $here/migrate-one.sql) || fail "$name failed; nothing of it was kept"
  case $outcome in
    applied) echo "  $name applied"; applied=$((applied + 1)) ;;
    again) echo "  $name applied again"; again=$((again + 1)) ;;
    *) skipped=$((skipped + 1)) ;;
  esac
done
[ $((applied + again)) -eq 0 ] || run -c "notify pgrst, 'reload schema'" # the hosted API listens; ours looks by itself
echo "$where is up to date: $applied applied, $again again, $skipped skipped"
