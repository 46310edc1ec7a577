"""Named formats: format.dns1123Label() and the like.

Source: apiserver's pkg/cel/library/format.go; the URI, UUID, base64 and date checks are kube-openapi's strfmt.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from quarterdeck._kernels import celvalue
from quarterdeck.apimachinery import dates, gourl, names
from quarterdeck.cel.values import Optional, optional_none


@dataclass(frozen=True, slots=True)
class Format:
    """`regex_size` stands for the size of the pattern in costs."""

    name: str
    faults: Callable[[str], list[str]]
    regex_size: int

    cel_type: ClassVar[str] = "kubernetes.NamedFormat"
    cel_unit_equality: ClassVar[bool] = True


_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


def _uri(text: str) -> list[str]:
    try:
        gourl.parse_request_uri(text)
    except gourl.URLError as error:
        return [str(error)]
    return []


def _uuid(text: str) -> list[str]:
    return [] if _UUID.fullmatch(text) else ["does not match the UUID format"]


def _byte(text: str) -> list[str]:
    try:
        base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, ValueError):
        return ["invalid base64"]
    return [] if text else ["invalid base64"]


def _date(text: str) -> list[str]:
    return [] if dates.is_date(text) else ["invalid date"]


def _datetime(text: str) -> list[str]:
    return [] if dates.is_date_time(text) else ["invalid datetime"]


# The sizes of the last five are the lengths of the patterns that upstream stands in for them.
FORMATS: Final[dict[str, Format]] = {
    "dns1123Label": Format("DNS1123Label", names.name_is_dns1123_label, 30),
    "dns1123Subdomain": Format("DNS1123Subdomain", names.name_is_dns1123_subdomain, 60),
    "dns1035Label": Format("DNS1035Label", names.name_is_dns1035_label, 30),
    "qualifiedName": Format("QualifiedName", names.qualified_name, 60),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", lambda s: names.name_is_dns1123_label(s, True), 30),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", lambda s: names.name_is_dns1123_subdomain(s, True), 60),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", lambda s: names.name_is_dns1035_label(s, True), 30),
    "labelValue": Format("LabelValue", names.label_value, 40),
    "uri": Format("URI", _uri, 1104),
    "uuid": Format("uuid", _uuid, 70),
    "byte": Format("byte", _byte, 84),
    "date": Format("date", _date, 70),
    "datetime": Format("datetime", _datetime, 70),
}


def named(name: str) -> object:
    found = FORMATS.get(name)
    return optional_none if found is None else Optional(found)


def constant(name: str) -> Callable[[], object]:
    found = FORMATS[name]
    return lambda: found


def validate(format_value: Format, text: str) -> object:
    faults = format_value.faults(text)
    return Optional(list(faults)) if faults else optional_none


def validate_cost(args: tuple[object, object], result: object) -> int:
    """Either argument may be an error."""
    format_value, text = args
    if not isinstance(format_value, Format):
        return 1
    size = float(1 + celvalue.actual_size(text)) * 0.1
    cost = int(size) + (size > int(size))
    return cost * -(-format_value.regex_size // 4)
