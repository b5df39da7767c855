"""Configuration: from variables or files, and never wrong in silence."""

from pathlib import Path

import pytest

from common.settings import BadSetting, LogSettings, ScraperSettings, Secret, StoreSettings, read
from watchdog.policy import WatchdogSettings


def test_defaults() -> None:
    assert read(ScraperSettings, {}).cycle_timeout == 120


def test_a_value_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sb_secret_x\n")
    read_settings = read(StoreSettings, {"SUPABASE_KEY_FILE": str(tmp_path / "key")})
    assert read_settings.supabase_key.reveal() == "sb_secret_x"


def test_an_empty_variable_counts_as_unset() -> None:
    assert read(ScraperSettings, {"CYCLE_TIMEOUT": ""}).cycle_timeout == 120


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"CYCLE_TIMEOUT": "soon"}, "CYCLE_TIMEOUT"),
        ({"CYCLE_TIMEOUT": "-1"}, "CYCLE_TIMEOUT"),
        ({"CYCLE_TIMEOUT": "nan"}, "CYCLE_TIMEOUT"),
        ({"CYCLE_TIMEOUT": "inf"}, "CYCLE_TIMEOUT"),
        ({"SPOOL_MAX_MB": "1.5"}, "SPOOL_MAX_MB"),
        ({"SIMULATOR_URL": "simulator:9000"}, "SIMULATOR_URL"),
        ({"CYCLE_TIMEOUT_FILE": "/does/not/exist"}, "CYCLE_TIMEOUT_FILE"),
        ({"CYCLE_TIMEOUT_FILE": "/x", "CYCLE_TIMEOUT": "1"}, "CYCLE_TIMEOUT_FILE"),
    ],
)
def test_a_bad_value_names_its_variable(environ: dict[str, str], named: str) -> None:
    with pytest.raises(BadSetting, match=named):
        read(ScraperSettings, environ)


def test_a_missing_key_says_what_to_do() -> None:
    with pytest.raises(BadSetting, match="SUPABASE_KEY is not set"):
        read(StoreSettings, {})


def test_a_bad_log_level() -> None:
    with pytest.raises(BadSetting, match="LOG_LEVEL"):
        read(LogSettings, {"LOG_LEVEL": "LOUD"})


def test_docker_is_a_socket_and_no_port() -> None:
    assert read(WatchdogSettings, {}).docker_url == "unix:///run/act/docker.sock"
    with pytest.raises(BadSetting, match="DOCKER_PROXY_URL"):
        read(WatchdogSettings, {"DOCKER_PROXY_URL": "http://docker-proxy:2375"})


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("hush")
    assert "hush" not in f"{secret} {secret!r} {read(StoreSettings, {'SUPABASE_KEY': 'hush'})!r}"
