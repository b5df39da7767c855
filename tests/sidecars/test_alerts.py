"""Which messages Discord should get about surebets, and what they say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from common.discord import Embed
from sidecars.alerts import WORDS, Act, Shown, closed_embed, number, open_embed, plan, show
from sidecars.export import Found
from simulator.discord import problem
from store.alerts import UNKNOWN, Alert
from store.export import MatchRow
from tests.sidecars.rows import BETBRA, KTO, NOW, STAKE, SUREBET, draft, line, match

AT = datetime.fromtimestamp(NOW, UTC)


def found(*matches: MatchRow) -> list[Found]:
    return draft(*matches)[0].found


def said(one: Found, **changes: Any) -> Alert:  # noqa: ANN401
    values: dict[str, Any] = {
        "id": one.match.id,
        "match_id": one.match.id,
        "message_id": "55",
        "shown": msgspec.json.decode(msgspec.json.encode(show(one))),  # through the database and back
        "opened_at": AT - timedelta(seconds=90),
        "closed": False,
    }
    return Alert(**(values | changes))


(BET,) = found(SUREBET)
(MOVED,) = found(match(1, line(KTO, 3.25, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9)))


def acts(now: list[Found], before: list[Alert], min_profit: float = 1.0) -> list[Act]:
    return [step.act for step in plan(now, before, min_profit)]


(LESS,) = found(match(1, line(KTO, 3.1, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9)))


def said_again(one: Found, alert: Alert) -> Alert:
    """The same message, after the edit that this calls for."""
    (step,) = plan([one], [alert], 1.0)
    return said(one, shown=msgspec.json.decode(msgspec.json.encode(step.shown)))


def test_a_new_one_is_posted_once() -> None:
    assert acts([BET], []) == [Act.POST]
    assert acts([BET], [said(BET)]) == []


def test_what_changed_is_edited() -> None:
    assert acts([MOVED], [said(BET)]) == [Act.EDIT]


def test_what_is_gone_is_closed_once() -> None:
    assert acts([], [said(BET)]) == [Act.CLOSE]
    assert acts([], [said(BET, closed=True)]) == []


def test_what_comes_back_soon_goes_on_in_its_message() -> None:
    assert acts([BET], [said(BET, closed=True)]) == [Act.EDIT]


def test_below_the_limit_nobody_is_told_but_an_open_one_goes_on() -> None:
    assert acts([BET], [], min_profit=9.0) == []
    (step,) = plan([MOVED], [said(BET)], 9.0)
    assert step.act is Act.EDIT
    below = msgspec.json.decode(msgspec.json.encode(step.shown))
    assert acts([MOVED], [said(MOVED, shown=below)], min_profit=9.0) == []


@pytest.mark.parametrize(("language", "words"), [("pt-BR", "abaixo de 5,50 %"), ("en", "below 5.50%")])
def test_one_that_falls_below_the_limit_says_so_and_looks_like_it(language: str, words: str) -> None:
    fallen, risen = (plan([now], [said(before)], 5.5)[0].shown for now, before in ((LESS, MOVED), (MOVED, LESS)))
    muted, bright = (open_embed(shown, {}, language, AT) for shown in (fallen, risen))
    accepted(muted)
    assert words in muted.description
    assert words not in bright.description
    assert len({muted.color, bright.color, closed_embed(fallen, AT, language, AT).color}) == 3


def test_one_that_may_have_been_sent_is_not_sent_again() -> None:
    assert acts([BET], [said(BET, message_id=None)]) == []
    assert acts([], [said(BET, message_id=None)]) == [Act.FORGET]
    assert acts([BET], [said(BET, message_id=UNKNOWN)]) == []
    assert acts([MOVED], [said(BET, message_id=UNKNOWN, closed=True)]) == []
    assert acts([], [said(BET, message_id=UNKNOWN)]) == [Act.CLOSE]


def test_the_best_new_one_comes_first_and_one_match_has_one_message() -> None:
    better = match(9, line(KTO, 3.6, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9))
    gone = said(BET, id=50, match_id=50)
    steps = plan([BET, *found(better), BET], [gone], 1.0)
    assert [(step.act, step.shown.match_id) for step in steps[:2]] == [(Act.POST, 9), (Act.POST, 1)]
    assert [step.act for step in steps[2:]] == [Act.CLOSE]


def test_the_end_of_one_does_not_wait_for_edits_of_better_ones() -> None:
    better = found(match(9, line(KTO, 3.6, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9)))
    ended = [said(BET, id=50, match_id=50), said(BET, id=51, match_id=51, message_id=None)]
    edited = said(better[0], shown=ended[0].shown)
    assert acts([*better, BET], [edited, *ended]) == [Act.POST, Act.CLOSE, Act.FORGET, Act.EDIT]


def test_among_those_above_the_limit_the_most_money_is_shown() -> None:
    """An exchange that pays 3.6 for a few reais beside a book that pays 3.2 for the whole bank."""
    limited = line(BETBRA, 3.6, None, None, home_liquidity=10.0)
    both = found(match(1, line(KTO, 3.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9), limited))
    little, much = both
    assert little.bet.profit_percent > much.bet.profit_percent > 5.0
    assert little.bet.profit < much.bet.profit

    def shown(min_profit: float, *before: Alert) -> list[float]:
        return [step.shown.profit for step in plan(both, before, min_profit)]

    assert shown(1.0) == shown(much.bet.profit_percent) == [much.bet.profit / 100]
    assert shown(much.bet.profit_percent + 0.01) == [little.bet.profit / 100]
    assert shown(99.0) == []
    assert shown(99.0, said(much)) == [little.bet.profit / 100], "an open message is looked after"


def accepted(embed: Embed) -> None:
    assert problem({"embeds": [msgspec.to_builtins(embed.clipped())]}, new=True) is None


@pytest.mark.parametrize("language", WORDS)
def test_it_says_legs_stakes_links_and_age(language: str) -> None:
    embed = open_embed(show(BET), {"kto": 12, "stake": 31}, language, AT)
    accepted(embed)
    assert len(embed.fields) == 3
    assert "Flamengo" in embed.title
    assert number(5.1, language) in embed.title
    assert all("https://" in field.value and number(0, language)[-3:] not in field.name for field in embed.fields)
    assert "12 s" in embed.fields[0].value
    assert "31 s" in embed.fields[2].value
    assert number(328.44, language) in embed.fields[0].value
    accepted(closed := closed_embed(show(BET), AT - timedelta(minutes=4), language, AT))
    assert "4 min" in closed.description


def test_at_the_end_it_tells_the_highest_profit_that_it_showed() -> None:
    (ended,) = plan([], [said_again(LESS, said_again(MOVED, said(BET)))], 1.0)
    told = closed_embed(ended.shown, AT, "en", AT).description
    assert f"up to {MOVED.bet.profit_percent}%" in told
    assert MOVED.bet.profit_percent > BET.bet.profit_percent > LESS.bet.profit_percent


def test_a_message_of_an_older_version_ends_with_what_it_said_last() -> None:
    older = {key: value for key, value in said(BET).shown.items() if key != "best_percent"}
    assert acts([BET], [said(BET, shown=older)]) == []
    (ended,) = plan([], [said(BET, shown=older)], 1.0)
    assert f"up to {number(BET.bet.profit_percent, 'en')}%" in closed_embed(ended.shown, AT, "en", AT).description


def test_a_bookmaker_has_the_name_that_it_gives_itself() -> None:
    assert open_embed(show(BET), {}, "en", AT).fields[0].name == "Flamengo · Kto"
    before = said(BET).shown
    older = msgspec.convert(before | {"legs": [without_title(leg) for leg in before["legs"]]}, Shown)
    assert closed_embed(older, AT, "en", AT).fields[0].name == "Flamengo · kto", "of a message that knew no other"


def without_title(leg: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in leg.items() if key != "title"}


def test_early_payout_is_promised_for_a_side_and_not_for_the_draw() -> None:
    plain_legs, sides = (line(KTO, 3.2, 3.4, 2.3), line(STAKE, 2.4, 3.1, 2.9)), line(KTO, 3.3, None, None, "h2h_2up")
    (on_a_side,) = found(match(1, *plain_legs, sides))
    (on_the_draw,) = found(match(1, *plain_legs, line(KTO, None, 3.5, None, "h2h_2up")))

    def told(one: Found) -> tuple[bool, list[str]]:
        embed = open_embed(show(one), {}, "en", AT)
        return "may pay twice" in embed.description, [field.name.partition("(")[2] for field in embed.fields]

    assert told(on_a_side) == (True, ["2up)", "", ""])
    assert told(on_the_draw) == (False, ["", "2up market)", ""]), "where to bet, and no more"


def test_both_languages_have_the_same_words() -> None:
    assert WORDS["en"].keys() == WORDS["pt-BR"].keys()


def test_a_hostile_name_is_only_text() -> None:
    nasty = match(
        1,
        line(KTO, 3.2, 3.4, 2.3),
        line(STAKE, 2.4, 3.1, 2.9),
        home="@everyone [x](https://evil) " * 3,
        away="`*_~" * 20,
    )
    (one,) = found(nasty)
    embed = open_embed(show(one), {}, "en", AT)
    accepted(embed)
    assert "[x](" not in embed.title


def test_numbers_are_in_the_readers_way() -> None:
    assert number(1234.5, "pt-BR") == "1.234,50"
    assert number(1234.5, "en") == "1,234.50"
    assert [number(price, "en", whole=True) for price in (2.1, 2.0, 1.9125, 10.0)] == [
        "2.10",
        "2.00",
        "1.9125",
        "10.00",
    ]
