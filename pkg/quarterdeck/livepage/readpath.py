"""A path of the API that only tells something, as JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.endpoints import respond
from quarterdeck.transport.messages import Request, Response


class ReadPath:
    def __init__(self, path: str, tell: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        self._path = path
        self._tell = tell

    def __call__(self, request: Request) -> Awaitable[Response] | None:
        if request.path != self._path:
            return None
        if request.method not in ("GET", "HEAD"):
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        return self._respond()

    async def _respond(self) -> Response:
        return respond.json_response(200, json.encode(await self._tell()))
