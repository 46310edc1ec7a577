"""What is restricted under a junctor of a schema's root must be specified outside of junctors too.

Source: apiextensions-apiserver pkg/apiserver/schema/complete.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError

Props = dict[str, Any]

_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")


def errors(props: Props, path: str) -> Iterator[FieldError]:
    """`path` is that of the schema. Junctors further in are not looked at: upstream's own restriction."""
    stack: list[tuple[Props, Props | None, str, str]] = []
    _push_nested(props, props, path, path, stack)
    while stack:
        nested, schema, at, nested_at = stack.pop()
        if schema is None:
            yield field.required(at, f"because it is defined in {nested_at}")
            continue
        _push_nested(nested, schema, at, nested_at, stack)
        if isinstance(nested.get("items"), dict):
            items = schema.get("items")
            inner = items if isinstance(items, dict) else None
            stack.append((nested["items"], inner, f"{at}.items", f"{nested_at}.items"))
        known = schema.get("properties") or {}
        for key, child in (nested.get("properties") or {}).items():
            name = f"properties[{key}]"
            stack.append((child, known.get(key), f"{at}.{name}", f"{nested_at}.{name}"))


def _push_nested(
    nested: Props, schema: Props, at: str, nested_at: str, stack: list[tuple[Props, Props | None, str, str]]
) -> None:
    for name in _JUNCTORS:
        for position, clause in enumerate(nested.get(name) or ()):
            stack.append((clause, schema, at, f"{nested_at}.{name}[{position}]"))
    if isinstance(nested.get("not"), dict):
        stack.append((nested["not"], schema, at, f"{nested_at}.not"))
