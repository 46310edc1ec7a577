"""Checks that the parts of a pod's spec share. Each returns field errors.

Source: apimachinery/pkg/apis/meta/v1/validation, pkg/util/validation; pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError

Object = dict[str, Any]
Texts = Callable[[str], list[str]]

NOT_NEGATIVE: Final = "must be greater than or equal to 0"
NOT_POSITIVE: Final = "must be greater than zero"
IMMUTABLE: Final = "field is immutable"
ID_MAX: Final = 2**31 - 1

_header_name = re.compile(r"[-A-Za-z0-9]+\Z").match
PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
DRIVER_BYTES_MAX: Final = 63


def all_of(path: str, value: object, texts: Iterable[str]) -> list[FieldError]:
    """An Invalid error for each text."""
    return [field.invalid(path, value, text) for text in texts]


def name(path: str, value: str, texts: Texts) -> list[FieldError]:
    """What `texts` says of a name."""
    return all_of(path, value, texts(value))


def required_name(path: str, value: str, texts: Texts) -> list[FieldError]:
    return name(path, value, texts) if value else [field.required(path)]


def csi_driver_name(path: str, name: str) -> list[FieldError]:
    """Of a driver of volumes or devices, in letters of either case (upstream: ValidateCSIDriverName)."""
    if not name:
        return [field.required(path)]
    problems = [field.too_long(path, DRIVER_BYTES_MAX)] if len(name.encode()) > DRIVER_BYTES_MAX else []
    return problems + all_of(path, name, names.dns1123_subdomain(gotext.lower(name)))


def not_negative(path: str, value: int) -> list[FieldError]:
    return [field.invalid(path, value, NOT_NEGATIVE)] if value < 0 else []


def one_of(path: str, value: str, supported: Iterable[str]) -> list[FieldError]:
    """`supported` in the order in which the text names them."""
    return [] if value in supported else [field.not_among(path, value, list(supported))]


def required_one_of(path: str, value: str, supported: Iterable[str]) -> list[FieldError]:
    return one_of(path, value, supported) if value else [field.required(path)]


def in_range(path: str, value: int, least: int, most: int) -> list[FieldError]:
    if least <= value <= most:
        return []
    return [field.invalid(path, value, f"must be between {least} and {most}, inclusive")]


def user_or_group(path: str, value: int | None) -> list[FieldError]:
    """The number of a user or a group."""
    return [] if value is None else in_range(path, value, 0, ID_MAX)


def port_number(path: str, number: int) -> list[FieldError]:
    return all_of(path, number, names.port_number(number))


def port_number_or_name(path: str, port: int | str) -> list[FieldError]:
    if isinstance(port, str):
        return name(path, port, names.port_name)
    return port_number(path, port)


def labels(path: str, found: Mapping[str, str]) -> list[FieldError]:
    problems: list[FieldError] = []
    for key, value in sorted(found.items()):
        problems += name(path, key, names.qualified_name)
        problems += name(path, value, names.label_value)
    return problems


def label_selector(path: str, selector: Object | None, *, checks_values: bool = True) -> list[FieldError]:
    """`checks_values`: whether the values of expressions are values of labels. Source: unversioned
    ValidateLabelSelector."""
    if selector is None:
        return []
    problems = labels(f"{path}.matchLabels", selector.get("matchLabels") or {})
    for position, requirement in enumerate(selector.get("matchExpressions") or []):
        problems += _requirement(
            field.index(f"{path}.matchExpressions", position), requirement, checks_values=checks_values
        )
    return problems


def _requirement(path: str, requirement: Object, *, checks_values: bool) -> list[FieldError]:
    operator, values = requirement.get("operator", ""), requirement.get("values") or []
    problems: list[FieldError] = []
    if operator in ("In", "NotIn"):
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            problems.append(field.required(f"{path}.values", detail))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            problems.append(field.forbidden(f"{path}.values", detail))
    else:
        problems.append(field.invalid(f"{path}.operator", field.named(operator), "not a valid selector operator"))
    problems += name(f"{path}.key", requirement.get("key", ""), names.qualified_name)
    for position, value in enumerate(values if checks_values else ()):
        problems += name(field.index(f"{path}.values", position), value, names.label_value)
    return problems


def show_selector(selector: Object) -> field.GoText:
    """A label selector as Go prints it."""
    return field.GoText(in_order(selector_to_go(selector)))


def selector_to_go(selector: Object) -> Object:
    """A label selector with the members that Go writes, in their order."""
    shown: Object = {}
    if found := selector.get("matchLabels"):
        shown["matchLabels"] = {key: found[key] for key in sorted(found)}
    if expressions := selector.get("matchExpressions"):
        shown["matchExpressions"] = [_shown_requirement(each) for each in expressions]
    return shown


def _shown_requirement(requirement: Object) -> Object:
    shown = {"key": requirement.get("key", ""), "operator": requirement.get("operator", "")}
    return {**shown, "values": requirement["values"]} if requirement.get("values") else shown


def header_name(value: str) -> list[str]:
    if _header_name(value):
        return []
    text = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [names.regex_text(text, "[-A-Za-z0-9]+", "X-Header-Name")]


def no_steps_back(path: str, value: str) -> list[FieldError]:
    return [field.invalid(path, value, "must not contain '..'")] if ".." in value.split("/") else []


def relative_path(path: str, value: str) -> list[FieldError]:
    """A path that does not leave the directory that it begins in."""
    problems = [field.invalid(path, value, "must be a relative path")] if value.startswith("/") else []
    return problems + no_steps_back(path, value)


def plain_relative_path(path: str, value: str) -> list[FieldError]:
    """`relative_path`, and no name of it begins the path with two dots."""
    problems = relative_path(path, value)
    if value.startswith("..") and not value.startswith("../"):
        problems.append(field.invalid(path, value, "must not start with '..'"))
    return problems


def same(one: Any, other: Any) -> bool:
    """Whether Go's semantic equality holds for decoded values: an empty list is like an absent one, and so was an empty
    map, which decoding drops. A struct that is written down empty is none that is absent."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same(one.get(name), other.get(name)) for name in {*one, *other})
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None or other is None:
        return (one if other is None else other) in (None, [])
    return bool(one == other)


def bytes_of(texts: Mapping[str, str]) -> int:
    """How long keys and values are together."""
    return sum(
        len(key.encode("utf-8", "surrogatepass")) + len(text.encode("utf-8", "surrogatepass"))
        for key, text in texts.items()
    )


def in_order(value: Any) -> str:
    """JSON of a Go value: members of structs stay in their order."""
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def escape(text: str) -> str:
    """What Go escapes in JSON and Python does not."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text
