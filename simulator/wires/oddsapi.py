"""odds-api.io: matches of a sport, and the odds of up to ten of them. Any key is good, none is not."""

from dataclasses import replace

import msgspec

from scrapers import leagues
from scrapers.odds import Sport
from scrapers.platforms.oddsapi import BATCH, LEAGUES
from scrapers.wire import utc
from simulator.board import NOT_FOUND, Answer, Asked, Board, Line
from simulator.chance import chance

# The first slug of a league is the one in use; leagues that our table does not know have slugs too.
SLUGS = {ours: theirs for theirs, ours in reversed(LEAGUES.items())}
NO_KEY = Answer(b'{"error":"Missing or invalid apiKey"}', status=401)
BAD_REQUEST = Answer(b'{"error":"Bad request"}', status=400)


def answer(board: Board, asked: Asked) -> Answer:
    board = replace(board, lines=tuple(line.listed() for line in board.lines))
    if not asked.query.get("apiKey"):
        return NO_KEY
    if asked.path == "/v3/events":
        return _events(board, asked)
    if asked.path == "/v3/odds/multi":
        return _odds(board, asked)
    return NOT_FOUND


def _events(board: Board, asked: Asked) -> Answer:
    sport = asked.query.get("sport", "").lower()
    start, end = utc(asked.query.get("from")), utc(asked.query.get("to"))
    if sport not in ("football", "basketball"):
        return BAD_REQUEST
    events = [
        _event(line)
        for line in board.lines
        if line.sport == sport
        and (start is None or line.live or line.starts_at >= start)
        and (end is None or line.starts_at < end)
    ]
    if events and sport == "football":
        women = {"name": "Brazil - Copa do Brasil, Women", "slug": "brazil-copa-do-brasil-women"}
        events.append({**events[0], "id": 99_000_001, "status": "pending", "league": women})
    return Answer(msgspec.json.encode(events))


def _odds(board: Board, asked: Asked) -> Answer:
    wanted = asked.query.get("eventIds", "").split(",")
    bookmaker = asked.query.get("bookmakers", "")
    if len(wanted) > BATCH or not bookmaker:
        return BAD_REQUEST
    return Answer(
        msgspec.json.encode(
            [_event(line) | _prices(line, bookmaker) for line in board.lines if str(line.event_id) in wanted]
        )
    )


def _event(line: Line) -> dict[str, object]:
    league = leagues.get(line.league)
    return {
        "id": line.event_id,
        "home": line.home,
        "away": line.away,
        "homeId": int(chance("team", line.home) * 90_000),
        "awayId": int(chance("team", line.away) * 90_000),
        "date": f"{line.starts_at:%Y-%m-%dT%H:%M:%SZ}",
        "status": "live" if line.live else "pending",
        "sport": {"name": line.sport.capitalize(), "slug": line.sport.value},
        "league": {
            "name": f"{league.country} - {league.title}" if league else line.league,
            "slug": SLUGS.get(line.league, line.league.replace("_", "-")),
        },
    }


def _prices(line: Line, bookmaker: str) -> dict[str, object]:
    updated = f"{line.starts_at:%Y-%m-%d}T00:00:00.5Z"
    winner = {outcome: f"{price:.3f}" for outcome, price in line.markets["h2h"].items()}
    spread = {"name": "Spread", "updatedAt": updated, "odds": [{"hdp": -1.5, "home": "2.500", "away": "1.500"}]}
    props = {
        "name": "Player Props",
        "updatedAt": updated,
        "odds": [{"label": "A (Points)", "hdp": 20.5, "over": "1.8"}],
    }
    winners = {"name": "ML", "updatedAt": updated, "odds": [] if line.suspended else [winner]}
    sport = "B1/C1" if line.sport is Sport.FOOTBALL else "B18/C1"
    # Suspended matches lose their markets one by one, the last of them the bookmaker itself.
    shown = {} if line.suspended and line.event_id % 2 else {bookmaker: [winners, spread, props]}
    return {
        "urls": {bookmaker: f"https://www.bet365.com/#/AC/{sport}/D8/E{line.event_id}/F3/", "Unibet": "N/A"},
        "bookmakerIds": {bookmaker: str(line.event_id)},
        "bookmakers": shown,
    }
