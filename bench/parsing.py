"""What parsing costs: the largest answer we have of each light scraper's platform, at the scraper's own pace.

python -m bench.parsing
"""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from rich.table import Table

from common.terminal import console
from scrapers import catalog, platforms
from scrapers.catalog import Bookmaker
from scrapers.wire import Request, Response
from simulator import model, wires
from simulator.board import Asked

RECORDED = Path(__file__).parent.parent / "tests" / "recorded"
GOAL = 0.15  # of one core, for all light scrapers together
SECONDS = 0.5  # of measuring, per scraper


def main() -> int:
    table = Table("scraper", "answers", "KB per cycle", "CPU ms per cycle", "share of a core", title="Parsing")
    total = 0.0
    for book in catalog.BOOKMAKERS:
        if book.is_heavy:
            continue
        answers = one_cycle(book)
        seconds = cpu_seconds(book, answers)
        share = seconds / book.every
        total += share
        size = sum(len(answer.body) for answer in answers) / 1024
        table.add_row(book.name, str(len(answers)), f"{size:.0f}", f"{seconds * 1000:.2f}", f"{share:.3%}")
    screen = console()
    screen.print(table)
    screen.print(f"All light scrapers together: {total:.2%} of one core (goal: under {GOAL:.0%})")
    return 0 if total < GOAL else 1


def one_cycle(book: Bookmaker) -> list[Response]:
    """What a cycle reads: the simulator's answers, and where a real one was recorded and is larger, that one too."""
    now = datetime.now(UTC)
    served = replace_key(book.at("http://simulator"))
    platform, wire = platforms.load(book.platform), wires.load(book.platform)
    board = model.board(served, now)
    answers, waiting = [], list(platform.requests(served, now))
    while waiting:
        request = waiting.pop(0)
        path = request.url.removeprefix(f"http://simulator/{book.name}").partition("?")[0]
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = b"" if request.json is None else msgspec.json.encode(request.json)
        made = wire.answer(board, Asked(request.method, path, dict(request.params), headers, body))
        response = Response(request, made.status, {}, made.body)
        answers.append(response)
        waiting += platform.parse(served, response).follow
    largest = max(RECORDED.glob(f"{book.name}/*/response.*"), key=lambda path: path.stat().st_size, default=None)
    if largest:
        request = msgspec.json.decode((largest.parent / "request.json").read_bytes(), type=Request)
        answers.append(Response(request, 200, {}, largest.read_bytes()))
    return answers


def replace_key(book: Bookmaker) -> Bookmaker:
    import dataclasses

    return dataclasses.replace(book, params={**book.params, "key": "simulated"}) if book.key_env else book


def cpu_seconds(book: Bookmaker, answers: list[Response]) -> float:
    platform = platforms.load(book.platform)
    rounds, started = 0, time.process_time()
    while time.process_time() - started < SECONDS:
        for answer in answers:
            platform.parse(book, answer)
        rounds += 1
    return (time.process_time() - started) / rounds


if __name__ == "__main__":
    sys.exit(main())
