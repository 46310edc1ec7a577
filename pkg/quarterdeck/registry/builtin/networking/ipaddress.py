"""IP addresses that something has taken.

Source: pkg/registry/networking/ipaddress/strategy.go, pkg/apis/networking/validation/validation.go.
"""

from __future__ import annotations

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


def name_is_ip_address(name: str, is_prefix: bool = False) -> list[str]:
    """The object is called after its address."""
    return [problem.detail for problem in addresses.validate_plain_ip(name, "")]


class IPAddressStrategy(BuiltinStrategy):
    generates_names = False
    validates_metadata_again = True
    validates_changed_metadata = False  # but after the rest of it

    def check(self, obj: Object) -> list[FieldError]:
        parent = obj["spec"].get("parentRef")
        if parent is None:
            return [field.required("spec.parentRef")]
        problems: list[FieldError] = []
        if group := parent.get("group"):
            problems += checks.name("spec.parentRef.group", group, names.dns1123_subdomain)
        for name in ("resource", "name"):
            problems += checks.required_name(f"spec.parentRef.{name}", parent.get(name, ""), names.path_segment_name)
        if namespace := parent.get("namespace"):
            problems += checks.name("spec.parentRef.namespace", namespace, names.path_segment_name)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new) + self._validate_changed_metadata(new, old)
        parent = new["spec"].get("parentRef")
        if parent != old["spec"].get("parentRef"):
            shown = None if parent is None else gonames.show("ParentReference", parent, "networking")
            problems.append(field.invalid("spec.parentRef", shown, checks.IMMUTABLE))
        return problems
