"""A webhook server in the test's own loop: functions decide what it answers, and it keeps the requests."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from support.certificates import Certificate
from support.origin import LOCALHOST, Origin, certificate_for, server_context, serving

Review = dict[str, Any]
Answer = dict[str, Any] | bytes
Respond = Callable[[Review], Answer | Awaitable[Answer]]
"""Of the request of a review: members of the response beside uid and allowed, or a whole answer's bytes."""

_AUTHORITY = Certificate("authority", is_authority=True)
BUNDLE = base64.b64encode(_AUTHORITY.pem).decode()


class AdmissionHook:
    """`asked`: the path and the request of each review, in order; `heads` is what came before each."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[tuple[str, Review]] = []
        self.heads: list[bytes] = []
        self.responds: dict[str, Respond] = {}

    def client(self, path: str) -> dict[str, str]:
        return {"url": f"https://localhost:{self.port}/{path}", "caBundle": BUNDLE}

    def webhook(self, path: str, group: str, resource: str = "*", **more: Any) -> dict[str, Any]:
        """For all operations on a group."""
        rule = {"operations": ["*"], "apiGroups": [group], "apiVersions": ["*"], "resources": [resource]}
        return {
            "name": f"{path}.example.com",
            "clientConfig": self.client(path),
            "rules": [rule],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **more,
        }

    async def handle(self, origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            review = json.loads(await origin.read_request(reader))
            path = origin.heads[-1].split(b" ")[1].decode().partition("?")[0][1:]
            request = review["request"]
            self.asked.append((path, request))
            self.heads.append(origin.heads[-1])
            respond = self.responds.get(path)
            answered = respond(request) if respond is not None else {}
            found = answered if isinstance(answered, (dict, bytes)) else await answered
            if isinstance(found, bytes):
                writer.write(found)
                continue
            response = {"uid": request["uid"], "allowed": True, **found}
            body = json.dumps({**review, "request": None, "response": response}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


def patch(*operations: dict[str, Any]) -> dict[str, str]:
    """The members of a response that patches."""
    return {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[AdmissionHook]:
    hook = AdmissionHook()
    context = server_context(certificate_for(*LOCALHOST, issuer=_AUTHORITY), folder)
    async with serving(hook.handle, context) as origin:
        hook.port = origin.port
        yield hook
