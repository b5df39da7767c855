"""Only inside a container, that of bench.leak: `python -m scrapers run betano`, with a parameter that lets pages leak.

python -m bench.leaking run|stop SECONDS
"""

import asyncio
import sys
from dataclasses import replace

from common import logs, settings
from scrapers import catalog
from scrapers.runner import run


def scrape() -> None:
    _, scripts, every = sys.argv
    logs.configure(settings.read(settings.LogSettings))
    book = catalog.get("betano")
    book = replace(book, params={**book.params, "scripts": scripts})
    asyncio.run(
        run([book], settings.read(settings.ScraperSettings), settings.read(settings.StoreSettings), float(every))
    )


if __name__ == "__main__":
    scrape()
