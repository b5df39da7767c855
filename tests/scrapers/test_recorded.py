"""Recorded answers of real sites, parsed and compared with what a person checked.

A case is a folder, tests/recorded/<scraper>/<case>/: request.json (what was asked), response.* (the raw answer) and
expected.json (everything the parser must find, or what it must complain of). `make once S=<scraper> RECORD=1` writes
one.
"""

from pathlib import Path

import msgspec
import pytest

from scrapers import catalog, platforms
from scrapers.errors import Changed
from scrapers.recording import expectation
from scrapers.wire import Request, Response

RECORDED = Path(__file__).parent.parent / "recorded"
CASES = sorted(path.parent for path in RECORDED.glob("*/*/request.json"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_recorded_answer(case: Path) -> None:
    book = catalog.get(case.parent.name)
    request = msgspec.json.decode((case / "request.json").read_bytes(), type=Request)
    (answer,) = case.glob("response.*")
    response = Response(request=request, status=200, headers={}, body=answer.read_bytes())

    try:
        found = expectation(platforms.load(book.platform).parse(book, response))
    except Changed as changed:
        found = {"changed": str(changed)}

    assert found == msgspec.json.decode((case / "expected.json").read_bytes())


def test_there_are_cases() -> None:
    assert CASES
