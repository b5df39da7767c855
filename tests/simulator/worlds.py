"""Books and instants to look at the model with."""

from datetime import UTC, datetime

from hypothesis import settings
from hypothesis import strategies as st

from scrapers.catalog import Bookmaker

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)  # with matches being played

few = settings(max_examples=25)  # a board is some seventy matches already
instants = st.datetimes(datetime(2024, 2, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
names = st.sampled_from([f"book{number}" for number in range(40)])


def book(name: str = "book1", **changes: object) -> Bookmaker:
    defaults: dict[str, object] = {"title": name, "platform": "altenar", "site": "https://x", "api": "https://x"}
    return Bookmaker(name, **(defaults | changes))  # type: ignore[arg-type]
