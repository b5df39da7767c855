"""Plain values as HTTP answers, and bodies as plain values."""

from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

T = TypeVar("T")


def json_reply(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def read(request: Request, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(await request.body(), type=shape)
    except msgspec.DecodeError as error:
        raise HTTPException(400, str(error)) from error
