"""What an answer of Supabase means: the data's fault, or the store's."""

import pytest

from scrapers.errors import Refused
from store.rpc import StoreDown, classify

URL = "http://supabase"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b'{"code":"23514","message":"violates check constraint"}'),
        (400, b'{"code":"22P02","message":"invalid input syntax"}'),
        (400, b'{"code":"P0001","message":"no"}'),
        (413, b"too large"),
    ],
)
def test_the_data_is_to_blame(status: int, body: bytes) -> None:
    assert isinstance(classify(status, body, "rpc/x", URL), Refused)


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (401, b"", "SUPABASE_KEY"),
        (403, b'{"code":"42501","message":"permission denied"}', "SUPABASE_KEY"),
        (404, b'{"code":"PGRST202"}', "make migrate"),
        (500, b"<html>", "500"),
        (503, b'{"code":"PGRST001","message":"Database connection error"}', "Database connection error"),
        (500, b'{"code":"57014","message":"canceling statement due to statement timeout"}', "statement timeout"),
    ],
)
def test_the_store_is_to_blame(status: int, body: bytes, advice: str) -> None:
    error = classify(status, body, "rpc/x", URL)
    assert isinstance(error, StoreDown)
    assert advice in str(error)
