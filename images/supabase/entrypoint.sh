#!/bin/bash
# One image, three roles: db (PostgreSQL), api (@supabase/lite), migrate (one-shot), healthy (the api's healthcheck).
set -euo pipefail
here=/opt/supabase
data=/var/lib/postgresql/data
password=/run/secrets/postgres_password
settings=(-c "config_file=$here/postgresql.conf" -c "hba_file=$here/pg_hba.conf" -c ident_file=/dev/null)

say() { echo "$*" >&2; }

db() {
  # Whoever holds this lock owns the volume, and the kernel drops it with its holder. A postmaster.pid left by a
  # killed container is then surely stale, whatever process has its number today.
  exec 9>"$data/lock"
  flock -w 30 9 || { say "another PostgreSQL uses this volume"; exit 1; }
  export PGDATA=$data/17
  [ -s $password ] || { say "$password is missing or empty"; exit 1; }
  if [ ! -s "$PGDATA/PG_VERSION" ]; then
    say "first start: making the database"
    rm -rf "$PGDATA.new"
    initdb --pgdata="$PGDATA.new" --username=supabase_admin --pwfile=$password \
      --auth=scram-sha-256 --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C.UTF-8 \
      --data-checksums >/dev/null
    mv "$PGDATA.new" "$PGDATA" # all or nothing: a first start cut short begins anew
  fi
  rm -f "$PGDATA/postmaster.pid"
  take_password
  exec postgres -D "$PGDATA" "${settings[@]}"
}

# Secrets that were made anew, as in another checkout, must not lock the operator out of the volume.
take_password() {
  local said wanted quote="'"
  wanted=$(sha256sum <$password)
  [ "$wanted" != "$(cat "$data/password.sum" 2>/dev/null)" ] || return 0
  said=$(head -n 1 $password)
  echo "alter role supabase_admin password '${said//$quote/$quote$quote}'" |
    postgres --single -D "$PGDATA" "${settings[@]}" -c exit_on_error=on postgres >/dev/null
  echo "$wanted" >"$data/password.sum"
}

# A healthcheck every few seconds for months should cost nothing: bash speaks enough HTTP.
healthy() {
  exec 3<>/dev/tcp/127.0.0.1/54321
  printf 'GET /health HTTP/1.0\r\n\r\n' >&3
  read -r -t 3 _ status _ <&3
  [ "$status" = 200 ]
}

case "${1:-}" in
  db) db ;;
  api) exec node --max-old-space-size="${API_HEAP_MB:-192}" $here/api.mjs ;;
  migrate) exec $here/migrate.sh ;;
  healthy) healthy ;;
  *) say "usage: db | api | migrate | healthy"; exit 64 ;;
esac
