"""Pages: what they say, in words, and that what sites and logs say stays text and holds no secret."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import view_containers, view_incidents, view_overview, view_scraper, view_surebets
from dashboard.model import Container, Snapshot, Usage
from dashboard.view import Frame, fill_ages, page
from dashboard.view_scraper import ScraperPage
from dashboard.words import SPEAKERS
from store.dashboard import (
    EndedSurebet,
    IncidentRow,
    LegRow,
    LineRow,
    MatchDetail,
    MatchRow,
    Move,
    Point,
    Row,
    ScraperDetail,
    SurebetRow,
    Surebets,
    WatchdogRow,
)
from tests.dashboard.rows import NOW, row, snapshot
from tests.dashboard.test_html import parsed

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SECRET = "sb_secret_abcdefgh1234"
EN = SPEAKERS["en"]


def overview(shown: Snapshot, language: str = "en") -> str:
    words = SPEAKERS[language]
    return view_overview.content(view_overview.fragments(shown, words), words)


def text_of(markup: str) -> str:
    return parsed(fill_ages(markup, NOW, EN)).text


def test_cards_count_what_works_and_what_does_not() -> None:
    shown = snapshot(
        row("a"), row("b", status="warning"), row("c", status="error"), row("d", desired="paused", status="error"),
        row("e", status="waiting"), odds_last_minute=12345, surebets=2,
    )  # fmt: skip
    text = text_of(view_overview.cards(shown, EN))
    for part in ("Active1of 5", "With problems21 paused", "Last update12 s", "Odds in the last minute12,345", "now2"):
        assert part in text


@pytest.mark.parametrize(
    ("status", "mark", "word"),
    [("ok", "●", "OK"), ("warning", "▲", "late"), ("error", "✖", "no data"), ("waiting", "◌", "waiting")],
)
def test_a_status_is_a_mark_and_a_word(status: str, mark: str, word: str) -> None:
    assert f"{mark}{word}" in text_of(overview(snapshot(row(status=status))))


def test_a_row_of_the_table_says_all_of_it() -> None:
    ill = row(
        status="error", cause="blocked", error="403", failures=4, restarts_used=2, circuit="half_open",
        spark=(Point(1, 0), Point(2, 50)),
    )  # fmt: skip
    text = text_of(view_overview.table_row(ill, EN))
    for part in (
        "Kto",
        "no data",
        "12 s",
        "120",
        "7",
        "1.5 s",
        "2 of 5",
        "on trial",
        "blocked by the site",
        "4 failures",
    ):
        assert part in text, part
    assert "0 to 50, now 0" in view_overview.table_row(ill, EN)


def test_what_is_unknown_is_a_dash() -> None:
    text = text_of(view_overview.table_row(Row(name="x", title="X", status="unknown"), EN))
    assert "no sign yet" in text
    assert "0 of" not in text
    assert text.count("–") >= 4


def test_a_row_only_changes_with_what_it_says() -> None:
    """Nothing of the time of looking is in it: else every page would get every row every two seconds."""
    first = view_overview.fragments(snapshot(row()), EN)
    later = view_overview.fragments(snapshot(row(), now=NOW + 9), EN)
    assert first == later


def test_ages_are_filled_for_readers_without_scripts() -> None:
    markup = fill_ages(overview(snapshot(row())), NOW, EN)
    assert "\0" not in markup
    assert ">12 s</time>" in markup


def test_the_database_away_is_said_with_the_age_of_what_is_shown() -> None:
    markup = fill_ages(overview(snapshot(row(), down="no route to host")), NOW + 90, EN)
    text = parsed(markup).text
    assert "the last known state, from 90 s ago" in text
    assert "no route to host" in text
    assert "Kto" in text
    assert "there is no state to show yet" in text_of(overview(Snapshot(down="gone")))


def test_a_silent_watchdog_is_said() -> None:
    assert "silent for 3 min" in text_of(overview(snapshot(row(), watchdog=WatchdogRow(NOW - 180))))
    assert "has not reported yet" in text_of(overview(snapshot(row(), watchdog=None)))


def test_both_languages() -> None:
    shown = snapshot(row(status="error", cause="hang"))
    assert "travado" in overview(shown, "pt-BR")
    assert "hangs" in overview(shown, "en")


def sequential() -> Snapshot:
    unit = Container(name="x-1", service="scraper-seq-light", state="running", scrapers=("kto", "stake"))
    return snapshot(row("kto"), row("stake"), containers=(unit,))


def test_scrapers_that_share_a_container_are_acted_on_together() -> None:
    shown = sequential()
    assert shown.mode == "sequential"
    assert shown.unit_of("stake") == "seq-light"
    assert snapshot(row("kto", unit="seq-light")).unit_of("kto") == "seq-light", "also while Docker cannot be asked"


def test_a_silent_service_is_named_in_what_to_type() -> None:
    one = IncidentRow(id="1", subject="json-generator", cause="service_silent", opened_at=NOW)
    shown = snapshot(row("json-generator", kind="service"), incidents=(one,))
    for content in (overview(shown), view_incidents.content(view_incidents.fragments((one,), shown, EN), EN)):
        assert "make logs S=json-generator" in str(content)


# --- Everything hostile, everywhere ---


def hostile_pages(evil: str) -> list[str]:
    bad = row(title=evil, error=evil, cause="changed", status="error")
    incident = IncidentRow(
        id="1", subject="kto", cause=evil, detail=evil, opened_at=NOW, budget=evil,
        timeline=({"cause": evil}, {"cause": evil}),
        evidence={"log": [evil], "stacks": evil, "processes": [evil], "memory_mb": evil},
    )  # fmt: skip
    container = Container(
        name=evil, service=evil, state=evil, scrapers=("kto", "x"), usage=Usage(at=1, cpu_seconds=1, memory=1)
    )
    shown = snapshot(
        bad, row("json-generator", kind="service", error=evil), containers=(container,), incidents=(incident,)
    )
    line = msgspec.json.encode({"time": evil, "level": evil, "event": evil, "x": evil}).decode()
    detail = ScraperDetail(incidents=(incident,), extra={"proxies": [{"proxy": evil, "state": evil, "strikes": evil}]})
    scraper = ScraperPage(row=bad, detail=detail, log=(evil, line))
    leg = LegRow(outcome="home", market="h2h", bookmaker=evil, price=2, stake=1, payout=2, title=evil)
    bet = SurebetRow(
        match_id=1, home=evil, away=evil, league=evil, starts_at=NOW, profit=1, best_profit=1, suspicious=True,
        first_seen=NOW, last_seen=NOW, legs=(leg,),
    )  # fmt: skip
    found = Surebets((bet,), (EndedSurebet(1, evil, evil, 1, True, NOW, NOW),), (MatchRow(1, evil, evil, evil, NOW),))
    prices = LineRow(evil, "h2h", "home", (msgspec.convert(["2026-11-18T15:00:00Z", 2.5], Move),))
    match = MatchDetail(1, evil, evil, evil, NOW, (prices,))
    parts = (
        view_overview.content(view_overview.fragments(shown, EN), EN),
        view_incidents.content(view_incidents.fragments((incident,), shown, EN), EN),
        view_scraper.content(
            view_scraper.fragments(scraper, shown, EN),
            view_scraper.actions(scraper, evil, EN, csrf="x", can_log_in=True),
        ),
        view_surebets.content(view_surebets.fragments(found, shown, EN), EN),
        view_surebets.match_content(match, view_surebets.match_fragments(match, shown, EN), EN),
        view_containers.content(view_containers.fragments(shown, EN), EN),
        overview(snapshot(bad, down=evil)),
    )
    return [page(Frame(words=EN), evil, "overview", "v", NOW, part) for part in parts]


def shape(pages: list[str]) -> list[list[str]]:
    return [parsed(markup).tags for markup in pages]


HARMLESS = shape(hostile_pages("x"))


@given(st.one_of(st.just(EVIL), st.text(alphabet="<>\"'&/=! \0\x01abcscript\u202e", min_size=1, max_size=40)))
def test_nothing_that_was_read_becomes_markup(evil: str) -> None:
    assert shape(hostile_pages(evil)) == HARMLESS


def test_no_secret_of_an_error_or_a_log_is_in_a_page() -> None:
    leak = f"{SECRET} https://user:hunter22@proxy.example:8080 token=abcdefgh"
    incident = IncidentRow(
        id="1", subject="kto", cause="hang", detail=leak, opened_at=NOW,
        evidence={"log": [leak], "stacks": leak, "processes": [leak]},
    )  # fmt: skip
    line = msgspec.json.encode({"level": "info", "event": leak, "x": leak}).decode()
    detail = ScraperDetail(incidents=(incident,), extra={"proxies": [{"proxy": leak}]})
    shown = snapshot(row(error=leak), row("json-generator", kind="service", error=leak), down=leak)
    scraper = ScraperPage(row=row(error=leak), detail=detail, log=(leak, line))
    for markup in (
        overview(shown),
        "".join(view_scraper.fragments(scraper, shown, EN).values()),
        "".join(view_scraper.fragments(ScraperPage(row=row(), log_away=leak), shown, EN).values()),
        "".join(view_incidents.fragments((incident,), shown, EN).values()),
        "".join(view_containers.fragments(Snapshot(docker_down=leak), EN).values()),
    ):
        assert "proxy.example" in markup
        for secret in ("hunter22", SECRET, "abcdefgh"):
            assert secret not in markup


@pytest.mark.parametrize(("outcome", "said"), [("home", "Fla (early payout)"), ("draw", "Draw (2up market)")])
def test_a_surebet_promises_early_payout_for_a_side_and_not_for_the_draw(outcome: str, said: str) -> None:
    leg = LegRow(outcome=outcome, market="h2h_2up", bookmaker="kto", price=2, stake=1, payout=2)
    bet = SurebetRow(
        match_id=1, home="Fla", away="Flu", league="x", starts_at=NOW, profit=1, best_profit=1, suspicious=False,
        first_seen=NOW, last_seen=NOW, legs=(leg,),
    )  # fmt: skip
    text = text_of(view_surebets.surebet(bet, EN))
    assert said in text
    assert ("early payout" in text) == (outcome != "draw")
