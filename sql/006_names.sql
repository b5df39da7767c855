-- What a scraper has to know to place its events: our open matches, other spellings of their teams, its own event ids.

create or replace function public.names_snapshot(p_book text) returns jsonb
language sql stable set search_path = '' as $$
    with open_matches as (
        select m.id, m.home_team_id, m.away_team_id, m.commence_time, l.sport, l.key as league
        from public.matches m join public.leagues l on l.id = m.league_id
        where m.commence_time > now() - interval '12 hours'
    ), chances as (
        -- Without each book's margin, averaged over the books.
        select p.match_id, count(distinct p.bookmaker_id) as books, p.outcome, avg(p.chance) as chance
        from (
            select o.match_id, o.bookmaker_id, o.outcome,
                (1 / o.price) / sum(1 / o.price) over (partition by o.match_id, o.bookmaker_id) as chance
            from public.odds o join open_matches m on m.id = o.match_id
            where o.market = 'h2h' and not o.suspended
        ) p
        group by p.match_id, p.outcome
    ), fair as (
        select match_id, max(books) as books, jsonb_object_agg(outcome, round(chance, 4)) as fair
        from chances group by match_id
    )
    select jsonb_build_object(
        'seen', (select coalesce(greatest(max(id), max(turned)), 0) from public.matches),
        'known', coalesce((
            select jsonb_object_agg(s.external_id, jsonb_build_object(
                'match_id', s.match_id, 'home', s.home, 'away', s.away))
            from public.match_sources s
            join public.bookmakers b on b.id = s.bookmaker_id
            join public.matches m on m.id = s.match_id
            where b.key = p_book and m.commence_time > now() - interval '1 day'), '{}'),
        'separate', coalesce((
            select jsonb_agg(u.external_id)
            from public.unmatched_names u join public.bookmakers b on b.id = u.bookmaker_id
            where b.key = p_book and u.decision = 'new'), '[]'),
        'matches', coalesce((
            select jsonb_agg(jsonb_build_object(
                'match_id', m.id, 'sport', m.sport, 'league', m.league, 'starts_at', m.commence_time,
                'home', jsonb_build_object('id', h.id, 'name', h.name),
                'away', jsonb_build_object('id', a.id, 'name', a.name),
                'fair', f.fair, 'books', coalesce(f.books, 0)))
            from open_matches m
            join public.teams h on h.id = m.home_team_id
            join public.teams a on a.id = m.away_team_id
            left join fair f on f.match_id = m.id), '[]'),
        'aliases', coalesce((
            select jsonb_agg(jsonb_build_object(
                'sport', t.sport, 'folded', t.folded, 'team_id', t.team_id, 'book', b.key))
            from public.team_aliases t
            left join public.bookmakers b on b.id = t.bookmaker_id
            where t.team_id in (select home_team_id from open_matches union select away_team_id from open_matches)
              and (b.key is null or b.key = p_book)), '[]'))
$$;

-- What waits for a person, newest kick-off last.
create or replace view public.unmatched_names_view with (security_invoker = true) as
select
    u.id, b.key as bookmaker, u.external_id, u.sport, u.league, u.home, u.away, u.starts_at, u.reason, u.score, u.swapped,
    u.times, u.near_match_id, h.name as near_home, a.name as near_away, m.commence_time as near_starts_at
from public.unmatched_names u
join public.bookmakers b on b.id = u.bookmaker_id
left join public.matches m on m.id = u.near_match_id
left join public.teams h on h.id = m.home_team_id
left join public.teams a on a.id = m.away_team_id
where u.decision is null and u.starts_at > now()
order by u.starts_at, u.id;

-- A person's word on an unmatched event: it is the near match, or it is another. `p_spellings` are those of its names that
-- are worth remembering: {side, folded, alias}. Folding is the sender's, as everywhere.
drop function if exists public.decide_unmatched(bigint, boolean);
create or replace function public.decide_unmatched(p_id bigint, p_same boolean, p_spellings jsonb) returns boolean
language plpgsql set search_path = '' as $$
declare
    v_event public.unmatched_names;
    v_match public.matches;
begin
    update public.unmatched_names set decision = case when p_same then 'same' else 'new' end
    where id = p_id and decision is null and (near_match_id is not null or not p_same)
    returning * into v_event;
    if not found then
        return false;
    end if;
    if p_same then
        select * into strict v_match from public.matches where id = v_event.near_match_id;
        insert into public.match_sources
            (bookmaker_id, external_id, match_id, scraper_name, swapped, home, away, starts_at, fetched_at)
        values (
            v_event.bookmaker_id, v_event.external_id, v_match.id, '', v_event.swapped, v_event.home, v_event.away,
            v_event.starts_at, '-infinity')
        on conflict (bookmaker_id, external_id) do update
            set match_id = excluded.match_id, swapped = excluded.swapped, home = excluded.home, away = excluded.away;

        insert into public.team_aliases (sport, folded, alias, team_id, bookmaker_id, source)
        select v_event.sport, a.folded, a.alias, t.id, v_event.bookmaker_id, 'manual'
        from jsonb_to_recordset(public.oddsfleet_json(p_spellings)) as a(side text, folded text, alias text)
        join public.teams t on t.folded <> a.folded and t.id =
            case when (a.side = 'home') <> v_event.swapped then v_match.home_team_id else v_match.away_team_id end
        on conflict (sport, folded, bookmaker_id) do update
            set team_id = excluded.team_id, source = 'manual', confidence = 100;
    end if;
    return true;
end
$$;

-- Spellings that were learned or given, newest first.
create or replace view public.team_aliases_view with (security_invoker = true) as
select a.sport, a.alias, a.folded, t.name as team, b.key as bookmaker, a.source, a.confidence, a.first_seen
from public.team_aliases a
join public.teams t on t.id = a.team_id
left join public.bookmakers b on b.id = a.bookmaker_id
order by a.first_seen desc, a.id desc;

-- Take a spelling back, whichever books use it.
create or replace function public.forget_alias(p_folded text) returns integer
language sql set search_path = '' as $$
    with gone as (delete from public.team_aliases where folded = p_folded returning 1)
    select count(*)::integer from gone
$$;

-- A book's event is not the match that it was taken for: its prices leave that match, what was learned from it is
-- forgotten, and it becomes a match of its own with the next cycle that judges names.
create or replace function public.split_event(p_book text, p_external_id text) returns boolean
language plpgsql set search_path = '' as $$
declare
    v_source public.match_sources;
begin
    delete from public.match_sources s using public.bookmakers b
    where b.id = s.bookmaker_id and b.key = p_book and s.external_id = p_external_id
    returning s.* into v_source;
    if not found then
        return false;
    end if;
    delete from public.odds where match_id = v_source.match_id and bookmaker_id = v_source.bookmaker_id;
    delete from public.odds_history where match_id = v_source.match_id and bookmaker_id = v_source.bookmaker_id;
    delete from public.team_aliases a using public.matches m
    where m.id = v_source.match_id and a.bookmaker_id = v_source.bookmaker_id and a.source = 'learned'
      and a.team_id in (m.home_team_id, m.away_team_id);
    insert into public.unmatched_names
        (bookmaker_id, external_id, sport, league, home, away, starts_at, reason, near_match_id, swapped, decision)
    select v_source.bookmaker_id, v_source.external_id, l.sport, l.key, h.name, a.name, v_source.starts_at,
        'split by hand', m.id, v_source.swapped, 'new'
    from public.matches m
    join public.leagues l on l.id = m.league_id
    join public.teams h on h.id = m.home_team_id
    join public.teams a on a.id = m.away_team_id
    where m.id = v_source.match_id
    on conflict (bookmaker_id, external_id) do update set decision = 'new', reason = excluded.reason;
    return true;
end
$$;

-- What a book's event is taken for, or what a person said of it: for people who are about to change that.
create or replace function public.placed_event(p_book text, p_external_id text) returns jsonb
language sql stable set search_path = '' as $$
    select jsonb_build_object(
        'home', coalesce(s.home, u.home), 'away', coalesce(s.away, u.away), 'decision', u.decision,
        'our_home', h.name, 'our_away', a.name, 'swapped', coalesce(s.swapped, false), 'other_books', (
            select count(distinct other.bookmaker_id) from public.match_sources other
            where other.match_id = s.match_id and other.bookmaker_id <> s.bookmaker_id))
    from public.bookmakers b
    left join public.match_sources s on s.bookmaker_id = b.id and s.external_id = p_external_id
    left join public.unmatched_names u on u.bookmaker_id = b.id and u.external_id = p_external_id
    left join public.matches m on m.id = s.match_id
    left join public.teams h on h.id = m.home_team_id
    left join public.teams a on a.id = m.away_team_id
    where b.key = p_book and (s.match_id is not null or u.id is not null)
$$;

-- A book's event is judged anew, as if nobody had said anything of it. The match that nobody else shows goes with it, or it
-- would be found again.
create or replace function public.judge_again(p_book text, p_external_id text) returns boolean
language plpgsql set search_path = '' as $$
declare
    v_book_id integer := (select id from public.bookmakers where key = p_book);
    v_match bigint;
    v_said boolean;
begin
    delete from public.unmatched_names
    where bookmaker_id = v_book_id and external_id = p_external_id and decision is not null;
    v_said := found;
    delete from public.match_sources where bookmaker_id = v_book_id and external_id = p_external_id
    returning match_id into v_match;
    update public.odds o set suspended = true
    where o.match_id = v_match and o.bookmaker_id = v_book_id and not exists (
        select from public.match_sources s where s.match_id = o.match_id and s.bookmaker_id = v_book_id);
    delete from public.matches m
    where m.id = v_match and not exists (select from public.match_sources s where s.match_id = m.id);
    return v_said or v_match is not null;
end
$$;

-- A match whose first book listed its sides the other way round turns, with everything that was said of its sides. One in
-- a transaction, and it gives up, for the next cycle to ask again, before PostgreSQL would choose between it and a cycle
-- in hand that waits for it. What is open in `surebets` ends by itself.
create or replace function public.turn_match(p_match bigint) returns boolean
language plpgsql set search_path = '' set lock_timeout = '300ms' as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('oddsfleet.new_matches', 0)); -- see ingest_cycle
    if not public.lies_wrong(p_match) then
        return false;
    end if;
    update public.matches m
    set home_team_id = m.away_team_id, away_team_id = m.home_team_id,
        turned = nextval(pg_get_serial_sequence('public.matches', 'id'))
    where m.id = p_match;
    -- Cycles in hand that show it end first, and those to come read its sides as they are then.
    update public.match_sources set swapped = not swapped where match_id = p_match;
    update public.unmatched_names set swapped = not swapped where near_match_id = p_match;
    with taken as (delete from public.odds where match_id = p_match and outcome <> 'draw' returning *)
    insert into public.odds
        (match_id, bookmaker_id, market, outcome, price, opening, liquidity, suspended, changed_at)
    select match_id, bookmaker_id, market, public.the_right_way_round(outcome, true), price, opening, liquidity,
        suspended, changed_at
    from taken order by bookmaker_id; -- sorted, so that all are taken before the first is put back
    update public.odds_history set outcome = public.the_right_way_round(outcome, true)
    where match_id = p_match and outcome <> 'draw';
    return true;
exception
    when lock_not_available or deadlock_detected then return false;
end
$$;

revoke all on public.unmatched_names_view, public.team_aliases_view from public, anon, authenticated;
grant select on public.unmatched_names_view, public.team_aliases_view to service_role;
do $$
declare
    ours text;
begin
    foreach ours in array array[
        'names_snapshot(text)', 'decide_unmatched(bigint, boolean, jsonb)', 'forget_alias(text)', 'split_event(text, text)',
        'placed_event(text, text)', 'judge_again(text, text)',
        'turn_match(bigint)'
    ] loop
        execute format('revoke execute on function public.%s from public, anon, authenticated', ours);
        execute format('grant execute on function public.%s to service_role', ours);
    end loop;
end
$$;
