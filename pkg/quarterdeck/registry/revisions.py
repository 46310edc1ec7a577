"""resourceVersion as clients write it: a number of at most 64 bits, told apart from anything else.

Source: apiserver/pkg/storage/api_object_versioner.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors, gofmt

_REVISION_MAX: Final = 2**64 - 1
_REVISION_DIGITS_MAX: Final = 100  # more are not read, whatever zeros they begin with


def check_resource_version_on_create(text: str) -> None:
    """A number is refused (500, as upstream: a plain error of the storage), anything else is dropped."""
    if text.isascii() and text.isdigit() and len(text) <= _REVISION_DIGITS_MAX and 0 < int(text) <= _REVISION_MAX:
        raise errors.Unreasoned("resourceVersion should not be set on objects to be created")


def parse_resource_version(text: str) -> int:
    """Upstream answers a malformed resourceVersion of an object with 500 and strconv's text."""
    reason = "invalid syntax"
    if text.isascii() and text.isdigit():
        revision = int(text) if len(text) <= _REVISION_DIGITS_MAX else _REVISION_MAX + 1
        if revision <= _REVISION_MAX:
            return revision
        reason = "value out of range"
    raise errors.Unreasoned(f"strconv.ParseUint: parsing {gofmt.quote(text)}: {reason}")
