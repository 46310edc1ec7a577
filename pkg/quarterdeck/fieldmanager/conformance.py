"""Why an object does not fit its type, in upstream's words. Runs only after the kernel found that it does not.

Source: structured-merge-diff v6, typed/validate.go, helpers.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarterdeck._kernels import fieldtype, longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.gofmt import Foreign
from quarterdeck.fieldmanager import fields

if TYPE_CHECKING:
    from quarterdeck._kernels.fieldtype import FieldType

_UNDECLARED = "field not declared in schema"
# Of a value: its path, its type, and itself; without a type: what is wrong there.
_Place = tuple[str, "FieldType | None", object]
# How a value of no known type is called where it is a key.
_UNDEFINED = "{{undefined}}"


def explain(type_: FieldType, value: object, *, allow_duplicates: bool) -> str:
    """One error as `path: text`, several as a list under `errors:`."""
    found = [f"{path}: {text}" if path else text for path, text in _errors(type_, value, allow_duplicates)]
    return found[0] if len(found) == 1 else "\n".join(["errors:", *(f"  {line}" for line in found)])


def _errors(type_: FieldType, value: object, allow_duplicates: bool) -> list[tuple[str, str]]:
    """Paths and texts, in the order of the walk: what is wrong within an item comes before the items behind it."""
    found: list[tuple[str, str]] = []
    todo: list[_Place] = [("", type_, value)]
    while todo:
        path, at, value = todo.pop()
        if at is None:
            found.append((path, str(value)))
            continue
        at.resolved()
        if isinstance(value, dict) and at.has_map:
            todo.extend(reversed(_fields(path, at, value)))
        elif isinstance(value, list) and at.has_list:
            todo.extend(reversed(_items(path, at, value, allow_duplicates)))
        elif (text := _mismatch(at, value)) is not None:
            found.append((path, text))
    return found


def _fields(path: str, type_: FieldType, value: dict[str, Any]) -> list[_Place]:
    below: list[_Place] = []
    for name in longsteps.sort(value):
        child = type_.field(name) or type_.value
        if child is None:
            # Upstream looks no further into this map, which it reads in no particular order.
            below.append((f"{path}.{name}", None, _UNDECLARED))
            break
        below.append((f"{path}.{name}", child, value[name]))
    return below


def _items(path: str, type_: FieldType, value: list[object], allow_duplicates: bool) -> list[_Place]:
    below: list[_Place] = []
    seen = set()
    assert type_.item is not None
    for position, item in enumerate(value):
        if type_.list_atomic:
            below.append((f"{path}[{position}]", type_.item, item))
            continue
        if isinstance(item, Foreign) and not type_.keys:
            below.append((f"{path}[={_UNDEFINED}]", type_.item, item))
            continue
        label = fieldtype.label_of(type_, _with_known_keys(type_, item))
        if label is None:
            below.append((path, None, f"element {position}: {_no_label(type_, item)}"))
            break
        text = fields.label_text(label, item)
        if label in seen and not allow_duplicates:
            below.append((path, None, f"duplicate entries for key {text}"))
        seen.add(label)
        below.append((path + text, type_.item, item))
    return below


def _with_known_keys(type_: FieldType, item: object) -> object:
    if not isinstance(item, dict) or not any(isinstance(item.get(name), Foreign) for name in type_.keys):
        return item
    return {name: _UNDEFINED if isinstance(value, Foreign) else value for name, value in item.items()}


def _no_label(type_: FieldType, item: object) -> str:
    if not type_.keys:
        if isinstance(item, dict):
            return "associative list without keys has an element that's a map type"
        if isinstance(item, list):
            return "not supported: associative list with lists as elements"
        return "associative list without keys has an element that's an explicit null"
    if item is None:
        return "associative list with keys may not have a null element"
    if not isinstance(item, dict):
        return "associative list with keys may not have non-map elements"
    return (
        f"associative list with keys has an element that omits all key fields {gofmt.quote_all(type_.keys)} "
        "(and doesn't have default values for any key fields)"
    )


def _mismatch(type_: FieldType, value: object) -> str | None:
    """What a scalar, or a value that no atom of the type fits, does wrong."""
    if value is None:
        return None
    if type_.has_map and not (type_.scalar and not isinstance(value, dict | list | Foreign)):
        return f"expected map, got {_shown(value)}"
    if not type_.scalar:
        return f"expected list, got {_shown(value)}"
    return _scalar_mismatch(type_.scalar, value)


def _scalar_mismatch(scalar: int, value: object) -> str | None:
    if scalar == fieldtype.SCALAR_STRING:
        return None if isinstance(value, str) else f"expected string, got {_go_syntax_of_value(value)}"
    if scalar == fieldtype.SCALAR_NUMERIC:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if is_number else f"expected numeric (int or float), got {_go_type(value)}"
    if scalar == fieldtype.SCALAR_BOOLEAN:
        return None if isinstance(value, bool) else f"expected boolean, got {_shown(value)}"
    return f"expected any scalar, got {_shown(value)}" if isinstance(value, dict | list | Foreign) else None


def _shown(value: object) -> str:
    return "&{" + gofmt.format_value(value) + "}"


def _go_type(value: object) -> str:
    match value:
        case Foreign():
            return value.go_type
        case bool():
            return "bool"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case dict():
            return "map[string]interface {}"
    return "<nil>"


def _go_syntax_of_value(value: object) -> str:
    return "&value.valueUnstructured{Value:" + _go_syntax(value) + "}"


def _go_syntax(value: object) -> str:
    """`%#v` of a decoded JSON value, for any depth."""
    out: list[str] = []
    todo: list[tuple[bool, object]] = [(False, value)]  # (is text already, text or value)
    while todo:
        is_text, item = todo.pop()
        if is_text:
            out.append(str(item))
        elif isinstance(item, dict | list):
            todo.extend(reversed(_go_syntax_parts(item)))
        elif isinstance(item, str):
            out.append(gofmt.quote(item))
        elif isinstance(item, Foreign):
            out.append(item.syntax)
        elif item is None:
            out.append("interface {}(nil)")
        else:
            out.append(gofmt.format_value(item))
    return "".join(out)


def _go_syntax_parts(value: dict[str, object] | list[object]) -> list[tuple[bool, object]]:
    parts: list[tuple[bool, object]] = [(True, _go_type(value) + "{")]
    separator = ""
    if isinstance(value, dict):
        for name in longsteps.sort(value):
            parts += [(True, f"{separator}{gofmt.quote(name)}:"), (False, value[name])]
            separator = ", "
    else:
        for item in value:
            parts += [(True, separator), (False, item)]
            separator = ", "
    parts.append((True, "}"))
    return parts
