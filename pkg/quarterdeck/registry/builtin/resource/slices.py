"""Slices of the pools of devices that drivers offer.

Source: pkg/registry/resource/resourceslice/strategy.go, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import clock, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.resource.devices import (
    UNSET_OR_TRUE,
    validate_counters,
    validate_device,
    validate_node_choices,
)
from quarterdeck.registry.builtin.senttimes import SentTimes
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

DEVICES_MAX: Final = 128
DEVICES_WITH_TAINTS_MAX: Final = 64
COUNTER_SETS_MAX: Final = 8
_ONE_NODE: Final = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
# Off by default: dropped where none of them is stored.
_LISTS: Final = ("bools", "ints", "strings", "versions")
_MAPPINGS: Final = "nodeAllocatableResourceMappings"
TIMES: Final = SentTimes("spec.devices.*.taints.*.timeAdded")


def default_resource_slice(obj: Object) -> None:
    for device in obj["spec"].get("devices") or []:
        default_device(device)


def default_device(device: Object) -> None:
    for taint in device.get("taints") or []:
        taint.setdefault("timeAdded", clock.now())
    for mapping in (device.get(_MAPPINGS) or {}).values():
        mapping.setdefault("allocationMultiplier", "1")


def select_slice_fields(obj: Object) -> dict[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.nodeName": spec.get("nodeName") or "", "spec.driver": spec.get("driver") or ""}


class ResourceSliceStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        _drop_gated(obj["spec"], {})

    def keep(self, new: Object, old: Object) -> None:
        semantic.count_change(new, old, "spec", "resource", "ResourceSliceSpec", TIMES)
        _drop_gated(new["spec"], old["spec"])

    def warn(self, obj: Object) -> list[str]:
        driver = obj["spec"].get("driver", "")
        if driver == driver.lower():
            return []
        detail = f"driver names should be lowercase; {gofmt.quote(driver)} contains uppercase characters"
        return [f"spec.driver: {detail}"]

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_slice(obj["spec"], None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_slice(new["spec"], old["spec"])


def _drop_gated(spec: Object, old: Object) -> None:
    before = old.get("devices") or []
    keeps_mappings = any(each.get(_MAPPINGS) for each in before)
    keeps_lists = _have_lists(before)
    for device in spec.get("devices") or []:
        if not keeps_mappings:
            device.pop(_MAPPINGS, None)
        for attribute in () if keeps_lists else (device.get("attributes") or {}).values():
            for name in _LISTS:
                attribute.pop(name, None)


def _have_lists(devices: list[Object]) -> bool:
    attributes = (attribute for each in devices for attribute in (each.get("attributes") or {}).values())
    return any(attribute.get(name) is not None for attribute in attributes for name in _LISTS)


def _validate_slice(spec: Object, old: Object | None) -> list[FieldError]:
    devices, counters = spec.get("devices") or [], spec.get("sharedCounters") or []
    problems = checks.csi_driver_name("spec.driver", spec.get("driver", ""))
    problems += _validate_pool("spec.pool", spec["pool"])
    problems += [] if old is None else _validate_kept(spec, old)
    problems += _validate_nodes(spec)
    has_devices = bool(devices) or written.is_empty("spec", "devices")
    if has_devices and (counters or written.is_empty("spec", "sharedCounters")):
        problems.append(field.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"))
    has_more = any(each.get("taints") or each.get("consumesCounters") for each in devices) or _have_lists(devices)
    check = partial(
        _validate_device,
        before={parts.name_of(each): each for each in reversed((old or {}).get("devices") or [])},
        chooses_node=bool(spec.get("perDeviceNodeSelection")),
    )
    most = DEVICES_WITH_TAINTS_MAX if has_more else DEVICES_MAX
    problems += parts.unique_items("spec.devices", devices, most, check, parts.name_of)
    return problems + parts.unique_items(
        "spec.sharedCounters", counters, COUNTER_SETS_MAX, _validate_counter_set, parts.name_of
    )


def _validate_kept(spec: Object, old: Object) -> list[FieldError]:
    return [
        field.invalid(path, value, checks.IMMUTABLE)
        for path, value, known in (
            ("spec.pool.name", parts.name_of(spec["pool"]), parts.name_of(old["pool"])),
            ("spec.driver", spec.get("driver", ""), old.get("driver", "")),
            ("spec.nodeName", field.named(spec.get("nodeName")), field.named(old.get("nodeName"))),
        )
        if value != known
    ]


def _validate_device(path: str, device: Object, before: dict[str, Object], chooses_node: bool) -> list[FieldError]:
    return validate_device(path, device, before, chooses_node=chooses_node)


def _validate_pool(path: str, pool: Object) -> list[FieldError]:
    count, generation = pool.get("resourceSliceCount", 0), pool.get("generation", 0)
    problems = parts.pool_name(f"{path}.name", parts.name_of(pool))
    if count <= 0:
        problems.append(field.invalid(f"{path}.resourceSliceCount", count, checks.NOT_POSITIVE))
    if generation < 0:
        problems.append(field.invalid(f"{path}.generation", generation, "must be greater than or equal to zero"))
    return problems


def _validate_terms(selector: Object | None) -> list[FieldError]:
    terms: Any = written.restore(selector, "spec", "nodeSelector").get("nodeSelectorTerms") if selector else None
    if selector is None or len(terms or []) == 1:
        return []
    shown = "null" if terms is None else f"[{','.join(gonames.show('NodeSelectorTerm', each) for each in terms)}]"
    detail = "must have exactly one node selector term"
    return [field.invalid("spec.nodeSelector.nodeSelectorTerms", GoText(shown), detail)]


def _validate_nodes(spec: Object) -> list[FieldError]:
    on_empty = "must be either unset or set to a non-empty string"
    used, problems = validate_node_choices("spec", spec, on_empty, _validate_terms(spec.get("nodeSelector")))
    if spec.get("perDeviceNodeSelection"):
        used.append("`perDeviceNodeSelection`")
    elif spec.get("perDeviceNodeSelection") is not None:
        problems.append(field.invalid("spec.perDeviceNodeSelection", False, UNSET_OR_TRUE))
    if not used:
        problems.append(field.required("spec", _ONE_NODE))
    elif len(used) > 1:
        shown_fields = "{" + ", ".join(used) + "}"
        problems.append(field.invalid("spec", shown_fields, f"{_ONE_NODE}, but multiple fields are set"))
    return problems


def _validate_counter_set(path: str, counter_set: Object) -> list[FieldError]:
    problems = checks.required_name(f"{path}.name", parts.name_of(counter_set), names.dns1123_label)
    return problems + validate_counters(f"{path}.counters", counter_set.get("counters") or {})
