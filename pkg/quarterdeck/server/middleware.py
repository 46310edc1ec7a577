"""Wiring of middleware around requests: faults, recordings, coverage, traces, a clock, the live page, headers for
browsers. Nothing, unless asked for (ADR 103); but the webhooks that this server serves itself are called without a way
around."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.endpoints.application import Filter
from quarterdeck.endpoints.router import PlainHandler
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config, ConfigError
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.messages import Application
from quarterdeck.webhook.client import ServiceResolver, WebhookClient
from quarterdeck.webhook.loopback import SERVICE, Loopback, LoopbackClient

if TYPE_CHECKING:
    from quarterdeck.coverage.data import CoverageData
    from quarterdeck.endpoints.coverage import Coverage
    from quarterdeck.endpoints.handlers.watch import Note
    from quarterdeck.faults.ruleset import RuleSet
    from quarterdeck.recording.file import Writer
    from quarterdeck.server.tracing.provider import Provider
    from quarterdeck.server.virtualtime import VirtualTime
    from quarterdeck.storage.cacher import Cacher


@dataclass(frozen=True, slots=True)
class Middleware:
    """`known` are filters for which it is known who asks, `filters` go behind all others, `paths` beside those of the
    server; `wraps` around the application, the outermost last. `client` makes what calls webhooks. `coverage` looks at
    requests, `noted` is what it and others note (server/covering.py). `note_watch` is told of watches. `loopback` is
    how the server calls itself, where it does: always, unless somebody has said where it is."""

    filters: tuple[Filter, ...] = ()
    paths: list[PlainHandler] = field(default_factory=list)
    wraps: tuple[Callable[[Application], Application], ...] = ()
    client: Callable[[HTTPClient, ServiceResolver], WebhookClient] = WebhookClient
    known: tuple[Filter, ...] = ()
    note_watch: Note | None = None
    coverage: Coverage | None = None
    loopback: Loopback | None = None

    @property
    def noted(self) -> CoverageData | None:
        return None if self.coverage is None else self.coverage.noted

    def wrap(self, application: Application) -> Application:
        for wrap in self.wraps:
            application = wrap(application)
        return application

    def connect(self, cacher: Cacher, served: Builtin, definitions: ServedDefinitions) -> None:
        """With what is served."""
        if self.coverage is not None:
            from quarterdeck.server import covering

            covering.connect(self.coverage, cacher, served, definitions)


_NOTHING: Final = Middleware()


class PlaceState:
    """What middleware keeps for a place, whichever of the servers that it has one after another is running."""

    def __init__(self) -> None:
        self.rules: RuleSet | None = None
        self.noted: CoverageData | None = None
        self.time: VirtualTime | None = None


def keep(config: Config, revision: int) -> PlaceState:
    """Of the process, whose store is at `revision`."""
    kept = PlaceState()
    if config.virtual_clock is not None:
        from quarterdeck.server import virtualtime

        kept.time = virtualtime.of_process(config.virtual_clock, revision)
    return kept


def open_recording(config: Config) -> Writer | None:
    """Raises ConfigError."""
    if config.record_file is None:
        return None
    from quarterdeck.recording.file import Writer

    try:
        return Writer(config.record_file, config.version.git_version)
    except OSError as error:
        raise ConfigError(f"--record-file: cannot write {config.record_file}: {error.strerror}") from error


def open_tracing(config: Config) -> Provider | None:
    """Raises ConfigError."""
    if config.tracing_config_file is None:
        return None
    from quarterdeck.server.tracing.build import open_provider

    return open_provider(config.tracing_config_file)


def build(
    config: Config,
    base: str,
    kept: PlaceState | None,
    recording: Writer | None,
    tracing: Provider | None,
    cacher: Cacher,
    metrics: Registry,
) -> Middleware:
    """`base`: the path of a logical cluster, which does not call itself: it is one of several at its address. Raises
    ConfigError."""
    middleware = _NOTHING
    virtual = kept.time if kept is not None else None
    if config.has_faults:
        from quarterdeck.server import faults

        kept = kept or PlaceState()
        if kept.rules is None:
            kept.rules = faults.build_rules(config.fault_rules_file, None if virtual is None else virtual.step)
        spoiling = faults.Faults(kept.rules, lambda: cacher.revision)
        middleware = Middleware((spoiling.filter,), [spoiling.path], (spoiling.wrap,), spoiling.build_webhook_client)
    if virtual is not None:
        middleware = _go_by(middleware, virtual)
    if config.has_coverage:
        middleware = _cover(middleware, kept or PlaceState())
    if recording is not None:
        from quarterdeck.endpoints.recording import Recorder

        recorder = Recorder(recording)
        middleware = replace(
            middleware, filters=(recorder, *middleware.filters), wraps=(*middleware.wraps, recorder.wrap)
        )
    if config.allowed_origins or config.transport_security:
        middleware = _tell_browsers(middleware, config)
    if config.live_page_port is not None:
        middleware = _show(middleware, virtual, cacher, metrics)
    if tracing is not None:
        middleware = _trace(middleware, tracing)
    return middleware if base or _is_named(config) else _call_itself(middleware, config)


def _is_named(config: Config) -> bool:
    """Whether somebody has said where the service of this server is."""
    return any(each[:2] == SERVICE[:2] and each.port in (0, SERVICE.port) for each in config.webhook_services)


def _call_itself(middleware: Middleware, config: Config) -> Middleware:
    loopback, inner = Loopback(config.bind_address, config.secure_port), middleware.client

    def build_client(http: HTTPClient, resolve: ServiceResolver) -> WebhookClient:
        return LoopbackClient(http, resolve, loopback, inner(http, resolve))

    return replace(middleware, client=build_client, loopback=loopback)


def _go_by(middleware: Middleware, virtual: VirtualTime) -> Middleware:
    """Behind what is done to requests: it is the server itself that goes by the clock."""
    return replace(
        middleware,
        paths=[*middleware.paths, virtual.path],
        wraps=(virtual.wrap, *middleware.wraps),
        client=virtual.build_webhook_client(middleware.client),
    )


def _cover(middleware: Middleware, kept: PlaceState) -> Middleware:
    """In front of faults: what was asked was asked, whatever comes of it."""
    from quarterdeck.coverage.data import CoverageData
    from quarterdeck.endpoints.coverage import Coverage

    if kept.noted is None:
        kept.noted = CoverageData()
    coverage = Coverage(kept.noted)
    return replace(
        middleware,
        filters=(coverage, *middleware.filters),
        paths=[*middleware.paths, coverage.path],
        wraps=(coverage.wrap, *middleware.wraps),
        coverage=coverage,
    )


def _tell_browsers(middleware: Middleware, config: Config) -> Middleware:
    """Around all that may answer instead of the server, but for the transport's refusals."""
    from quarterdeck.endpoints.browserheaders import BrowserHeaders

    browsers = BrowserHeaders(config.allowed_origins, config.transport_security)
    return replace(middleware, wraps=(*middleware.wraps, browsers.wrap))


def _show(middleware: Middleware, virtual: VirtualTime | None, cacher: Cacher, metrics: Registry) -> Middleware:
    """What the page asks is none of what others ask: no rule counts it, and nobody notes it."""
    from quarterdeck.livepage import figures, identity, watches
    from quarterdeck.livepage.readpath import ReadPath

    open_watches = watches.Watches()
    told = figures.Figures(metrics, lambda: cacher.revision)
    reads = (ReadPath(figures.PATH, told.tell), ReadPath(watches.PATH, open_watches.tell))
    clock = () if virtual is None else (virtual.wrap,)  # it is the server's, whoever asks
    return replace(
        middleware,
        filters=tuple(identity.passing(each) for each in middleware.filters),
        wraps=tuple(each if each in clock else identity.passing_around(each) for each in middleware.wraps),
        paths=[*middleware.paths, *reads],
        note_watch=open_watches.note,
    )


def _trace(middleware: Middleware, provider: Provider) -> Middleware:
    """Outside all the rest: it takes as long as that makes it."""
    from quarterdeck.endpoints.tracing import RequestTracing
    from quarterdeck.server.tracing.webhooks import TracedWebhookClient

    tracing, inner = RequestTracing(provider.tracer), middleware.client

    def build_client(http: HTTPClient, resolve: ServiceResolver) -> WebhookClient:
        return TracedWebhookClient(http, resolve, provider.tracer, inner(http, resolve))

    return replace(
        middleware,
        known=(tracing.begin,),
        filters=(tracing.handle, *middleware.filters),
        wraps=(*middleware.wraps, tracing.wrap),
        client=build_client,
    )
