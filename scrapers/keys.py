"""Keys of feeds: out of the environment, into the row, and never into a log, a recording or a screen."""

import os
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from common.settings import lookup
from scrapers.catalog import Bookmaker
from scrapers.wire import Request

# Compared in lower case and without - and _. A key that everybody finds in a site's page, such as entain's
# x-bwin-accessid, is no secret, and its recorded requests are complete.
SECRET_NAMES = frozenset({"apikey", "xapikey", "key", "token", "accesstoken", "authorization", "cookie", "secret"})


def with_key(book: Bookmaker, environ: Mapping[str, str] = os.environ) -> Bookmaker:
    """The row with its feed's key, from the variable that it names or from the file in NAME_FILE."""
    key = lookup(book.key_env, environ) if book.key_env else ""
    return replace(book, params={**book.params, "key": key}) if key else book


def masked(request: Request) -> Request:
    """The same request with an empty value wherever a key may stand."""
    return msgspec.structs.replace(
        request, url=masked_url(request.url), params=emptied(request.params), headers=emptied(request.headers)
    )


def masked_url(url: str) -> str:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    return urlunsplit(parts._replace(query=urlencode(emptied(query)))) if emptied(query) != query else url


def emptied(values: Mapping[str, str]) -> dict[str, str]:
    return {name: "" if is_secret(name) else value for name, value in values.items()}


def is_secret(name: str) -> bool:
    return name.lower().replace("-", "").replace("_", "") in SECRET_NAMES
