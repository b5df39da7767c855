-- Leases: one writer per scraper, whoever started it.

-- @supabase/lite hands a jsonb argument over as a JSON string; a hosted Supabase hands over the value itself.
create or replace function public.oddsfleet_json(p_value jsonb) returns jsonb
language sql immutable set search_path = '' as $$
    select case when jsonb_typeof(p_value) = 'string' then (p_value #>> '{}')::jsonb else p_value end
$$;

-- Take the lease. The newest start wins at once, so that a restart loses no time; but a holder that was replaced by one
-- that still lives may not take it back, or two containers under a restart policy would fight for ever. It waits until
-- the other lets go or falls silent.
create or replace function public.acquire_lease(
    p_scraper text, p_holder text, p_book jsonb, p_leagues jsonb, p_interval numeric
) returns jsonb
language plpgsql set search_path = '' as $$
declare
    v_book jsonb := public.oddsfleet_json(p_book);
    v_book_id integer;
    v_lease public.scraper_leases;
    v_interval numeric;
    v_alive boolean;
    v_superseded text[];
begin
    insert into public.leagues (key, sport, title, country)
    select l.key, l.sport, l.title, l.country
    from jsonb_to_recordset(public.oddsfleet_json(p_leagues)) as l(key text, sport text, title text, country text)
    order by l.key
    on conflict (key) do update set title = excluded.title, country = excluded.country
        where (leagues.title, leagues.country) is distinct from (excluded.title, excluded.country);

    insert into public.bookmakers (key, name, kind, commission, url)
    values (v_book ->> 'key', v_book ->> 'title', v_book ->> 'kind', (v_book ->> 'commission')::numeric, v_book ->> 'url')
    on conflict (key) do update
        set name = excluded.name, kind = excluded.kind, commission = excluded.commission, url = excluded.url
    returning id into v_book_id;

    insert into public.scraper_leases (scraper_name, epoch, holder) values (p_scraper, 0, p_holder)
    on conflict (scraper_name) do nothing;
    select * into v_lease from public.scraper_leases where scraper_name = p_scraper for update;

    -- A slow holder is silent for longer than a quick asker would be.
    select greatest(p_interval, max(expected_interval)) into v_interval
    from public.scraper_status where scraper_name = p_scraper;
    v_alive := v_lease.released_at is null
        and v_lease.renewed_at > now() - greatest(v_interval * 3, 180) * interval '1 second';
    if v_alive and v_lease.holder <> p_holder and p_holder = any (v_lease.superseded) then
        return jsonb_build_object(
            'granted', false, 'epoch', v_lease.epoch, 'holder', v_lease.holder, 'since', v_lease.acquired_at);
    end if;

    v_superseded := array_remove(v_lease.superseded, p_holder);
    if v_alive and v_lease.epoch > 0 and v_lease.holder <> p_holder then
        v_superseded := array_append(v_superseded, v_lease.holder);
    end if;

    update public.scraper_leases
    set epoch = v_lease.epoch + 1,
        holder = p_holder,
        superseded = v_superseded[greatest(1, cardinality(v_superseded) - 9):], -- the last ten
        acquired_at = now(), renewed_at = now(), released_at = null
    where scraper_name = p_scraper;

    insert into public.scraper_status (scraper_name, bookmaker_id, expected_interval, epoch)
    values (p_scraper, v_book_id, p_interval, v_lease.epoch + 1)
    on conflict (scraper_name) do update
        set bookmaker_id = excluded.bookmaker_id, expected_interval = excluded.expected_interval,
            epoch = excluded.epoch, updated_at = now();

    return jsonb_build_object('granted', true, 'epoch', v_lease.epoch + 1);
end
$$;

-- Let go on a clean stop, so that a waiting instance need not wait for silence.
create or replace function public.release_lease(p_scraper text, p_epoch bigint) returns boolean
language sql set search_path = '' as $$
    with released as (
        update public.scraper_leases set released_at = now()
        where scraper_name = p_scraper and epoch = p_epoch and released_at is null
        returning 1
    )
    select exists (select from released)
$$;

create or replace function public.add_dead_letter(p_scraper text, p_cycle_id uuid, p_reason text, p_payload jsonb)
returns void
language sql set search_path = '' as $$
    insert into public.dead_letters (scraper_name, cycle_id, reason, payload)
    values (p_scraper, p_cycle_id, left(p_reason, 1000), public.oddsfleet_json(p_payload))
    on conflict (cycle_id, reason) do nothing
$$;

revoke execute on function public.oddsfleet_json(jsonb) from public, anon, authenticated;
revoke execute on function public.acquire_lease(text, text, jsonb, jsonb, numeric) from public, anon, authenticated;
revoke execute on function public.release_lease(text, bigint) from public, anon, authenticated;
revoke execute on function public.add_dead_letter(text, uuid, text, jsonb) from public, anon, authenticated;
grant execute on function public.oddsfleet_json(jsonb) to service_role;
grant execute on function public.acquire_lease(text, text, jsonb, jsonb, numeric) to service_role;
grant execute on function public.release_lease(text, bigint) to service_role;
grant execute on function public.add_dead_letter(text, uuid, text, jsonb) to service_role;
