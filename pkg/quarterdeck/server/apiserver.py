"""THE wiring: every object of the server is built here and handed to those that need it.

What has to be called upwards is handed down as a callable, so that the layers import downwards only.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial

from quarterdeck.admission.chain import Chain
from quarterdeck.apiextensions.build import Builder
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.apis import priorities
from quarterdeck.apis.resource import APIResource
from quarterdeck.controllers.run import Controllers
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.endpoints.application import Application
from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
from quarterdeck.endpoints.filters.authorization import AuthorizationFilter
from quarterdeck.endpoints.filters.deadline import check_timeout
from quarterdeck.endpoints.filters.impersonation import ImpersonationFilter
from quarterdeck.endpoints.filters.insecure import check_insecure
from quarterdeck.endpoints.handlers.builtin_scale import BuiltinScaleHandler
from quarterdeck.endpoints.handlers.collection import DeleteCollectionHandler
from quarterdeck.endpoints.handlers.create import CreateHandler
from quarterdeck.endpoints.handlers.delete import DeleteHandler
from quarterdeck.endpoints.handlers.get import handle_get
from quarterdeck.endpoints.handlers.list import handle_list
from quarterdeck.endpoints.handlers.patch import PatchHandler
from quarterdeck.endpoints.handlers.scale import CustomScaleHandler, handle_get_scale
from quarterdeck.endpoints.handlers.update import UpdateHandler
from quarterdeck.endpoints.handlers.watch import WatchHandler
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.paths import PlainPaths
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Handler, Router
from quarterdeck.endpoints.scrape import MetricsPaths
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.endpoints.table.custom import compile_columns
from quarterdeck.metrics import process
from quarterdeck.metrics.registry import Registry
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.openapi.publication import Published
from quarterdeck.registry.builtin import resources as builtin
from quarterdeck.registry.builtin import workloads
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.reviews import REVIEWS
from quarterdeck.registry.identity import LOOPBACK, Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Store
from quarterdeck.registry.strategy import Object
from quarterdeck.server import access, admission, cache_counts, health, instruments, version
from quarterdeck.server.config import Config
from quarterdeck.server.damage import Damage
from quarterdeck.server.datadir import STORE_FILE
from quarterdeck.server.reload import FileWatch
from quarterdeck.server.resources import Scopes, ServedResources
from quarterdeck.server.root import list_paths
from quarterdeck.storage.cacher import Attributes, Cacher, Limits, build_prefix
from quarterdeck.storage.cacher.consistency import ConsistencyChecker, Mismatch
from quarterdeck.storage.interface import Storage
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.transport.messages import Request, Response

_LOG = logging.getLogger(__name__)

EXIT_STORE_FAILED = 5

Builtin = dict[tuple[str, str, str], Scopes]


class APIServer:
    """What lifecycle runs. `health_checks` are read at each request to a health endpoint."""

    def __init__(
        self,
        application: Application,
        metrics: Registry,
        controllers: Controllers,
        storage: SQLiteStorage,
        cacher: Cacher,
        checker: ConsistencyChecker,
        admitting: admission.Admission,
    ) -> None:
        self.admission, self._http = admitting.chain, admitting.http
        self.application = application
        self.metrics = metrics
        self.controllers = controllers
        self.health_checks: dict[str, health.Check] = {}
        self.file_watches: list[FileWatch] = []
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

    async def stop(self) -> None:
        for watch in self.file_watches:
            await watch.stop()
        await self._checker.stop()
        await self.controllers.stop()
        await self._cacher.close()
        await self._storage.close()
        self._http.close()


async def build(config: Config) -> APIServer:
    """Open the store, fill the caches from it, and put everything together."""
    storage = await SQLiteStorage.open(config.data_dir / STORE_FILE, on_fatal=_exit_without_store)
    sizes = {build_prefix(*resource): size for resource, size in config.watch_cache_sizes.items()}
    cacher = Cacher(storage, Limits(config.default_watch_cache_size, sizes))
    await cacher.start()
    served = _build_builtin(storage, cacher)
    definitions = ServedDefinitions()
    resources = ServedResources(served, definitions, (each.resource.group for each in REVIEWS))
    discovery = DiscoveryDocuments(f"{config.bind_address}:{config.secure_port}")
    _publish_builtin(discovery, served)
    admitting = admission.build(served, definitions, config.webhook_services)
    store_of = partial(_store_of, storage, cacher)
    builder = Builder(store_of, lambda _, columns: compile_columns(columns), admitting.webhooks)
    openapi = OpenAPIDocuments(config.version.git_version)
    openapi.put("builtin", [Published(scopes[""].resource) for scopes in served.values()])
    chain = admitting.chain
    controllers = Controllers(
        served,
        definitions,
        builder,
        discovery,
        cacher,
        partial(_publish_definition, openapi),
        identity=Identity(chain, LOOPBACK),
    )
    controllers.wanted = config.controllers
    controllers.set_address(config.bind_address, config.secure_port)
    damage = Damage(cacher)
    checks = health.build_checks(
        partial(_check_storage, storage), partial(_check_space, storage), {}, damage.check_definitions
    )
    metrics, slis = Registry(), Registry()
    report_health = instruments.register_health(slis)
    gates = access.build(config, served, metrics, chain)
    admitting.authorization.authorizer = gates.authorizer
    plain = PlainPaths(
        lambda path, query: health.answer(path, query, checks, report_health, damage.warn),
        partial(version.build_response, config.version),
        partial(list_paths, resources, definitions),
    )
    router = Router(
        resources,
        _build_handlers(chain, config.min_request_timeout_s),
        {**_build_scale_handlers(chain), ("token", "create"): gates.token_requests},
        [
            plain,
            damage.respond,
            gates.reviews,
            partial(_answer_discovery, discovery),
            gates.openid,
            openapi.respond,
            MetricsPaths({"/metrics": metrics, "/metrics/slis": slis}),
        ],
    )
    filters = (
        AuthenticationFilter(gates.authenticator),
        ImpersonationFilter(gates.authorizer),
        AuthorizationFilter(gates.authorizer),
    )
    requests = RequestMetrics(metrics)
    application = Application((check_insecure, check_timeout, *filters), router, requests)
    instruments.register_gates(
        metrics, requests, lambda: filters[0].refusals, lambda: filters[1].refusals + filters[2].refusals
    )
    instruments.register_application(metrics, application)
    _register_parts(metrics, config, storage, cacher, controllers)
    instruments.register_damage(metrics, damage.count)
    checker = ConsistencyChecker(
        cacher, _report_mismatch, instruments.count_checks(metrics), config.consistency_check_period_s
    )
    server = APIServer(application, metrics, controllers, storage, cacher, checker, admitting)
    server.health_checks = checks
    server.file_watches += gates.file_watches
    return server


def _register_parts(
    metrics: Registry, config: Config, storage: SQLiteStorage, cacher: Cacher, controllers: Controllers
) -> None:
    process.register(metrics)
    instruments.register_build(metrics, version.build_info(config.version))
    instruments.register_storage(metrics, storage)
    instruments.register_cache(metrics, cacher)
    cache_counts.register(metrics, cacher)
    instruments.register_queues(metrics, controllers.queues())


def _answer_discovery(discovery: DiscoveryDocuments, request: Request) -> Response | None:
    root = request.path.split("/", 2)[1]
    return discovery.respond(request) if root in ("api", "apis") else None


def _build_builtin(storage: Storage, cacher: Cacher) -> Builtin:
    assembly = Assembly(storage, cacher, convertor_for)
    served: Builtin = {}
    for definition in [*builtin.definitions(), *workloads.definitions(cacher), definition_of_definitions()]:
        resource = definition.resource
        served[resource.group, resource.version, resource.name] = assembly.build(definition)
    return served


def _build_handlers(admission: Chain, min_request_timeout_s: int) -> dict[str, Handler]:
    return {
        "get": handle_get,
        "list": handle_list,
        "watch": WatchHandler(min_request_timeout_s),
        "create": CreateHandler(admission),
        "update": UpdateHandler(admission),
        "patch": PatchHandler(admission),
        "delete": DeleteHandler(admission),
        "deletecollection": DeleteCollectionHandler(admission),
    }


def _build_scale_handlers(admission: Chain) -> dict[tuple[str, str], Handler]:
    custom, of_builtin = CustomScaleHandler(admission), BuiltinScaleHandler(admission)

    def write(request: Request, info: RequestInfo, scope: Scope) -> Awaitable[Response]:
        return custom(request, info, scope) if scope.is_custom else of_builtin(request, info, scope)

    return {("scale", "get"): handle_get_scale, ("scale", "update"): write, ("scale", "patch"): write}


def _publish_builtin(discovery: DiscoveryDocuments, served: Builtin) -> None:
    by_version: dict[tuple[str, str], list[APIResource]] = {}
    for (group, name, _), scopes in served.items():
        by_version.setdefault((group, name), []).append(scopes[""].resource)
    for review in REVIEWS:
        by_version.setdefault((review.resource.group, review.resource.version), []).append(review.resource)
    discovery.put(
        "builtin",
        [
            GroupVersion(
                group,
                name,
                tuple(sorted(resources, key=lambda each: each.name)),
                *priorities.of(group, name),
                is_builtin=True,
            )
            for (group, name), resources in by_version.items()
        ],
    )


def _store_of(
    storage: Storage,
    cacher: Cacher,
    group: str,
    plural: str,
    namespaced: bool,
    attributes: Callable[[Object], Attributes],
) -> Store:
    cache = cacher.resource(group, plural, _fields_by(attributes))
    return Store(
        group,
        plural,
        namespaced=namespaced,
        key_prefix=cache.prefix,
        storage=storage,
        cache=cache,
        attributes=attributes,
    )


@lru_cache(maxsize=1024)
def _fields_by(attributes: Callable[[Object], Attributes]) -> Callable[[Object], dict[str, str]]:
    return lambda obj: attributes(obj).fields


def _publish_definition(openapi: OpenAPIDocuments, name: str, served: ServedDefinition | None) -> None:
    """OpenAPI follows what is served."""
    openapi.put(f"crd/{name}", served.published if served is not None else ())


def _check_storage(storage: SQLiteStorage) -> str | None:
    return None if storage.is_available else "the store has stopped"


def _check_space(storage: SQLiteStorage) -> str | None:
    return _check_storage(storage) or ("the disk is full: only deletions are taken" if storage.is_space_short else None)


def _report_mismatch(mismatch: Mismatch) -> None:
    _LOG.error(
        "the watch cache differs from the store: %s at revision %d: only in the cache %s, only in the store %s",
        mismatch.prefix,
        mismatch.revision,
        mismatch.cached,
        mismatch.stored,
    )


def _exit_without_store(error: BaseException) -> None:
    """The store cannot vouch for what it is given any more: the next start tells what became durable."""
    print(f"quarterdeck: the store has failed and nothing more can be acknowledged: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(EXIT_STORE_FAILED)
