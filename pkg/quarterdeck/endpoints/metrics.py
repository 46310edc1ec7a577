"""Counts and times requests.

A request's kind (a verb on a resource in a scope) is found out at its end and its values with one dict lookup. What
reached no resource (401, 403, unknown paths, discovery) is counted with empty labels, so that no label holds what a
client made up (CVE-2020-8552).

Differs from upstream: refusals before a resource was found are counted too, with empty labels.

Source: apiserver/pkg/endpoints/metrics/metrics.go (MonitorRequest, CleanScope, cleanVerb, RecordLongRunning).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.endpoints import longrunning
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.series import Families, Kind, Series
from quarterdeck.metrics.registry import Meter, Registry, read_mapping
from quarterdeck.registry.scope import Scope
from quarterdeck.transport.messages import Body, LazyBody, Response, Stream, StreamWriter

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_now_s: Final = now_s

_READ_VERBS: Final = frozenset(("get", "list", "watch"))
_METHODS: Final = {"GET": "GET", "HEAD": "GET", "POST": "POST", "PUT": "PUT", "PATCH": "PATCH", "DELETE": "DELETE"}
_OF_MANY: Final = frozenset(("list", "watch", "deletecollection"))
_DISCOVERY: Final = {"/api": "api", "/apis": "apis"}
_OPENAPI: Final = "/openapi/v3"
_HEALTH: Final = frozenset(("/healthz", "/livez", "/readyz"))
# Their verb alone tells the kind, of an object that is named and without a query.
_TOLD_BY_VERB: Final = frozenset(("get", "create", "update", "delete"))
_APPLY: Final = "application/apply-patch"
_KINDS_MAX: Final = 20_000
_WINDOW_S: Final = 1.0


class Inflight:
    """Requests that wait for something (a commit, the cache): what is answered at once is never seen in flight."""

    __slots__ = ("_high", "_since_s", "count")

    def __init__(self) -> None:
        self.count = 0
        self._high = 0
        self._since_s = 0.0

    def begin(self, at_s: float) -> None:
        self.count += 1
        if self.count >= self._high or at_s - self._since_s > _WINDOW_S:
            self._high, self._since_s = self.count, at_s

    def end(self) -> None:
        self.count -= 1

    def high(self) -> int:
        """The highest number at once in about the last second."""
        return self.count if _now_s() - self._since_s > _WINDOW_S else max(self.count, self._high)


class RequestMetrics:
    """One for a server. What refuses requests counts those, so that nobody has to count what is let through."""

    def __init__(self, registry: Registry) -> None:
        self.mutating = Inflight()
        self.read_only = Inflight()
        self._families = Families(registry)
        self._series: dict[tuple[str, ...], Series] = {}
        registry.read_gauge(
            "apiserver_current_inflight_requests",
            "[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in "
            "last second.",
            read_mapping(lambda: {"mutating": self.mutating.high(), "readOnly": self.read_only.high()}),
            ("request_kind",),
        )

    @property
    def requests(self) -> int:
        """How many have ended, and how many streams are open. For scrapes: it adds up."""
        ended = sum((counter.value for _, counter in self._families.totals.children()), 0.0)
        return int(ended + sum((gauge.value for _, gauge in self._families.long_running.children()), 0.0))

    def count_termination(self, request: RequestContext, code: int) -> None:
        """The server ends a request to save itself."""
        self._find(request).count_termination(code)

    def inflight_of(self, request: RequestContext) -> Inflight:
        info = request.info
        is_read = info.verb in _READ_VERBS or request.method in ("GET", "HEAD")
        return self.read_only if is_read else self.mutating

    def observe(self, request: RequestContext, response: Response) -> Response:
        """Count and time a request that is answered. A stream is not at its end yet: what comes back notes that."""
        if type(response) is not Response and isinstance(response, Stream):
            return MeteredStream(response, self._find(request), request.received_s)
        scope, info = request.scope, request.info
        meter: object = None
        if scope is not None and not request.query and (info.address.name or info.verb == "create"):
            meter = scope.meters.get(info.verb)
        if type(meter) is not Meter:
            meter = self._find_meter(request)
        body = response.body
        size = len(body) if type(body) is bytes else _size_of(body)
        meter.finish(response.status, _now_s() - request.received_s, size, len(request.body))
        return response

    def _find_meter(self, request: RequestContext) -> Meter:
        """Kept with the scope for the next request where that can be told without looking at everything."""
        meter = self._find(request).meter
        scope, info = request.scope, request.info
        if request.query or scope is None:
            return meter
        if info.verb in _TOLD_BY_VERB and (info.address.name or info.verb == "create"):
            scope.meters[info.verb] = meter
        return meter

    def _find(self, request: RequestContext) -> Series:
        kind = kind_of(request)
        return self._series.get(kind) or self._add(kind, request.scope)

    def _add(self, kind: tuple[str, ...], scope: Scope | None) -> Series:
        if len(self._series) >= _KINDS_MAX:  # definitions come and go
            self._series.clear()
        series = self._series[kind] = Series(self._families, Kind(*kind))
        if scope is not None and scope.deprecation_warning:
            self._families.deprecated.labels(*kind[2:6], scope.removed_release).set(1)
        return series


def kind_of(request: RequestContext) -> tuple[str, ...]:
    """The fields of a Kind; as a plain tuple, which takes a tenth of the time to make."""
    scope = request.scope
    if scope is None:
        return _kind_of_other(request)
    resource, query = scope.resource, request.query
    reach = clean_scope(request) if scope.is_custom else _scope_of_route(request)
    dry_run = _clean_dry_run(query) if query and "dryRun" in query else ""
    label = clean_verb(request, reach)
    return (label, dry_run, resource.group, resource.version, resource.name, scope.subresource, reach)


def clean_scope(request: RequestContext) -> str:
    """How far a request for a resource reaches (CleanScope): a field selector may name the one object."""
    address, query = request.info.address, request.query
    if address.name or request.info.verb == "create":
        return "resource"
    if query and request.info.verb in _OF_MANY and _names_one(query):
        return "resource"
    return "namespace" if address.namespace else "cluster"


def _scope_of_route(request: RequestContext) -> str:
    """Of a built-in resource the path alone tells it (installer.go: requestScope)."""
    address = request.info.address
    if address.name or request.method == "POST":
        return "resource"
    return "namespace" if address.namespace else "cluster"


def clean_verb(request: RequestContext, reach: str) -> str:
    """The method, where lists, watches, applies and connections have words of their own (CanonicalVerb, CleanVerb)."""
    info, method = request.info, request.method
    if info.address.subresource in longrunning.SUBRESOURCES:
        return "CONNECT"
    if info.verb == "watch" or (request.query and method == "GET" and _asks_to_watch(request.query)):
        return "WATCH"
    if method == "PATCH" and request.headers.get("content-type", "").startswith(_APPLY):
        return "APPLY"
    label = _METHODS.get(method, "other")
    return "LIST" if label == "GET" and reach != "resource" else label


def _asks_to_watch(query: str) -> bool:
    said = parse_query(query).get("watch") if "watch" in query else None
    return said is not None and said[0].lower() not in ("0", "false")


def _clean_dry_run(query: str) -> str:
    asked = parse_query(query).get("dryRun", ())
    return "invalid" if any(each != "All" for each in asked) else "All" if asked else ""


def _kind_of_other(request: RequestContext) -> tuple[str, ...]:
    path = request.path
    endpoint = path if path in _HEALTH else _DISCOVERY.get(path, "")
    if path.startswith(_OPENAPI) and path[len(_OPENAPI) : len(_OPENAPI) + 1] in ("", "/"):
        endpoint = path[1 : len(_OPENAPI) + 1]
    return (_METHODS.get(request.method, "other"), "", "", "", "", endpoint, "")


def _names_one(query: str) -> bool:
    """Whether a field selector asks for one name, which makes the scope that of an object."""
    if "metadata.name" not in query:
        return False
    selector = ",".join(parse_query(query).get("fieldSelector", ()))
    return any(part.startswith("metadata.name=") for part in selector.split(","))


def _size_of(body: Body) -> int:
    if isinstance(body, bytes):
        return len(body)
    return body.size if isinstance(body, LazyBody) else sum(map(len, body))


class MeteredStream(Stream):
    """Another stream's stand-in before the transport: it tells when that one has ended; `on_closed` is told too."""

    __slots__ = ("_received_s", "_series", "_stream", "on_closed")

    def __init__(self, stream: Stream, series: Series, received_s: float) -> None:
        Stream.__init__(self, stream.status, stream.headers)
        self._stream = stream
        self._series = series
        self._received_s = received_s
        self.on_closed: Callable[[], None] | None = None
        if series.long_running is not None:
            series.long_running.inc()

    def opened(self, writer: StreamWriter) -> None:
        self._stream.opened(writer)

    def resumed(self) -> None:
        self._stream.resumed()

    def closed(self) -> None:
        if self._series.long_running is not None:
            self._series.long_running.dec()
        self._series.meter.finish(self.status, _now_s() - self._received_s, 0, 0)
        if self.on_closed is not None:
            self.on_closed()
        self._stream.closed()
