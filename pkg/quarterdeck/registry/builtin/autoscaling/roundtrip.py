"""What v1 has no fields for: it stands in annotations, as JSON.

Source: pkg/apis/autoscaling/{annotations,helpers}.go, pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from quarterdeck.registry.builtin import checks
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import Field, GoType, ListOf, Struct

_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
METRICS: Final = f"{_PREFIX}metrics"
BEHAVIOR: Final = f"{_PREFIX}behavior"
CURRENT_METRICS: Final = f"{_PREFIX}current-metrics"
CONDITIONS: Final = f"{_PREFIX}conditions"
# Nothing writes those of tolerances, yet no object holds them.
_TOLERANCES: Final = (f"{_PREFIX}scale-down-tolerance", f"{_PREFIX}scale-up-tolerance")
_ALL: Final = (METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS, *_TOLERANCES)


def drop(metadata: Object) -> None:
    """Take them away: no object holds them but as v1 shows it."""
    found = metadata.get("annotations")
    if found and any(name in found for name in _ALL):
        left = {name: text for name, text in found.items() if name not in _ALL}
        if left:
            metadata["annotations"] = left
        else:
            del metadata["annotations"]


def write(metadata: Object, name: str, value: Any) -> None:
    metadata["annotations"] = {**(metadata.get("annotations") or {}), name: checks.in_order(value)}


def read_list(metadata: Object, name: str, table: str, struct: str) -> list[Object] | None:
    """The items, of a struct of a table of types; None where there are none that can be read."""
    decoded = _read(metadata, name, ListOf(gotypes.named_struct(table, struct)))
    return None if decoded is None else decoded.get("value") or []


def read_behavior(metadata: Object) -> Object | None:
    decoded = _read(metadata, BEHAVIOR, gotypes.named_struct("autoscaling_v2", "HorizontalPodAutoscalerBehavior"))
    return (decoded or {}).get("value") or None


def _read(metadata: Object, name: str, of: GoType) -> Object | None:
    """With the value, unless it is empty; None where there is none that can be read."""
    text = (metadata.get("annotations") or {}).get(name)
    if text is None:
        return None
    try:
        value = _with_names(json.loads(text, parse_constant=_refuse), of)
        wrapper = Struct("Annotation", {"value": Field(of, pointer=isinstance(of, Struct))}, "autoscaling")
        return Decoder(report_unknown=False).decode_struct({"value": value}, wrapper)
    except (ValueError, RecursionError, DecodeError):
        return None


def _refuse(name: str) -> NoReturn:
    """NaN and the infinities, which Python reads, are no JSON."""
    raise ValueError(name)


def _with_names(value: Any, of: GoType) -> Any:
    """Members by the names of the type: Go's decoder takes them in any case."""
    if isinstance(of, ListOf) and isinstance(value, list):
        return [_with_names(item, of.item) for item in value]
    if not isinstance(of, Struct) or not isinstance(value, dict):
        return value
    known: dict[str, str] = {each.lower(): each for each in of.fields}
    made: dict[str, Any] = {}
    for name, item in value.items():
        field_name = known.get(str(name).lower())
        if field_name is not None:
            made[field_name] = _with_names(item, of.fields[field_name].type)
    return made
