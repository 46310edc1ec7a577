"""The wiring: every object of the server is built here and handed to those that need it.

What has to be called upwards is handed down as a callable, so that the layers import downwards only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from quarterdeck.admission.chain import Chain
from quarterdeck.apiextensions.build import Builder
from quarterdeck.apiextensions.ruletimes import RuleTimes
from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apis.resource import APIResource, PrinterColumn
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.controllers.run import Controllers
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.handlers.collection import DeleteCollectionHandler
from quarterdeck.endpoints.handlers.create import CreateHandler
from quarterdeck.endpoints.handlers.delete import DeleteHandler
from quarterdeck.endpoints.handlers.get import handle_get
from quarterdeck.endpoints.handlers.list import handle_list
from quarterdeck.endpoints.handlers.patch import PatchHandler
from quarterdeck.endpoints.handlers.update import UpdateHandler
from quarterdeck.endpoints.handlers.watch import WatchHandler, time_watch_lists
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.paths import PlainPaths
from quarterdeck.endpoints.router import Handler, Router
from quarterdeck.endpoints.scrape import MetricsPaths
from quarterdeck.endpoints.table.custom import CustomConvertor, compile_columns
from quarterdeck.metrics import process
from quarterdeck.metrics.registry import Registry
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.registry.builtin.capabilities import CAPABILITIES
from quarterdeck.registry.hotobjects import BYTES_MAX, CLUSTER_BYTES_MAX, HotObjects
from quarterdeck.registry.identity import LOOPBACK, Identity
from quarterdeck.registry.scope import Builtin
from quarterdeck.server import (
    access,
    admission,
    advertised,
    aggregating,
    cache_counts,
    connections,
    controlling,
    featuremetrics,
    filterchain,
    health,
    instruments,
    metriclimits,
    middleware,
    overload,
    servicemetrics,
    version,
    zpages,
)
from quarterdeck.server.builtin import build_builtin, select_enabled
from quarterdeck.server.config import Config
from quarterdeck.server.damage import Damage
from quarterdeck.server.discovery import answer_discovery, build_openapi, publish_builtin, publish_definition
from quarterdeck.server.gcschedule import LostCycles
from quarterdeck.server.place import Place
from quarterdeck.server.reload import Watch
from quarterdeck.server.resources import ServedResources
from quarterdeck.server.root import list_paths
from quarterdeck.server.storing import Stored, check_space, check_storage, exit_without_store, open_storage, store_of
from quarterdeck.server.subresources import build_subresource_handlers, build_virtual
from quarterdeck.storage.backend import Backend
from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.cacher.consistency import ConsistencyChecker, Mismatch
from quarterdeck.transport import messages
from quarterdeck.transport.messages import Request

if TYPE_CHECKING:  # loaded where something is audited
    from quarterdeck.server.audit import Auditing

_LOG = logging.getLogger(__name__)


class APIServer:
    """What lifecycle runs. `health_checks` are read at each request to a health endpoint."""

    def __init__(
        self,
        application: messages.Application,
        metrics: Registry,
        controllers: Controllers,
        storage: Backend,
        cacher: Cacher,
        checker: ConsistencyChecker,
        admitting: admission.Admission,
    ) -> None:
        self.admission, self._http = admitting.chain, admitting.http
        self.application = application
        self.metrics = metrics
        self.controllers = controllers
        self.health_checks: dict[str, health.Check] = {}
        self.lost = LostCycles()
        self.published: OpenAPIDocuments | None = None
        self.auditing: Auditing | None = None
        self.file_watches: list[Watch] = []
        self.large_body_refused: Callable[[Request], None] | None = None
        self._storage = storage
        self._cacher = cacher
        self._checker = checker

    async def start(self) -> None:
        await self.controllers.start()
        self._checker.start()
        for watch in self.file_watches:
            watch.start()

    def on_ready(self) -> None:
        self.controllers.on_ready()

    @property
    def is_idle(self) -> bool:
        """Nobody watches, and no controller has anything to do right now."""
        if any(queue.depth or queue.unfinished_s() for queue in self.controllers.queues()):
            return False
        return not any(cache.watches for cache in self._cacher.caches())

    @property
    def is_settled(self) -> bool:
        """What has to be done for what is stored is done, as of the last commit."""
        return self._cacher.revision == self._storage.revision and self.controllers.has_settled

    async def leave(self) -> None:
        await self.controllers.leave()

    async def stop(self) -> None:
        for watch in self.file_watches:
            await watch.stop()
        await self._checker.stop()
        await self.controllers.stop()
        await self._cacher.close()
        await self._storage.close()
        self._http.close()
        if self.auditing is not None:
            await self.auditing.close()


async def build(config: Config) -> APIServer:
    """The server of a process."""
    metrics = Registry()
    auditing = filterchain.build_auditing(config, metrics)
    _check(config)
    recording, tracing = middleware.open_recording(config), middleware.open_tracing(config)
    stored = await open_storage(config, metrics, exit_without_store)
    kept = middleware.keep(config, stored.backend.revision)
    place = Place(stored, metrics, auditing, recording=recording, tracing=tracing, kept=kept)
    if config.logical_clusters is None:
        server = await assemble(config, place)
    else:
        from quarterdeck.server.clusters import wiring

        server = await wiring.build(config, config.logical_clusters, place, assemble)
    server.auditing = auditing
    if tracing is not None:
        server.file_watches.append(tracing)
    return server


async def assemble(config: Config, place: Place) -> APIServer:
    """Fill the caches from the store, and put everything together."""
    metrics, slis = place.metrics, Registry()
    slis.limits = config.metric_limits
    stored, auditing = place.stored, place.auditing
    backend, storage = stored.backend, stored.storage
    cacher = stored.build_cacher(config)
    await cacher.start()
    installed = middleware.build(config, place.base, place.kept, place.recording, place.tracing, cacher, metrics)
    CAPABILITIES.allows_privileged = config.allows_privileged
    served = build_builtin(storage, cacher, config, metrics, is_late=bool(place.base))
    definitions = ServedDefinitions()
    shown, unstored = select_enabled(config.enablement, served)
    resources = ServedResources(shown, definitions, unstored)
    discovery = DiscoveryDocuments(f"{config.bind_address}:{config.secure_port}")
    publish_builtin(discovery, shown, unstored)
    admitting = admission.build(served, definitions, metrics, config, installed)
    stores = partial(store_of, storage, cacher, HotObjects(CLUSTER_BYTES_MAX if place.base else BYTES_MAX))
    builder = Builder(stores, _build_table, admitting.webhooks, RuleTimes(metrics), installed.noted)
    installed.connect(cacher, served, definitions)
    openapi = build_openapi(config.version.git_version, place.base, place.published, shown, unstored)
    chain = admitting.chain
    publish, identity = partial(publish_definition, openapi), Identity(chain, LOOPBACK)
    controllers = Controllers(served, definitions, builder, discovery, cacher, publish, place.clocks, identity)
    controllers.is_resumed, controllers.is_settled = place.is_resumed, place.is_settled
    own = {(each.group, each.version) for each in unstored}
    controllers.registration.serve(own | {(group, name) for group, name, _ in shown})
    damage = Damage(cacher)
    started = controllers.startup(config.has_flow_control)
    checks = health.build_checks(
        partial(check_storage, backend), partial(check_space, backend), started, damage.check_definitions
    )
    report_health, requests = instruments.register_health(slis), RequestMetrics(metrics)
    access_control = access.build(config, served, metrics, chain, admitting.http, installed.loopback)
    controlling.set_up(controllers, config, served, access_control, backend, place.time)
    admitting.authorization.authorizer = admitting.escalation.authorizer = authorizer = access_control.authorizer
    admitting.escalation.resolver = access_control.resolver
    plain = PlainPaths(
        lambda path, query: health.answer(path, query, checks, report_health, damage.warn),
        partial(version.build_response, config.version),
        partial(list_paths, discovery, checks),
    )
    load_control = overload.build(config, served, resources, requests, metrics)
    connecting, kubelet_files = connections.build(config, chain, served)
    subresources = build_subresource_handlers(chain, authorizer, served, connecting, admitting.services.find_known)
    watch = WatchHandler(config.min_request_timeout_s, time_watch_lists(metrics), installed.note_watch)
    handlers = _build_handlers(chain, authorizer, watch)
    router = Router(
        resources,
        handlers,
        {**subresources, ("token", "create"): access_control.token_requests},
        build_virtual(access_control.reviews, chain, served, unstored),
        [
            plain,
            damage.respond,
            partial(answer_discovery, discovery),
            access_control.openid,
            openapi.respond,
            MetricsPaths({"/metrics": metrics, "/metrics/slis": slis}),
            *(load_control.paths + stored.paths + installed.paths),
            *place.paths,
            zpages.build(config, partial(list_paths, discovery, checks)),
        ],
    )
    documents = aggregating.Documents(discovery, openapi)
    parts = served, admitting.services, documents, router, controllers, metrics, connecting.http
    aggregation = aggregating.build(config, *parts)
    gates = filterchain.build(config, access_control, auditing, metrics, requests, load_control.filter, installed.known)
    application = Application((*gates.filters, *installed.filters), router, requests)
    instruments.register_application(metrics, application)
    _register_parts(metrics, config, stored, served, cacher, (*controllers.queues(), *aggregation.queues()))
    instruments.register_damage(metrics, damage.count)
    count, period_s = instruments.count_checks(metrics), config.consistency_check_period_s
    checker = ConsistencyChecker(cacher, _report_mismatch, count, period_s)
    server = APIServer(installed.wrap(application), metrics, controllers, backend, cacher, checker, admitting)
    server.health_checks, server.published, server.large_body_refused = checks, openapi, gates.large_body_refused
    server.file_watches += [*access_control.file_watches, *load_control.watches, aggregation, kubelet_files]
    server.file_watches += [stored.encryption] if stored.encryption is not None else []
    stored.serve(cacher, checks)
    return server


def _check(config: Config) -> None:
    """What can be told before anything is opened. Raises ConfigError."""
    aggregating.check(config)
    connections.check(config)
    advertised.check(config)


def _register_parts(
    metrics: Registry, config: Config, stored: Stored, served: Builtin, cacher: Cacher, queues: Iterable[Controller]
) -> None:
    metriclimits.limit(metrics, config.metric_limits)
    process.register(metrics)
    instruments.register_build(metrics, version.build_info(config.version))
    instruments.register_storage(metrics, (stored.backend, *stored.others))
    if config.etcd is not None:
        from quarterdeck.server import etcdmetrics

        etcdmetrics.register(metrics, (stored.backend, *stored.others))
    featuremetrics.register(metrics, config.flags.get("feature-gates", ""))
    instruments.register_cache(metrics, cacher)
    cache_counts.register(metrics, cacher)
    servicemetrics.register(metrics, served)
    instruments.register_queues(metrics, queues)


def _build_handlers(admission: Chain, authorizer: Authorizer, watch: WatchHandler) -> dict[str, Handler]:
    return {
        "get": handle_get,
        "list": handle_list,
        "watch": watch,
        "create": CreateHandler(admission),
        "update": UpdateHandler(admission, authorizer),
        "patch": PatchHandler(admission, authorizer),
        "delete": DeleteHandler(admission),
        "deletecollection": DeleteCollectionHandler(admission),
    }


def _build_table(_resource: APIResource, columns: Sequence[PrinterColumn]) -> CustomConvertor:
    return compile_columns(columns)


def _report_mismatch(mismatch: Mismatch) -> None:
    _LOG.error(
        "the watch cache differs from the store: %s at revision %d: only in the cache %s, only in the store %s",
        mismatch.prefix,
        mismatch.revision,
        mismatch.cached,
        mismatch.stored,
    )
