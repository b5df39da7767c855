-- Clean-up. Every function removes one batch of one kind, so that no ingest ever waits for long, and answers how many rows
-- went and where the next batch begins (null: done). With `p_dry` it counts all of them and removes nothing.
-- Whoever holds a row that should go keeps it until the next round.

create or replace function public.cleanup_answer(p_removed bigint, p_limit integer, p_dry boolean) returns jsonb
language sql immutable set search_path = '' as $$
    select jsonb_build_object(
        'removed', p_removed, 'after', case when not p_dry and p_removed >= p_limit then 0 end)
$$;

-- Matches that were played and that no book shows any more.
create or replace function public.cleanup_is_over(p_match public.matches, p_days numeric) returns boolean
language sql stable set search_path = '' as $$
    select p_match.commence_time < now() - p_days * interval '1 day'
        and not exists (
            select from public.match_sources s
            where s.match_id = p_match.id and s.fetched_at > now() - interval '1 hour')
$$;

-- Their history goes first, by itself: it is what takes time.
create or replace function public.cleanup_match_history(
    p_days numeric, p_limit integer, p_after bigint, p_dry boolean
) returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_removed bigint;
begin
    if p_dry then
        select count(*) into v_removed
        from public.matches m join public.odds_history h on h.match_id = m.id
        where public.cleanup_is_over(m, p_days);
    else
        delete from public.odds_history where id in (
            select h.id
            from public.matches m cross join lateral (
                select id from public.odds_history where match_id = m.id limit p_limit) h
            where m.commence_time < now() - p_days * interval '1 day' and public.cleanup_is_over(m, p_days)
            limit p_limit);
        get diagnostics v_removed = row_count;
    end if;
    return public.cleanup_answer(v_removed, p_limit, p_dry);
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, p_limit, p_dry);
end
$$;

create or replace function public.cleanup_matches(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_removed bigint;
    -- A match takes its sources and current odds with it, a hundred rows or so.
    v_limit integer := greatest(p_limit / 100, 1);
begin
    if p_dry then
        select count(*) into v_removed from public.matches m where public.cleanup_is_over(m, p_days);
    else
        delete from public.matches where id in (
            select m.id from public.matches m
            where m.commence_time < now() - p_days * interval '1 day' and public.cleanup_is_over(m, p_days)
              and not exists (select from public.odds_history h where h.match_id = m.id)
            order by m.commence_time limit v_limit);
        get diagnostics v_removed = row_count;
    end if;
    return public.cleanup_answer(v_removed, v_limit, p_dry);
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, v_limit, p_dry);
end
$$;

-- Price changes, in the order in which they were written. An opening price stays as long as its match.
create or replace function public.cleanup_history(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_before timestamptz := now() - p_days * interval '1 day';
    v_removed bigint;
    v_seen bigint;
    v_last bigint;
    v_oldest timestamptz;
begin
    if p_dry then
        select count(*) into v_removed from public.odds_history where changed_at < v_before and not is_opening;
        return public.cleanup_answer(v_removed, p_limit, p_dry);
    end if;
    with batch as materialized (
        select id, changed_at, is_opening from public.odds_history where id > p_after order by id limit p_limit
    ), gone as (
        delete from public.odds_history h using batch b
        where h.id = b.id and b.changed_at < v_before and not b.is_opening
        returning 1
    )
    select (select count(*) from gone), count(*), max(id), min(changed_at)
    into v_removed, v_seen, v_last, v_oldest from batch;
    return jsonb_build_object(
        'removed', v_removed, 'after', case when v_seen = p_limit and v_oldest < v_before then v_last end);
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, p_limit, p_dry);
end
$$;

create or replace function public.cleanup_cycles(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_before timestamptz := now() - p_days * interval '1 day';
    v_removed bigint;
begin
    if p_dry then
        select count(*) into v_removed from public.scraper_cycles where finished_at < v_before;
    else
        delete from public.scraper_cycles where cycle_id in (
            select c.cycle_id
            from public.scraper_status s cross join lateral (
                select cycle_id from public.scraper_cycles
                where scraper_name = s.scraper_name and finished_at < v_before limit p_limit) c
            limit p_limit);
        get diagnostics v_removed = row_count;
    end if;
    return public.cleanup_answer(v_removed, p_limit, p_dry);
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, p_limit, p_dry);
end
$$;

-- What scrapers leave behind that nobody has run for a long time: the lease, then the status. Both stay while there are
-- cycles: those are found by way of the status.
create or replace function public.cleanup_leases(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_before timestamptz := now() - p_days * interval '1 day';
    v_removed bigint;
begin
    if p_dry then
        select count(*) into v_removed from public.scraper_leases l
        where l.renewed_at < v_before
          and not exists (select from public.scraper_cycles c where c.scraper_name = l.scraper_name);
    else
        delete from public.scraper_status s
        where s.updated_at < v_before
          and not exists (
            select from public.scraper_leases l where l.scraper_name = s.scraper_name and l.renewed_at >= v_before)
          and not exists (select from public.scraper_cycles c where c.scraper_name = s.scraper_name);
        delete from public.scraper_leases l
        where l.renewed_at < v_before
          and not exists (select from public.scraper_cycles c where c.scraper_name = l.scraper_name);
        get diagnostics v_removed = row_count;
    end if;
    return public.cleanup_answer(v_removed, p_limit, true); -- there are never many
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, p_limit, p_dry);
end
$$;

-- The rest is alike: a table and what makes a row of it old.
create or replace function public.cleanup_rows(
    p_table text, p_old text, p_days numeric, p_limit integer, p_dry boolean
) returns jsonb
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
declare
    v_before timestamptz := now() - p_days * interval '1 day';
    v_removed bigint;
begin
    if p_dry then
        execute format('select count(*) from public.%I where %s', p_table, p_old) into v_removed using v_before;
    else
        execute format(
            'delete from public.%1$I where ctid = any (array(select ctid from public.%1$I where %2$s limit $2))',
            p_table, p_old) using v_before, p_limit;
        get diagnostics v_removed = row_count;
    end if;
    return public.cleanup_answer(v_removed, p_limit, p_dry);
exception when lock_not_available or deadlock_detected then
    return public.cleanup_answer(0, p_limit, p_dry);
end
$$;

create or replace function public.cleanup_dead_letters(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows('dead_letters', 'created_at < $1', p_days, p_limit, p_dry)
$$;

create or replace function public.cleanup_unmatched(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows('unmatched_names', 'starts_at < $1 and last_seen < $1', p_days, p_limit, p_dry)
$$;

create or replace function public.cleanup_surebets(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows('surebets', 'ended_at < $1', p_days, p_limit, p_dry)
$$;

create or replace function public.cleanup_alerts(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows('surebet_alerts', 'closed_at < $1', p_days, p_limit, p_dry)
$$;

-- What the watchdog told of, and how it went.
create or replace function public.cleanup_incidents(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows('incidents', 'closed_at < $1 and told_version >= version', p_days, p_limit, p_dry)
$$;

create or replace function public.cleanup_restarts(p_days numeric, p_limit integer, p_after bigint, p_dry boolean)
returns jsonb language sql set search_path = '' as $$
    select public.cleanup_rows(
        'restart_events', 'at < $1 and state not in (''requested'', ''intended'', ''done'')', p_days, p_limit, p_dry)
$$;

-- How large our tables are, and how much of that is waiting to be used again.
create or replace function public.table_sizes() returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_object_agg(c.relname, jsonb_build_object(
        'mb', round(pg_total_relation_size(c.oid) / 1048576.0, 1), 'rows', s.n_live_tup, 'dead', s.n_dead_tup))
    from pg_class c
    join pg_stat_user_tables s on s.relid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relname in (
        'matches', 'match_sources', 'odds', 'odds_history', 'scraper_cycles', 'dead_letters', 'unmatched_names', 'surebets',
        'surebet_alerts')
$$;

-- Reclaiming is PostgreSQL's own work; where rows come and go by the thousand it should not wait for a twentieth of them.
alter table public.odds_history set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
alter table public.scraper_cycles set (autovacuum_vacuum_scale_factor = 0.02);

do $$
declare
    ours text;
    kind text;
begin
    foreach ours in array array[
        'cleanup_answer(bigint, integer, boolean)', 'cleanup_is_over(public.matches, numeric)',
        'cleanup_rows(text, text, numeric, integer, boolean)', 'table_sizes()'
    ] loop
        execute format('revoke execute on function public.%s from public, anon, authenticated', ours);
        execute format('grant execute on function public.%s to service_role', ours);
    end loop;
    foreach kind in array array[
        'match_history', 'matches', 'history', 'cycles', 'leases', 'dead_letters', 'unmatched', 'surebets', 'alerts',
        'incidents', 'restarts'
    ] loop
        ours := format('cleanup_%s(numeric, integer, bigint, boolean)', kind);
        execute format('revoke execute on function public.%s from public, anon, authenticated', ours);
        execute format('grant execute on function public.%s to service_role', ours);
    end loop;
end
$$;
