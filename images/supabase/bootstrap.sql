-- What a hosted Supabase has and a plain PostgreSQL lacks. Runs as the superuser, before every round of migrations,
-- and changes nothing the second time. The migrations themselves run as "postgres", which is no superuser: what it
-- may not do here, it may not do on the hosted service either.
set local client_min_messages = warning;
select pg_advisory_xact_lock(7218045001);
\getenv authenticator_password AUTHENTICATOR_PASSWORD

do $$
declare
  wanted text[][] := array[
    ['anon', 'nologin'], ['authenticated', 'nologin'], ['service_role', 'nologin bypassrls'],
    ['postgres', 'login createdb createrole bypassrls'], ['authenticator', 'login noinherit'],
    ['supabase_storage_admin', 'nologin']];
begin
  for i in 1 .. array_length(wanted, 1) loop
    if not exists (select from pg_roles where rolname = wanted[i][1]) then
      execute format('create role %I %s', wanted[i][1], wanted[i][2]);
    end if;
  end loop;
end $$;

-- The same password as the superuser's, kept the same.
do $$ begin
  execute format('alter role postgres password %L', (select rolpassword from pg_authid where rolname = 'supabase_admin'));
end $$;
alter role authenticator password :'authenticator_password';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';

-- PostgREST switches to one of these for each request. lite also finds tables through information_schema, which
-- shows what a role may use: hence "inherit" (bypassrls is never inherited).
grant anon, authenticated, service_role to authenticator with inherit true, set true;
grant anon, authenticated, service_role, supabase_storage_admin to postgres with admin true;

alter database postgres owner to postgres;
alter schema public owner to postgres;
create schema if not exists extensions authorization postgres;
alter database postgres set search_path = "$user", public, extensions;

grant usage on schema public, extensions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;

-- Storage. lite does its own bookkeeping as the login role, which therefore acts as the owner of these tables.
create schema if not exists storage authorization supabase_storage_admin;
grant create on database postgres to supabase_storage_admin; -- for its "create schema if not exists"
grant supabase_storage_admin to authenticator with inherit true, set false;
set role supabase_storage_admin;
\i /opt/supabase/storage.sql
grant usage on schema storage to anon, authenticated, service_role, postgres;
grant all on all tables in schema storage to anon, authenticated, service_role, postgres; -- row-level security has the say
grant execute on all functions in schema storage to anon, authenticated, service_role, postgres;
reset role;
revoke create on database postgres from supabase_storage_admin;
