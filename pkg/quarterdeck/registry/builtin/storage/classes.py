"""Storage classes and volume attributes classes: named sets of parameters, which do not change.

Source: pkg/registry/storage/{storageclass,volumeattributesclass}/strategy.go, pkg/apis/storage/v1/defaults.go,
pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.podvalidation.warnings import NODE_LABELS
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

PARAMETERS_MAX: Final = 512
PARAMETER_BYTES_MAX: Final = 256 * 1024
_RECLAIM_POLICIES: Final = ("Delete", "Retain")
_BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")

_Topology = dict[str, frozenset[str]]  # label → values


def default_storage_class(obj: Object) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


class StorageClassStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False  # but after the rest of it

    def check(self, obj: Object) -> list[FieldError]:
        problems = _validate_provisioner("provisioner", obj.get("provisioner", ""))
        problems += _validate_parameters("parameters", obj.get("parameters") or {})
        if policy := obj.get("reclaimPolicy"):
            problems += checks.one_of("reclaimPolicy", policy, _RECLAIM_POLICIES)
        problems += checks.one_of("volumeBindingMode", obj.get("volumeBindingMode", ""), _BINDING_MODES)
        return problems + _validate_topologies("allowedTopologies", obj.get("allowedTopologies") or [])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new) + self._validate_changed_metadata(new, old)
        for name in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
            if (new.get(name) or None) != (old.get(name) or None):
                value = new.get(name, "")
                if name == "parameters":
                    value = written.shown(name, new.get(name))
                elif name != "provisioner":
                    value = field.named(value)
                problems.append(field.invalid(name, value, checks.IMMUTABLE))
        return problems

    def warn(self, obj: Object) -> list[str]:
        found: list[str] = []
        for position, term in enumerate(obj.get("allowedTopologies") or []):
            at = f"{field.index('allowedTopologies', position)}.matchLabelExpressions"
            for place, expression in enumerate(term.get("matchLabelExpressions") or []):
                if text := NODE_LABELS.get(expression.get("key", "")):
                    found.append(f"{field.index(at, place)}.key: {text}")
        return found


class VolumeAttributesClassStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def check(self, obj: Object) -> list[FieldError]:
        parameters = obj.get("parameters") or {}
        problems = _validate_provisioner("driverName", obj.get("driverName", ""))
        problems += _validate_parameters("parameters", parameters)
        if not parameters:
            problems.append(field.required("parameters", "must contain at least one key/value pair"))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = [
            field.forbidden(name, f"updates to {name} are forbidden.")
            for name in ("driverName", "parameters")
            if (new.get(name) or None) != (old.get(name) or None)
        ]
        return problems + self.check(new)


def _validate_provisioner(path: str, name: str) -> list[FieldError]:
    if not name:
        return [field.required(path)]
    return checks.name(path, gotext.lower(name), names.qualified_name)


def _validate_parameters(path: str, parameters: dict[str, str]) -> list[FieldError]:
    if len(parameters) > PARAMETERS_MAX:
        return [field.too_long(path, PARAMETERS_MAX)]
    problems = [field.invalid(path, "", "field can not be empty.")] if "" in parameters else []
    if checks.bytes_of(parameters) > PARAMETER_BYTES_MAX:
        problems.append(field.too_long(path, PARAMETER_BYTES_MAX))
    return problems


def _validate_topologies(path: str, terms: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    # Upstream compares each term with as many empty ones as there are terms, too.
    seen: list[_Topology] = [{}] * len(terms)
    for position, term in enumerate(terms):
        at = f"{field.index(path, position)}.matchLabelExpressions"
        topology, found = _validate_expressions(at, term.get("matchLabelExpressions") or [])
        problems += found
        problems += [field.duplicate(at, "")] * seen.count(topology)
        seen.append(topology)
    return problems


def _validate_expressions(path: str, expressions: list[Object]) -> tuple[_Topology, list[FieldError]]:
    """Source: core validation's ValidateTopologySelectorTerm."""
    topology: _Topology = {}
    problems: list[FieldError] = []
    for position, expression in enumerate(expressions):
        at, key, values = field.index(path, position), expression.get("key", ""), expression.get("values") or []
        if not values:
            problems.append(field.required(f"{at}.values"))
        seen: set[str] = set()
        for place, value in enumerate(values):
            if value in seen:
                problems.append(field.duplicate(field.index(f"{at}.values", place), value))
            seen.add(value)
        problems += checks.name(f"{at}.key", key, names.qualified_name)
        if key in topology:
            problems.append(field.duplicate(f"{at}.key", key))
        topology[key] = frozenset(seen)
    return topology, problems
