"""What the servers behind APIServices hold in namespaces, and its end.

The requests are those of kube-controller-manager's namespace controller, and come from its service account: whether it
may is for the server to ask. Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go
(deleteAllContent), client-go/discovery (ServerPreferredNamespacedResources, StaleGroupVersionError).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson

from quarterdeck.aggregator import answers
from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import Document, RemoteClient
from quarterdeck.aggregator.discovery import RemoteDiscovery
from quarterdeck.aggregator.remotekinds import by_preference
from quarterdeck.apimachinery import errors
from quarterdeck.controllers.remotecontents import Remaining
from quarterdeck.registry.identity import controller_user
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.client import ServiceUnresolved

PAGE_MAX: Final = 500
PAGES_MAX: Final = 100
_USER: Final = controller_user("namespace-controller")
_METADATA: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_DELETE: Final = b'{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}'
_NOT_THERE: Final = frozenset((404, 405))  # such a resource, or such a verb


class RemoteContents:
    """RemoteResourcesDeleter (controllers/remotecontents.py). Belongs to one event loop."""

    def __init__(self, services: APIServices, discovery: RemoteDiscovery, client: RemoteClient) -> None:
        self._services = services
        self._discovery = discovery
        self._client = client

    def undiscovered(self) -> list[str]:
        stale = (api for api in self._in_groups() if self._discovery.told_of(api) is None)
        names = (f"{api.group}/{api.version}" for api in stale)
        return sorted(f"{name}: stale GroupVersion discovery: {name}" for name in names)

    def resources(self) -> Sequence[RemoteContent]:
        """Each resource in the version that its group prefers."""
        found: dict[tuple[str, str], RemoteContent] = {}
        for api in sorted(self._in_groups(), key=by_preference):
            for told in (self._discovery.told_of(api) or {}).get("resources", ()):
                verbs = told["verbs"]
                if told["scope"] == "Namespaced" and "delete" in verbs:
                    content = RemoteContent(api, told["resource"], frozenset(verbs), self._client)
                    found.setdefault((api.group, told["resource"]), content)
        return list(found.values())

    def _in_groups(self) -> Iterable[APIService]:
        return (api for api in self._services.remote() if api.group)


class RemoteContent:
    def __init__(self, api: APIService, resource: str, verbs: frozenset[str], client: RemoteClient) -> None:
        self._api = api
        self._resource = resource
        self._verbs = verbs
        self._client = client

    @property
    def name(self) -> str:
        return errors.qualify(self._resource, self._api.group)

    @property
    def gvr(self) -> tuple[str, str, str]:
        return self._api.group, self._api.version, self._resource

    async def empty(self, namespace: str) -> Remaining:
        """Raises APIStatus."""
        path = f"{self._api.path}/namespaces/{quote(namespace)}/{quote(self._resource)}"
        if "deletecollection" not in self._verbs or not await self._delete(path):
            for item in await self._list(path):
                await self._delete(f"{path}/{quote(item['name'], safe='')}")
        left = Remaining()
        for item in await self._list(path):
            left.count += 1
            left.finalizers.update(_finalizers_of(item))
        return left

    async def _delete(self, path: str) -> bool:
        """False: there is nothing there, or it cannot be deleted at once."""
        return await self._ask("DELETE", path, _DELETE) is not None

    async def _list(self, path: str) -> list[Mapping[str, Any]]:
        """Their metadata, page by page; whole objects where the server knows nothing less. Where there are very many
        not all: the namespace comes again anyway."""
        items: list[Mapping[str, Any]] = []
        parameters: dict[str, str | int] = {"limit": PAGE_MAX}
        for _ in range(PAGES_MAX if "list" in self._verbs else 0):
            document = await self._ask("GET", f"{path}?{urlencode(parameters)}")
            if document is None:
                break
            page, continue_token = _read_page(document.body)
            items += page
            if not continue_token:
                break
            parameters["continue"] = continue_token
        return items

    async def _ask(self, method: str, target: str, body: bytes = b"") -> Document | None:
        """None where the server has no such thing."""
        if not self._api.is_available:  # nobody is called then: for clients there is no such server either
            raise errors.ServiceUnavailable(answers.UNAVAILABLE)
        fields = [("Accept", _METADATA), *([("Content-Type", "application/json")] if body else ())]
        try:
            document = await self._client.ask(self._api, method, target, _USER, body, *fields)
        except (CallFailed, ServiceUnresolved, ValueError) as error:
            raise errors.ServiceUnavailable(answers.UNAVAILABLE) from error
        if document.status in _NOT_THERE:
            return None
        if not 200 <= document.status < 300:
            raise errors.Unreasoned(answers.describe(document))
        return document


def _read_page(body: bytes) -> tuple[list[Mapping[str, Any]], str]:
    """What counts of the items' metadata, and where the list goes on. Raises Unreasoned."""
    try:
        value = orjson.loads(body)
        items: list[Mapping[str, Any]] = [
            {"name": str(item["metadata"]["name"]), "finalizers": item["metadata"].get("finalizers")}
            for item in value.get("items") or ()
        ]
        return items, str((value.get("metadata") or {}).get("continue") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise errors.Unreasoned("the server has answered a list with something else") from None


def _finalizers_of(metadata: Mapping[str, Any]) -> list[str]:
    found = metadata.get("finalizers")
    return [str(each) for each in found] if isinstance(found, list) else []
