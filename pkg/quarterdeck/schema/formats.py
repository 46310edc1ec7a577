"""The string formats that schemas may name, checked as upstream checks them.

Each checker takes the text and says whether it has the form. A format that is not listed is not checked. Every checker
is linear in the text. Sources: kube-openapi pkg/validation/strfmt, asaskevich/govalidator, Go's net, net/mail,
net/url and time; which formats count: apiextensions-apiserver/pkg/apiserver/validation/formats.go.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
import socket
from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import dates, duration, gourl, names, patterns
from quarterdeck.schema import mail

Checker = Callable[[str], bool]

_HEX = "[0-9a-fA-F]"
_HOSTNAME: Final = (
    r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)"
    r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
)
_CREDIT_CARD = re.compile(
    r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})"
)
_COLOR_PART = r"\s*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*"
_GO_DURATION = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_GO_DURATION_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_DURATION_PART = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
_DURATION_UNITS: Final = frozenset(("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"))
_DURATION_PREFIXES: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_INT64_MAX: Final = 2**63 - 1
_MAC_BYTES: Final = (6, 8, 20)


def _matcher(pattern: str) -> Checker:
    @functools.cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern, re.ASCII)

    return lambda text: compiled().fullmatch(text) is not None


@functools.cache
def _hostname() -> patterns.Pattern:
    """Compiled at the first use, not at the import: it takes 0.15 s and 20 MiB, and few schemas name this format."""
    return patterns.compile_pattern(_HOSTNAME)


def is_duration(text: str) -> bool:
    """Go's durations, and Scala's: any text that holds a number with a known unit."""
    if _GO_DURATION.fullmatch(text) and _is_within_int64(text):
        return True
    known = False
    for number, unit in _DURATION_PART.findall(text):
        if int(number) > _INT64_MAX if len(number) < 30 else int(number[:30].lstrip("0") or "0") > 0:
            return False
        unit = unit.lower()
        known = known or unit in _DURATION_UNITS or unit.startswith(_DURATION_PREFIXES)
    return known


def _is_within_int64(text: str) -> bool:
    """Of one of Go's durations, in nanoseconds."""
    total = 0
    for whole, fraction, unit in _GO_DURATION_PART.findall(text):
        digits = whole.lstrip("0")
        if len(digits) > 19:
            return False
        total += int(digits or "0") * duration.UNITS_NS[unit]
        total += int(fraction[:18] or "0") * duration.UNITS_NS[unit] // 10 ** len(fraction[:18])
    return total <= _INT64_MAX + text.startswith("-")


def _is_sloppy_ipv4(text: str) -> bool:
    """Leading zeros are let through, as before Go 1.17."""
    parts = text.split(".")
    return len(parts) == 4 and all(
        p.isascii() and p.isdigit() and int(p[-18:]) <= 255 and not p[:-18].strip("0") for p in parts
    )


def _is_ipv6(text: str) -> bool:
    if ":" not in text or not text.isascii():
        return False
    try:
        socket.inet_pton(socket.AF_INET6, text)
    except (OSError, ValueError):
        return False
    return True


def _is_sloppy_ipv6(text: str) -> bool:
    """Leading zeros are let through here too, of each group."""
    *groups, last = text.split(":")
    if "." in last:
        if not _is_sloppy_ipv4(last):
            return False
        last = "0.0.0.0"
    else:
        groups, last = [*groups, last], ""
    short = [group.lstrip("0") or "0" if group else "" for group in groups]
    return _is_ipv6(":".join([*short, last] if last else short))


def is_ipv4(text: str) -> bool:
    """Any address written with a dot: an IPv6 address with an embedded IPv4 address counts."""
    return _is_sloppy_ipv4(text) or ("." in text and _is_sloppy_ipv6(text))


def is_cidr(text: str) -> bool:
    address, slash, length = text.partition("/")
    if not slash or not (length.isascii() and length.isdigit() and len(length) < 10):
        return False
    if _is_sloppy_ipv4(address):
        return int(length) <= 32
    return _is_sloppy_ipv6(address) and int(length) <= 128


def is_mac(text: str) -> bool:
    digits = text.replace(":", "").replace("-", "").replace(".", "")
    if len(digits) // 2 not in _MAC_BYTES or re.fullmatch(f"(?:{_HEX}{{2}})+", digits) is None:
        return False
    pairs, quads = re.findall("..", digits), re.findall("....", digits)
    return text in (":".join(pairs), "-".join(pairs), ".".join(quads), digits)


def is_hostname(text: str) -> bool:
    if not patterns.search(_hostname(), text) or len(text.encode()) > 255:
        return False
    return all(len(label.encode()) <= 63 for label in text.split("."))


def is_base64(text: str) -> bool:
    if not text or len(text) % 4:
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _passes_luhn(digits: str) -> bool:
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_credit_card(text: str) -> bool:
    digits = re.sub("[^0-9]+", "", text)
    return _CREDIT_CARD.fullmatch(digits) is not None and _passes_luhn(digits)


def is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if re.fullmatch("[0-9]{9}X|[0-9]{10}", digits) is None:
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((position + 1) * value for position, value in enumerate(values)) % 11 == 0


def is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\t\n\f\r -]+", "", text)
    if re.fullmatch("[0-9]{13}", digits) is None:
        return False
    return sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(digits)) % 10 == 0


def _uuid(version: str, variant: str) -> Checker:
    return _matcher(f"(?i:[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{version}-?{variant}-?[0-9a-f]{{12}})")


CHECKERS: Final[dict[str, Checker]] = {
    "bsonobjectid": _matcher(f"{_HEX}{{24}}"),
    "byte": is_base64,
    "cidr": is_cidr,
    "creditcard": is_credit_card,
    "date": dates.is_date,
    "datetime": dates.is_date_time,
    "duration": is_duration,
    "email": mail.is_email,
    "hexcolor": _matcher(f"#?({_HEX}{{3}}|{_HEX}{{6}})"),
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": _is_ipv6,
    "isbn": lambda text: is_isbn10(text) or is_isbn13(text),
    "isbn10": is_isbn10,
    "isbn13": is_isbn13,
    "k8slongname": lambda text: not names.dns1123_subdomain(text),
    "k8sshortname": lambda text: not names.dns1123_label(text),
    "mac": is_mac,
    "password": lambda _: True,
    "rgbcolor": _matcher(rf"rgb\({_COLOR_PART},{_COLOR_PART},{_COLOR_PART}\)"),
    "ssn": lambda text: len(text) == 11 and re.fullmatch("[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}", text) is not None,
    "uri": gourl.is_request_uri,
    "uuid": _uuid("[0-9a-f]{4}", "[0-9a-f]{4}"),
    "uuid3": _uuid("3[0-9a-f]{3}", "[0-9a-f]{4}"),
    "uuid4": _uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "uuid5": _uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
}
STRING_FORMATS: Final = frozenset(CHECKERS)
INTEGER_FORMATS: Final = frozenset(("int32", "int64"))
NUMBER_FORMATS: Final = frozenset(("float", "double"))


def normalize(name: str) -> str:
    return name.replace("-", "")


def is_recognized(schema_type: str, name: str) -> bool:
    """Whether a schema of that type may name that format; what is not recognized has no effect and earns a warning."""
    match schema_type:
        case "" | "string":
            return normalize(name) in STRING_FORMATS
        case "integer":
            return name in INTEGER_FORMATS
        case "number":
            return name in NUMBER_FORMATS
    return False


def checker(name: str) -> Checker | None:
    return CHECKERS.get(normalize(name))
