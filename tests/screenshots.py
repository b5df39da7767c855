"""`make screenshots`: pictures of the running fleet's status page for the README, into docs/images."""

import os
import sys
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, expect

from tests.browser import chromium
from tests.fleet import ROOT

IMAGES = ROOT / "docs/images"
SITE = "http://dashboard:8080"
PATIENCE = 30_000  # milliseconds


class Picture(NamedTuple):
    name: str
    path: str
    theme: Literal["light", "dark"]
    width: int
    height: int


PICTURES = (
    Picture("overview-light", "/", "light", 1280, 1000),
    Picture("overview-dark", "/", "dark", 1280, 1000),
    Picture("phone", "/", "light", 390, 844),
    Picture("scraper", "/scraper/superbet", "light", 1280, 900),
)


def main() -> int:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium(os.environ.get("COMPOSE_PROJECT_NAME", "oddsfleet")) as browser:
        for picture in PICTURES:
            take(browser, picture)
            size = (IMAGES / f"{picture.name}.png").stat().st_size
            print(f"docs/images/{picture.name}.png  {size / 1000:.0f} KB")  # noqa: T201
    return 0


def take(browser: Browser, picture: Picture) -> None:
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        is_mobile=picture.width < 600,
        color_scheme=picture.theme,
        locale="en-US",
    )
    page = context.new_page()
    page.goto(SITE + picture.path)
    expect(page.locator("#content")).not_to_contain_text("measuring", timeout=PATIENCE)
    page.screenshot(path=IMAGES / f"{picture.name}.png")
    context.close()


if __name__ == "__main__":
    sys.exit(main())
