"""Objects that expressions make: `JSONPatch{op: 'add'}`, `Object{spec: …}`.

Source: cel-go interpreter/interpretable.go (evalObj), apiserver/pkg/cel/mutation/jsonpatch.go (Val).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from quarterdeck._kernels import celvalue
from quarterdeck.cel import go_types, go_values, messages
from quarterdeck.cel.ast import Call, Comprehension, Const, Expr, Ident, ListExpr, MapExpr, Select, StructExpr
from quarterdeck.cel.values import CelErr, Optional, TypeValue

JSON_PATCH: Final = "JSONPatch"
_TEXTS: Final = ("op", "path", "from")
_NONE: Final[frozenset[int | str]] = frozenset()
# What hands on a part of what it is given: lists that are joined become Go's, with the items that they have.
_HANDING_ON: Final = frozenset(
    ("_+_", "_[_]", "_[?_]", "_?._", "first", "last", "max", "min", "optional.of", "or", "orValue", "value")
)


@dataclass(frozen=True, slots=True)
class StructValue:
    """`written`: which items of a field's list (or keys of its map) are lists, maps or nulls that the expression makes;
    others may look alike and be an object's JSON."""

    cel_type: str
    fields: dict[str, object] = field(default_factory=dict)
    written: Mapping[str, frozenset[int | str]] = field(default_factory=dict, compare=False)

    def cel_get(self, key: object) -> object:
        return self.fields.get(key, celvalue.missing) if isinstance(key, str) else NotImplemented


def maker_of(e: StructExpr) -> Callable[..., object]:
    """What makes the object of the values of its fields."""
    name, names, optionals = e.name, tuple(e.fields), e.optionals
    written = {key: found for key, value in zip(names, e.values, strict=True) if (found := _written(value))}
    make_message = messages.maker_of(e.type, name)
    taken = [key for key, value in zip(names, e.values, strict=True) if _is_taken(value)]

    def make(*values: object) -> object:
        fields: dict[str, object] = {}
        for position, value in enumerate(values):
            key = names[position]
            if position not in optionals:
                fields[key] = value
            elif not isinstance(value, celvalue.Optional):
                shown = go_values.show(value)
                return CelErr(f"cannot initialize optional entry '{key}' from non-optional value {shown}")
            elif value.present:
                fields[key] = value.value
            else:
                fields.pop(key, None)
        if make_message is not None:
            return make_message(fields)
        fault = _fault_of_texts(fields, taken) if name == JSON_PATCH else None
        return fault or StructValue(name, fields, written)

    return make


def _fault_of_texts(fields: dict[str, object], taken: Container[str]) -> CelErr | None:
    """None where a patch's fields are texts, as they are after this: a type is its name, an optional what it holds."""
    for name in _TEXTS:
        value = fields.get(name, "")
        if isinstance(value, str):
            continue
        while isinstance(value, Optional) and value.present:
            value = value.value
        if isinstance(value, TypeValue):
            value = value.name
        if not isinstance(value, str):
            go_type = go_types.type_of(value, is_json=name in taken)
            return CelErr(f"unexpected type {go_type} for JSONPatchType '{name}' field")
        fields[name] = value
    return None


def _is_taken(value: Expr) -> bool:
    """Whether a value is a part of an object and none that the expression makes."""
    value = _without_dyn(value)
    return isinstance(value, (Ident, Select)) or (isinstance(value, Call) and value.function == "_[_]")


def _without_dyn(value: Expr) -> Expr:
    while isinstance(value, Call) and value.function == "dyn":
        value = value.args[0]
    return value


def _written(value: Expr) -> frozenset[int | str]:
    value = _without_dyn(value)
    if isinstance(value, Call) and value.function == "_?_:_":
        return _written(value.args[1]) | _written(value.args[2])
    if isinstance(value, ListExpr) and not value.optionals:
        return frozenset(at for at, item in enumerate(value.items) if _is_written(item))
    if isinstance(value, MapExpr):
        keys = [key.value if isinstance(key, Const) else None for key in value.keys]
        return frozenset(
            key for key, item in zip(keys, value.values, strict=True) if isinstance(key, str) and _is_written(item)
        )
    return _NONE


def _is_written(item: Expr) -> bool:
    """Whether a list, a map or a null comes to be in the expression: it stands there, or a function makes it."""
    item = _without_dyn(item)
    if isinstance(item, Call):
        if item.function == "_?_:_":
            return _is_written(item.args[1]) and _is_written(item.args[2])
        return item.function not in _HANDING_ON
    is_made = isinstance(item, (ListExpr, MapExpr, Comprehension))
    return is_made or (isinstance(item, Const) and item.value is None)
