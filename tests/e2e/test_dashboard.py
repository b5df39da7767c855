"""The status page in a real browser, on a small watched fleet: it follows what happens, and nothing that a site, a log
or a stranger says gets a hold on it."""

import math
from collections.abc import Callable, Iterator
from typing import Literal

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.browser import chromium
from tests.faulty import MARKUP
from tests.fleet import docker, make_secrets
from tests.watched import PACE, PATIENCE, Watched, watched_fleet

pytestmark = pytest.mark.docker

SCRAPERS = ("superbet", "novibet", "kto")
SITE = "http://dashboard:8080"
TOKEN = "correct horse battery"
LIGHTEST_VIEW = 100_000  # bytes
PAGES = ("/", "/incidents", "/surebets", "/containers", "/scraper/kto", "/login", "/match/{match}")
expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    secrets = make_secrets(tmp_path_factory.mktemp("secrets"), DASHBOARD_TOKEN=TOKEN)
    watched = watched_fleet(secrets, SCRAPERS, DASHBOARD_POLL="0.5")
    services = [f"scraper-{name}" for name in SCRAPERS]
    try:
        watched.fleet.start(
            "supabase", "simulator", "docker-proxy", "watchdog", "json-generator", "dashboard", *services
        )
        watched.await_odds(*SCRAPERS)
        watched.await_calm()
        yield watched
    finally:
        watched.fleet.remove()


@pytest.fixture(scope="module")
def browser(fleet: Watched) -> Iterator[Browser]:
    with chromium(fleet.fleet.project) as browser:
        yield browser


@pytest.fixture
def watched(fleet: Watched) -> Iterator[Watched]:
    yield fleet
    fleet.clear_site_faults()
    for name in SCRAPERS:
        fleet.inject(name, "")


Open = Callable[..., Page]
Theme = Literal["light", "dark"]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens a page as a reader of one's own; it fails when a script of the page does, or its policy is hurt."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def visit(path: str = "/", width: int = 1280, locale: str = "en-US", color_scheme: Theme = "light") -> Page:
        size: ViewportSize = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, is_mobile=width < 600, locale=locale, color_scheme=color_scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        page.goto(SITE + path)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


def row(page: Page, scraper: str) -> Locator:
    return page.locator(f"#row-{scraper}")


def status_becomes(page: Page, scraper: str, *statuses: str) -> None:
    page.wait_for_function(
        "([id, wanted]) => wanted.includes(document.getElementById(id)?.dataset.status)",
        arg=[f"row-{scraper}", list(statuses)],
        timeout=PATIENCE * 1000,
    )


def log_in(page: Page) -> None:
    page.goto(f"{SITE}/login?next=/scraper/kto")
    page.get_by_label("Token").fill(TOKEN)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{SITE}/scraper/kto")


# --- It follows ---


def test_the_table_follows_a_hang_and_its_healing_without_a_reload(watched: Watched, visit: Open) -> None:
    page = visit()
    page.evaluate("window.opened = 'once'")
    status_becomes(page, "superbet", "ok")
    watched.inject("superbet", "loop")
    status_becomes(page, "superbet", "warning", "error")
    # Nothing arrives of it now, and its age goes on.
    age = row(page, "superbet").locator("time").inner_text()
    expect(row(page, "superbet").locator("time")).not_to_have_text(age)
    expect(row(page, "superbet")).to_contain_text("hangs")
    expect(page.locator("#open")).to_contain_text("superbet")
    status_becomes(page, "superbet", "ok")
    expect(row(page, "superbet")).to_contain_text(f"1 of {PACE['WATCHDOG_BUDGET']}")
    expect(page.locator("#said")).to_contain_text("Superbet: OK")
    assert page.evaluate("window.opened") == "once"
    # The page of this scraper has the incident with what was kept before the restart.
    page.goto(f"{SITE}/scraper/superbet")
    expect(page.locator("#incidents")).to_contain_text("hangs")
    page.locator("summary").first.click()
    expect(page.locator("#incidents details pre").first).to_contain_text("odds of")
    expect(page.locator("#restarts")).to_contain_text("confirmed by odds")
    expect(page.locator("#plots svg")).to_have_count(2)
    expect(page.locator("#log")).to_contain_text("odds of")
    expect(page.locator("#head")).to_contain_text("of 100 MB")


def test_what_the_containers_use(watched: Watched, visit: Open) -> None:
    page = visit("/containers")
    expect(page.locator("#containers")).to_contain_text("parallel")
    for service in ("scraper-kto", "watchdog", "supabase", "dashboard"):
        cells = page.get_by_role("row").filter(has_text=service).first
        expect(cells).to_contain_text("MB")
        expect(cells).to_contain_text("%")  # two readings have been made
    names = page.locator("tbody th").all_inner_texts()
    running = watched.fleet.compose("ps", "--all", "--services").split()
    assert sorted(names) == sorted(name for name in running if name != "operator")


def test_supabase_stopped_while_a_page_is_open(watched: Watched, visit: Open) -> None:
    page = visit()
    page.evaluate("window.opened = 'once'")
    status_becomes(page, "kto", "ok")
    health = f"http://{watched.fleet.host_port('dashboard', 8080)}/health"
    watched.eventually("healthy", lambda: httpx.get(health).status_code == 200)
    watched.fleet.compose("stop", "supabase")
    try:
        expect(page.locator("#banner")).to_contain_text("Supabase does not answer. This is the last known state, from")
        first = page.locator("#banner time").inner_text()
        expect(page.locator("#banner time")).not_to_have_text(first)
        expect(row(page, "kto")).to_be_visible()
        fresh = visit("/scraper/kto")
        expect(fresh.locator("#banner")).to_contain_text("last known state")
        expect(fresh.locator("h1")).to_contain_text("KTO")
        watched.eventually("ill", lambda: httpx.get(health).status_code == 503)
        checks = httpx.get(health).json()["checks"]
        assert not checks["database"]["ok"]
        assert not checks["storage"]["ok"]
        assert checks["disk"]["ok"]
    finally:
        watched.fleet.compose("start", "supabase")
    expect(page.locator("#banner")).to_be_empty()
    status_becomes(page, "kto", "ok")
    assert page.evaluate("window.opened") == "once"
    watched.eventually("healthy again", lambda: httpx.get(health).status_code == 200)


def test_an_open_page_outlives_the_dashboard(watched: Watched, visit: Open) -> None:
    page = visit()
    page.evaluate("window.opened = 'once'")
    status_becomes(page, "kto", "ok")
    watched.fleet.compose("stop", "dashboard")
    assert watched.fleet.inspect("dashboard", "{{.State.ExitCode}}") == "0", "open pages must not hold it up"
    expect(page.locator("#lost")).to_be_visible()
    watched.fleet.compose("start", "dashboard")
    expect(page.locator("#lost")).to_be_hidden()
    before = row(page, "kto").locator("time").get_attribute("data-since")
    expect(row(page, "kto").locator("time")).not_to_have_attribute("data-since", before or "")
    assert page.evaluate("window.opened") == "once"


# --- Reading it ---


def test_filter_search_and_sort(watched: Watched, visit: Open) -> None:
    page = visit()
    watched.site_fault("novibet", "403")
    status_becomes(page, "novibet", "warning", "error")
    page.get_by_label("Show").select_option("problems")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    expect(row(page, "novibet")).to_be_visible()
    page.get_by_label("Show").select_option("")
    page.get_by_label("Search").fill("KT")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 3 in the table")
    page.get_by_label("Search").fill("nobody is called this")
    expect(page.locator("#shown")).to_contain_text("Nothing matches.")
    page.get_by_label("Search").fill("")
    # By keyboard: a heading is a button.
    heading = page.get_by_role("columnheader", name="Collected")
    heading.get_by_role("button").focus()
    for order in ("ascending", "descending"):
        page.keyboard.press("Enter")
        expect(heading).to_have_attribute("aria-sort", order)
        # It stays so when cycles arrive, one after the other.
        before = row(page, "kto").locator("time").get_attribute("data-since")
        expect(row(page, "kto").locator("time")).not_to_have_attribute("data-since", before or "")
        numbers = [
            float(key) for key in page.locator("td.c-collected").evaluate_all("all => all.map(x => x.dataset.key)")
        ]
        assert numbers == sorted(numbers, reverse=order == "descending")
    expect(page.get_by_role("columnheader", name="Scraper")).to_have_attribute("aria-sort", "none")


def test_both_languages(visit: Open) -> None:
    page = visit(locale="pt-BR")
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.locator("#cards")).to_contain_text("Odds no último minuto")
    page.get_by_role("link", name="English").click()
    expect(page.locator("#cards")).to_contain_text("Odds in the last minute")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    # Live updates speak it, too.
    before = row(page, "kto").locator("time").get_attribute("data-since")
    expect(row(page, "kto").locator("time")).not_to_have_attribute("data-since", before or "")
    expect(row(page, "kto").locator("[data-label='Collected']")).to_be_visible()
    page.get_by_role("link", name="Português").click()
    expect(page.locator("#cards")).to_contain_text("Ativos")
    expect(visit(locale="de-DE").locator("#cards")).to_contain_text("Active")


def brightness(page: Page) -> float:
    red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    return float(red + green + blue) / 765


def test_both_themes(visit: Open) -> None:
    assert brightness(visit(color_scheme="light")) > 0.8
    page = visit(color_scheme="dark")
    assert brightness(page) < 0.2
    light, dark = (page.get_by_role("link", name=f"{theme} theme") for theme in ("Light", "Dark"))
    light.click()
    expect(dark).to_be_visible()  # the new page is there
    assert brightness(page) > 0.8
    page.goto(f"{SITE}/incidents")
    assert brightness(page) > 0.8
    dark.click()
    expect(light).to_be_visible()
    assert brightness(page) < 0.2


def a_match(watched: Watched) -> str:
    return watched.fleet.value("select id from matches where commence_time > now() order by commence_time limit 1")


def test_a_phone(watched: Watched, visit: Open) -> None:
    for path in PAGES:
        page = visit(path.format(match=a_match(watched)), width=360)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    page = visit(width=360)
    tops = {cell.bounding_box()["y"] for cell in row(page, "kto").locator("td, th").all()}  # type: ignore[index]
    assert len(tops) > 2, "the row is a card"
    label = "getComputedStyle(document.querySelector('#row-kto .c-collected'), '::before').content"
    assert page.evaluate(label) == '"Collected"'
    expect(page.get_by_role("row").filter(has_text="KTO")).to_be_visible()  # and still a table to a screen reader


def test_nothing_serious_for_who_cannot_see_or_has_no_mouse(watched: Watched, visit: Open) -> None:
    watched.site_fault("novibet", "403")
    page = visit()
    status_becomes(page, "novibet", "error")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    match = a_match(watched)
    views = [("light", 1280, PAGES), ("dark", 1280, PAGES), ("light", 390, ("/", "/scraper/kto"))]
    for theme, width, paths in views:
        page = visit(width=width, color_scheme=theme)
        for path in paths:
            page.goto(SITE + path.format(match=match))
            found = Axe().run(page).response["violations"]
            serious = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
            assert serious == [], f"{path} {theme} {width}: {found}"


def test_the_first_view_is_light_and_asks_nobody_else(visit: Open, browser: Browser) -> None:
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    received: dict[str, float] = {}
    network.on("Network.dataReceived", lambda event: add(received, event["requestId"], event["encodedDataLength"]))
    network.on(
        "Network.loadingFinished", lambda event: received.update({event["requestId"]: event["encodedDataLength"]})
    )
    with page.expect_request(lambda request: "/events" in request.url):
        page.goto(SITE)
    expect(row(page, "kto")).to_be_visible()
    before = row(page, "kto").locator("time").get_attribute("data-since")
    expect(row(page, "kto").locator("time")).not_to_have_attribute("data-since", before or "")
    context.close()
    assert len(received) >= 3
    assert math.fsum(received.values()) < LIGHTEST_VIEW
    assert {url.startswith((f"{SITE}/", "data:")) for url in requests} == {True}, requests


def add(sums: dict[str, float], key: str, value: float) -> None:
    sums[key] = sums.get(key, 0.0) + value


# --- Acting on it ---


def wishes(watched: Watched, scraper: str) -> list[list[str]]:
    return watched.fleet.sql(
        f"select made_by, note from restart_events where unit = '{scraper}' and cause = 'asked for' order by at"
    )


def desired(watched: Watched, scraper: str) -> str:
    return watched.fleet.value(
        f"select coalesce((select desired from scraper_control where unit = '{scraper}'), 'run')"
    )


def runs(watched: Watched, scraper: str) -> bool:
    return docker("inspect", "-f", "{{.State.Running}}", watched.container(scraper)) == "true"


def post(page: Page, path: str, **form: str) -> int:
    """The status of a form that the page itself sends."""
    send = "([path, form]) => fetch(path, {method: 'POST', body: new URLSearchParams(form)}).then(got => got.status)"
    return int(page.evaluate(send, [path, form]))


def test_without_the_token_the_page_is_read_only(watched: Watched, visit: Open) -> None:
    page = visit("/scraper/kto")
    expect(page.locator("#actions")).to_contain_text("Log in with the token")
    assert page.locator("main form").count() == 0
    for action in ("restart", "pause", "resume"):
        assert post(page, f"/scraper/kto/{action}", csrf="x") == 403
    page.goto(f"{SITE}/login")
    page.get_by_label("Token").fill("not the token")
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").filter(has_text="This is not the token.")).to_be_visible()
    assert wishes(watched, "kto") == []
    assert desired(watched, "kto") == "run"


def test_with_the_token_a_scraper_is_restarted_paused_and_resumed(watched: Watched, visit: Open) -> None:
    page = visit()
    log_in(page)
    (cookie,) = [one for one in page.context.cookies() if one["name"] == "oddsfleet_session"]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert TOKEN not in cookie["value"]
    assert TOKEN not in page.content()
    run = watched.runs("kto")

    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Restart").click()
    assert wishes(watched, "kto") == [], "nothing is done that was not confirmed"

    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Restart").click()
    expect(page.get_by_text("A restart of kto is asked for")).to_be_visible()
    assert wishes(watched, "kto") == [["operator", "dashboard"]]
    expect(page.locator("#restarts")).to_contain_text("confirmed by odds")
    assert watched.runs("kto") != run

    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#head")).to_contain_text("paused")
    watched.eventually("stopped", lambda: not runs(watched, "kto"))
    assert desired(watched, "kto") == "paused"
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#head")).to_contain_text("OK")
    expect(page.get_by_role("button", name="Restart")).to_be_visible()
    watched.eventually("runs", lambda: desired(watched, "kto") == "run" and runs(watched, "kto"))

    asked, run = wishes(watched, "kto"), watched.runs("kto")
    csrf = page.locator("input[name=csrf]").first.get_attribute("value") or ""
    assert post(page, "/scraper/kto/resume", csrf=csrf) == 200, "as from a page that was open elsewhere"
    assert (wishes(watched, "kto"), watched.runs("kto")) == (asked, run), "nothing is asked of what runs"
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()
    page.wait_for_load_state()
    page.goto(f"{SITE}/scraper/kto")
    assert page.locator("main form").count() == 0


def test_another_site_cannot_act_in_the_readers_name(watched: Watched, visit: Open) -> None:
    page = visit()
    log_in(page)
    csrf = page.locator("input[name=csrf]").first.get_attribute("value")
    page.goto("http://supabase:54321/health")  # any other site
    forged = """([url, csrf]) => {
        const form = document.createElement("form");
        form.method = "post";
        form.action = url;
        form.innerHTML = `<input name="csrf" value="${csrf}">`;
        document.body.append(form);
        form.submit();
    }"""
    with page.expect_response(lambda answer: answer.url.endswith("/pause")) as answer:
        page.evaluate(forged, [f"{SITE}/scraper/kto/pause", csrf])
    assert answer.value.status == 403
    page.wait_for_url("**/pause")  # what it said has arrived
    # Nor can it be in a frame, nor read by a script under another name of this machine.
    assert answer.value.headers["x-frame-options"] == "DENY"
    port = watched.fleet.host_port("dashboard", 8080)
    assert httpx.get(f"http://{port}/", headers={"host": "rebound.example"}).status_code == 421
    # Without the form's own token a session is worth nothing.
    page.goto(SITE)
    assert post(page, "/scraper/kto/pause") == 403
    assert post(page, "/scraper/kto/pause", csrf="0" * 64) == 403
    assert desired(watched, "kto") == "run"


# --- What sites and logs say stays text ---


def test_script_in_a_team_an_error_and_a_log_line_stays_text(watched: Watched, visit: Open) -> None:
    match = a_match(watched)
    home, name = watched.fleet.sql(
        f"select t.id, t.name from teams t join matches m on m.home_team_id = t.id where m.id = {match}"
    )[0]
    watched.fleet.sql(f"update teams set name = $x${MARKUP[:80]}$x$ where id = {home}")
    try:
        for path in ("/surebets", f"/match/{match}"):
            page = visit(path)
            expect(page.locator("main")).to_contain_text(MARKUP[:80])
            unharmed(page)
    finally:
        watched.fleet.sql(f"update teams set name = $x${name}$x$ where id = {home}")
    watched.inject("kto", "always markup")
    page = visit()
    expect(row(page, "kto")).to_contain_text(MARKUP)
    unharmed(page)
    page.goto(f"{SITE}/scraper/kto")
    expect(page.locator("#head")).to_contain_text(MARKUP)
    expect(page.locator("#log")).to_contain_text(MARKUP)
    unharmed(page)
    # And when the same text comes as an update to an open page.
    watched.inject("kto", "")
    expect(page.locator("#head")).not_to_contain_text(MARKUP)
    watched.inject("kto", "always markup")
    expect(page.locator("#head")).to_contain_text(MARKUP)
    unharmed(page)


def unharmed(page: Page) -> None:
    assert page.evaluate("window.pwned") is None
    assert page.locator("main script, main img").count() == 0
