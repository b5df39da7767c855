-- Who may see what: the service key everything, the anonymous key the status view, and nothing else.
-- A hosted Supabase grants new tables and functions to everybody by default, so each of ours is taken back by name;
-- tables of other applications in the same project are left alone.

do $$
declare
    our_table text;
begin
    foreach our_table in array array[
        'bookmakers', 'leagues', 'teams', 'team_aliases', 'matches', 'match_sources', 'unmatched_names',
        'odds', 'odds_history',
        'scraper_status', 'scraper_cycles', 'scraper_leases', 'dead_letters'
    ] loop
        execute format('alter table public.%I enable row level security', our_table);
        execute format('revoke all on public.%I from public, anon, authenticated', our_table);
        execute format('grant all on public.%I to service_role', our_table);
    end loop;
end
$$;
