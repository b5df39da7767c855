-- One migration inside one transaction (psql --single-transaction). The lock makes a second run wait and then skip.
-- Prints one word: applied, skipped, or changed.
set local client_min_messages = warning;
select pg_advisory_xact_lock(7218045001);
select coalesce((select sha256 from public.oddsfleet_migrations where name = :'name'), '') as had \gset
select :'had' = '' as fresh, :'had' = :'sum' as same \gset
\if :fresh
  \i :file
  insert into public.oddsfleet_migrations (name, sha256) values (:'name', :'sum');
  \echo applied
\elif :same
  \echo skipped
\else
  \echo changed
\endif
