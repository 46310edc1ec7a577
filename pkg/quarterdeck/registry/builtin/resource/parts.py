"""Checks that claims, classes and slices share. Each takes a path first and returns field errors.

Source: pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.checks import Object

Check = Callable[[str, Any], list[FieldError]]  # (path, item)
Key = Callable[[Any], Hashable]

ID_BYTES_MAX: Final = 32
DOMAIN_BYTES_MAX: Final = 63
POOL_BYTES_MAX: Final = 253
REQUESTS_MAX: Final = 32
_KEY_BYTES_MIN: Final = 16  # of a key that is cut in the middle
_CONDITIONS_MAX: Final = 4
EFFECTS: Final = ("NoExecute", "NoSchedule", "None")
_OPERATORS: Final = ("Equal", "Exists")
_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_IDENTIFIER_TEXT: Final = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
    "characters or '_'"
)


def items(path: str, found: list[Any], most: int, check: Check) -> list[FieldError]:
    """Too many items are not looked at. `most` below zero: any number."""
    if 0 <= most < len(found):
        return [field.too_many(path, len(found), most)]
    problems: list[FieldError] = []
    for position, item in enumerate(found):
        problems += check(field.index(path, position), item)
    return problems


def unique_items(path: str, found: list[Any], most: int, check: Check, key: Key) -> list[FieldError]:
    problems = items(path, found, most, check)
    if 0 <= most < len(found):
        return problems
    seen: set[Hashable] = set()
    for position, item in enumerate(found):
        if (name := key(item)) in seen:
            problems.append(field.duplicate(field.index(path, position), name))
        seen.add(name)
    return problems


def entries(
    path: str, found: Mapping[str, Any], most: int, key_bytes_max: int, check_key: Check, check: Check
) -> list[FieldError]:
    """Of a map. What is wrong with a key is told of the map."""
    if 0 <= most < len(found):
        return [field.too_many(path, len(found), most)]
    problems: list[FieldError] = []
    for key in sorted(found):
        at = field.key(path, _shorten(key, key_bytes_max))
        problems += check_key(path, key)
        problems += check(at, found[key])
    return problems


def _shorten(text: str, bytes_max: int) -> str:
    bytes_max = max(bytes_max, _KEY_BYTES_MIN)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= bytes_max:
        return text
    rest = bytes_max - len("...")
    return gofmt.decode_utf8(data[: (rest + 1) // 2] + b"..." + data[len(data) - rest // 2 :])


def itself(item: Hashable) -> Hashable:
    return item


def name_of(item: Object) -> str:
    found: str = item.get("name", "")
    return found


def dns_label(path: str, value: str) -> list[FieldError]:
    return checks.name(path, value, names.dns1123_label)


def label_name(path: str, value: str) -> list[FieldError]:
    return checks.name(path, value, names.qualified_name)


def label_value(path: str, value: str) -> list[FieldError]:
    return checks.name(path, value, names.label_value)


def pool_name(path: str, name: str) -> list[FieldError]:
    if not name:
        return [field.required(path)]
    problems = [field.too_long(path, POOL_BYTES_MAX)] if len(name.encode()) > POOL_BYTES_MAX else []
    for part in name.split("/"):
        problems += checks.name(path, part, names.dns1123_subdomain)
    return problems


def qualified_name(path: str, name: str) -> list[FieldError]:
    """Of an attribute or a capacity: an identifier, with a domain before it or not. More than one slash is taken."""
    parts = name.split("/")
    if len(parts) == 1:
        return _c_identifier(path, name)
    if len(parts) > 2:
        return []
    domain, identifier = parts
    problems = checks.csi_driver_name(path, domain) if domain else [_invalid_part(path, "the domain must not be empty")]
    if not identifier:
        return [*problems, _invalid_part(path, "the name must not be empty")]
    return problems + _c_identifier(path, identifier)


def _invalid_part(path: str, detail: str) -> FieldError:
    return field.invalid(path, "", detail)


def fully_qualified_name(path: str, name: str) -> list[FieldError]:
    problems = qualified_name(path, name)
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        problems.append(field.invalid(path, field.named(name), detail))
    return problems


def _c_identifier(path: str, name: str) -> list[FieldError]:
    problems = [field.too_long(path, ID_BYTES_MAX)] if len(name.encode()) > ID_BYTES_MAX else []
    if not re.fullmatch(_IDENTIFIER, name):
        text = names.regex_text(_IDENTIFIER_TEXT, _IDENTIFIER, "my_name", "MY_NAME", "MyName")
        problems.append(field.invalid(path, name, text))
    return problems


def toleration(path: str, found: Object) -> list[FieldError]:
    key, operator, value, effect = (found.get(name, "") for name in ("key", "operator", "value", "effect"))
    problems = label_name(f"{path}.key", key) if key else []
    if operator == "Exists":
        if value:
            problems.append(field.invalid(f"{path}.value", value, "must be empty for operator `Exists`"))
    elif operator == "Equal":
        problems += label_value(f"{path}.value", value)
    else:
        problems += checks.required_one_of(f"{path}.operator", operator, _OPERATORS)
    return problems + (checks.one_of(f"{path}.effect", effect, EFFECTS) if effect else [])


def tolerations(path: str, found: list[Object]) -> list[FieldError]:
    return items(path, found, -1, toleration)


def binding_conditions(path: str, found: Object) -> list[FieldError]:
    """The conditions of a device that is bound to a node after it was chosen, and those of a failure."""
    conditions = found.get("bindingConditions") or []
    failures = found.get("bindingFailureConditions") or []
    at, at_failures = f"{path}.bindingConditions", f"{path}.bindingFailureConditions"
    problems = items(at, conditions, _CONDITIONS_MAX, label_name)
    problems += items(at_failures, failures, _CONDITIONS_MAX, label_name)
    problems += _repeated(at, conditions)
    problems += _repeated(at_failures, failures)
    known = set(conditions)
    for position, each in enumerate(failures):
        if each in known:
            detail = "bindingFailureConditions must not overlap with bindingConditions"
            problems.append(field.invalid(field.index(at_failures, position), each, detail))
    if failures and not conditions:
        detail = "bindingConditions are required to use bindingFailureConditions"
        problems.append(field.invalid(at, written.shown(at, conditions), detail))
    if conditions and not failures:
        detail = "bindingFailureConditions are required to use bindingConditions"
        problems.append(field.invalid(at_failures, written.shown(at_failures, failures), detail))
    return problems


def _repeated(path: str, found: list[str]) -> list[FieldError]:
    seen: set[str] = set()
    problems: list[FieldError] = []
    for position, each in enumerate(found):
        if each in seen:
            problems.append(field.duplicate(field.index(path, position), each))
        seen.add(each)
    return problems
