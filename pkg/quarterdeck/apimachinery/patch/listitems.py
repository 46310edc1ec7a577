"""The items of lists that a strategic merge patch merges: what they are told apart by, and refusals of what is none.

An item is known by the value of its merge key; in a list of scalars (`merge_key` is empty) by itself.
Source: apimachinery/pkg/util/strategicpatch/patch.go.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final, NoReturn

from quarterdeck._kernels import json as kernel
from quarterdeck.apimachinery import errors, gofmt, offload

Object = dict[str, Any]

DIRECTIVE: Final = "$patch"  # the member of a map that says what becomes of it


def refuse_missing_key(item: object, merge_key: str) -> NoReturn:
    raise errors.Unreasoned(f"map: {gofmt.format_value(item)} does not contain declared merge key: {merge_key}")


def refuse_kind(expected: str, value: object) -> NoReturn:
    received = "%!s(<nil>)" if value is None else go_type(value)
    raise errors.Unreasoned(f"expected a {expected}, but received a {received}")


def go_type(value: object) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    if isinstance(value, float):
        return "float64"
    return "string" if isinstance(value, str) else "<nil>"


def need_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        refuse_kind("[]interface {}", value)
    return value


def need_map(item: Any) -> Object:
    if not isinstance(item, dict):
        refuse_kind("map[string]interface {}", item)
    return item


def key_of(item: Object, merge_key: str) -> Any:
    if merge_key not in item:
        refuse_missing_key(item, merge_key)
    return item[merge_key]


def is_same(left: Any, right: Any, merge_key: str) -> bool:
    """Whether two items are the same one: by their key, or, for scalars, by themselves."""
    if merge_key:
        left, right = need_map(left), need_map(right)
        left, right = key_of(left, merge_key), key_of(right, merge_key)
    return kernel.equal(left, right)


def index(items: list[Any], merge_key: str) -> dict[Any, int]:
    """Where each item stands; for lists of any length, since a lookup by comparing would be quadratic."""
    positions: dict[Any, int] = {}
    offload.hold(positions)
    for position, item in enumerate(items):
        positions.setdefault(identity(item, merge_key), position)
    return positions


def without(items: list[Any], unwanted: Container[tuple[str, Any]], merge_key: str) -> list[Any]:
    """The items that are none of these, told by their identities; an item without the key is another one."""
    return [
        item for item in items if (merge_key and merge_key not in item) or identity(item, merge_key) not in unwanted
    ]


def identity(item: Any, merge_key: str) -> tuple[str, Any]:
    if merge_key:
        if not isinstance(item, dict):
            refuse_kind("map[string]interface {}", item)
        item = item.get(merge_key)
    return go_type(item), gofmt.format_json(item) if isinstance(item, (dict, list)) else item
