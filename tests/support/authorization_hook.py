"""An authorization webhook in the test's own loop: it answers what the test says, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from support.certificates import Certificate
from support.origin import LOCALHOST, Origin, certificate_for, server_context, serving

Object = dict[str, Any]
_AUTHORITY = Certificate("authority", is_authority=True)


class AuthorizationHook:
    """`decide` gives the status of a review, or the bytes of a whole answer. `asked`: the reviews, in order."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[Object] = []
        self.decide: Callable[[Object], Object | bytes] = lambda _spec: {"allowed": False}
        self.kubeconfig = folder / "webhook.kubeconfig"
        self.heads: list[bytes] = []

    @property
    def specs(self) -> list[Object]:
        return [review["spec"] for review in self.asked]

    def resources(self) -> list[str]:
        """`VERB RESOURCE/SUBRESOURCE NAME` of each question."""
        found = []
        for spec in self.specs:
            of = spec.get("resourceAttributes", {})
            resource = "/".join(filter(None, (of.get("resource", ""), of.get("subresource", ""))))
            found.append(" ".join(filter(None, (of.get("verb", ""), resource, of.get("name", "")))))
        return found

    async def handle(self, origin: Origin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            review = json.loads(await origin.read_request(reader))
            self.heads = origin.heads
            self.asked.append(review)
            found = self.decide(review["spec"])
            if not isinstance(found, bytes):
                body = json.dumps({**review, "status": found}).encode()
                found = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
            writer.write(found)


@contextlib.asynccontextmanager
async def running(folder: Path, **user: Any) -> AsyncIterator[AuthorizationHook]:
    """`user`: members of the kubeconfig's user."""
    hook = AuthorizationHook(folder)
    authority = folder / "hook-authority.pem"
    authority.write_bytes(_AUTHORITY.pem)
    served = folder / "hook-certificate"
    served.mkdir()
    context = server_context(certificate_for(*LOCALHOST, issuer=_AUTHORITY), served)
    async with serving(hook.handle, context) as origin:
        cluster = {"server": f"https://localhost:{origin.port}/authorize", "certificate-authority": authority.name}
        config = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        hook.kubeconfig.write_text(json.dumps(config))
        yield hook
