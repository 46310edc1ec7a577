"""Tells in discovery what APIServices register, and what the servers behind them publish of their versions.

A version is there from the moment its APIService is. What its server told last stays as Stale while it does not answer.
Source: kube-aggregator/pkg/apiserver/{handler_apis,handler_discovery}.go.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from quarterdeck.aggregator import resourcelists
from quarterdeck.aggregator.apiservices import APIService, APIServices
from quarterdeck.aggregator.client import CHECKER, Document, RemoteClient
from quarterdeck.aggregator.resourcelists import Version
from quarterdeck.apimachinery.user import User
from quarterdeck.apis import priorities
from quarterdeck.controllers.backoff import Delays
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.discovery import negotiate
from quarterdeck.discovery.documents import CURRENT, STALE, GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.transport.client.failures import CallFailed
from quarterdeck.webhook.client import ServiceUnresolved
from quarterdeck.webhook.config import Service

REFRESH_S: Final = 60.0
RETRY_FIRST_S: Final = 0.5
_WORKERS: Final = 2
_ACCEPT: Final = f"{negotiate.JSON}{negotiate.AGGREGATED_SUFFIX}"
_LEGACY_READER: Final = User(CHECKER.name)


class _Told:
    """By a server of several versions, at once."""

    __slots__ = ("at_s", "etag", "versions")

    def __init__(self, versions: dict[tuple[str, str], Version], etag: str, at_s: float) -> None:
        self.versions = versions
        self.etag = etag
        self.at_s = at_s


class RemoteDiscovery:
    """Keys of its queue are names of APIServices."""

    def __init__(
        self, services: APIServices, documents: DiscoveryDocuments, client: RemoteClient, clock: Clock | None = None
    ) -> None:
        self._services = services
        self._documents = documents
        self._client = client
        self._told: dict[Service, _Told] = {}
        self._known: dict[str, Version] = {}  # APIService: what was told of its version last
        self._current: set[str] = set()  # APIServices whose server has answered when it was asked last
        self._changed_s: dict[str, float] = {}
        self._retries = Delays(RETRY_FIRST_S, REFRESH_S)
        self.listeners: list[Callable[[], None]] = []  # told whenever something may be known that was not
        self.controller = Controller("discovery-manager", self.sync, workers=_WORKERS, clock=clock)
        services.listeners.append(self._on_change)

    def _on_change(self, name: str, api: APIService | None) -> None:
        self._retries.forget(name)
        if api is None or api.service is None:
            self._known.pop(name, None)
            self._current.discard(name)
            self._changed_s.pop(name, None)
            self._forget_unused()
            part = self._unregistered(name) if api is None else _local(api)
            self._documents.put(_source(name), [] if part is None else [part])
            self._tell()
            return
        self._changed_s[name] = time.monotonic()
        if api.group:
            self._publish(api)
            self.controller.add(name)
            self._tell()

    def _unregistered(self, name: str) -> GroupVersion | None:
        """A version of the server's own whose APIService has been deleted is served, and not listed any more."""
        version, _, group = name.partition(".")
        if not group or not self._documents.has_builtin(group, version):
            return None
        return GroupVersion(group, version, None, is_unregistered=True)

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()

    def _forget_unused(self) -> None:
        used = {api.service for api in self._services.remote()}
        for service in self._told.keys() - used:
            del self._told[service]

    def told_of(self, api: APIService) -> Version | None:
        """What its server tells of its version; None while that is not known for sure."""
        return self._known.get(api.name) if api.name in self._current else None

    def known_of(self, api: APIService) -> Version | None:
        """What its server told of its version last, whether or not it still does."""
        return self._known.get(api.name)

    async def sync(self, name: str) -> None:
        api = self._services.get(name)
        if api is None or not api.group:
            return
        try:
            version = await self._ask(api)
        except (CallFailed, ServiceUnresolved, ValueError):
            self._current.discard(name)
            self._publish(api)
            self.controller.add_after(name, self._retries.next_s(name))
            return
        if self._services.get(name) is not api:
            return  # it is in the queue again
        self._retries.forget(name)
        self._known[name] = version
        self._current.add(name)
        self._publish(api)
        self._tell()
        self._changed_s[name] = time.monotonic()
        self.controller.add_after(name, REFRESH_S)

    def _publish(self, api: APIService) -> None:
        if self._services.get(api.name) is None:
            return  # gone meanwhile
        version = self._known.get(api.name) or {"version": api.version}
        freshness = CURRENT if api.name in self._current else STALE
        part = _registration(api, (), resourcelists.encode(version, freshness))
        self._documents.put(_source(api.name), [part])

    async def _ask(self, api: APIService) -> Version:
        """Raises CallFailed, ServiceUnresolved and ValueError."""
        service = api.service
        assert service is not None
        told = self._told.get(service)
        if told is None or told.at_s <= self._changed_s.get(api.name, 0.0):
            asked_s = time.monotonic()
            fields = [("Accept", _ACCEPT)]
            if told is not None and told.etag:
                fields.append(("If-None-Match", told.etag))
            document = await self._client.get(api, "/apis", CHECKER, *fields)
            if document.status == 304 and told is not None:
                told.at_s = asked_s
            elif document.status == 200 and _is_aggregated(document):
                versions = resourcelists.read_aggregated(document.body)
                told = self._told[service] = _Told(versions, document.fields.get("etag", ""), asked_s)
            elif document.status == 503:
                raise CallFailed(f"service {service} returned non-success response code: 503")
            else:
                return await self._ask_plainly(api)
        return told.versions.get((api.group, api.version)) or {"version": api.version}

    async def _ask_plainly(self, api: APIService) -> Version:
        document = await self._client.get(api, api.path, _LEGACY_READER, ("Accept", negotiate.JSON))
        if document.status != 200:
            raise CallFailed(f"failed to download legacy discovery for {api.path}: {document.status}")
        return resourcelists.read_plain(document.body, api.version)


def _local(api: APIService) -> GroupVersion | None:
    """What is to be told of an APIService of this server; None where that is known without it."""
    kept = priorities.find(api.group, api.version)
    is_kept = api.is_managed and kept in (None, (api.group_priority, api.version_priority))
    return None if is_kept or not api.group else _registration(api, None, None)


def _registration(api: APIService, resources: tuple[()] | None, aggregated: bytes | None) -> GroupVersion:
    return GroupVersion(
        api.group,
        api.version,
        resources,
        api.group_priority,
        api.version_priority,
        is_registration=True,
        aggregated=aggregated,
    )


def _source(name: str) -> str:
    return f"apiservice/{name}"


def _is_aggregated(document: Document) -> bool:
    media_type, _, parameters = document.fields.get("content-type", "").partition(";")
    told = dict(part.strip().partition("=")[::2] for part in parameters.split(";"))
    wanted = dict(part.partition("=")[::2] for part in negotiate.AGGREGATED_SUFFIX.strip(";").split(";"))
    return media_type.strip() == negotiate.JSON and wanted.items() <= told.items()
