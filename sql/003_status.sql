-- Status by data: green while good odds keep coming, whatever the process says of itself.

drop view if exists public.scraper_status_view;
create view public.scraper_status_view as
select
    s.id, s.scraper_name, s.bookmaker_id, s.last_heartbeat, s.last_success, s.odds_collected, s.odds_inserted,
    s.cycle_count, s.last_error, s.status, s.outcome, s.failures_in_a_row, s.duration_ms, s.expected_interval,
    s.epoch, s.extra_data, s.created_at, s.updated_at,
    b.name as bookmaker_display_name,
    b.logo_url as bookmaker_logo,
    -- Ages by the clock that wrote the times; null, not 0, when there is none.
    extract(epoch from now() - s.last_heartbeat)::float8 as seconds_since_heartbeat,
    extract(epoch from now() - s.last_success)::float8 as seconds_since_success,
    case
        when s.status = 'waiting' then 'waiting'
        when s.last_heartbeat is null then 'unknown'
        -- 60 s and 180 s at an interval of 30 s, and in proportion at any other.
        when s.last_success > now() - s.expected_interval * interval '2 seconds' then 'ok'
        when s.last_success > now() - s.expected_interval * interval '6 seconds' then 'warning'
        when s.last_success is null and s.created_at > now() - s.expected_interval * interval '6 seconds' then 'warning'
        else 'error'
    end as computed_status
from public.scraper_status s
left join public.bookmakers b on b.id = s.bookmaker_id
order by s.scraper_name;

revoke all on public.scraper_status_view from public, anon, authenticated;
grant select on public.scraper_status_view to anon, authenticated, service_role;

-- What is on offer now, with the age of each price. `fresh_for` is left to the reader.
drop view if exists public.current_odds;
create view public.current_odds with (security_invoker = true) as
select
    o.match_id, o.bookmaker_id, b.key as bookmaker, l.key as league, m.commence_time,
    home.name as home_team, away.name as away_team,
    o.market, o.outcome, o.price, o.liquidity, o.changed_at, src.fetched_at, src.url, src.external_id
from public.odds o
join public.bookmakers b on b.id = o.bookmaker_id
join public.matches m on m.id = o.match_id
join public.leagues l on l.id = m.league_id
join public.teams home on home.id = m.home_team_id
join public.teams away on away.id = m.away_team_id
join lateral (
    -- A book may list one match twice; the one it showed last speaks for it. Of two in one answer, it is the one whose
    -- prices were stored (ingest_cycle).
    select s.fetched_at, s.url, s.external_id
    from public.match_sources s
    where s.match_id = o.match_id and s.bookmaker_id = o.bookmaker_id
    order by s.fetched_at desc, s.external_id desc
    limit 1
) src on true
where not o.suspended;

revoke all on public.current_odds from public, anon, authenticated;
grant select on public.current_odds to service_role;
