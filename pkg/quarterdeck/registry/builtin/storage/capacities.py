"""How much room a storage class has in a part of the cluster.

Source: pkg/registry/storage/csistoragecapacity/strategy.go, pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import field, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation import warnings
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class CSIStorageCapacityStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    validates_metadata_again = True
    validates_changed_metadata = False  # but after the rest of it

    def check(self, obj: Object) -> list[FieldError]:
        problems = checks.label_selector("nodeTopology", obj.get("nodeTopology"))
        problems += checks.name("storageClassName", obj.get("storageClassName", ""), names.dns1123_subdomain)
        if (capacity := obj.get("capacity")) is not None and (amount := quantity.parse(capacity)).unscaled < 0:
            problems.append(field.invalid("capacity", str(amount), checks.NOT_NEGATIVE))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new) + self._validate_changed_metadata(new, old)
        topology = new.get("nodeTopology")
        if topology != old.get("nodeTopology"):
            shown = None if topology is None else checks.show_selector(topology)
            problems.append(field.invalid("nodeTopology", shown, checks.IMMUTABLE))
        if new.get("storageClassName", "") != old.get("storageClassName", ""):
            problems.append(field.invalid("storageClassName", new.get("storageClassName", ""), checks.IMMUTABLE))
        return problems

    def warn(self, obj: Object) -> list[str]:
        topology = obj.get("nodeTopology") or {}
        found = [*warnings.of_node_term("nodeTopology", topology)]
        for label in sorted(topology.get("matchLabels") or {}):
            if text := warnings.NODE_LABELS.get(label):
                found.append(f"nodeTopology.matchLabels.{label}: {text}")
        return found
