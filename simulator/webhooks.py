"""Discord's webhook API in front of the sink."""

from typing import cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from simulator.discord import Message, Payload, problem
from simulator.faults import Fault
from simulator.reply import json_reply
from simulator.state import State, clock

UNKNOWN_MESSAGE = {"message": "Unknown Message", "code": 10008}


class Webhooks:
    def __init__(self, state: State) -> None:
        self._state = state

    def target(self, _request: Request) -> str:
        return "discord"

    async def respond(self, request: Request, _fault: Fault | None) -> Response:
        webhook, message_id = str(request.path_params["webhook"]), request.path_params.get("message")
        if message_id is None:
            return await self._post(request, webhook)
        message = self._state.discord.find(webhook, message_id)
        if message is None:
            return json_reply(UNKNOWN_MESSAGE, 404)
        if request.method == "DELETE":
            self._state.discord.delete(message)
            return Response(status_code=204)
        if request.method == "PATCH":
            return await self._edit(request, message)
        return json_reply(message.shown())

    async def _post(self, request: Request, webhook: str) -> Response:
        payload = await _payload(request)
        if refused := problem(payload, new=True):
            return json_reply(refused, 400)
        message = self._state.discord.post(webhook, payload, clock())
        wanted = request.query_params.get("wait", "").lower() in {"true", "1"}
        return json_reply(message.shown()) if wanted else Response(status_code=204)

    async def _edit(self, request: Request, message: Message) -> Response:
        payload = await _payload(request)
        if refused := problem(payload, new=False):
            return json_reply(refused, 400)
        self._state.discord.edit(message, payload, clock())
        return json_reply(message.shown())


async def _payload(request: Request) -> Payload:
    """What was sent, or something that `problem` refuses."""
    try:
        return cast("Payload", msgspec.json.decode(await request.body()))
    except msgspec.DecodeError:
        return cast("Payload", None)
