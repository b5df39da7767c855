#!/usr/bin/env bash
# Starts the containers of the mode that is on, waits for the first odds, and shows them.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source-path=SCRIPTDIR source=say.sh
source scripts/say.sh

outdated() { # services with a secret that is newer than their container: Compose does not look into files
    local made id
    made=$(mktemp "${TMPDIR:-/tmp}/oddsfleet.XXXXXX")
    for id in $(scripts/compose.sh ps --quiet); do
        touch -d "$(docker inspect --format '{{.Created}}' "$id")" "$made"
        docker inspect --format '{{$service := index .Config.Labels "com.docker.compose.service"}}{{range .Mounts}}{{println $service .Source}}{{end}}' "$id" |
            while read -r service source; do
                if [[ $source == */secrets/* && $source -nt $made ]]; then echo "$service"; fi
            done
    done | sort -u
    rm -f "$made"
}

failing() { # services that end at once, again and again, with their last words; at their first tries they look well
    local service look
    for look in 1 2 3; do
        for service in $(scripts/compose.sh ps --all --status restarting --format '{{.Service}}'); do
            echo "  $service: $(scripts/compose.sh logs --no-log-prefix --tail 1 "$service" 2>&1)"
        done
        ((look == 3)) || sleep 1
    done | sort -u
}

say "this runs $(scripts/compose.sh told)"
step "starting the containers" scripts/compose.sh up --detach --remove-orphans ||
    fail "The containers did not start." "Compose says it above" "scripts/compose.sh ps --all" "scripts/compose.sh logs"
mapfile -t renewed < <(outdated)
if ((${#renewed[@]})); then
    step "giving new secrets to ${renewed[*]}" scripts/compose.sh up --detach --no-deps --force-recreate "${renewed[@]}"
fi
say "waiting for the first odds"
mapfile -t scrapers < <(scripts/compose.sh config | sed -n 's/^ *oddsfleet.scraper: *//p' | tr ',' '\n' | sort)
status=0
patience=120 && [[ $(scripts/compose.sh told) != *sequence* ]] || patience=300 # a round of real sites takes minutes
scripts/compose.sh run --rm --no-deps operator store wait --seconds "$patience" "${scrapers[@]}" || status=$?
ill=$(failing)
if [[ -n $ill ]]; then
    say "their last words:"
    echo "$ill"
    fail "Some services do not stay up." "they say it above" "correct .env where it is named, and repeat" \
        "scripts/compose.sh logs SERVICE"
fi
exit "$status"
