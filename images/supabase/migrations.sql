-- The list of what has been applied. Taken under the lock, so that two first runs do not both create it.
set local client_min_messages = warning;
select pg_advisory_xact_lock(7218045001);
create table if not exists public.oddsfleet_migrations (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
alter table public.oddsfleet_migrations enable row level security;
revoke all on public.oddsfleet_migrations from anon, authenticated;
