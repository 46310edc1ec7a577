"""Slices: the devices that a driver offers in a pool.

Source: pkg/registry/resource/resourceslice/strategy.go, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation.scheduling import validate_node_selector
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.resource.capacities import validate_capacity

ENTRIES_MAX: Final = 32  # attributes and capacities of a device together
ATTRIBUTE_VALUES_MAX: Final = 48
VALUE_BYTES_MAX: Final = 64
TAINTS_MAX: Final = 16
CONSUMPTIONS_MAX: Final = 2
COUNTERS_MAX: Final = 32
_KEY_BYTES_MAX: Final = parts.DOMAIN_BYTES_MAX + 1 + parts.ID_BYTES_MAX
_NODE_FIELDS: Final = ("nodeName", "nodeSelector", "allNodes")
UNSET_OR_TRUE: Final = "must be either unset or set to true"
_ONE_NODE: Final = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to "
    "true in the ResourceSlice spec"
)
_NO_NODE: Final = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
    "ResourceSlice spec"
)
# In Go's own order, by their names there.
_VALUES: Final = {
    "int": "IntValue",
    "bool": "BoolValue",
    "string": "StringValue",
    "version": "VersionValue",
    "ints": "IntValues",
    "bools": "BoolValues",
    "strings": "StringValues",
    "versions": "VersionValues",
}
_NUMBER: Final = r"(0|[1-9]\d*)"
_PRERELEASE: Final = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_BUILD: Final = r"[0-9a-zA-Z-]+"

_SEMVER: Final = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRERELEASE}(\.{_PRERELEASE})*)?(\+{_BUILD}(\.{_BUILD})*)?"


def validate_device(path: str, device: Object, before: dict[str, Object], *, chooses_node: bool) -> list[FieldError]:
    """`before`: the devices that are stored, by name. `chooses_node`: each device tells where it can be used."""
    attributes, capacities = device.get("attributes") or {}, device.get("capacity") or {}
    problems = parts.dns_label(f"{path}.name", parts.name_of(device))
    if (count := len(attributes) + len(capacities)) > ENTRIES_MAX:
        detail = f"the total number of attributes and capacities must not exceed {ENTRIES_MAX}"
        problems.append(field.invalid(path, count, detail))
    if len(attributes) > ATTRIBUTE_VALUES_MAX:
        detail = f"the total number of attribute values must not exceed {ATTRIBUTE_VALUES_MAX}"
        problems.append(field.invalid(path, len(attributes), detail))
    at = f"{path}.attributes"
    problems += parts.entries(at, attributes, -1, _KEY_BYTES_MAX, parts.qualified_name, _validate_attribute)
    check = partial(validate_capacity, is_shared=bool(device.get("allowMultipleAllocations")))
    at = f"{path}.capacity"
    problems += parts.entries(at, capacities, -1, _KEY_BYTES_MAX, parts.qualified_name, check)
    old, taints = before.get(parts.name_of(device)), device.get("taints") or []
    if old is None or not checks.same(taints, old.get("taints")):
        problems += parts.items(f"{path}.taints", taints, TAINTS_MAX, _validate_taint)
    problems += parts.unique_items(
        f"{path}.consumesCounters",
        device.get("consumesCounters") or [],
        CONSUMPTIONS_MAX,
        _validate_consumption,
        _counter_set_of,
    )
    problems += _validate_node(path, device) if chooses_node else _validate_no_node(path, device)
    return problems + parts.binding_conditions(path, device)


def _validate_attribute(path: str, attribute: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    if (text := attribute.get("string")) is not None:
        problems += _validate_length(f"{path}.string", text)
    if (version := attribute.get("version")) is not None:
        if not re.fullmatch(_SEMVER, version, re.ASCII):
            detail = "must be a string compatible with semver.org spec 2.0.0"
            problems.append(field.invalid(f"{path}.version", version, detail))
        problems += _validate_length(f"{path}.version", version)
    if len(attribute) != 1:
        shown: Any = ""
        if attribute:
            shown = GoText(checks.in_order({go_name: attribute.get(name) for name, go_name in _VALUES.items()}))
        problems.append(field.invalid(path, shown, "exactly one value must be specified"))
    return problems


def _validate_length(path: str, value: str) -> list[FieldError]:
    is_long = len(value.encode("utf-8", "surrogatepass")) > VALUE_BYTES_MAX
    return [field.too_long(path, VALUE_BYTES_MAX)] if is_long else []


def _validate_taint(path: str, taint: Object) -> list[FieldError]:
    problems = parts.label_name(f"{path}.key", taint.get("key", ""))
    problems += parts.label_value(f"{path}.value", taint.get("value", ""))
    return problems + checks.required_one_of(f"{path}.effect", taint.get("effect", ""), parts.EFFECTS)


def _counter_set_of(consumption: Object) -> str:
    found: str = consumption.get("counterSet", "")
    return found


def _validate_consumption(path: str, consumption: Object) -> list[FieldError]:
    problems = checks.required_name(f"{path}.counterSet", _counter_set_of(consumption), names.dns1123_label)
    return problems + validate_counters(f"{path}.counters", consumption.get("counters") or {})


def validate_counters(path: str, counters: dict[str, Object]) -> list[FieldError]:
    if not counters:
        return [field.required(path)]
    if len(counters) > COUNTERS_MAX:
        return [field.too_many(path, len(counters), COUNTERS_MAX)]
    problems: list[FieldError] = []
    for name in sorted(counters):
        problems += parts.dns_label(path, name)
    return problems


def validate_node_choices(
    path: str, found: Object, on_empty: str, of_selector: Iterable[FieldError] = ()
) -> tuple[list[str], list[FieldError]]:
    """Which of the ways to choose nodes are used, as Go shows them. `on_empty`: what is told of an empty name;
    `of_selector`: what else is wrong with the selector."""
    used: list[str] = []
    problems: list[FieldError] = []
    if (name := found.get("nodeName")) is not None:
        if name:
            used.append("`nodeName`")
            problems += checks.name(f"{path}.nodeName", name, names.dns1123_subdomain)
        else:
            problems.append(field.invalid(f"{path}.nodeName", name, on_empty))
    if (selector := found.get("nodeSelector")) is not None:
        used.append("`nodeSelector`")
        problems += validate_node_selector(f"{path}.nodeSelector", selector)
        problems += of_selector
    if found.get("allNodes"):
        used.append("`allNodes`")
    elif found.get("allNodes") is not None:
        problems.append(field.invalid(f"{path}.allNodes", False, UNSET_OR_TRUE))
    return used, problems


def _validate_node(path: str, device: Object) -> list[FieldError]:
    used, problems = validate_node_choices(path, device, "must not be empty")
    if not used:
        problems.append(field.required(path, _ONE_NODE))
    elif len(used) > 1:
        problems.append(field.invalid(path, "{" + ", ".join(used) + "}", _ONE_NODE))
    return problems


def _validate_no_node(path: str, device: Object) -> list[FieldError]:
    is_set = any(device.get(name) is not None for name in _NODE_FIELDS)
    return [field.invalid(path, None, _NO_NODE)] if is_set else []
