"""Surebets of simulated bookmakers, read over their real wire formats, against what the simulator knows."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from common.settings import ScraperSettings
from scrapers import catalog
from scrapers.collect import collect
from scrapers.fetch import open_fetcher
from scrapers.odds import OUTCOMES
from sidecars.surebets import Offer
from simulator.model import is_open
from store.cycle import stored_event
from store.rpc import Rpc
from store.spool import Spool
from store.writer import Writer
from tests.conftest import Simulator
from tests.cycles import cycle
from tests.sidecars.conftest import Generators, Published
from tests.sidecars.test_surebets import every_combination

pytestmark = pytest.mark.docker

BOOKS = [book for book in catalog.BOOKMAKERS if book.engine == "http" and not book.key_env]
BANK = 100_000
# A wire format may round a price by a cent, which moves the profit by this much at most.
SURE, POSSIBLE = 1.0, -1.0


async def scrape(rpc: Rpc, simulator: Simulator, folder: Path) -> None:
    settings = ScraperSettings(request_gap=0.0)
    for book in BOOKS:
        served = book.at(simulator.url)
        async with open_fetcher(served, settings) as fetcher:
            collected = await collect(served, fetcher)
        assert collected.error is None
        writer = Writer(rpc, Spool(folder, book.name, 10), book, holder="test", interval=30)
        await writer.take_lease()
        events = tuple(
            stored
            for event in collected.events
            if (stored := stored_event(event, collected.fetched_at[event.external_id]))
        )
        await writer.write(
            cycle(book.name, collected=collected.price_count, events=events, outcome="ok", complete=True)
        )


def offers_by_fixture(simulator: Simulator) -> dict[int, list[Offer]]:
    """What the boards offer, by the fixture that it truly is."""
    offers: dict[int, list[Offer]] = defaultdict(list)
    for book in BOOKS:
        if book.kind == "exchange":
            continue  # tradeball, which does not say how much it takes: its prices are no offers
        for line in simulator.board(book.name).lines:
            if is_open(line):
                offers[line.fixture] += (
                    Offer(outcome, market, book.book_key, price, book.commission)
                    for market, prices in line.markets.items()
                    for outcome, price in prices.items()
                )
    return offers


def outcomes_of(offers: Iterable[Offer]) -> tuple[str, ...]:
    names = {offer.outcome for offer in offers}
    return next((tuple(ways) for ways in OUTCOMES.values() if set(ways) == names), ())


def fixture_of(simulator: Simulator, event: dict[str, Any]) -> int:
    """By the books' own event ids; they must all mean the same."""
    key = simulator.answers()["books"]
    by_book = {
        (catalog.get(name).book_key, event_id): entry for name, of in key.items() for event_id, entry in of.items()
    }
    fixtures = {by_book[book["key"], book["sid"].rpartition(":")[2]]["fixture"] for book in event["bookmakers"]}
    assert len(fixtures) == 1, event
    return int(fixtures.pop())


async def test_no_false_one_and_none_missed(
    rpc: Rpc, generators: Generators, published: Published, simulator: Simulator, tmp_path: Path
) -> None:
    simulator.prices(freeze=True)
    offers = offers_by_fixture(simulator)
    await scrape(rpc, simulator, tmp_path)
    await (await generators.start()).round()
    shown = published.odds()
    fixtures = {event["id"]: fixture_of(simulator, event) for event in shown["events"]}
    assert len(set(fixtures.values())) == len(fixtures), "one fixture as two matches"

    listed = {fixtures[bet["event_id"]]: bet for bet in shown["surebets"]}
    for fixture, bet in listed.items():
        legs = [
            next(
                offer
                for offer in offers[fixture]
                if (offer.bookmaker, offer.outcome, offer.market) == (leg["bookmaker"], leg["outcome"], leg["market"])
                and offer.price == pytest.approx(leg["price"], abs=0.011)
            )
            for leg in bet["legs"]
        ]
        assert {leg.outcome for leg in legs} == set(outcomes_of(offers[fixture]))
        assert 100 / sum(1 / leg.net for leg in legs) - 100 > POSSIBLE, "a false one"
    expected = {
        fixture: combinations
        for fixture in fixtures.values()
        if (combinations := every_combination(offers[fixture], outcomes_of(offers[fixture]), BANK))
    }
    certain = {fixture for fixture, bets in expected.items() if max(100 / bet.implied_sum - 100 for bet in bets) > SURE}
    assert certain <= listed.keys(), "one was missed"
    exact = [fixture for fixture in fixtures.values() if (fixture in listed) == (fixture in expected)]
    assert len(exact) >= 0.9 * len(fixtures), "apart from the rounding of prices the two must be the same"
