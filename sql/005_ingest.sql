-- A book that lists the away side first means our home by its away.
create or replace function public.the_right_way_round(p_outcome text, p_swapped boolean) returns text
language sql immutable set search_path = '' as $$
    select case when p_swapped and p_outcome = 'home' then 'away' when p_swapped and p_outcome = 'away' then 'home'
                else p_outcome end
$$;
revoke execute on function public.the_right_way_round(text, boolean) from public, anon, authenticated;
grant execute on function public.the_right_way_round(text, boolean) to service_role;

-- More books list its sides the other way round than as we do: the first one that showed it did. Where the mirrored match
-- stands as well, it cannot turn.
create or replace function public.lies_wrong(p_match bigint) returns boolean
language sql stable set search_path = '' as $$
    select not exists (
            select from public.matches m
            join public.matches mirrored on mirrored.league_id = m.league_id and mirrored.play_day = m.play_day
                and mirrored.home_team_id = m.away_team_id and mirrored.away_team_id = m.home_team_id
            where m.id = p_match)
        and count(distinct bookmaker_id) filter (where swapped) > count(distinct bookmaker_id) filter (where not swapped)
    from public.match_sources where match_id = p_match
$$;
revoke execute on function public.lies_wrong(bigint) from public, anon, authenticated;
grant execute on function public.lies_wrong(bigint) to service_role;

-- One cycle, one transaction: matches, changed odds, their history, and the heartbeat that speaks of them.

--
-- Each event comes with its place: `known` (this book's event id is in match_sources), `match_id` (the sender judged that
-- it is this match), or neither, and then it makes a new match. The sender judged by a snapshot; `p_names_seen` is the
-- newest match, or turn of a match, in it. When there are newer ones, it must look again before it makes another, or
-- says which side is which. An event whose book gives it other names than before is not `known`: it is placed anew.

create or replace function public.ingest_cycle(
    p_epoch bigint, p_sent_at timestamptz, p_names_seen bigint, p_cycle jsonb
) returns jsonb
language plpgsql set search_path = '' as $$
declare
    v_cycle jsonb := public.oddsfleet_json(p_cycle);
    v_events jsonb := v_cycle -> 'events';
    v_scraper text := v_cycle ->> 'scraper';
    v_cycle_id uuid := (v_cycle ->> 'cycle_id')::uuid;
    -- The sender's clock may be off; the distance between two of its times is not, so ages survive. A small difference
    -- is a slow request rather than a wrong clock, and is left alone.
    v_tolerance constant interval := '20 seconds';
    v_offset interval := case
        when now() - p_sent_at between -v_tolerance and v_tolerance then '0'::interval else now() - p_sent_at
    end;
    -- The end of the cycle, and so the time of the heartbeat. Prices are as old as the answer that they were read in;
    -- where the sender does not tell, that is v_at too (`least` passes over null).
    v_at timestamptz := least((v_cycle ->> 'finished_at')::timestamptz + v_offset, now());
    v_outcome text := v_cycle ->> 'outcome';
    v_collected integer := (v_cycle ->> 'collected')::integer;
    v_lease public.scraper_leases;
    v_status public.scraper_status;
    v_book_id integer;
    v_placed integer;
    v_left bigint[]; -- matches that an event of this book is no longer taken for
    v_inserted integer := 0;
    v_gone integer := 0;
begin
    -- Locks the scraper's row: two senders of one scraper take turns, and the second sees what the first wrote.
    select * into v_lease from public.scraper_leases where scraper_name = v_scraper for update;
    if not found or p_epoch > v_lease.epoch then
        return jsonb_build_object('result', 'no_lease');
    end if;
    if p_epoch < v_lease.epoch then
        return jsonb_build_object(
            'result', 'fenced', 'epoch', v_lease.epoch, 'holder', v_lease.holder, 'since', v_lease.acquired_at);
    end if;
    if exists (select from public.scraper_cycles where cycle_id = v_cycle_id) then
        return jsonb_build_object('result', 'duplicate');
    end if;
    select * into strict v_status from public.scraper_status where scraper_name = v_scraper;
    v_book_id := v_status.bookmaker_id;
    if v_at < v_status.last_heartbeat - v_tolerance then
        return jsonb_build_object('result', 'late', 'newest', v_status.last_heartbeat);
    end if;
    v_at := greatest(v_at, v_status.last_heartbeat);

    if exists (
        select from jsonb_to_recordset(v_events) as e(external_id text, known boolean, match_id bigint)
        where (e.known and not exists (
                select from public.match_sources s
                where s.bookmaker_id = v_book_id and s.external_id = e.external_id))
           or (e.match_id is not null and not exists (select from public.matches m where m.id = e.match_id))
    ) then
        return jsonb_build_object('result', 'look_again');
    end if;
    if exists (
        select from jsonb_to_recordset(v_events) as e(known boolean, match_id bigint)
        where not e.known
    ) then
        -- One at a time, until the end of the transaction: two books that show a fixture at the same instant make one
        -- match, and no match turns while another book is given a place in it.
        perform pg_advisory_xact_lock(hashtextextended('oddsfleet.new_matches', 0));
        if exists (
            select from jsonb_to_recordset(v_events) as e(known boolean, match_id bigint)
            where not e.known and case when e.match_id is null
                then exists (select from public.matches m where m.id > p_names_seen)
                else exists (select from public.matches m where m.id = e.match_id and m.turned > p_names_seen) end
        ) then
            return jsonb_build_object('result', 'look_again');
        end if;
    end if;

    -- Events with other names than before leave the match that they were; those that have a place again get it below.
    with told as (
        select external_id, home, away
        from jsonb_to_recordset(v_events) as e(external_id text, home text, away text, known boolean)
        where not e.known
        union all
        select external_id, home, away
        from jsonb_to_recordset(coalesce(v_cycle -> 'unmatched', '[]')) as u(external_id text, home text, away text)
    ), renamed as (
        delete from public.match_sources s using told t
        where s.bookmaker_id = v_book_id and s.external_id = t.external_id and (s.home, s.away) <> (t.home, t.away)
        returning s.match_id
    )
    select coalesce(array_agg(match_id), '{}') into v_left from renamed;

    -- Teams and matches that nobody has shown before.
    insert into public.teams (sport, name, folded)
    select distinct on (side.sport, side.folded) side.sport, side.name, side.folded
    from jsonb_to_recordset(v_events)
        as e(sport text, home text, home_name text, home_folded text, away text, away_name text, away_folded text,
             known boolean, match_id bigint)
    cross join lateral (values
        (e.sport, coalesce(e.home_name, e.home), e.home_folded), (e.sport, coalesce(e.away_name, e.away), e.away_folded)
    ) as side(sport, name, folded)
    where not e.known and e.match_id is null
    order by side.sport, side.folded
    on conflict (sport, folded) do nothing;

    insert into public.matches (league_id, home_team_id, away_team_id, commence_time, play_day)
    select l.id, h.id, a.id, min(e.starts_at), (e.starts_at at time zone 'UTC')::date
    from jsonb_to_recordset(v_events)
        as e(sport text, league text, home_folded text, away_folded text, starts_at timestamptz, known boolean,
             match_id bigint)
    join public.leagues l on l.key = e.league
    join public.teams h on h.sport = e.sport and h.folded = e.home_folded
    join public.teams a on a.sport = e.sport and a.folded = e.away_folded
    where not e.known and e.match_id is null
    group by l.id, h.id, a.id, (e.starts_at at time zone 'UTC')::date
    order by l.id, h.id, a.id
    on conflict (league_id, home_team_id, away_team_id, play_day) do nothing;

    -- A kick-off that this book moved moves the match, unless another match already stands on that day. Not into the past:
    -- that is a mistake of one book, and would take the match away from all.
    update public.matches m
    set commence_time = e.starts_at, play_day = (e.starts_at at time zone 'UTC')::date
    from jsonb_to_recordset(v_events) as e(external_id text, starts_at timestamptz)
    join public.match_sources s on s.bookmaker_id = v_book_id and s.external_id = e.external_id
    where m.id = s.match_id and s.starts_at <> e.starts_at and e.starts_at >= now() - interval '12 hours'
      and not exists (
        select from public.matches other
        where other.league_id = m.league_id and other.home_team_id = m.home_team_id
          and other.away_team_id = m.away_team_id and other.id <> m.id
          and other.play_day = (e.starts_at at time zone 'UTC')::date);

    update public.match_sources s
    set fetched_at = greatest(s.fetched_at, least(e.fetched_at + v_offset, v_at)), starts_at = e.starts_at, url = e.url,
        scraper_name = v_scraper, home = coalesce(s.home, e.home), away = coalesce(s.away, e.away)
    from jsonb_to_recordset(v_events) as e(
        external_id text, home text, away text, starts_at timestamptz, url text, fetched_at timestamptz)
    where s.bookmaker_id = v_book_id and s.external_id = e.external_id;

    insert into public.match_sources
        (bookmaker_id, external_id, match_id, scraper_name, swapped, home, away, url, starts_at, fetched_at)
    select v_book_id, e.external_id, e.match_id, v_scraper, e.swapped, e.home, e.away, e.url, e.starts_at,
        least(e.fetched_at + v_offset, v_at)
    from jsonb_to_recordset(v_events) as e(
        external_id text, match_id bigint, swapped boolean, home text, away text, starts_at timestamptz, url text,
        fetched_at timestamptz, known boolean)
    where not e.known and e.match_id is not null
    on conflict (bookmaker_id, external_id) do nothing;

    insert into public.match_sources
        (bookmaker_id, external_id, match_id, scraper_name, home, away, url, starts_at, fetched_at)
    select v_book_id, e.external_id, m.id, v_scraper, e.home, e.away, e.url, e.starts_at,
        least(e.fetched_at + v_offset, v_at)
    from jsonb_to_recordset(v_events) as e(
        external_id text, sport text, league text, home text, home_folded text, away text, away_folded text,
        starts_at timestamptz, url text, fetched_at timestamptz, known boolean, match_id bigint)
    join public.leagues l on l.key = e.league
    join public.teams h on h.sport = e.sport and h.folded = e.home_folded
    join public.teams a on a.sport = e.sport and a.folded = e.away_folded
    join public.matches m on m.league_id = l.id and m.home_team_id = h.id and m.away_team_id = a.id
        and m.play_day = (e.starts_at at time zone 'UTC')::date
    where not e.known and e.match_id is null
    on conflict (bookmaker_id, external_id) do nothing;

    insert into public.team_aliases (sport, folded, alias, team_id, bookmaker_id, source, confidence)
    select distinct on (a.sport, a.folded) a.sport, a.folded, a.alias, a.team_id, v_book_id, 'learned', a.confidence
    from jsonb_to_recordset(coalesce(v_cycle -> 'learned', '[]')) as a(
        sport text, folded text, alias text, team_id integer, confidence numeric)
    join public.teams t on t.id = a.team_id
    order by a.sport, a.folded
    on conflict (sport, folded, bookmaker_id) do nothing;

    insert into public.unmatched_names as old
        (bookmaker_id, external_id, sport, league, home, away, starts_at, reason, near_match_id, swapped, score)
    select v_book_id, u.external_id, u.sport, u.league, u.home, u.away, u.starts_at, u.reason, m.id,
        u.swapped <> coalesce(m.turned > p_names_seen, false), u.score
    from jsonb_to_recordset(coalesce(v_cycle -> 'unmatched', '[]')) as u(
        external_id text, sport text, league text, home text, away text, starts_at timestamptz, reason text,
        near_match_id bigint, swapped boolean, score numeric)
    left join public.matches m on m.id = u.near_match_id
    order by u.external_id
    on conflict (bookmaker_id, external_id) do update
        set last_seen = now(), times = old.times + 1, reason = excluded.reason, near_match_id = excluded.near_match_id,
            swapped = excluded.swapped, score = excluded.score, home = excluded.home, away = excluded.away,
            -- What a person said was said of other names.
            decision = case when (old.home, old.away) = (excluded.home, excluded.away) then old.decision end;

    select count(*) into v_placed
    from jsonb_to_recordset(v_events) as e(external_id text)
    join public.match_sources s on s.bookmaker_id = v_book_id and s.external_id = e.external_id;
    if v_placed <> jsonb_array_length(v_events) then
        raise exception 'only % of % events have a match: an unknown league, or one event id twice',
            v_placed, jsonb_array_length(v_events) using errcode = '22023';
    end if;

    -- A book may list one match twice; the event it showed last speaks for it, here and where odds are read.
    with offered as (
        select distinct on (s.match_id, o.market, side.outcome)
            s.match_id, o.market, side.outcome, o.price, o.liquidity, s.fetched_at
        from jsonb_to_recordset(v_events) as e(external_id text, odds jsonb)
        join public.match_sources s on s.bookmaker_id = v_book_id and s.external_id = e.external_id
        cross join lateral jsonb_to_recordset(e.odds)
            as o(market text, outcome text, price numeric, liquidity numeric)
        cross join lateral public.the_right_way_round(o.outcome, s.swapped) as side(outcome)
        order by s.match_id, o.market, side.outcome, s.fetched_at desc, s.external_id desc
    ), written as (
        insert into public.odds as old
            (match_id, bookmaker_id, market, outcome, price, opening, liquidity, changed_at)
        select match_id, v_book_id, market, outcome, price, price, liquidity, fetched_at from offered
        on conflict (match_id, bookmaker_id, market, outcome) do update
            set price = excluded.price, liquidity = excluded.liquidity, suspended = false,
                changed_at = case
                    when old.price <> excluded.price or old.suspended then excluded.changed_at
                    else old.changed_at
                end
            where old.price <> excluded.price or old.suspended or old.liquidity is distinct from excluded.liquidity
        returning match_id, market, outcome, price, changed_at, xmax = 0 as is_opening
    ), recorded as (
        insert into public.odds_history
            (match_id, bookmaker_id, market, outcome, price, is_opening, changed_at, cycle_id)
        select match_id, v_book_id, market, outcome, w.price, w.is_opening, w.changed_at, v_cycle_id
        from written w join offered o using (match_id, market, outcome) where w.changed_at = o.fetched_at
        returning 1
    )
    select count(*) into v_inserted from recorded;

    -- What an answer no longer shows has been taken away; an incomplete one speaks only of the matches that it shows,
    -- which look fresh from now on. An empty answer says nothing about that.
    if v_collected > 0 then
        with offered as (
            select s.match_id, o.market, public.the_right_way_round(o.outcome, s.swapped) as outcome
            from jsonb_to_recordset(v_events) as e(external_id text, odds jsonb)
            join public.match_sources s on s.bookmaker_id = v_book_id and s.external_id = e.external_id
            cross join lateral jsonb_to_recordset(e.odds) as o(market text, outcome text)
        ), gone as (
            update public.odds o set suspended = true, changed_at = v_at
            where o.bookmaker_id = v_book_id and not o.suspended
              and o.match_id in (
                select s.match_id from public.match_sources s
                where s.bookmaker_id = v_book_id and s.scraper_name = v_scraper
                union all select unnest(v_left))
              -- `not in` is hashed; `not exists` would be a nested loop, since nobody knows how much a cycle holds.
              and (o.match_id, o.market, o.outcome) not in (select match_id, market, outcome from offered)
              and ((v_cycle ->> 'complete')::boolean or o.match_id in (select match_id from offered)
                   or o.match_id = any (v_left))
            returning o.match_id, o.market, o.outcome
        ), recorded as (
            insert into public.odds_history (match_id, bookmaker_id, market, outcome, price, changed_at, cycle_id)
            select match_id, v_book_id, market, outcome, null, v_at, v_cycle_id from gone
            returning 1
        )
        select count(*) into v_gone from recorded;
    end if;

    insert into public.scraper_cycles
        (cycle_id, scraper_name, epoch, number, started_at, finished_at, outcome, error, collected, inserted, duration_ms)
    values (
        v_cycle_id, v_scraper, (v_cycle ->> 'epoch')::bigint, (v_cycle ->> 'number')::bigint,
        (v_cycle ->> 'started_at')::timestamptz + v_offset, v_at, v_outcome, left(v_cycle ->> 'error', 500),
        v_collected, v_inserted, (v_cycle ->> 'duration_ms')::integer);

    update public.scraper_status
    set last_heartbeat = v_at,
        last_success = case when v_collected > 0 then v_at else last_success end,
        odds_collected = v_collected,
        odds_inserted = v_inserted,
        cycle_count = cycle_count + 1,
        last_error = left(v_cycle ->> 'error', 500),
        outcome = v_outcome,
        status = case
            when v_outcome in ('ok', 'waiting') then v_outcome
            when v_outcome = 'empty' or v_collected > 0 then 'warning'
            else 'error'
        end,
        failures_in_a_row = case when v_outcome in ('ok', 'waiting') then 0 else failures_in_a_row + 1 end,
        duration_ms = (v_cycle ->> 'duration_ms')::integer,
        expected_interval = (v_cycle ->> 'expected_interval')::numeric,
        epoch = p_epoch,
        extra_data = coalesce(v_cycle -> 'extra', '{}'::jsonb),
        updated_at = now()
    where scraper_name = v_scraper;

    update public.scraper_leases set renewed_at = now() where scraper_name = v_scraper;

    return jsonb_build_object(
        'result', 'written', 'inserted', v_inserted, 'gone', v_gone,
        'turn', (
            select coalesce(jsonb_agg(distinct s.match_id), '[]')
            from jsonb_to_recordset(v_events) as e(external_id text)
            join public.match_sources s on s.bookmaker_id = v_book_id and s.external_id = e.external_id
            where s.swapped and public.lies_wrong(s.match_id)));
end
$$;

revoke execute on function public.ingest_cycle(bigint, timestamptz, bigint, jsonb) from public, anon, authenticated;
grant execute on function public.ingest_cycle(bigint, timestamptz, bigint, jsonb) to service_role;
