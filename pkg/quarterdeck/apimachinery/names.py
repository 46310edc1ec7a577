"""Which texts may be names, label keys, label values and the like, and how a wrong one is worded.

Each check returns the list of its objections, empty for a good value; the callers wrap them in field errors. Lengths
are counted in bytes, as Go counts them. Source: apimachinery/pkg/util/validation/validation.go,
apimachinery/pkg/api/validate/content, apimachinery/pkg/api/validation/name.go.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection
from typing import Final

LABEL_LENGTH_MAX: Final = 63
SUBDOMAIN_LENGTH_MAX: Final = 253
PORT_NAME_LENGTH_MAX: Final = 15

_DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS1123_SUBDOMAIN = rf"{_DNS1123_LABEL}(\.{_DNS1123_LABEL})*"
_DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_UNDERSCORE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORE_SUBDOMAIN = rf"{_UNDERSCORE_LABEL}(\.{_UNDERSCORE_LABEL})*"
_LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_LABEL_KEY})?"
_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"

_DNS1123_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character"
)
_WILDCARD_TEXT: Final = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)
_UNDERSCORE_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
    "start and end with an alphanumeric character"
)
_DNS1123_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character"
)
_CASELESS_SUBDOMAIN_TEXT: Final = (
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character"
)
_DNS1035_LABEL_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character"
)
_LABEL_KEY_TEXT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_LABEL_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character"
)
_CONFIG_MAP_KEY_TEXT = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
_ENV_VAR_NAME_TEXT = "a valid environment variable name must consist only of printable ASCII characters other than '='"

# These patterns have one way to match, so Python's engine is linear on them; \Z, since $ would let a newline pass.
_underscore_subdomain = re.compile(_UNDERSCORE_SUBDOMAIN + r"\Z").match
_dns1123_label = re.compile(_DNS1123_LABEL + r"\Z").match
_dns1123_subdomain = re.compile(_DNS1123_SUBDOMAIN + r"\Z").match
_caseless_subdomain = re.compile(_DNS1123_SUBDOMAIN + r"\Z", re.IGNORECASE).match
_dns1035_label = re.compile(_DNS1035_LABEL + r"\Z").match
_label_key = re.compile(_LABEL_KEY + r"\Z").match
_config_map_key = re.compile(_CONFIG_MAP_KEY + r"\Z").match
_port_name = re.compile(r"[-a-z0-9]+\Z").match
# Printable ASCII without the equals sign.
_env_var_name = re.compile(r"[ -<>-~]*\Z").match

# The same keys come again and again: those of 2 MiB at most.
_good_keys: Final[set[str]] = set()
_GOOD_KEYS_MAX: Final = 4096

_TOO_MANY_BYTES: Final = f"must be no more than {SUBDOMAIN_LENGTH_MAX} bytes"
_CONFIG_MAP_KEY_OCTETS = (string.ascii_letters + string.digits + "-_.").encode()


def max_length_text(length_max: int) -> str:
    return f"must be no more than {length_max} characters"


def regex_text(text: str, pattern: str, *examples: str) -> str:
    """`text (e.g. 'a',  or 'b', regex used for validation is 'pattern')`, with upstream's own spacing."""
    if not examples:
        return f"{text} (regex used for validation is '{pattern}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{text} (e.g. {shown}regex used for validation is '{pattern}')"


def _byte_length(value: str) -> int:
    return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))


def dns1123_label(value: str) -> list[str]:
    errors = []
    if _byte_length(value) > LABEL_LENGTH_MAX:
        errors.append(max_length_text(LABEL_LENGTH_MAX))
    if not _dns1123_label(value):
        if _dns1123_subdomain(value):
            errors.append("must not contain dots")
        else:
            errors.append(regex_text(_DNS1123_LABEL_TEXT, _DNS1123_LABEL, "my-name", "123-abc"))
    return errors


def dns1123_subdomain(value: str) -> list[str]:
    errors = []
    if _byte_length(value) > SUBDOMAIN_LENGTH_MAX:
        errors.append(max_length_text(SUBDOMAIN_LENGTH_MAX))
    if not _dns1123_subdomain(value):
        errors.append(regex_text(_DNS1123_SUBDOMAIN_TEXT, _DNS1123_SUBDOMAIN, "example.com"))
    return errors


def wildcard_subdomain(value: str) -> list[str]:
    """`*.` and a subdomain (upstream: IsWildcardDNS1123Subdomain)."""
    errors = []
    if _byte_length(value) > SUBDOMAIN_LENGTH_MAX:
        errors.append(max_length_text(SUBDOMAIN_LENGTH_MAX))
    if not value.startswith("*.") or not _dns1123_subdomain(value[2:]):
        errors.append(regex_text(_WILDCARD_TEXT, rf"\*\.{_DNS1123_SUBDOMAIN}", "*.example.com"))
    return errors


def subdomain_with_underscore(value: str) -> list[str]:
    """A subdomain in whose labels underscores may stand, as a search path of a resolver has them."""
    errors = []
    if _byte_length(value) > SUBDOMAIN_LENGTH_MAX:
        errors.append(max_length_text(SUBDOMAIN_LENGTH_MAX))
    if not _underscore_subdomain(value):
        errors.append(regex_text(_UNDERSCORE_SUBDOMAIN_TEXT, _UNDERSCORE_SUBDOMAIN, "example.com"))
    return errors


def dns1035_label(value: str) -> list[str]:
    errors = []
    if _byte_length(value) > LABEL_LENGTH_MAX:
        errors.append(max_length_text(LABEL_LENGTH_MAX))
    if not _dns1035_label(value):
        errors.append(regex_text(_DNS1035_LABEL_TEXT, _DNS1035_LABEL, "my-name", "abc-123"))
    return errors


def qualified_name(value: str) -> list[str]:
    """A label key, an annotation key (lower-cased by the caller), a finalizer (upstream: content.IsLabelKey)."""
    if value in _good_keys:
        return []
    errors = _check_key(value)
    if not errors:
        if len(_good_keys) >= _GOOD_KEYS_MAX:
            _good_keys.clear()
        _good_keys.add(value)
    return errors


def _check_key(value: str) -> list[str]:
    errors = []
    prefix, slash, name = value.rpartition("/")
    if slash and "/" in prefix:
        return [
            "a valid label key "
            + regex_text(_LABEL_KEY_TEXT, _LABEL_KEY, "MyName", "my.name", "123-abc")
            + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    if slash:
        if not prefix:
            errors.append("prefix part must be non-empty")
        else:
            if _byte_length(prefix) > SUBDOMAIN_LENGTH_MAX:
                errors.append(f"prefix part must be no more than {SUBDOMAIN_LENGTH_MAX} bytes")
            if not _dns1123_subdomain(prefix):
                errors.append("prefix part " + regex_text(_DNS1123_SUBDOMAIN_TEXT, _DNS1123_SUBDOMAIN, "example.com"))
    if not name:
        errors.append("name part must be non-empty")
    elif _byte_length(name) > LABEL_LENGTH_MAX:
        errors.append(f"name part must be no more than {LABEL_LENGTH_MAX} bytes")
    if not _label_key(name):
        errors.append("name part " + regex_text(_LABEL_KEY_TEXT, _LABEL_KEY, "MyName", "my.name", "123-abc"))
    return errors


def label_value(value: str) -> list[str]:
    if not value:
        return []
    errors = []
    if _byte_length(value) > LABEL_LENGTH_MAX:
        errors.append(f"must be no more than {LABEL_LENGTH_MAX} bytes")
    if not _label_key(value):
        errors.append(regex_text(_LABEL_VALUE_TEXT, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return errors


def config_map_key(value: str) -> list[str]:
    errors = []
    if _byte_length(value) > SUBDOMAIN_LENGTH_MAX:
        errors.append(max_length_text(SUBDOMAIN_LENGTH_MAX))
    if not _config_map_key(value):
        errors.append(regex_text(_CONFIG_MAP_KEY_TEXT, _CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"))
    return errors + _directory_references(value)


def are_usual_config_map_keys(keys: Collection[str]) -> bool:
    """Whether all are keys as nearly all are, of which `config_map_key` says nothing; told by a few looks at all of
    them together."""
    lines = "\n".join(("", *keys))
    return (
        lines.isascii()
        and not lines.endswith("\n")
        and "\n\n" not in lines
        and "\n." not in lines
        and max(map(len, keys), default=0) <= SUBDOMAIN_LENGTH_MAX
        and lines.encode().translate(None, _CONFIG_MAP_KEY_OCTETS) == b"\n" * len(keys)
    )


def env_var_name(value: str) -> list[str]:
    errors = [] if value else ["environment variable name must be non-empty"]
    if not _env_var_name(value):
        errors.append(_ENV_VAR_NAME_TEXT)
    return errors


def _directory_references(value: str) -> list[str]:
    if value == ".":
        return ["must not be '.'"]
    if value == "..":
        return ["must not be '..'"]
    return ["must not start with '..'"] if value.startswith("..") else []


def port_name(value: str) -> list[str]:
    errors = []
    if _byte_length(value) > PORT_NAME_LENGTH_MAX:
        errors.append(max_length_text(PORT_NAME_LENGTH_MAX))
    if not _port_name(value):
        errors.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not any("a" <= char <= "z" for char in value):
        errors.append("must contain at least one letter (a-z)")
    if "--" in value:
        errors.append("must not contain consecutive hyphens")
    if value and (value[0] == "-" or value[-1] == "-"):
        errors.append("must not begin or end with a hyphen")
    return errors


def port_number(value: int) -> list[str]:
    return [] if 1 <= value <= 65535 else ["must be between 1 and 65535, inclusive"]


def path_segment_name(value: str, is_prefix: bool = False) -> list[str]:
    """A name that can stand in a path: the least that any object's name must fulfil."""
    errors = []
    if not is_prefix and value in (".", ".."):
        return [f"may not be '{value}'"]
    for char in ("/", "%"):
        if char in value:
            errors.append(f"may not contain '{char}'")
    return errors


def _without_trailing_dash(value: str) -> str:
    # A generateName may end with a dash: the suffix that follows it makes the name good.
    return value[:-2] + "a" if len(value) > 1 and value.endswith("-") else value


def name_is_dns1123_subdomain(value: str, is_prefix: bool = False) -> list[str]:
    return dns1123_subdomain(_without_trailing_dash(value) if is_prefix else value)


def long_name(value: str, is_prefix: bool = False) -> list[str]:
    """A subdomain in the words of declarative validation, which says nothing of what a name begins with."""
    texts = [] if is_prefix else dns1123_subdomain(value)
    too_long = max_length_text(SUBDOMAIN_LENGTH_MAX)
    return [_TOO_MANY_BYTES if text == too_long else text for text in texts]


def caseless_long_name(value: str) -> list[str]:
    """The same in letters of either case."""
    texts = [_TOO_MANY_BYTES] if _byte_length(value) > SUBDOMAIN_LENGTH_MAX else []
    if not _caseless_subdomain(value):
        texts.append(regex_text(_CASELESS_SUBDOMAIN_TEXT, _DNS1123_SUBDOMAIN, "Example.com"))
    return texts


def name_is_dns1123_label(value: str, is_prefix: bool = False) -> list[str]:
    return dns1123_label(_without_trailing_dash(value) if is_prefix else value)


def name_is_dns1035_label(value: str, is_prefix: bool = False) -> list[str]:
    return dns1035_label(_without_trailing_dash(value) if is_prefix else value)


namespace_name = name_is_dns1123_label
