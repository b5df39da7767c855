"""A database as full as a busy one, made in one go."""

from tests.fleet import Fleet

BOOKS, MATCHES = 20, 1250  # with early payout on a third of the matches: 100,000 odds

# What a match is worth follows from its id; a book takes a margin of 4 to 9 % and is a little off.
HOME, DRAW = "(0.25 + 0.35 * (m.id * 37 % 100) / 100.0)", "(0.20 + 0.08 * (m.id * 53 % 100) / 100.0)"
PRICE = (
    f"round((1 / (case o.outcome when 'home' then {HOME} when 'draw' then {DRAW} else 1 - {HOME} - {DRAW} end"
    " * (1.04 + random() * 0.05)))::numeric, 2)"
)

CURRENT = f"""
insert into leagues (key, sport, title, country)
values ('soccer_epl', 'football', 'Premier League', 'GB'), ('soccer_italy_serie_a', 'football', 'Serie A', 'IT')
on conflict do nothing;
insert into bookmakers (key, name, kind, commission)
select 'bench' || n, 'Bench ' || n, case when n = {BOOKS} then 'exchange' else 'book' end,
    case when n = {BOOKS} then 0.028 else 0 end
from generate_series(1, {BOOKS}) n on conflict do nothing;
insert into scraper_status
    (scraper_name, bookmaker_id, last_heartbeat, last_success, expected_interval, cycle_count, epoch)
select key, id, now(), now(), 86400, 1, 1 from bookmakers where key like 'bench%' on conflict do nothing;
insert into teams (sport, name, folded)
select 'football', 'Esporte Clube Número ' || n, 'bench ' || n from generate_series(1, {2 * MATCHES}) n
on conflict do nothing;
insert into matches (league_id, home_team_id, away_team_id, commence_time, play_day)
select (select id from leagues where key = 'soccer_epl'), h.id, a.id,
    now() + interval '1 day' + n * interval '5 minutes',
    (now() + interval '1 day' + n * interval '5 minutes')::date
from generate_series(1, {MATCHES}) n
join teams h on h.folded = 'bench ' || n join teams a on a.folded = 'bench ' || (n + {MATCHES});
insert into match_sources (bookmaker_id, external_id, match_id, scraper_name, url, starts_at, fetched_at)
select b.id, m.id::text, m.id, b.key, 'https://www.' || b.key || '.bet.br/esportes/futebol/partida/' || m.id,
    m.commence_time, now()
from matches m cross join bookmakers b where b.key like 'bench%';
insert into odds (match_id, bookmaker_id, market, outcome, price, liquidity, changed_at)
select m.id, b.id, k.market, o.outcome, {PRICE},
    case when b.kind = 'exchange' then round((random() * 2000)::numeric, 2) end, now()
from matches m cross join bookmakers b
cross join (values ('h2h'), ('h2h_2up')) k(market) cross join (values ('home'), ('draw'), ('away')) o(outcome)
where b.key like 'bench%' and (k.market = 'h2h' or m.id % 3 = 0);
update odds set opening = price;
insert into odds_history (match_id, bookmaker_id, market, outcome, price, is_opening, changed_at, cycle_id)
select match_id, bookmaker_id, market, outcome, price, true, changed_at, gen_random_uuid() from odds;
analyze;
"""

# A cycle of every book, as far as the export can tell: all seen again, one price in fifty moved.
MOVED = f"""
update odds o set price = {PRICE}, changed_at = now() from matches m where m.id = o.match_id and random() < 0.02;
update match_sources set fetched_at = now() where true;
update scraper_status set cycle_count = cycle_count + 1, last_heartbeat = now(), last_success = now()
where kind = 'scraper';
"""


def fill(fleet: Fleet) -> int:
    """How many odds there are now."""
    fleet.compose("exec", "-T", "db", "psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-c", CURRENT)
    return int(fleet.value("select count(*) from odds"))


def move(fleet: Fleet) -> None:
    fleet.compose("exec", "-T", "db", "psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-c", MOVED)
