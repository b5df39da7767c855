-- One migration inside one transaction (psql --single-transaction). The lock makes a second run wait and then skip.
-- Prints one word: applied, again, or skipped. It runs again when it was edited since, or with :again.
set local client_min_messages = warning;
select pg_advisory_xact_lock(7218045001);
select coalesce((select sha256 from public.oddsfleet_migrations where name = :'name'), '') as had \gset
select :'had' = '' as fresh, :'had' <> :'sum' or :'again'::integer = 1 as due \gset
\if :due
  \i :file
  insert into public.oddsfleet_migrations (name, sha256) values (:'name', :'sum')
  on conflict (name) do update set sha256 = excluded.sha256, applied_at = now();
  \if :fresh
    \echo applied
  \else
    \echo again
  \endif
\else
  \echo skipped
\endif
