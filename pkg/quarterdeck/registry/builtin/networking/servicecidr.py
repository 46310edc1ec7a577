"""Ranges of addresses for services.

Source: pkg/registry/networking/servicecidr/strategy.go, pkg/apis/networking/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object

_PATH: Final = "spec.cidrs"
_RANGES_MAX: Final = 2
_ONE_A_FAMILY: Final = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


class ServiceCIDRStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["status"] = {}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})

    def check(self, obj: Object) -> list[FieldError]:
        return _validate(obj["spec"].get("cidrs") or [])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        """A second family may be added."""
        ranges, before = new["spec"].get("cidrs") or [], old["spec"].get("cidrs") or []
        is_second_new = len(before) == 1 and len(ranges) == _RANGES_MAX
        if len(ranges) != len(before) and not is_second_new:
            return [field.invalid(_PATH, written.shown(_PATH, ranges), checks.IMMUTABLE)]
        problems = [
            field.invalid(field.index(_PATH, position), text, checks.IMMUTABLE)
            for position, (text, known) in enumerate(zip(ranges, before, strict=False))
            if text != known
        ]
        return problems + (_validate(ranges) if is_second_new else [])


class ServiceCIDRStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})
        keep_metadata(new, old)


def _validate(ranges: list[str]) -> list[FieldError]:
    if not ranges:
        return [field.required(_PATH, "at least one CIDR required")]
    if len(ranges) > _RANGES_MAX:
        shown = GoText(checks.in_order({"CIDRs": ranges}))
        return [field.invalid(_PATH, shown, f"may only hold up to {_RANGES_MAX} values")]
    problems: list[FieldError] = []
    for position, text in enumerate(ranges):
        problems += addresses.validate_plain_cidr(text, field.index(_PATH, position))
    families = [_family_of(text) for text in ranges]
    if len(ranges) == _RANGES_MAX and families[0] == families[1] and families[0]:
        problems.append(field.invalid(_PATH, ranges, _ONE_A_FAMILY))
    return problems


def _family_of(text: str) -> int:
    """4, 6, or 0 where it is no range."""
    parsed = addresses.parse_cidr(text)
    if parsed is None:
        return 0
    return addresses.family_of(parsed[0])
