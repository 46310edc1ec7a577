"""/healthz, /livez and /readyz: the text that probes and people read.

Upstream: apiserver/pkg/server/healthz/healthz.go. The answers are public, so they never say why a check fails; the log
does. A check is a callable that answers None, or the reason for which it fails.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.endpoints.query import parse_query
from quarterdeck.transport.messages import Headers, Response

Check = Callable[[], str | None]
Report = Callable[[str, str, bool], None]

_LOG: Final = logging.getLogger(__name__)
_ENDPOINTS: Final = ("healthz", "livez", "readyz")
_READY_ONLY: Final = frozenset(("etcd-readiness", "informer-sync", "shutdown"))
_LIVE_ONLY: Final = frozenset(("loopback-serving-certificate",))
# Differs from upstream: there the registration of versions counts everywhere.
_PASSED_WHERE_LIVE: Final = frozenset(("autoregister-completion",))
_OVERRIDE: Final = "etcd-override-"
_OVERRIDE_READINESS: Final = f"{_OVERRIDE}readiness-"
_NOT_LIVE: Final = frozenset(("kms-providers",))
_TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
_NOSNIFF: Final = ("X-Content-Type-Options", "nosniff")


def always_healthy() -> str | None:
    """For `ping` and `log`: that an answer comes is the check."""
    return None


def build_checks(
    storage: Check, readiness: Check, startup: Mapping[str, Check], informers: Check = always_healthy
) -> dict[str, Check]:
    """The checks under upstream's names and in its order. `storage`: whether the store works at all; `readiness`:
    whether it takes every write; `startup`: what has to be done before the server is ready.

    The dict is read at each request: `shutdown` is replaced when the server begins to stop (lifecycle.py).
    """
    checks: dict[str, Check] = {
        "ping": always_healthy,
        "log": always_healthy,
        "loopback-serving-certificate": always_healthy,
        "etcd": storage,
        "etcd-readiness": readiness,
        "informer-sync": informers,
    }
    checks.update(startup)
    checks["shutdown"] = always_healthy
    return checks


def add_overrides(checks: dict[str, Check], stores: Sequence[tuple[Check, Check]]) -> None:
    """Those of the stores that some resources are kept in, storage and readiness of each, behind those of the others'
    store."""
    added = {}
    for number, (storage, readiness) in enumerate(stores):
        added[f"{_OVERRIDE}{number}"] = storage
        added[f"{_OVERRIDE_READINESS}{number}"] = readiness
    kept = dict(checks)
    checks.clear()
    for name, check in kept.items():
        checks[name] = check
        if name == "etcd-readiness":
            checks.update(added)


def answer(
    path: str,
    query: str,
    checks: Mapping[str, Check],
    report: Report | None = None,
    warn: Callable[[], str | None] = always_healthy,
) -> Response | None:
    """The answer to a decoded path, None where there is no such endpoint or check. `report` is told of each check
    that runs for a whole endpoint: its name, the endpoint, whether all is well. `warn` gives a line for `verbose`
    answers: what is wrong without making the server unfit."""
    endpoint, _, name = path.removeprefix("/").partition("/")
    if endpoint not in _ENDPOINTS or not path.startswith("/"):
        return None
    selected = _select(endpoint, checks)
    if not name:
        return _answer_all(endpoint, query, selected, report, warn) if path == f"/{endpoint}" else None
    check = selected.get(name)
    if check is None:
        return None
    reason = check()
    if reason is not None:
        return Response(500, [_TEXT, _NOSNIFF], f"internal server error: {reason}\n".encode())
    return Response(200, [_TEXT], b"ok")


def list_paths(checks: Mapping[str, Check]) -> list[str]:
    """The paths that `answer` knows."""
    return [
        path
        for endpoint in _ENDPOINTS
        for path in (f"/{endpoint}", *(f"/{endpoint}/{name}" for name in _select(endpoint, checks)))
    ]


def _select(endpoint: str, checks: Mapping[str, Check]) -> dict[str, Check]:
    """The checks of an endpoint."""
    if endpoint == "readyz":
        return {name: check for name, check in checks.items() if name not in _LIVE_ONLY}
    hidden = _READY_ONLY | _NOT_LIVE if endpoint == "livez" else _READY_ONLY
    return {
        name: always_healthy if name in _PASSED_WHERE_LIVE else check
        for name, check in checks.items()
        if name not in hidden and not name.startswith(_OVERRIDE_READINESS)
    }


def _group(name: str) -> str:
    """The check whose exclusion excludes this one too: that of the store of most resources, for those of others."""
    if name.startswith(_OVERRIDE_READINESS):
        return "etcd-readiness"
    return "etcd" if name.startswith(_OVERRIDE) else name


def _answer_all(
    endpoint: str, query: str, checks: Mapping[str, Check], report: Report | None, warn: Callable[[], str | None]
) -> Response:
    parameters = parse_query(query)
    excluded = frozenset(parameters.get("exclude", ()))
    unknown = set(excluded)
    lines: list[str] = []
    reasons: dict[str, str] = {}
    for name, check in checks.items():
        if name in excluded:
            unknown.discard(name)
            lines.append(f"[+]{name} excluded: ok\n")
            continue
        if (group := _group(name)) in excluded:
            unknown.discard(group)
            lines.append(f"[+]{name} excluded with {group}: ok\n")
            continue
        reason = check()
        if report is not None:
            report(name, endpoint, reason is None)
        if reason is None:
            lines.append(f"[+]{name} ok\n")
        else:
            lines.append(f"[-]{name} failed: reason withheld\n")
            reasons[name] = reason
    if unknown:
        names = ",".join(gofmt.quote(name) for name in sorted(unknown))
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}\n")
    if warning := warn():
        lines.append(f"warn: {warning}\n")
    headers: Headers = [_TEXT, _NOSNIFF]
    if reasons:
        _LOG.warning("%s check failed: %s", endpoint, "; ".join(f"{name}: {why}" for name, why in reasons.items()))
        return Response(500, headers, f"{''.join(lines)}{endpoint} check failed\n".encode())
    if "verbose" in parameters:
        return Response(200, headers, f"{''.join(lines)}{endpoint} check passed\n".encode())
    return Response(200, headers, b"ok")
