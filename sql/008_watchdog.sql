-- What the watchdog must not forget when it dies: the operator's wishes, restarts, circuits, incidents and what was
-- told of them. Every change goes through one function and is whole or not there.

-- One row per container of scrapers (its `unit`: the scraper's name, or seq-light and seq-heavy).
create table if not exists public.scraper_control (
    unit              text primary key,
    desired           text not null default 'run' check (desired in ('run', 'paused')),
    desired_by        text,
    desired_at        timestamptz not null default now(),
    circuit           text not null default 'closed' check (circuit in ('closed', 'open', 'half_open')),
    circuit_until     timestamptz,
    openings          integer not null default 0,
    -- The run of the container that was seen last: what is newer was restarted by somebody.
    container_id      text,
    started_at        double precision,        -- by the clock of the Docker host
    restart_count     integer not null default 0,
    updated_at        timestamptz not null default now()
);
-- Those that the container holds. A scraper may stand in several rows: of the mode that is on, which was seen last, and of
-- the other.
alter table public.scraper_control add column if not exists scrapers text[] not null default '{}';

create table if not exists public.restart_events (
    key           text primary key,            -- made from the run that ends: the same decision twice is one row
    unit          text not null,
    at            timestamptz not null default now(),
    made_by       text not null check (made_by in ('docker', 'watchdog', 'operator')),
    cause         text not null,
    charged       boolean not null,
    state         text not null
        check (state in ('requested', 'intended', 'done', 'verified', 'answered', 'failed')),
    run           text,                        -- of the container, before it
    note          text,
    updated_at    timestamptz not null default now()
);
create index if not exists restart_events_unit on public.restart_events (unit, at desc);
create index if not exists restart_events_open on public.restart_events (unit)
    where state in ('requested', 'intended', 'done');

create table if not exists public.incidents (
    id             uuid primary key default gen_random_uuid(),
    subject        text not null,              -- a scraper, a unit, or * for the whole fleet
    cause          text not null,
    detail         text not null default '',
    opened_at      timestamptz not null default now(),
    healthy_at     timestamptz,                -- since when it looks well again
    closed_at      timestamptz,
    restarts       integer not null default 0,
    budget         text,                       -- used of allowed, when it last changed
    timeline       jsonb not null default '[]'::jsonb,
    evidence       jsonb not null default '{}'::jsonb,
    parent_id      uuid references public.incidents on delete set null,
    -- The outbox: what has changed since it was told, and who is telling it.
    version        integer not null default 1,
    told_version   integer not null default 0,
    claimed_at     timestamptz,
    message_id     text,
    updated_at     timestamptz not null default now()
);
create unique index if not exists incidents_one_open on public.incidents (subject) where closed_at is null;
create index if not exists incidents_opened_at on public.incidents (opened_at desc);
create index if not exists incidents_untold on public.incidents (opened_at) where told_version < version;

-- One row: who watches, and when it last looked.
create table if not exists public.watchdog_heartbeat (
    singleton     boolean primary key default true check (singleton),
    holder        text not null,
    started_at    timestamptz not null default now(),
    beat_at       timestamptz not null default now(),
    shadow        boolean not null default false,
    budget        integer not null,
    budget_window numeric not null,
    summary_day   date
);

do $$
declare
    our_table text;
begin
    foreach our_table in array array['scraper_control', 'restart_events', 'incidents', 'watchdog_heartbeat'] loop
        execute format('alter table public.%I enable row level security', our_table);
        execute format('revoke all on public.%I from public, anon, authenticated', our_table);
        execute format('grant all on public.%I to service_role', our_table);
    end loop;
end
$$;

-- Everything that a decision needs, in one call, which is also the watchdog's heartbeat. Only one watches at a time:
-- another takes over when the first has been silent for p_patience seconds.
create or replace function public.watchdog_observe(
    p_holder text, p_shadow boolean, p_budget integer, p_window numeric, p_day numeric, p_patience numeric
) returns jsonb
language plpgsql set search_path = '' as $$
declare
    v_leads boolean;
begin
    insert into public.watchdog_heartbeat as old (singleton, holder, shadow, budget, budget_window)
    values (true, p_holder, p_shadow, p_budget, p_window)
    on conflict (singleton) do update
        set holder = p_holder, beat_at = now(), shadow = p_shadow, budget = p_budget, budget_window = p_window,
            started_at = case when old.holder = p_holder then old.started_at else now() end
        where old.holder = p_holder or old.beat_at < now() - p_patience * interval '1 second';
    select holder = p_holder into v_leads from public.watchdog_heartbeat where singleton;
    return jsonb_build_object(
        'now', extract(epoch from now())::float8,
        'leads', v_leads,
        'rows', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'scraper', s.scraper_name, 'kind', s.kind, 'epoch', s.epoch, 'outcome', s.outcome, 'error', s.last_error,
                'failures', s.failures_in_a_row, 'interval', s.expected_interval::float8,
                'heartbeat_age', extract(epoch from now() - s.last_heartbeat)::float8,
                'success_age', extract(epoch from now() - s.last_success)::float8,
                'odds', s.odds_collected,
                -- How often it had odds before it came back without any: only asked when it matters.
                'habit', case when s.outcome = 'empty' then (
                    select avg((before.collected > 0)::int)::float8
                    from (
                        select c.collected from public.scraper_cycles c where c.scraper_name = s.scraper_name
                        order by c.finished_at desc offset s.failures_in_a_row limit 200
                    ) before) end
            ) order by s.scraper_name), '[]'::jsonb)
            from public.scraper_status s),
        'controls', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'unit', c.unit, 'desired', c.desired, 'circuit', c.circuit,
                'circuit_until', extract(epoch from c.circuit_until)::float8, 'openings', c.openings,
                'container_id', c.container_id, 'started_at', c.started_at, 'restart_count', c.restart_count,
                'scrapers', c.scrapers
            ) order by c.unit), '[]'::jsonb)
            from public.scraper_control c),
        'events', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'key', e.key, 'unit', e.unit, 'at', extract(epoch from e.at)::float8, 'made_by', e.made_by,
                'cause', e.cause, 'charged', e.charged, 'state', e.state, 'run', e.run
            ) order by e.at, e.key), '[]'::jsonb)
            from public.restart_events e
            where e.at > now() - greatest(p_window, p_day) * interval '1 second'
               or e.state in ('requested', 'intended', 'done')),
        'incidents', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'id', i.id, 'subject', i.subject, 'cause', i.cause, 'detail', i.detail,
                'opened_at', extract(epoch from i.opened_at)::float8,
                'healthy_at', extract(epoch from i.healthy_at)::float8,
                'parent_id', i.parent_id, 'restarts', i.restarts
            ) order by i.opened_at, i.subject), '[]'::jsonb)
            from public.incidents i where i.closed_at is null)
    );
end
$$;

-- What was decided, before anything is done about it. Returns the keys of restarts that nobody had decided before.
create or replace function public.watchdog_record(p_holder text, p_decision jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
    v_decision jsonb := public.oddsfleet_json(p_decision);
    v_new text[];
begin
    perform from public.watchdog_heartbeat where singleton and holder = p_holder for update;
    if not found then
        return jsonb_build_object('leads', false, 'new_events', '[]'::jsonb);
    end if;

    insert into public.scraper_control as old
        (unit, circuit, circuit_until, openings, container_id, started_at, restart_count, scrapers)
    select c.unit, c.circuit, to_timestamp(c.circuit_until), c.openings, c.container_id, c.started_at, c.restart_count,
        c.scrapers
    from jsonb_to_recordset(v_decision -> 'controls') as c(
        unit text, circuit text, circuit_until float8, openings integer, container_id text, started_at float8,
        restart_count integer, scrapers text[])
    on conflict (unit) do update   -- never `desired`: that is the operator's
        set circuit = excluded.circuit, circuit_until = excluded.circuit_until, openings = excluded.openings,
            container_id = excluded.container_id, started_at = excluded.started_at,
            restart_count = excluded.restart_count, scrapers = excluded.scrapers, updated_at = now();

    with new_events as (
        insert into public.restart_events (key, unit, made_by, cause, charged, state, run)
        select e.key, e.unit, e.made_by, e.cause, e.charged, e.state, e.run
        from jsonb_to_recordset(v_decision -> 'new_events') as e(
            key text, unit text, made_by text, cause text, charged boolean, state text, run text)
        on conflict (key) do nothing
        returning key
    )
    select coalesce(array_agg(key), '{}') into v_new from new_events;

    update public.restart_events e
    set state = c.state, run = coalesce(c.run, e.run), note = coalesce(left(c.note, 300), e.note), updated_at = now()
    from jsonb_to_recordset(v_decision -> 'event_changes') as c(key text, state text, run text, note text)
    where e.key = c.key;

    insert into public.incidents (subject, cause, detail, budget, restarts, evidence, timeline)
    select i.subject, i.cause, left(i.detail, 1000), i.budget, i.restarts, coalesce(i.evidence, '{}'::jsonb),
        jsonb_build_array(jsonb_build_object('at', extract(epoch from now())::float8, 'cause', i.cause))
    from jsonb_to_recordset(v_decision -> 'opened') as i(
        subject text, cause text, detail text, budget text, restarts integer, evidence jsonb)
    on conflict (subject) where closed_at is null do nothing;

    update public.incidents i
    set cause = c.cause, detail = left(c.detail, 1000), budget = c.budget, restarts = c.restarts,
        parent_id = coalesce(c.parent_id, i.parent_id),
        healthy_at = to_timestamp(c.healthy_at),
        closed_at = case when c.closed then now() end,
        timeline = case
            when c.cause = i.cause or jsonb_array_length(i.timeline) >= 50 then i.timeline
            else i.timeline || jsonb_build_object('at', extract(epoch from now())::float8, 'cause', c.cause)
        end,
        version = case when c.tell then i.version + 1 else i.version end,
        updated_at = now()
    from jsonb_to_recordset(v_decision -> 'changed') as c(
        id uuid, cause text, detail text, budget text, restarts integer, parent_id uuid,
        healthy_at float8, closed boolean, tell boolean)
    where i.id = c.id and i.closed_at is null;

    return jsonb_build_object('leads', true, 'new_events', to_jsonb(v_new));
end
$$;

-- The outbox. A message is claimed before it is sent, by a conditional update, so that two tellers never both send it;
-- a claim that led to nothing is given back, or, when its teller died, taken over after p_patience seconds.
create or replace function public.watchdog_untold(p_limit integer) returns jsonb
language sql set search_path = '' as $$
    select coalesce(jsonb_agg(jsonb_build_object(
        'id', i.id, 'subject', i.subject, 'cause', i.cause, 'detail', i.detail,
        'opened_at', extract(epoch from i.opened_at)::float8,
        'healthy_at', extract(epoch from i.healthy_at)::float8,
        'closed_at', extract(epoch from i.closed_at)::float8,
        'restarts', i.restarts, 'budget', i.budget, 'timeline', i.timeline, 'evidence', i.evidence,
        'version', i.version, 'told_version', i.told_version, 'message_id', i.message_id,
        'claimed', i.claimed_at is not null, 'grouped', i.parent_id is not null
    ) order by i.opened_at), '[]'::jsonb)
    from (
        select * from public.incidents
        where told_version < version order by opened_at limit p_limit
    ) i
$$;

create or replace function public.watchdog_claim(p_incident uuid, p_version integer, p_patience numeric)
returns boolean
language sql set search_path = '' as $$
    with claimed as (
        update public.incidents set claimed_at = now()
        where id = p_incident and version = p_version and told_version < version
          -- An edit that is made twice is made once: only a new message has to wait for a teller that may have died.
          and (claimed_at is null or message_id is not null or claimed_at < now() - p_patience * interval '1 second')
        returning 1
    )
    select exists (select from claimed)
$$;

-- Told, or (with p_version 0) given back untold.
create or replace function public.watchdog_told(p_incident uuid, p_version integer, p_message_id text) returns void
language sql set search_path = '' as $$
    update public.incidents
    set told_version = greatest(told_version, p_version),
        message_id = coalesce(p_message_id, message_id), claimed_at = null
    where id = p_incident
$$;

create or replace function public.watchdog_evidence(p_subject text, p_evidence jsonb) returns void
language sql set search_path = '' as $$
    update public.incidents
    set evidence = evidence || public.oddsfleet_json(p_evidence), version = version + 1, updated_at = now()
    where subject = p_subject and closed_at is null
$$;

-- An incident that happened while the database was away: written down when it is back, already told.
create or replace function public.watchdog_remember(
    p_cause text, p_detail text, p_opened_at float8, p_closed_at float8, p_message_id text
) returns void
language sql set search_path = '' as $$
    insert into public.incidents (subject, cause, detail, opened_at, closed_at, healthy_at, message_id, told_version)
    values ('*', p_cause, left(p_detail, 1000), to_timestamp(p_opened_at), to_timestamp(p_closed_at),
        to_timestamp(p_closed_at), p_message_id, 1)
$$;

-- The operator's wishes. What is asked for is done by the watchdog, and not charged.
create or replace function public.watchdog_wish(p_unit text, p_desired text, p_restart boolean, p_by text) returns text
language plpgsql set search_path = '' as $$
declare
    v_key text := case when p_restart then 'operator/' || gen_random_uuid() end;
begin
    insert into public.scraper_control (unit, desired, desired_by) values (p_unit, p_desired, p_by)
    on conflict (unit) do update set desired = excluded.desired, desired_by = excluded.desired_by, desired_at = now();
    if p_restart then
        insert into public.restart_events (key, unit, made_by, cause, charged, state, note)
        values (v_key, p_unit, 'operator', 'asked for', false, 'requested', p_by);
    end if;
    return v_key;
end
$$;

-- Where a scraper runs, by its own name or its container's, and with whom; null where the watchdog has not seen it.
create or replace function public.watchdog_unit(p_scraper text) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object('unit', unit, 'scrapers', scrapers)
    from public.scraper_control
    where p_scraper = any (scrapers) or (p_scraper = unit and scrapers <> '{}')
    order by updated_at desc limit 1
$$;

create or replace function public.watchdog_restart_state(p_key text) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'state', (select state from public.restart_events where key = p_key),
        'beat_age', (select extract(epoch from now() - beat_at)::float8 from public.watchdog_heartbeat where singleton))
$$;

-- The last day in numbers, for the daily summary; taken by whoever claims the day first. Null when it is taken, or when
-- there is nothing to tell: a fleet that has just been started has had no day.
create or replace function public.watchdog_summary(p_day date, p_claim boolean) returns jsonb
language plpgsql set search_path = '' as $$
begin
    if not exists (select from public.scraper_cycles where finished_at > now() - interval '1 day') then
        return null;
    end if;
    if p_claim then
        update public.watchdog_heartbeat set summary_day = p_day
        where singleton and (summary_day is null or summary_day < p_day);
        if not found then
            return null;
        end if;
    end if;
    return jsonb_build_object(
        'scrapers', (
            select coalesce(jsonb_agg(jsonb_build_object(
                'scraper', s.scraper_name, 'cycles', coalesce(c.cycles, 0), 'good', coalesce(c.good, 0),
                'odds', coalesce(c.odds, 0), 'restarts', coalesce(r.restarts, 0)
            ) order by s.scraper_name), '[]'::jsonb)
            from public.scraper_status s
            left join (
                select scraper_name, count(*) as cycles, count(*) filter (where collected > 0) as good,
                    sum(collected) as odds
                from public.scraper_cycles where finished_at > now() - interval '1 day' group by scraper_name
            ) c using (scraper_name)
            -- Restarts are of the container, which in sequence many share.
            left join lateral (
                select unit from public.scraper_control
                where s.scraper_name = any (scrapers) or s.scraper_name = unit
                order by s.scraper_name = any (scrapers) desc, updated_at desc limit 1
            ) u on true
            left join (
                select unit, count(*) as restarts from public.restart_events
                where charged and at > now() - interval '1 day' group by unit
            ) r on r.unit = coalesce(u.unit, s.scraper_name)
            -- Services have no odds, and who waits for a key has none to bring.
            where s.kind = 'scraper' and (s.status <> 'waiting' or c.good > 0)),
        'worst', (
            select jsonb_build_object('subject', i.subject, 'cause', i.cause,
                'seconds', extract(epoch from coalesce(i.closed_at, now()) - i.opened_at)::float8)
            from public.incidents i where coalesce(i.closed_at, now()) > now() - interval '1 day'
            order by coalesce(i.closed_at, now()) - i.opened_at desc limit 1),
        'incidents', (
            select count(*) from public.incidents where opened_at > now() - interval '1 day'));
end
$$;

do $$
declare
    our_function text;
begin
    foreach our_function in array array[
        'watchdog_observe(text, boolean, integer, numeric, numeric, numeric)', 'watchdog_record(text, jsonb)',
        'watchdog_untold(integer)', 'watchdog_claim(uuid, integer, numeric)', 'watchdog_told(uuid, integer, text)',
        'watchdog_evidence(text, jsonb)', 'watchdog_remember(text, text, float8, float8, text)',
        'watchdog_wish(text, text, boolean, text)', 'watchdog_unit(text)', 'watchdog_restart_state(text)',
        'watchdog_summary(date, boolean)'
    ] loop
        execute format('revoke execute on function public.%s from public, anon, authenticated', our_function);
        execute format('grant execute on function public.%s to service_role', our_function);
    end loop;
end
$$;

-- The status view of 003 with what the watchdog knows.
drop view if exists public.scraper_status_view;
create view public.scraper_status_view as
select
    s.id, s.scraper_name, s.bookmaker_id, s.last_heartbeat, s.last_success, s.odds_collected, s.odds_inserted,
    s.cycle_count,
    -- Errors and proxies are the operator's; the anonymous key is in the pages of many sites.
    case when v.is_operator then s.last_error end as last_error,
    s.status, s.outcome, s.failures_in_a_row, s.duration_ms, s.expected_interval, s.epoch,
    case when v.is_operator then s.extra_data else '{}'::jsonb end as extra_data,
    s.created_at, s.updated_at,
    b.name as bookmaker_display_name,
    b.logo_url as bookmaker_logo,
    extract(epoch from now() - s.last_heartbeat)::float8 as seconds_since_heartbeat,
    extract(epoch from now() - s.last_success)::float8 as seconds_since_success,
    case
        when s.status = 'waiting' then 'waiting'
        when s.last_heartbeat is null then 'unknown'
        when s.last_success > now() - s.expected_interval * interval '2 seconds' then 'ok'
        when s.last_success > now() - s.expected_interval * interval '6 seconds' then 'warning'
        when s.last_success is null and s.created_at > now() - s.expected_interval * interval '6 seconds' then 'warning'
        else 'error'
    end as computed_status,
    i.cause,
    (
        select count(*) from public.restart_events e
        where e.unit = coalesce(c.unit, s.scraper_name) and e.charged
          and e.at > now() - w.budget_window * interval '1 second'
    )::integer as restarts_used,
    w.budget as restart_budget,
    coalesce(c.circuit, 'closed') as circuit,
    coalesce(c.desired, 'run') as desired,
    c.unit
from public.scraper_status s
cross join lateral (select current_user not in ('anon', 'authenticated') as is_operator) v
left join public.bookmakers b on b.id = s.bookmaker_id
-- The circuit, the budget and the operator's wish are of the container, which in sequence many share.
left join lateral (
    select * from public.scraper_control
    where s.scraper_name = any (scrapers) or s.scraper_name = unit
    order by s.scraper_name = any (scrapers) desc, updated_at desc limit 1
) c on true
left join lateral (
    select cause from public.incidents
    where subject in (s.scraper_name, c.unit) and closed_at is null
    order by subject = s.scraper_name desc limit 1
) i on true
left join public.watchdog_heartbeat w on w.singleton
order by s.scraper_name;

revoke all on public.scraper_status_view from public, anon, authenticated;
grant select on public.scraper_status_view to anon, authenticated, service_role;
