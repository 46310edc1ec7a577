"""A conversion webhook in the test's own loop, behind TLS: it converts, or does what the test says instead."""

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
Behave = Callable[[Review, asyncio.StreamWriter], Awaitable[None]]
"""Answers a review in a way of its own."""

_AUTHORITY = Certificate("authority", is_authority=True)
BUNDLE = base64.b64encode(_AUTHORITY.pem).decode()


class ConversionHook:
    """`converted` names each object that was asked for: its name, its generation, the wanted version. `asked` is
    set with each request; `calls` counts them."""

    def __init__(self) -> None:
        self.port = 0
        self.calls = 0
        self.asked = asyncio.Event()
        self.converted: list[tuple[str, int, str]] = []
        self.behave: Behave | None = None

    def conversion(self, **more: Any) -> dict[str, Any]:
        """spec.conversion of a definition."""
        client = {"url": f"https://localhost:{self.port}/convert", "caBundle": BUNDLE, **more}
        return {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}

    async def handle(self, origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            review = json.loads(await origin.read_request(reader))
            self.calls += 1
            self.asked.set()
            if self.behave is not None:
                await self.behave(review, writer)
                continue
            wanted = review["request"]["desiredAPIVersion"]
            for obj in review["request"]["objects"]:
                metadata = obj["metadata"]
                self.converted.append((metadata["name"], metadata["generation"], wanted.split("/")[1]))
            writer.write(answer(review))


def answer(review: Review, **changed: Any) -> bytes:
    """What a webhook answers that changes nothing but the version. `changed`: members of the response."""
    request = review["request"]
    converted = [{**obj, "apiVersion": request["desiredAPIVersion"]} for obj in request["objects"]]
    response = {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}, **changed}
    return raw(json.dumps({**review, "request": None, "response": response}).encode())


def raw(body: bytes, status: int = 200, *headers: bytes) -> bytes:
    """A whole answer."""
    lines = [b"HTTP/1.1 %d X" % status, *headers, b"Content-Length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@contextlib.asynccontextmanager
async def running(folder: Path) -> AsyncIterator[ConversionHook]:
    hook = ConversionHook()
    context = server_context(certificate_for(*LOCALHOST, issuer=_AUTHORITY), folder)
    async with serving(hook.handle, context) as origin:
        hook.port = origin.port
        yield hook
