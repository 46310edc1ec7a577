"""Selectors of devices: expressions over one device, which are compiled as they are written.

Source: dynamic-resource-allocation/cel/compile.go, pkg/apis/resource/validation/validation.go (validateCELSelector).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.resource import parts

SELECTORS_MAX: Final = 32
EXPRESSION_BYTES_MAX: Final = 10 * 1024
COST_MAX: Final = 1_000_000
ENTRIES_MAX: Final = 32  # attributes or capacities of a device
VALUE_BYTES_MAX: Final = 64
_NOT_SAID: Final = 0  # how large a device or an amount can be: upstream's types of them say nothing


def validate_selectors(path: str, selectors: list[Object]) -> list[FieldError]:
    return parts.items(path, selectors, SELECTORS_MAX, _validate_selector)


def _validate_selector(path: str, selector: Object) -> list[FieldError]:
    if (found := selector.get("cel")) is None:
        return [field.required(f"{path}.cel")]
    expression, at = found.get("expression", ""), f"{path}.cel.expression"
    if len(expression.encode("utf-8", "surrogatepass")) > EXPRESSION_BYTES_MAX:
        return [field.too_long(at, EXPRESSION_BYTES_MAX)]
    return _validate_expression(at, expression)


# The compiler is loaded with the first selector: most servers see none.


def _validate_expression(path: str, expression: str) -> list[FieldError]:
    from quarterdeck.cel.environment import Failure, compile_expression
    from quarterdeck.cel.types import Kind

    found = compile_expression(expression, _environment())
    if found.type is not None and found.type.kind not in (Kind.BOOL, Kind.ANY):
        detail = f"must evaluate to bool or the unknown type, not {found.type.declared_name}"
        return [field.invalid(path, expression, detail)]
    if isinstance(found, Failure):
        if found.at_program:
            return [field.internal(path, str(found))]
        return [field.invalid(path, expression, str(found))]
    return [field.forbidden(path, "too complex, exceeds cost limit")] if found.cost_max > COST_MAX else []


@cache
def _environment() -> Any:
    from quarterdeck.cel import macros, types
    from quarterdeck.cel.environment import Environment

    device = types.struct(
        "kubernetes.DRADevice",
        {
            "driver": types.STRING,
            "allowMultipleAllocations": types.BOOL,
            "attributes": types.map_of(types.STRING, types.map_of(types.STRING, types.ANY)),
            "capacity": types.map_of(types.STRING, types.map_of(types.STRING, types.QUANTITY)),
        },
    )
    structs = {device.name: device}
    return Environment({"device": device}, structs=structs, sizes=_size_at, known_macros=macros.WITH_BIND)


def _size_at(path: tuple[str, ...]) -> tuple[int, int] | None:
    """How large what stands at `path` can be; its first element is the variable."""
    if path[:1] != ("device",):
        return None
    if len(path) == 1:
        return 0, _NOT_SAID
    return _size_in_map(path[1], path[2:]) if path[1] in ("attributes", "capacity") else _size_of_field(path)


def _size_of_field(path: tuple[str, ...]) -> tuple[int, int] | None:
    sizes = {"driver": parts.DOMAIN_BYTES_MAX, "allowMultipleAllocations": 1}
    size = sizes.get(path[1]) if len(path) == 2 else None
    return None if size is None else (0, size)


def _size_in_map(name: str, rest: tuple[str, ...]) -> tuple[int, int] | None:
    """Of a map by domain of maps by name."""
    if not rest:
        return 0, ENTRIES_MAX
    if rest[0] == "@keys":
        return (0, parts.DOMAIN_BYTES_MAX) if len(rest) == 1 else None
    if rest[0] not in ("@items", "@values"):
        return None
    if len(rest) == 1:
        return 0, ENTRIES_MAX
    if rest[1] == "@keys":
        return (0, parts.ID_BYTES_MAX) if len(rest) == 2 else None
    is_attribute = name == "attributes"
    if len(rest) > 2 or (rest[1] not in ("@items", "@values") and not is_attribute):
        return None
    return 0, VALUE_BYTES_MAX if is_attribute else _NOT_SAID
