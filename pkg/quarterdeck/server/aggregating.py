"""Wiring of the aggregation layer: what it follows, where services are, what other servers know this one by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from quarterdeck.aggregator.aggregation import Aggregation
from quarterdeck.aggregator.remotes import OwnCertificate
from quarterdeck.controllers.garbage.run import Garbage
from quarterdeck.controllers.remoteobjects import RemoteKind
from quarterdeck.controllers.run import Controllers
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.router import Router
from quarterdeck.metrics.registry import Registry, read_mapping
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config, ConfigError, ProxyClient
from quarterdeck.server.reload import FileWatch
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.client.trust import Trust
from quarterdeck.webhook.services import Services


class Documents(NamedTuple):
    """Where it is told what other servers serve."""

    discovery: DiscoveryDocuments
    openapi: OpenAPIDocuments


class Aggregating:
    """Begins and ends with the server (reload.Watch)."""

    def __init__(self, aggregation: Aggregation, files: ProxyClient | None) -> None:
        self._aggregation = aggregation
        self._watch: FileWatch | None = None
        if files is not None:
            self._load(files)
            self._watch = FileWatch([files.cert_file, files.key_file], partial(self._load, files))

    def _load(self, files: ProxyClient) -> None:
        """Raises OSError and ValueError."""
        self._aggregation.remotes.own = _read(files)

    def queues(self) -> tuple[Controller, ...]:
        return self._aggregation.queues()

    def start(self) -> None:
        self._aggregation.start()
        if self._watch is not None:
            self._watch.start()

    async def stop(self) -> None:
        if self._watch is not None:
            await self._watch.stop()
        await self._aggregation.stop()


def check(config: Config) -> None:
    """Raises ConfigError for a client certificate that cannot be used."""
    if config.proxy_client is not None:
        try:
            _read(config.proxy_client)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--proxy-client-cert-file and --proxy-client-key-file: {error}") from error


def build(
    config: Config,
    served: Builtin,
    services: Services,
    documents: Documents,
    router: Router,
    controllers: Controllers,
    metrics: Registry,
    http: HTTPClient,
) -> Aggregating:
    """Before the controllers start: what they tell of APIServices comes from the servers that those name."""
    availability = controllers.availability
    aggregation = Aggregation(
        served["apiregistration.k8s.io", "v1", "apiservices"][""].store.cache,
        services.resolve,
        documents.discovery,
        documents.openapi,
        partial(setattr, router, "elsewhere"),
        http,
        rejects_redirects=config.rejects_forwarding_redirects,
    )
    availability.check = aggregation.client.check
    availability.is_known = services.is_known
    controllers.namespace.remote = aggregation.contents
    _tell_collector(aggregation, controllers.managed.garbage)
    metrics.read_gauge(
        "aggregator_unavailable_apiservice",
        "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.",
        read_mapping(lambda: {name: float(is_not) for name, is_not in availability.unavailable.items()}),
        ("name",),
    )
    counter = metrics.counter(
        "aggregator_unavailable_apiservice_total",
        "[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.",
        ("name", "reason"),
    )
    availability.count_unavailable = lambda name, reason: counter.labels(name, reason).inc()
    return Aggregating(aggregation, config.proxy_client)


def _tell_collector(aggregation: Aggregation, garbage: Garbage) -> None:
    def tell(kinds: Sequence[RemoteKind], is_whole: bool) -> None:
        garbage.follow_remote(aggregation.objects, kinds, is_whole=is_whole)

    aggregation.kinds.listener = tell
    aggregation.on_service = garbage.collector.remote.wake


def _read(files: ProxyClient) -> OwnCertificate:
    """Raises OSError and ValueError."""
    own = files.cert_file.read_bytes(), files.key_file.read_bytes()
    Trust(b"", own, is_verified=False)  # says what is wrong with them
    return own
