"""Files in Supabase's Storage: put whole, in a bucket that everybody may read."""

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Protocol, Self

import httpx
import msgspec

from common.settings import StoreSettings
from store.rpc import StoreDown


class Content(Protocol):
    """A file in pieces, so that a large one is in memory once, and not a second time on its way."""

    def __iter__(self) -> Iterator[bytes]: ...

    def __len__(self) -> int:
        """In bytes."""


class Complaint(msgspec.Struct):
    """Storage's error object; the HTTP status is 400 whatever happened."""

    statusCode: str | int = ""  # noqa: N815 - its name on the wire
    message: str = ""


class Bucket:
    def __init__(self, settings: StoreSettings, name: str, timeout: float = 30.0) -> None:
        key = settings.supabase_key.reveal()
        self.name = name
        self._made = False
        self._url = settings.supabase_url.rstrip("/")
        self._client = httpx.AsyncClient(
            base_url=f"{self._url}/storage/v1/",
            headers={"apikey": key, "authorization": f"Bearer {key}"},
            timeout=timeout,
        )

    async def put(self, path: str, content: Content, content_type: str, max_age: float) -> None:
        """Replace the file. Readers see the old one until the new one is there whole."""
        if not self._made:
            await self._create()
        answer = await self._upload(path, content, content_type, max_age)
        if is_missing(answer):  # the database was reset
            await self._create()
            answer = await self._upload(path, content, content_type, max_age)
        if not answer.is_success:
            raise StoreDown(f"Storage at {self._url} does not take {path}: {reason(answer)}")

    async def _upload(self, path: str, content: Content, content_type: str, max_age: float) -> httpx.Response:
        headers = {
            "content-type": content_type,
            "content-length": str(len(content)),
            "cache-control": f"max-age={max_age:.0f}",
            "x-upsert": "true",
        }
        try:
            return await self._send("POST", f"object/{self.name}/{path}", headers, pieces(content))
        except StoreDown:
            # Who is refused in the middle of a large upload may see a broken connection instead of the reason.
            self._made = False
            raise

    async def _create(self) -> None:
        body = msgspec.json.encode({"id": self.name, "name": self.name, "public": True})
        answer = await self._send("POST", "bucket", {"content-type": "application/json"}, body)
        if not answer.is_success and str(complaint(answer).statusCode) != "409":  # somebody else was quicker
            raise StoreDown(f"Storage at {self._url} does not make the bucket {self.name}: {reason(answer)}")
        self._made = True

    async def _send(
        self, method: str, path: str, headers: dict[str, str], content: bytes | AsyncIterator[bytes]
    ) -> httpx.Response:
        try:
            return await self._client.request(method, path, headers=headers, content=content)
        except httpx.TransportError as error:
            said = str(error) or type(error).__name__
            raise StoreDown(f"Storage at {self._url} cannot be reached: {said}") from error

    async def close(self) -> None:
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def pieces(content: Content) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece


def complaint(answer: httpx.Response) -> Complaint:
    try:
        return msgspec.json.decode(answer.content, type=Complaint)
    except msgspec.DecodeError:
        return Complaint(answer.status_code, answer.text[:200])


def reason(answer: httpx.Response) -> str:
    said = complaint(answer)
    return f"{said.message or 'no reason given'} ({said.statusCode or answer.status_code})"


def is_missing(answer: httpx.Response) -> bool:
    """No such bucket: the only thing that an upload can miss."""
    return not answer.is_success and (answer.status_code == 404 or str(complaint(answer).statusCode) == "404")
