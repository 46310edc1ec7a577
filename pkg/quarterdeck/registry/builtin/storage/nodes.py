"""Which CSI drivers run on a node, and how the node is known to them.

Source: pkg/registry/storage/csinode/strategy.go, pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

NODE_ID_BYTES_MAX: Final = 256


class CSINodeStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    validates_metadata_again = True
    validates_changed_metadata = False

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        drivers: set[str] = set()
        for position, driver in enumerate(obj["spec"].get("drivers") or []):
            at, name = field.index("spec.drivers", position), driver.get("name", "")
            problems += _validate_driver(at, driver)
            if name in drivers:
                problems.append(field.duplicate(f"{at}.name", name))
            drivers.add(name)
            problems += _validate_topology_keys(at, driver.get("topologyKeys") or [])
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        drivers: dict[str, list[Object]] = {}
        for each in new["spec"].get("drivers") or []:
            drivers.setdefault(each.get("name", ""), []).append(each)
        for before in old["spec"].get("drivers") or []:
            for driver in drivers.get(before.get("name", ""), []):
                if _without_allocatable(driver) != _without_allocatable(before):
                    shown = gonames.show("CSINodeDriver", {**driver, "allocatable": None}, "storage")
                    problems.append(field.invalid("spec.drivers", shown, checks.IMMUTABLE))
        return problems


def _validate_driver(path: str, driver: Object) -> list[FieldError]:
    node_id, allocatable = driver.get("nodeID", ""), driver.get("allocatable") or {}
    problems = checks.csi_driver_name(f"{path}.name", driver.get("name", ""))
    if not node_id:
        problems.append(field.required(f"{path}.nodeID"))
    if len(node_id.encode()) > NODE_ID_BYTES_MAX:
        problems.append(field.invalid(f"{path}.nodeID", node_id, f"must be {NODE_ID_BYTES_MAX} characters or less"))
    if (count := allocatable.get("count")) is not None:
        problems += checks.not_negative(f"{path}.allocatable.count", count)
    return problems


def _validate_topology_keys(path: str, keys: list[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for key in keys:
        if not key:
            problems.append(field.required(path))
        if key in seen:
            problems.append(field.duplicate(path, key))
        seen.add(key)
        problems += checks.name(path, key, names.qualified_name)
    return problems


def _without_allocatable(driver: Object) -> tuple[str, str, list[str]]:
    return driver.get("name", ""), driver.get("nodeID", ""), driver.get("topologyKeys") or []
