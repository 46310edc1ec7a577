"""resourceVersion as clients write it: a number of at most 64 bits, told apart from anything else.

Source: apiserver/pkg/storage/api_object_versioner.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors, strconv

_SHORT: Final = 18  # digits that fit whatever they are: they need no look at their words


def check_resource_version_on_create(text: str) -> None:
    """A number is refused (500, as upstream: a plain error of the storage), anything else is dropped."""
    if not text:
        return
    try:
        revision = strconv.parse_uint(text)
    except strconv.NumError:
        return
    if revision > 0:
        raise errors.Unreasoned("resourceVersion should not be set on objects to be created")


def parse_resource_version(text: str) -> int:
    """Upstream answers a malformed resourceVersion of an object with 500 and strconv's text."""
    if len(text) <= _SHORT and text.isascii() and text.isdigit():
        return int(text)
    try:
        return strconv.parse_uint(text)
    except strconv.NumError as error:
        raise errors.Unreasoned(str(error)) from error
