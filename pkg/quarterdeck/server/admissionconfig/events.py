"""The limits of EventRateLimit. Source: plugin/pkg/admission/eventratelimit/{config.go,apis/eventratelimit}."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck.admission.plugins.eventlimits import KINDS, SERVER
from quarterdeck.admission.pluginsettings import EventLimit
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import INT32, STRING, Field, ListOf, Scalar, Struct

Object = dict[str, Any]

_GROUP: Final = "eventratelimit.admission.k8s.io"
_VERSION: Final = "v1alpha1"
_KIND: Final = "Configuration"
_SCHEME: Final = "pkg/admission/eventratelimit/config.go:31"
_KEYS_MAX: Final = 4096
_LIMIT: Final = Struct(
    "Limit",
    {
        "type": Field(Scalar(f"{_VERSION}.LimitType", "string")),
        "qps": Field(INT32),
        "burst": Field(INT32),
        "cacheSize": Field(INT32),
    },
    _VERSION,
)
_FIELDS: Final = {"kind": Field(STRING), "apiVersion": Field(STRING), "limits": Field(ListOf(_LIMIT))}


def parse(data: bytes | None) -> tuple[EventLimit, ...]:
    """None: there is no configuration, which is refused. Raises BadFile."""
    decoded: Object = {}
    if data is not None:
        kinds = {(_GROUP, _VERSION, _KIND): Struct(_KIND, _FIELDS, _VERSION)}
        decoded = configfile.decode(data, kinds, _SCHEME, is_strict=False)
    limits = decoded.get("limits") or []
    problems = [problem for position, each in enumerate(limits) for problem in _check(position, each)]
    if not limits:
        problems.append(field.invalid("limits", None, "must not be empty"))
    if problems:
        raise BadFile(field.aggregate_message(problems))
    return tuple(
        EventLimit(each["type"], each["qps"], each["burst"], each.get("cacheSize", 0) or _KEYS_MAX) for each in limits
    )


def _check(position: int, limit: Object) -> Iterator[FieldError]:
    path, kind = field.index("limits", position), limit.get("type", "")
    if kind not in KINDS:
        yield field.not_supported(f"{path}.type", kind, list(KINDS))
    for name in ("burst", "qps"):
        if limit.get(name, 0) <= 0:
            yield field.invalid(f"{path}.{name}", limit.get(name, 0), "must be positive")
    if kind != SERVER and limit.get("cacheSize", 0) < 0:
        yield field.invalid(f"{path}.cacheSize", limit["cacheSize"], "must not be negative")
