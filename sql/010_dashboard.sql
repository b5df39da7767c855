-- What the status page reads: few calls, each cheap enough to be asked every other second while somebody looks.
-- Times are seconds since 1970 by this clock, which is the only one that ages are computed with.

create or replace function public.dashboard_state() returns jsonb
language sql stable set search_path = '' as $$
    with cycles as (
        -- One way through the index per scraper, an hour long.
        select s.id,
            sum(c.collected) filter (where c.finished_at > now() - interval '1 minute') as last_minute,
            -- Minutes ago, by whole minutes of the clock, so that a line moves once a minute and not with every look.
            jsonb_agg(jsonb_build_array(c.minutes_ago, c.average)) filter (where c.is_last_of_minute) as spark
        from public.scraper_status s
        cross join lateral (
            select h.finished_at, h.collected, m.minutes_ago,
                round(avg(h.collected) over (partition by m.minutes_ago))::integer as average,
                row_number() over (partition by m.minutes_ago order by h.finished_at desc) = 1 as is_last_of_minute
            from public.scraper_cycles h
            cross join lateral (
                select (floor(date_part('epoch', now()) / 60) - floor(date_part('epoch', h.finished_at) / 60))::integer
                    as minutes_ago
            ) m
            where h.scraper_name = s.scraper_name and h.finished_at > now() - interval '1 hour'
        ) c
        where s.kind = 'scraper'
        group by s.id
    )
    select jsonb_build_object(
        'now', date_part('epoch', now()),
        'odds_last_minute', (select coalesce(sum(last_minute), 0) from cycles),
        'surebets', (select count(*) from public.surebets where ended_at is null),
        'watchdog', (
            select jsonb_build_object('beat_at', date_part('epoch', w.beat_at), 'shadow', w.shadow)
            from public.watchdog_heartbeat w where w.singleton),
        'rows', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'name', v.scraper_name, 'title', coalesce(v.bookmaker_display_name, v.scraper_name), 'kind', s.kind,
                'status', v.computed_status, 'outcome', v.outcome, 'error', v.last_error,
                'collected', v.odds_collected, 'inserted', v.odds_inserted, 'cycles', v.cycle_count,
                'failures', v.failures_in_a_row, 'duration_ms', v.duration_ms,
                'interval', v.expected_interval::float8, 'epoch', v.epoch,
                'heartbeat_at', date_part('epoch', v.last_heartbeat),
                'success_at', date_part('epoch', v.last_success),
                'cause', v.cause, 'restarts_used', v.restarts_used, 'restart_budget', v.restart_budget,
                'circuit', v.circuit, 'desired', v.desired, 'unit', v.unit,
                'spark', coalesce(c.spark, '[]'::jsonb)
            ) order by v.scraper_name), '[]'::jsonb)
            from public.scraper_status_view v
            join public.scraper_status s on s.id = v.id
            left join cycles c on c.id = v.id),
        'incidents', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'id', i.id, 'subject', i.subject, 'cause', i.cause, 'detail', i.detail, 'restarts', i.restarts,
                'budget', i.budget, 'opened_at', date_part('epoch', i.opened_at),
                'healthy_at', date_part('epoch', i.healthy_at), 'grouped', i.parent_id is not null
            ) order by i.opened_at desc), '[]'::jsonb)
            from public.incidents i where i.closed_at is null)
    )
$$;

create or replace function public.dashboard_incident(i public.incidents) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'id', i.id, 'subject', i.subject, 'cause', i.cause, 'detail', i.detail, 'restarts', i.restarts,
        'budget', i.budget, 'opened_at', date_part('epoch', i.opened_at),
        'healthy_at', date_part('epoch', i.healthy_at), 'closed_at', date_part('epoch', i.closed_at),
        'timeline', i.timeline, 'grouped', i.parent_id is not null)
$$;

-- One scraper: its cycles of the last hours, oldest first, and what happened to it and to its container.
--   cycle: finished, odds, inserted, milliseconds, outcome
create or replace function public.dashboard_scraper(p_name text, p_unit text, p_hours numeric) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'extra', s.extra_data,
        'cycles', (
            select coalesce(jsonb_agg(jsonb_build_array(
                date_part('epoch', c.finished_at), c.collected, c.inserted, c.duration_ms, c.outcome
            ) order by c.finished_at), '[]'::jsonb)
            from (
                select * from public.scraper_cycles
                where scraper_name = p_name and finished_at > now() - p_hours * interval '1 hour'
                order by finished_at desc limit 2000
            ) c),
        'incidents', (
            select coalesce(jsonb_agg(public.dashboard_incident(i) || jsonb_build_object('evidence', i.evidence)
                order by i.opened_at desc), '[]'::jsonb)
            from (
                select * from public.incidents where subject in (p_name, p_unit) order by opened_at desc limit 15
            ) i),
        'restarts', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'at', date_part('epoch', e.at), 'made_by', e.made_by, 'cause', e.cause, 'charged', e.charged,
                'state', e.state, 'note', e.note) order by e.at desc), '[]'::jsonb)
            from (
                select * from public.restart_events where unit in (p_name, p_unit) order by at desc limit 15
            ) e)
    )
    from public.scraper_status s where s.scraper_name = p_name
$$;

create or replace function public.dashboard_incidents(p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
    select coalesce(jsonb_agg(public.dashboard_incident(i) order by (i.closed_at is null) desc, i.opened_at desc),
        '[]'::jsonb)
    from (
        (select * from public.incidents where closed_at is null)
        union all
        (select * from public.incidents where closed_at is not null order by opened_at desc limit p_limit)
    ) i
$$;

-- Surebets of now with the age of every leg, those that ended last, and the next matches to look into.
create or replace function public.dashboard_surebets(p_ended integer, p_matches integer) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'open', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'match_id', b.match_id, 'home', b.home, 'away', b.away, 'league', b.league,
                'starts_at', date_part('epoch', b.commence_time), 'profit', b.profit_percent::float8,
                'best_profit', b.best_profit_percent::float8, 'suspicious', b.suspicious,
                'first_seen', date_part('epoch', b.first_seen), 'last_seen', date_part('epoch', b.last_seen),
                'legs', (
                    select coalesce(jsonb_agg(leg.value || jsonb_build_object('title', k.name, 'seen_at', (
                        select date_part('epoch', max(src.fetched_at)) from public.match_sources src
                        where src.match_id = b.match_id and src.bookmaker_id = k.id
                    )) order by leg.ordinality), '[]'::jsonb)
                    from jsonb_array_elements(b.legs) with ordinality leg
                    left join public.bookmakers k on k.key = leg.value ->> 'bookmaker')
            ) order by b.suspicious, b.profit_percent desc), '[]'::jsonb)
            from (
                select * from public.surebets where ended_at is null
                order by suspicious, profit_percent desc limit 60
            ) b),
        'ended', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'match_id', b.match_id, 'home', b.home, 'away', b.away, 'best_profit', b.best_profit_percent::float8,
                'suspicious', b.suspicious, 'first_seen', date_part('epoch', b.first_seen),
                'ended_at', date_part('epoch', b.ended_at)) order by b.ended_at desc), '[]'::jsonb)
            from (
                select * from public.surebets where ended_at is not null order by ended_at desc limit p_ended
            ) b),
        'matches', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'match_id', m.id, 'home', home.name, 'away', away.name, 'league', l.title,
                'starts_at', date_part('epoch', m.commence_time),
                'books', (
                    select count(distinct src.bookmaker_id) from public.match_sources src where src.match_id = m.id)
            ) order by m.commence_time, m.id), '[]'::jsonb)
            from (
                select * from public.matches where commence_time > now() order by commence_time, id limit p_matches
            ) m
            join public.leagues l on l.id = m.league_id
            join public.teams home on home.id = m.home_team_id
            join public.teams away on away.id = m.away_team_id)
    )
$$;

create or replace function public.dashboard_match(p_match bigint) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'match_id', m.id, 'home', home.name, 'away', away.name, 'league', l.title,
        'starts_at', date_part('epoch', m.commence_time),
        'lines', public.match_history(m.id))
    from public.matches m
    join public.leagues l on l.id = m.league_id
    join public.teams home on home.id = m.home_team_id
    join public.teams away on away.id = m.away_team_id
    where m.id = p_match
$$;

do $$
declare
    our_function text;
begin
    foreach our_function in array array[
        'dashboard_state()', 'dashboard_scraper(text, text, numeric)', 'dashboard_incident(public.incidents)',
        'dashboard_incidents(integer)', 'dashboard_surebets(integer, integer)', 'dashboard_match(bigint)'
    ] loop
        execute format('revoke execute on function public.%s from public, anon, authenticated', our_function);
        execute format('grant execute on function public.%s to service_role', our_function);
    end loop;
end
$$;
