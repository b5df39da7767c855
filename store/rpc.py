"""Calls to Supabase's functions over its REST interface, with plain httpx.

The `supabase` package costs 26 MB more per process than this file, times nineteen; the tests use it to prove that both
speak alike.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Self, TypeVar

import httpx
import msgspec

from common.settings import StoreSettings, is_encrypted
from scrapers.errors import Refused

# SQLSTATE classes that blame the data: sending the same again cannot help.
DATA_ERRORS = ("22", "23", "P0")


T = TypeVar("T")


class StoreDown(Exception):  # noqa: N818 - a state of the store, not a fault of the caller
    """The store cannot take anything now. The message says why and what to do."""


class Rpc:
    def __init__(self, settings: StoreSettings, timeout: float = 15.0) -> None:
        key = settings.supabase_key.reveal()
        self.url = settings.supabase_url.rstrip("/")
        self._client = httpx.AsyncClient(
            base_url=f"{self.url}/rest/v1/",
            headers={"apikey": key, "authorization": f"Bearer {key}", "content-type": "application/json"},
            timeout=timeout,
            verify=is_encrypted(self.url),
        )

    async def call(self, function: str, arguments: Mapping[str, object]) -> object:
        """What the function returns, or `Refused` when it says no for good, or `StoreDown`."""
        answer = await self._send("POST", f"rpc/{function}", content=msgspec.json.encode(arguments))
        return self._decode(answer, object) if answer else None

    async def call_as(self, shape: type[T], function: str, arguments: Mapping[str, object]) -> T:
        """The same, decoded in one pass into a shape: for answers of megabytes."""
        return self._decode(await self._send("POST", f"rpc/{function}", content=msgspec.json.encode(arguments)), shape)

    async def select(self, table: str, parameters: Mapping[str, str]) -> object:
        answer = await self._send("GET", table, params=parameters)
        return self._decode(answer, object) if answer else None

    async def _send(
        self, method: str, path: str, *, content: bytes | None = None, params: Mapping[str, str] | None = None
    ) -> bytes:
        try:
            answer = await self._client.request(method, path, content=content, params=params)
        except httpx.TransportError as error:
            raise StoreDown(
                f"Supabase at {self.url} cannot be reached: {str(error) or type(error).__name__}"
            ) from error
        if answer.is_success:
            return answer.content
        raise classify(answer.status_code, answer.content, path, self.url)

    def _decode(self, answer: bytes, shape: type[T]) -> T:
        try:
            return msgspec.json.decode(answer, type=shape)
        except msgspec.ValidationError as error:
            raise StoreDown(
                f"Supabase at {self.url} has functions of another version ({error}): apply sql/*.sql with"
                " `make migrate`, or in its SQL editor"
            ) from error
        except msgspec.DecodeError as error:
            raise StoreDown(f"what answers at {self.url} is not Supabase: {error}") from error

    async def close(self) -> None:
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Complaint(msgspec.Struct):
    """PostgREST's error object."""

    code: str | None = None
    message: str | None = None


def classify(status: int, body: bytes, path: str, url: str) -> Exception:
    try:
        complaint = msgspec.json.decode(body, type=Complaint)
    except msgspec.DecodeError:
        complaint = Complaint()
    code, message = complaint.code or "", complaint.message or body[:200].decode(errors="replace")
    if code[:2] in DATA_ERRORS or status == 413:
        return Refused(f"the database refuses: {message} ({code or status})")
    if status in (401, 403):
        return StoreDown(f"Supabase at {url} does not accept SUPABASE_KEY ({status}): check that it is the service key")
    if status == 404:
        return StoreDown(
            f"Supabase at {url} has no `{path}`: apply sql/*.sql with `make migrate`, or in its SQL editor"
        )
    return StoreDown(f"Supabase at {url} answers {status}: {message}")
