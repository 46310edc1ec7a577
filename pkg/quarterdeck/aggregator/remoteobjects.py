"""The metadata of objects that other servers hold: what the garbage collector reads and changes there.

The requests are those of kube-controller-manager's garbage collector, and come from its service account: whether it may
is for the server to ask. Source: client-go/metadata/metadata.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

import orjson

from quarterdeck.aggregator import answers
from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import Document, RemoteClient
from quarterdeck.aggregator.linereader import LineReader
from quarterdeck.apimachinery import errors, offload
from quarterdeck.controllers.remoteobjects import Metadata, MetadataEvent, MetadataPage, RemoteKind, Unreachable
from quarterdeck.endpoints.proxy.messages import Pair
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import controller_user
from quarterdeck.transport.client import failures
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.client import ServiceUnresolved

PAGE_MAX: Final = 500
# How long one object may take, and how much longer than it is asked for a watch.
TIMEOUT_S: Final = 10.0
WATCH_SLACK_S: Final = 30.0
_USER: Final = controller_user("generic-garbage-collector")
_OBJECT: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
T = TypeVar("T")

_JSON: Final = "application/json"
_MERGE_PATCH: Final = "application/merge-patch+json"


class RemoteMetadata:
    """RemoteObjects (controllers/remoteobjects.py). Belongs to one event loop."""

    def __init__(self, services: APIServices, client: RemoteClient) -> None:
        self._services = services
        self._client = client

    async def get(self, kind: RemoteKind, namespace: str, name: str) -> Metadata | None:
        document = await self._ask_soon(kind, "GET", _path(kind, namespace, name), b"", ("Accept", _OBJECT))
        try:
            answers.check(document, name)
        except errors.NotFound:
            return None
        return await _aside(answers.read_object, document.body)

    async def list(self, kind: RemoteKind, continue_token: str) -> MetadataPage:
        parameters = {"limit": str(PAGE_MAX), **({"continue": continue_token} if continue_token else {})}
        document = await self._ask(kind, "GET", f"{_path(kind)}?{urlencode(parameters)}", b"", ("Accept", _LIST))
        answers.check(document)
        return await _aside(answers.read_page, document.body)

    async def watch(self, kind: RemoteKind, revision: str, timeout_s: int) -> AsyncGenerator[MetadataEvent]:
        parameters = {"allowWatchBookmarks": "true", "resourceVersion": revision, "timeoutSeconds": str(timeout_s)}
        target = f"{_path(kind)}?{urlencode({**parameters, 'watch': 'true'})}"
        until_s = asyncio.get_running_loop().time() + timeout_s + WATCH_SLACK_S
        try:
            answer = await self._client.open(self._find(kind), target, _USER, ("Accept", _OBJECT))
        except (CallFailed, ServiceUnresolved, ValueError) as error:
            raise Unreachable(str(error)) from error
        try:
            reader = LineReader(answer)
            if answer.status != 200:
                await _refuse(answer.status, reader, until_s)
            while (line := await _next_line(reader, until_s)) is not None:
                yield await _read_event(line)
        finally:
            answer.abort()

    async def delete(self, kind: RemoteKind, namespace: str, name: str, options: Options) -> None:
        conditions = {"uid": options.precondition_uid, "resourceVersion": options.precondition_resource_version}
        body = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "preconditions": {member: value for member, value in conditions.items() if value},
            "propagationPolicy": options.propagation_policy,
        }
        fields = ("Accept", _OBJECT), ("Content-Type", _JSON)
        document = await self._ask_soon(kind, "DELETE", _path(kind, namespace, name), orjson.dumps(body), *fields)
        answers.check(document, name)

    async def patch(self, kind: RemoteKind, namespace: str, name: str, patch: Mapping[str, Any]) -> None:
        fields = ("Accept", _OBJECT), ("Content-Type", _MERGE_PATCH)
        document = await self._ask_soon(kind, "PATCH", _path(kind, namespace, name), orjson.dumps(patch), *fields)
        answers.check(document, name)

    async def _ask_soon(self, kind: RemoteKind, method: str, target: str, body: bytes, *fields: Pair) -> Document:
        """About one object. Raises Unreachable."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._ask(kind, method, target, body, *fields)
        except TimeoutError as error:
            raise Unreachable(failures.DEADLINE) from error

    async def _ask(self, kind: RemoteKind, method: str, target: str, body: bytes, *fields: Pair) -> Document:
        """Raises Unreachable."""
        try:
            return await self._client.ask(self._find(kind), method, target, _USER, body, *fields)
        except (CallFailed, ServiceUnresolved, ValueError) as error:
            raise Unreachable(str(error)) from error

    def _find(self, kind: RemoteKind) -> APIService:
        """Nobody is called whose APIService is not available: for clients there is no such server either."""
        api = self._services.get(kind.service)
        if api is None or not api.is_available:
            raise Unreachable("service unavailable")
        return api


def _path(kind: RemoteKind, namespace: str = "", name: str = "") -> str:
    within = f"/namespaces/{quote(namespace, safe='')}" if kind.namespaced and namespace else ""
    one = f"/{quote(name, safe='')}" if name else ""
    return f"/apis/{kind.api_version}{within}/{quote(kind.resource, safe='')}{one}"


async def _next_line(reader: LineReader, until_s: float) -> bytes | None:
    """None: there is no more, or the time is over. Raises Unreachable."""
    try:
        async with asyncio.timeout_at(until_s):
            return await reader.line()
    except TimeoutError:
        return None
    except CallFailed as error:
        raise Unreachable(str(error)) from error


async def _refuse(status: int, reader: LineReader, until_s: float) -> None:
    """Raises what a watch was answered instead."""
    try:
        async with asyncio.timeout_at(until_s):
            answers.check(Document(status, {}, await reader.rest()))
    except (TimeoutError, CallFailed) as error:
        raise Unreachable(str(error)) from error
    raise errors.Unreasoned(f"a watch was answered {status}")


async def _aside(read: Callable[[bytes], T], body: bytes) -> T:
    return await offload.run(read, body) if len(body) > offload.LARGE_BYTES else read(body)


async def _read_event(line: bytes) -> MetadataEvent:
    """Raises Expired, and Unreasoned for what is no event."""
    kind, obj = await _aside(answers.read_event, line)
    if kind == "ERROR":
        raise (errors.Expired if obj.get("code") == 410 else errors.Unreasoned)(str(obj.get("message") or ""))
    if kind == "BOOKMARK":
        metadata = obj.get("metadata")
        return MetadataEvent(kind, metadata if isinstance(metadata, dict) else {})
    return MetadataEvent(kind, answers.read_metadata(obj))
