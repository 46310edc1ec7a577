"""Nodes as data: nobody runs pods on them.

Source: pkg/registry/core/node/strategy.go, pkg/apis/core/v1/{defaults,conversion}.go,
pkg/apis/core/validation/validation.go (ValidateNode*).
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import addresses, field, gofmt, names, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core import oldannotations
from quarterdeck.registry.builtin.core.podspec import round_up
from quarterdeck.registry.builtin.core.podvalidation import gonames, resources
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gotypes

TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")

_TAINTS: Final = "scheduler.alpha.kubernetes.io/taints"
_AVOIDED: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_RANGES_MAX: Final = 2
_FIRST_SET: Final = 'except from "" to valid'
_FEATURE_BYTES_MAX: Final = 253

_feature = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*\Z").match


def default_node(obj: Object) -> None:
    spec, status = obj["spec"], obj["status"]
    # The one range of before and the list of now tell the same; the one wins.
    given, ranges = spec.get("podCIDR"), spec.get("podCIDRs") or []
    if given and ranges[:1] != [given]:
        spec["podCIDRs"] = [given]
    elif ranges and not given:
        spec["podCIDR"] = ranges[0]
    for name in ("capacity", "allocatable"):
        round_up(status.get(name))
    if status.get("capacity") is not None and status.get("allocatable") is None:
        status["allocatable"] = dict(status["capacity"])


def note_node(body: Object) -> None:
    """An empty map of what is allocatable gets its default only once it is stored."""
    status = body.get("status")
    is_empty = isinstance(status, dict) and status.get("allocatable") == {}
    written.note({"status": {"allocatable": {}}} if is_empty else {})


def _is_stored_without_allocatable(obj: Object) -> bool:
    """Whether readers find a default where the request had an empty map (see note_node)."""
    return "capacity" in obj["status"] and written.is_empty("status", "allocatable")


def select_node_fields(obj: Object) -> dict[str, str]:
    return {"spec.unschedulable": str(bool((obj.get("spec") or {}).get("unschedulable"))).lower()}


class NodeStrategy(BuiltinStrategy):
    """A new node may tell its status."""

    validates_metadata_again = True
    validates_changed_metadata = False  # but after all that holds of new nodes

    def default_new(self, obj: Object) -> None:
        # What nodes took their configuration from once.
        obj["spec"].pop("configSource", None)
        obj["status"].pop("config", None)

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return is_new and _is_stored_without_allocatable(obj)

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]
        if old["spec"].get("configSource") is None:
            new["spec"].pop("configSource", None)

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        problems = _annotations(obj["metadata"].get("annotations") or {})
        problems += _taints("metadata.taints", spec.get("taints") or [])
        status = obj["status"]
        problems += _amounts(status)
        problems += _swap("metadata.nodeSwapStatus.capacity", (status.get("nodeInfo") or {}).get("swap"))
        problems += _features("status.declaredFeatures", status.get("declaredFeatures") or [])
        return problems + _ranges("spec.podCIDRs", spec.get("podCIDRs") or [])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new) + self._validate_changed_metadata(new, old) + _validate_update(new, old)

    def warn(self, obj: Object) -> list[str]:
        return _warnings_of(obj["spec"])


class NodeStatusStrategy(BuiltinStrategy):
    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return _is_stored_without_allocatable(obj)

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        if old["status"].get("config") is None:
            new["status"].pop("config", None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_update(new, old)


def _warnings_of(spec: Object) -> list[str]:
    found: list[str] = []
    if spec.get("configSource") is not None:
        found.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        found.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for position, text in enumerate(spec.get("podCIDRs") or []):
        found += addresses.warn_of_cidr(text, field.index("spec.podCIDRs", position))
    return found


def _taints(path: str, taints: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for position, taint in enumerate(taints):
        at, key, effect = field.index(path, position), taint.get("key", ""), taint.get("effect", "")
        problems += checks.name(f"{at}.key", key, names.qualified_name)
        value = taint.get("value", "")
        if texts := names.label_value(value):
            problems.append(field.invalid(f"{at}.value", value, ";".join(texts)))
        problems += checks.required_one_of(f"{at}.effect", effect, TAINT_EFFECTS)
        if (effect, key) in seen:
            detail = "taints must be unique by key and effect pair"
            problems.append(FieldError(field.DUPLICATE, at, gonames.show("Taint", taint), detail))
        seen.add((effect, key))
    return problems


def _annotations(found: dict[str, str]) -> list[FieldError]:
    """Annotations that stood for fields once."""
    problems: list[FieldError] = []
    if text := found.get(_TAINTS):
        taints, wrong = oldannotations.read_internal(text, "metadata.annotations", _TAINTS, "Taint")
        problems += wrong or _taints(f"metadata.annotations.{_TAINTS}", taints)
    if text := found.get(_AVOIDED):
        avoid_type = gotypes.named_struct("core", "AvoidPods")
        avoided, wrong = oldannotations.read(text, "metadata.annotations.AvoidPods", _AVOIDED, avoid_type)
        problems += wrong
        for position, entry in enumerate((avoided or {}).get("preferAvoidPods") or []):
            problems += _avoided(field.index(f"metadata.annotations.{_AVOIDED}", position), entry)
    return problems


def _avoided(path: str, entry: Object) -> list[FieldError]:
    controller = (entry.get("podSignature") or {}).get("podController")
    if controller is None:
        return [field.required(f"{path}.PodSignature")]
    if controller.get("controller"):
        return []
    at = f"{path}.PodSignature.PodController.Controller"
    return [field.invalid(at, False, "must point to a controller")]


def _amounts(status: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for member in ("capacity", "allocatable"):
        if written.is_empty("status", member):
            continue
        for name, text in sorted((status.get(member) or {}).items()):
            # A field without a name is shown as an index.
            path = f"status.{member}.{name}" if name else f"status.{member}[]"
            problems += resources.validate_amount(path, name, sentamounts.parse(text))
    return problems


def _ranges(path: str, ranges: list[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, text in enumerate(ranges):
        problems += addresses.validate_cidr(text, field.index(path, position))
    if len(ranges) < _RANGES_MAX:
        return problems
    families: set[int] = set()
    for position, text in enumerate(ranges):
        if (parsed := addresses.parse_cidr(text)) is None:
            wrong = f"invalid CIDR[{position}]: <nil> (invalid CIDR address: {text})"
            detail = f"invalid PodCIDRs. failed to check with dual stack with error:{wrong}"
            problems.append(field.internal(path, detail))
            families.clear()
            break
        families.add(parsed[1].version)
    if len(families) != _RANGES_MAX or len(ranges) > _RANGES_MAX:
        detail = "may specify no more than one CIDR for each IP family"
        problems.append(field.invalid(path, ranges, detail))
    return problems


def _swap(path: str, swap: Object | None) -> list[FieldError]:
    capacity = (swap or {}).get("capacity")
    return [] if capacity is None or capacity > 0 else [field.invalid(path, capacity, checks.NOT_POSITIVE)]


def _features(path: str, features: list[str]) -> list[FieldError]:
    """In their order, each once."""
    problems: list[FieldError] = []
    for position, feature in enumerate(features):
        at = field.index(path, position)
        if position and features[position - 1] == feature:
            problems.append(field.duplicate(at, feature))
        elif position and features[position - 1] > feature:
            problems.append(field.invalid(at, feature, "list must be sorted alphabetically"))
        if wrong := _wrong_feature(feature):
            problems.append(field.invalid(at, feature, f"invalid feature name {gofmt.quote(feature)}: {wrong}"))
    return problems


def _wrong_feature(name: str) -> str:
    if len(name.encode()) > _FEATURE_BYTES_MAX:
        return f"must be no more than {_FEATURE_BYTES_MAX} characters"
    if _feature(name):
        return ""
    return (
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or "
        "MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    )


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    spec, before = new["spec"], old["spec"]
    problems = _annotations(new["metadata"].get("annotations") or {}) + _amounts(new["status"])
    problems += _features("status.declaredFeatures", new["status"].get("declaredFeatures") or [])
    problems += _addresses("status.addresses", new["status"].get("addresses") or [])
    ranges, known = spec.get("podCIDRs") or [], before.get("podCIDRs") or []
    if known and len(ranges) != len(known):
        problems.append(field.forbidden("spec.podCIDRs", f"node updates may not change podCIDR {_FIRST_SET}"))
    elif known:
        detail = f"node updates may not change podCIDR {_FIRST_SET}"
        changed = sum(one != other for one, other in zip(ranges, known, strict=True))
        problems += [field.forbidden("spec.podCIDRs", detail)] * changed
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        problems.append(field.forbidden("spec.providerID", f"node updates may not change providerID {_FIRST_SET}"))
    problems += _taints("metadata.taints", spec.get("taints") or [])
    if spec.get("externalID", "") != before.get("externalID", ""):
        problems.append(field.forbidden("spec.externalID", "may not be updated"))
    return problems


def _addresses(path: str, found: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for position, address in enumerate(found):
        key = (address.get("type", ""), address.get("address", ""))
        if key in seen:
            problems.append(field.duplicate(field.index(path, position), gonames.show("NodeAddress", address)))
        seen.add(key)
    return problems
