"""What this server asks of the servers behind APIServices for itself: whether they serve, what they publish.

Source: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go; net/http/client.go (the words of
failures).
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.aggregator.apiservices import APIService, read
from quarterdeck.aggregator.remotes import Remotes, identity_fields
from quarterdeck.apimachinery.user import SYSTEM_MASTERS, User
from quarterdeck.endpoints.proxy import messages
from quarterdeck.endpoints.proxy.messages import Pair
from quarterdeck.registry.strategy import Object
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.transport.client.pool import HTTPClient, Server
from quarterdeck.transport.client.streamed import StreamedAnswer
from quarterdeck.webhook.client import ServiceUnresolved

TIMEOUT_S: Final = 5.0
OBJECTS_TIMEOUT_S: Final = 30.0
ATTEMPTS: Final = 5
# Differs from upstream: documents are bounded, since they are read on the event loop.
DOCUMENT_BYTES_MAX: Final = 8 * 1024 * 1024

# Who is named as the manager of fields that controllers change.
_MANAGER: Final = "kube-controller-manager"
CHECKER: Final = User("system:kube-aggregator", groups=(SYSTEM_MASTERS,))


class Document:
    """`status` and what was answered; `fields` by name in lower case."""

    __slots__ = ("body", "fields", "status")

    def __init__(self, status: int, fields: dict[str, str], body: bytes) -> None:
        self.status = status
        self.fields = fields
        self.body = body


class RemoteClient:
    def __init__(self, remotes: Remotes, http: HTTPClient) -> None:
        self._remotes = remotes
        self._http = http

    async def check(self, obj: Object) -> str:
        """Why the server behind an APIService does not serve its version, as the condition tells it; empty: it does.
        Several of the service's endpoints may be asked: one that serves is enough. Raises ValueError for certificates
        that cannot be used."""
        api = read(obj)
        text = await self._check_once(api)
        if not text:
            return ""
        more = [asyncio.ensure_future(self._check_once(api)) for _ in range(ATTEMPTS - 1)]
        try:
            for each in asyncio.as_completed(more):
                text = await each
                if not text:
                    return ""
        finally:
            for task in more:
                task.cancel()
            await asyncio.gather(*more, return_exceptions=True)
        return text

    async def _check_once(self, api: APIService) -> str:
        try:
            server = self._remotes.server_of(api)
        except ServiceUnresolved as error:
            return str(error)
        url = f"https://{failures.address(server.host, server.port)}{api.path}"
        try:
            answer = await self._begin(server, api.path, CHECKER, ())
        except CallFailed as failure:
            waiting = " (Client.Timeout exceeded while awaiting headers)" if failure.is_timeout else ""
            return f'failing or missing response from {url}: Get "{url}": {failure.text}{waiting}'
        status = answer.status
        answer.abort()
        if not 200 <= status < 300:
            return f"failing or missing response from {url}: bad status from {url}: {status}"
        return ""

    async def get(self, api: APIService, path: str, user: User, *fields: Pair) -> Document:
        """A document of the server. Raises CallFailed, ServiceUnresolved and ValueError."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._read(await self._begin(self._remotes.server_of(api), path, user, fields))
        except TimeoutError:
            raise CallFailed(failures.DEADLINE) from None

    async def ask(self, api: APIService, method: str, target: str, user: User, body: bytes, *fields: Pair) -> Document:
        """What the server answers to a request of a controller for its objects. Raises as `get`."""
        try:
            async with asyncio.timeout(OBJECTS_TIMEOUT_S):
                answer = self._stream(api, method, target, user, body, fields)
                await answer.head()
                return await self._read(answer)
        except TimeoutError:
            raise CallFailed(failures.DEADLINE) from None

    async def open(self, api: APIService, target: str, user: User, *fields: Pair) -> StreamedAnswer:
        """The same, of an answer whose body comes for as long as it likes; its caller aborts it. Raises as `get`."""
        try:
            async with asyncio.timeout(OBJECTS_TIMEOUT_S):
                answer = self._stream(api, "GET", target, user, b"", fields)
                await answer.head()
                return answer
        except TimeoutError:
            raise CallFailed(failures.DEADLINE) from None

    def _stream(
        self, api: APIService, method: str, target: str, user: User, body: bytes, fields: tuple[Pair, ...]
    ) -> StreamedAnswer:
        server = self._remotes.server_of(api)
        authority = failures.address(server.host, server.port)
        pairs = (*identity_fields(user), *fields)
        data = messages.build_own(method, target, authority, pairs, body, agent=_MANAGER)
        return self._http.stream(server, data, is_head=False, is_repeatable=method == "GET")

    @staticmethod
    async def _read(answer: StreamedAnswer) -> Document:
        return Document(answer.status, dict(answer.fields), await answer.read(DOCUMENT_BYTES_MAX))

    async def _begin(self, server: Server, path: str, user: User, fields: tuple[Pair, ...]) -> StreamedAnswer:
        authority = failures.address(server.host, server.port)
        data = messages.build_own("GET", path, authority, (*identity_fields(user), *fields))
        answer = self._http.stream(server, data, is_head=False, is_repeatable=True)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await answer.head()
        except TimeoutError:
            raise CallFailed(failures.DEADLINE) from None
        return answer
