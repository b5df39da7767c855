"""What a light scraper does not load: each megabyte is paid fourteen times."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

SCRIPT = """
import asyncio, sys
from common.settings import ScraperSettings
from scrapers import catalog
from scrapers.fetch import open_fetcher

async def main():
    async with open_fetcher(catalog.get(sys.argv[1]), ScraperSettings()):
        print(" ".join(sorted({"playwright", "curl_cffi", "socksio"} & sys.modules.keys())))

asyncio.run(main())
"""


@pytest.mark.parametrize(("scraper", "loaded"), [("kto", ""), ("novibet", "curl_cffi")])
def test_only_what_the_engine_needs(scraper: str, loaded: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, scraper], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == loaded
