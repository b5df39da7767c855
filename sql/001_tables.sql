-- Tables. Safe to run twice; runs on a hosted Supabase as it is.

create table if not exists public.bookmakers (
    id          integer generated always as identity primary key,
    key         text not null unique,
    name        text not null,
    kind        text not null default 'book' check (kind in ('book', 'exchange')),
    commission  numeric(6, 4) not null default 0 check (commission >= 0 and commission < 1),
    url         text,
    logo_url    text,
    created_at  timestamptz not null default now()
);

create table if not exists public.leagues (
    id       integer generated always as identity primary key,
    key      text not null unique,
    sport    text not null check (sport in ('football', 'basketball')),
    title    text not null,
    country  text not null
);

create table if not exists public.teams (
    id          integer generated always as identity primary key,
    sport       text not null check (sport in ('football', 'basketball')),
    name        text not null check (length(name) between 1 and 80),
    folded      text not null check (length(folded) between 1 and 80),
    created_at  timestamptz not null default now(),
    unique (sport, folded)
);

-- Other spellings of a team: of one book, or of all where `bookmaker_id` is null.
create table if not exists public.team_aliases (
    id            bigint generated always as identity primary key,
    sport         text not null,
    folded        text not null check (length(folded) between 1 and 80),
    alias         text not null check (length(alias) between 1 and 80),
    team_id       integer not null references public.teams on delete cascade,
    bookmaker_id  integer references public.bookmakers,
    source        text not null check (source in ('learned', 'manual')),
    confidence    numeric(5, 2) not null default 100,
    first_seen    timestamptz not null default now(),
    unique nulls not distinct (sport, folded, bookmaker_id)
);
create index if not exists team_aliases_team on public.team_aliases (team_id);

create table if not exists public.matches (
    id             bigint generated always as identity primary key,
    league_id      integer not null references public.leagues,
    home_team_id   integer not null references public.teams,
    away_team_id   integer not null references public.teams,
    commence_time  timestamptz not null,
    -- Two books that show a fixture at the same instant must create one match, whatever minute each gives.
    play_day       date not null,
    created_at     timestamptz not null default now(),
    turned         bigint,  -- number of the last turn of its sides, in one row with the numbers of matches
    check (home_team_id <> away_team_id),
    unique (league_id, home_team_id, away_team_id, play_day)
);
create index if not exists matches_commence_time on public.matches (commence_time);

-- Where a book shows a match: after the first cycle, its own event id is all that is needed.
-- `fetched_at` is when the answer was read in which this book last showed the match (of several, the oldest), and so the
-- age of every price it holds on it: kept here, once per match, so that a cycle in which no price moved rewrites a
-- hundred rows and not a thousand.
create table if not exists public.match_sources (
    bookmaker_id  integer not null references public.bookmakers,
    external_id   text not null check (length(external_id) between 1 and 80),
    match_id      bigint not null references public.matches on delete cascade,
    scraper_name  text not null,
    swapped       boolean not null default false,
    home          text,                      -- as this book called them when the event was placed: other names under the
    away          text,                      -- same id are placed anew
    url           text check (length(url) <= 500),
    starts_at     timestamptz not null,      -- as this book says; when it moves, the match moves
    fetched_at    timestamptz not null,
    primary key (bookmaker_id, external_id)
) with (fillfactor = 70);
create index if not exists match_sources_match on public.match_sources (match_id);
create index if not exists match_sources_scraper on public.match_sources (scraper_name);

create table if not exists public.odds (
    match_id      bigint not null references public.matches on delete cascade,
    bookmaker_id  integer not null references public.bookmakers,
    market        text not null check (market in ('h2h', 'h2h_2up')),
    outcome       text not null check (outcome in ('home', 'draw', 'away')),
    price         numeric(9, 4) not null check (price > 1 and price <= 10000),
    opening       numeric(9, 4),            -- the first price that the book gave
    liquidity     numeric(14, 2) check (liquidity >= 0),
    -- The book took the price away, without putting another in its place.
    suspended     boolean not null default false,
    changed_at    timestamptz not null,
    primary key (match_id, bookmaker_id, market, outcome)
) with (fillfactor = 80);
create index if not exists odds_bookmaker on public.odds (bookmaker_id) where not suspended;

-- Changes only. `is_opening` marks the first price that a book ever gave.
create table if not exists public.odds_history (
    id            bigint generated always as identity primary key,
    match_id      bigint not null references public.matches on delete cascade,
    bookmaker_id  integer not null references public.bookmakers,
    market        text not null,
    outcome       text not null,
    price         numeric(9, 4),            -- null: taken away
    is_opening    boolean not null default false,
    changed_at    timestamptz not null,
    cycle_id      uuid not null
);
create index if not exists odds_history_line
    on public.odds_history (match_id, bookmaker_id, market, outcome, changed_at);
create index if not exists odds_history_changed_at on public.odds_history using brin (changed_at);

-- A database that is older than these columns.
alter table public.matches add column if not exists turned bigint;
alter table public.match_sources add column if not exists home text, add column if not exists away text;
alter table public.odds add column if not exists opening numeric(9, 4);
update public.odds o set opening = h.price
from public.odds_history h
where o.opening is null and h.is_opening
  and (h.match_id, h.bookmaker_id, h.market, h.outcome) = (o.match_id, o.bookmaker_id, o.market, o.outcome);
drop index if exists public.odds_history_opening;

-- Events that resemble a match of ours, but not surely enough to be joined with it: a person decides.
create table if not exists public.unmatched_names (
    id             bigint generated always as identity primary key,
    bookmaker_id   integer not null references public.bookmakers,
    external_id    text not null,
    sport          text not null,
    league         text not null,
    home           text not null,
    away           text not null,
    starts_at      timestamptz not null,
    reason         text not null,
    near_match_id  bigint references public.matches on delete set null,
    swapped        boolean not null default false,
    score          numeric(5, 2),
    times          bigint not null default 1,
    decision       text check (decision in ('same', 'new')),
    first_seen     timestamptz not null default now(),
    last_seen      timestamptz not null default now(),
    unique (bookmaker_id, external_id)
);

-- Seed 004's table, with what tells a dead scraper from a dead site.
create table if not exists public.scraper_status (
    id                  uuid primary key default gen_random_uuid(),
    scraper_name        text not null unique,
    bookmaker_id        integer references public.bookmakers,
    last_heartbeat      timestamptz,         -- null until the first cycle
    last_success        timestamptz,         -- last cycle that brought odds
    odds_collected      integer,
    odds_inserted       integer,
    cycle_count         bigint not null default 0,
    last_error          text,
    status              text not null default 'unknown'
        check (status in ('unknown', 'ok', 'warning', 'error', 'waiting')),
    outcome             text,                -- of the last cycle: ok, empty, blocked, unavailable, changed, timeout, ...
    failures_in_a_row   integer not null default 0,
    duration_ms         integer,
    expected_interval   numeric(8, 2) not null default 30 check (expected_interval > 0),
    epoch               bigint not null default 0,
    extra_data          jsonb not null default '{}'::jsonb,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now()
) with (fillfactor = 50);

-- Every cycle once: what makes sending twice harmless, and the history that the status page draws.
create table if not exists public.scraper_cycles (
    cycle_id      uuid primary key,
    scraper_name  text not null,
    epoch         bigint not null,
    number        bigint not null,           -- of the cycle, within its process
    started_at    timestamptz not null,
    finished_at   timestamptz not null,
    written_at    timestamptz not null default now(),
    outcome       text not null,
    error         text,
    collected     integer not null,
    inserted      integer not null,
    duration_ms   integer not null
);
create index if not exists scraper_cycles_scraper on public.scraper_cycles (scraper_name, finished_at desc);

-- Who may write for a scraper. The epoch grows with every start; an older one is refused for ever.
create table if not exists public.scraper_leases (
    scraper_name  text primary key,
    epoch         bigint not null,
    holder        text not null,
    superseded    text[] not null default '{}',  -- holders that a newer one replaced while it lives
    acquired_at   timestamptz not null default now(),
    renewed_at    timestamptz not null default now(),
    released_at   timestamptz
);

create table if not exists public.dead_letters (
    id            bigint generated always as identity primary key,
    scraper_name  text not null,
    cycle_id      uuid,
    reason        text not null,
    payload       jsonb,
    created_at    timestamptz not null default now(),
    unique (cycle_id, reason)
);
