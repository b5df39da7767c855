-- What the sidecars need: heartbeats of services, the pages that odds.json is made of, surebets and their alerts.

-- A service that is no scraper (json-generator, cleanup-service) has its row here too, judged by the same rule.
alter table public.scraper_status
    add column if not exists kind text not null default 'scraper' check (kind in ('scraper', 'service'));

-- How the last round of a service went. `p_count` is what it made or removed, as a scraper's odds.
create or replace function public.service_beat(
    p_service text, p_interval numeric, p_error text, p_ms integer, p_count bigint, p_extra jsonb
) returns void
language sql set search_path = '' as $$
    insert into public.scraper_status as old (
        scraper_name, kind, expected_interval, last_heartbeat, last_success, odds_collected, cycle_count, last_error,
        outcome, status, failures_in_a_row, duration_ms, extra_data)
    values (
        p_service, 'service', p_interval, now(), case when p_error is null then now() end,
        (case when p_count > 2147483647 then 2147483647 else p_count end)::integer, 1, left(p_error, 500),
        case when p_error is null then 'ok' else 'error' end, case when p_error is null then 'ok' else 'error' end,
        case when p_error is null then 0 else 1 end, p_ms, coalesce(public.oddsfleet_json(p_extra), '{}'::jsonb))
    on conflict (scraper_name) do update
        set expected_interval = excluded.expected_interval, last_heartbeat = now(),
            last_success = coalesce(excluded.last_success, old.last_success),
            odds_collected = coalesce(excluded.odds_collected, old.odds_collected),
            cycle_count = old.cycle_count + 1, last_error = excluded.last_error, outcome = excluded.outcome,
            status = excluded.status,
            failures_in_a_row = case when p_error is null then 0 else old.failures_in_a_row + 1 end,
            duration_ms = excluded.duration_ms,
            extra_data = case when p_extra is null then old.extra_data else excluded.extra_data end,
            updated_at = now()
        where old.kind = 'service'
$$;

-- --- odds.json ---

-- The one cheap question of a round: has anything been written, or has anything expired, since the last file?
-- If not, this is the round's heartbeat too. The version is made of what each scraper last did and how it stands now.
create or replace function public.export_state(p_interval numeric, p_version text, p_valid_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
declare
    v_version text;
begin
    select coalesce(md5(string_agg(
        concat_ws('|', s.scraper_name, s.epoch, s.cycle_count, s.last_heartbeat, s.last_success, s.expected_interval,
            v.computed_status),
        ',' order by s.scraper_name)), '')
    into v_version
    from public.scraper_status s join public.scraper_status_view v using (id) where s.kind = 'scraper';
    if v_version = p_version and (p_valid_until is null or now() < p_valid_until) then
        perform public.service_beat('json-generator', p_interval, null, 0, null, null);
        return jsonb_build_object('changed', false, 'version', v_version, 'now', now());
    end if;
    return jsonb_build_object(
        'changed', true, 'version', v_version, 'now', now(),
        'bookmakers', coalesce((
            select jsonb_agg(jsonb_build_object(
                'id', b.id, 'key', b.key, 'title', b.name, 'kind', b.kind, 'commission', b.commission, 'url', b.url,
                'status', s.status, 'last_success', s.last_success) order by b.key)
            from public.bookmakers b
            -- Several scrapers may read one book; the one that does worst speaks for it.
            join lateral (
                select (array['ok', 'waiting', 'unknown', 'warning', 'error'])[
                        max(array_position(array['ok', 'waiting', 'unknown', 'warning', 'error'], v.computed_status))] as status,
                    case when bool_and(v.last_success is not null) then min(v.last_success) end as last_success
                from public.scraper_status_view v
                where v.bookmaker_id = b.id
            ) s on s.status is not null), '[]'),
        'leagues', coalesce((
            select jsonb_agg(jsonb_build_object('id', l.id, 'key', l.key, 'sport', l.sport, 'title', l.title))
            from public.leagues l), '[]'));
end
$$;

-- Upcoming matches with their fresh odds, in the order of kick-off, a page at a time. Arrays and not objects, one line per
-- book and market: a hundred thousand odds are five megabytes this way.
--   match: id, league id, kick-off, home, away, its lines: JSON in one text, since the embedded API looks at every value
--          that passes through it, and a text is one
--   line:  book id, fetched, changed, link, event id, market, prices, opening prices, liquidity (home, draw, away each)
-- A price is fresh while it is younger than twice its scraper's own interval, or than `p_floor` seconds, and the time of
-- a cycle: what was read at its beginning is that much older when the cycle arrives.
-- The lines are made match by match: in the order of the index there is nothing to sort, and nothing to guess for the planner.
create or replace function public.export_page(p_after timestamptz, p_after_id bigint, p_limit integer, p_floor numeric)
returns json
language sql stable set search_path = '' as $$
    with page as materialized (
        select m.id, m.league_id, m.commence_time, m.home_team_id, m.away_team_id
        from public.matches m
        where (m.commence_time, m.id) > (greatest(p_after, now()), p_after_id)
        order by m.commence_time, m.id
        limit p_limit
    ), scrapers as materialized (
        select scraper_name, (greatest(expected_interval * 2, p_floor) + coalesce(duration_ms / 1000.0, 0))
            * interval '1 second' as fresh_for
        from public.scraper_status
    ), shown as materialized (
        select p.id, p.commence_time, fresh.valid_until, json_build_array(
            p.id, p.league_id, trunc(date_part('epoch', p.commence_time))::bigint, home.name, away.name,
            fresh.lines::text) as match
        from page p
        join public.teams home on home.id = p.home_team_id
        join public.teams away on away.id = p.away_team_id
        cross join lateral (
            select min(s.valid_until) as valid_until, json_agg(json_build_array(
                o.bookmaker_id, trunc(date_part('epoch', s.fetched_at))::bigint,
                trunc(date_part('epoch', o.changed_at))::bigint, s.url, s.external_id, o.market,
                o.home, o.draw, o.away, o.home_opening, o.draw_opening, o.away_opening,
                o.home_liquidity, o.draw_liquidity, o.away_liquidity) order by o.bookmaker_id, o.market) as lines
            from (
                -- A book may list one match twice; the one it showed last speaks for it. Of two in one answer, it is the
                -- one whose prices were stored (ingest_cycle).
                select distinct on (s.bookmaker_id)
                    s.bookmaker_id, s.fetched_at, s.url, s.external_id, s.fetched_at + t.fresh_for as valid_until
                from public.match_sources s
                join scrapers t on t.scraper_name = s.scraper_name
                where s.match_id = p.id and s.fetched_at > now() - t.fresh_for
                order by s.bookmaker_id, s.fetched_at desc, s.external_id desc
            ) s
            join (
                select o.bookmaker_id, o.market, max(o.changed_at) as changed_at,
                    max(o.price) filter (where o.outcome = 'home') as home,
                    max(o.price) filter (where o.outcome = 'draw') as draw,
                    max(o.price) filter (where o.outcome = 'away') as away,
                    max(o.opening) filter (where o.outcome = 'home') as home_opening,
                    max(o.opening) filter (where o.outcome = 'draw') as draw_opening,
                    max(o.opening) filter (where o.outcome = 'away') as away_opening,
                    max(o.liquidity) filter (where o.outcome = 'home') as home_liquidity,
                    max(o.liquidity) filter (where o.outcome = 'draw') as draw_liquidity,
                    max(o.liquidity) filter (where o.outcome = 'away') as away_liquidity
                from public.odds o
                where o.match_id = p.id and not o.suspended
                group by o.bookmaker_id, o.market
            ) o on o.bookmaker_id = s.bookmaker_id
        ) fresh
        where fresh.lines is not null
    )
    select json_build_object(
        'matches', coalesce((select json_agg(s.match order by s.commence_time, s.id) from shown s), '[]'),
        'valid_until', (select least(min(s.valid_until), min(s.commence_time)) from shown s),
        'next', case when (select count(*) from page) = p_limit then (
            select json_build_object('after', p.commence_time, 'after_id', p.id)
            from page p order by p.commence_time desc, p.id desc limit 1) end)
$$;

-- How the prices of one match moved: every change, opening first.
create or replace function public.match_history(p_match bigint) returns jsonb
language sql stable set search_path = '' as $$
    select coalesce(jsonb_agg(jsonb_build_object(
        'bookmaker', b.key, 'market', line.market, 'outcome', line.outcome, 'opening', line.opening,
        'prices', line.prices) order by b.key, line.market, line.outcome), '[]')
    from (
        select h.bookmaker_id, h.market, h.outcome,
            (array_agg(h.price order by h.changed_at, h.id) filter (where h.is_opening))[1] as opening,
            jsonb_agg(jsonb_build_array(h.changed_at, h.price) order by h.changed_at, h.id) as prices
        from public.odds_history h
        where h.match_id = p_match
        group by h.bookmaker_id, h.market, h.outcome
    ) line
    join public.bookmakers b on b.id = line.bookmaker_id
$$;

-- --- Surebets ---

-- One row for as long as one set of legs pays. It outlives its match: how long they last is worth knowing.
create table if not exists public.surebets (
    id                   bigint generated always as identity primary key,
    match_id             bigint not null,
    key                  text not null,          -- outcome, book and market of each leg
    home                 text not null,
    away                 text not null,
    league               text not null,
    commence_time        timestamptz not null,
    legs                 jsonb not null,
    implied_sum          numeric(9, 6) not null,
    profit_percent       numeric(9, 2) not null,
    best_profit_percent  numeric(9, 2) not null,
    suspicious           boolean not null,
    first_seen           timestamptz not null default now(),
    last_seen            timestamptz not null default now(),
    ended_at             timestamptz
);
create unique index if not exists surebets_open on public.surebets (match_id, key) where ended_at is null;
create index if not exists surebets_ended on public.surebets (ended_at) where ended_at is not null;

-- What there is now: new ones begin, known ones go on, the others have ended. Returns how many are open.
create or replace function public.record_surebets(p_found jsonb, p_interval numeric) returns integer
language plpgsql set search_path = '' as $$
declare
    v_found jsonb := public.oddsfleet_json(p_found);
begin
    -- When nobody looked for a while, the last sight is all that is known of the end.
    update public.surebets s
    set ended_at = case when s.last_seen > now() - p_interval * interval '4 seconds' then now() else s.last_seen end
    where s.ended_at is null
      and not exists (
        select from jsonb_to_recordset(v_found) as f(match_id bigint, key text)
        where f.match_id = s.match_id and f.key = s.key);

    insert into public.surebets as old (
        match_id, key, home, away, league, commence_time, legs, implied_sum, profit_percent, best_profit_percent, suspicious)
    select f.match_id, f.key, f.home, f.away, f.league, f.commence_time, f.legs, f.implied_sum, f.profit_percent,
        f.profit_percent, f.suspicious
    from jsonb_to_recordset(v_found) as f(
        match_id bigint, key text, home text, away text, league text, commence_time timestamptz, legs jsonb,
        implied_sum numeric, profit_percent numeric, suspicious boolean)
    order by f.match_id, f.key
    on conflict (match_id, key) where ended_at is null do update
        set last_seen = now(), legs = excluded.legs, implied_sum = excluded.implied_sum,
            profit_percent = excluded.profit_percent, suspicious = excluded.suspicious,
            best_profit_percent = greatest(old.best_profit_percent, excluded.profit_percent);

    return jsonb_array_length(v_found);
end
$$;

-- --- Alerts: one Discord message per match while it has a surebet. What was said is kept, so a restart repeats nothing ---

create table if not exists public.surebet_alerts (
    id          bigint generated always as identity primary key,
    match_id    bigint not null,
    message_id  text,                            -- null while it is being sent
    shown       jsonb not null,                  -- what the message says
    opened_at   timestamptz not null default now(),
    edited_at   timestamptz not null default now(),
    closed_at   timestamptz
);
create unique index if not exists surebet_alerts_open on public.surebet_alerts (match_id) where closed_at is null;

-- Open ones, and those closed so lately that the same match would open them again.
create or replace function public.surebet_alerts_now(p_reopen_seconds numeric) returns jsonb
language sql stable set search_path = '' as $$
    select coalesce(jsonb_agg(jsonb_build_object(
        'id', a.id, 'match_id', a.match_id, 'message_id', a.message_id, 'shown', a.shown,
        'opened_at', a.opened_at, 'closed', a.closed_at is not null) order by a.id), '[]')
    from public.surebet_alerts a
    where a.closed_at is null or a.closed_at > now() - p_reopen_seconds * interval '1 second'
$$;

-- Before a message is sent: null when somebody else sends one for this match.
create or replace function public.claim_surebet_alert(p_match bigint, p_shown jsonb) returns bigint
language sql set search_path = '' as $$
    insert into public.surebet_alerts (match_id, shown) values (p_match, public.oddsfleet_json(p_shown))
    on conflict (match_id) where closed_at is null do nothing
    returning id
$$;

-- After a message was sent or edited. Without a message id it was not sent, and the claim is given back.
create or replace function public.settle_surebet_alert(p_id bigint, p_message_id text, p_shown jsonb, p_closed boolean)
returns void
language plpgsql set search_path = '' as $$
begin
    if p_message_id is null then
        delete from public.surebet_alerts where id = p_id and message_id is null;
    else
        update public.surebet_alerts
        set message_id = p_message_id, shown = public.oddsfleet_json(p_shown), edited_at = now(),
            closed_at = case when p_closed then coalesce(closed_at, now()) end
        where id = p_id;
    end if;
end
$$;

do $$
declare
    ours text;
begin
    foreach ours in array array['surebets', 'surebet_alerts'] loop
        execute format('alter table public.%I enable row level security', ours);
        execute format('revoke all on public.%I from public, anon, authenticated', ours);
        execute format('grant all on public.%I to service_role', ours);
    end loop;
    foreach ours in array array[
        'service_beat(text, numeric, text, integer, bigint, jsonb)', 'export_state(numeric, text, timestamptz)',
        'export_page(timestamptz, bigint, integer, numeric)', 'match_history(bigint)', 'record_surebets(jsonb, numeric)',
        'surebet_alerts_now(numeric)', 'claim_surebet_alert(bigint, jsonb)',
        'settle_surebet_alert(bigint, text, jsonb, boolean)'
    ] loop
        execute format('revoke execute on function public.%s from public, anon, authenticated', ours);
        execute format('grant execute on function public.%s to service_role', ours);
    end loop;
end
$$;
