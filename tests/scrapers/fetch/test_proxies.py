import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.settings import BadSetting
from scrapers.errors import Blocked
from scrapers.fetch.proxies import BLOCK_REST, FAILURE_REST, FORGIVEN_AFTER, LONGEST_REST, Proxies, parse_proxies

TWO = "http://a.test:1\nsocks5://b.test:2"


def test_entries_of_all_kinds() -> None:
    text = "http://ana:p%40ss@a.test:8080, https://b.test:443\n\n socks5://u:p@10.0.0.1:1080 ,socks5h://[::1]:1080/"
    proxies = parse_proxies(text)
    assert [proxy.name for proxy in proxies] == ["#1 a.test:8080", "#2 b.test:443", "#3 10.0.0.1:1080", "#4 ::1:1080"]
    assert (proxies[0].username, proxies[0].password) == ("ana", "p@ss")
    assert proxies[0].url == "http://ana:p%40ss@a.test:8080"
    assert parse_proxies(" \n,") == ()


@pytest.mark.parametrize(
    "entry",
    ["ftp://ana:hunter2@a.test:1", "ana:hunter2@a.test:1", "http://ana:hunter2@a.test", "http://ana:hunter2@:80",
     "http://ana:hunter2@a.test:port", "http://ana:hunter2@a.test:99999", "http://ana:hunter2@[a.test:1",
     "http://ana:hun/ter2@a.test:1", "http://ana:hunter2@a.test:1/path", "http://ana:hunter2@a.test:1?x=hunter2"],
)  # fmt: skip
def test_bad_entry_is_named_by_its_position_only(entry: str) -> None:
    with pytest.raises(BadSetting, match="PROXY_LIST, entry 2: ") as bad:
        parse_proxies(f"http://a.test:1,{entry}")
    assert "hunter2" not in str(bad.value)
    assert "ana" not in str(bad.value)


def test_credentials_do_not_show() -> None:
    (proxy,) = parse_proxies("http://ana:p%40ss@a.test:8080")
    assert "ana" not in repr(proxy)
    assert "ss" not in repr(proxy)
    hidden = proxy.hide("407 from http://ana:p%40ss@a.test:8080 for ana with p@ss")
    assert "ana" not in hidden
    assert "p@ss" not in hidden
    assert "p%40ss" not in hidden
    assert "a.test:8080" in hidden


def test_no_list_no_proxy() -> None:
    assert Proxies().pick(0.0) is None
    assert Proxies().describe(0.0) == []


def test_rest_grows_with_each_block_and_is_forgiven() -> None:
    proxies = Proxies(parse_proxies(TWO))
    first, now = proxies.pick(0.0), 0.0
    assert first
    rests = []
    for _ in range(8):
        rests.append(proxies.blocked(first, now))
        now += rests[-1]
        assert proxies.is_healthy(first, now)
    assert rests == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    for _ in range(8 * FORGIVEN_AFTER):
        proxies.worked(first)
    assert proxies.blocked(first, now) == BLOCK_REST


def test_a_failure_rests_shorter_and_a_site_may_ask_for_more() -> None:
    proxies = Proxies(parse_proxies(TWO))
    first, second = proxies.pick(0.0), proxies.pick(0.0)
    assert first
    assert second
    assert proxies.failed(first, 0.0) == FAILURE_REST
    assert proxies.blocked(second, 0.0, asked=900.0) == 900.0


def test_none_healthy() -> None:
    proxies = Proxies(parse_proxies(TWO))
    for _ in range(2):
        picked = proxies.pick(0.0)
        assert picked
        proxies.blocked(picked, 0.0)
    assert not proxies.any_healthy(59.0)
    with pytest.raises(Blocked, match="no healthy proxy of 2, next in 20 s") as refused:
        proxies.pick(40.0)
    assert refused.value.retry_after == 20.0
    assert proxies.describe(40.0)[0] == {"proxy": "#1 a.test:1", "state": "blocked", "strikes": 1, "rests_s": 20}
    assert proxies.pick(60.0)


events = st.lists(st.tuples(st.sampled_from(["worked", "blocked", "failed"]), st.floats(0, 500)), max_size=60)


@given(size=st.integers(1, 5), events=events, keep=st.booleans())
def test_whatever_happens(size: int, events: list[tuple[str, float]], keep: bool) -> None:
    """Only healthy ones are given out; when there is none, the promised time is the truth."""
    proxies = Proxies(parse_proxies(",".join(f"http://p{number}.test:1" for number in range(size))))
    now = 0.0
    for event, seconds in events:
        now += seconds
        if not proxies.any_healthy(now):
            with pytest.raises(Blocked) as refused:
                proxies.pick(now, keep=keep)
            assert refused.value.retry_after
            assert 0 < refused.value.retry_after <= LONGEST_REST + 1e-6  # a difference of floats
            now += refused.value.retry_after + 0.001
        picked = proxies.pick(now, keep=keep)
        assert picked
        assert proxies.is_healthy(picked, now)
        getattr(proxies, event)(*([picked] if event == "worked" else [picked, now]))
