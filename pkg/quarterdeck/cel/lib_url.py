"""url() and isURL() of expressions.

Source: apiserver's pkg/cel/url.go and pkg/cel/library/urls.go.
"""

from __future__ import annotations

from typing import ClassVar, Final

from quarterdeck._kernels import query
from quarterdeck.apimachinery import gourl
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr

_PARAMETERS_MAX: Final = 10_000  # Go reads none of a query that has more


class URL:
    """Equal where Go writes the same."""

    __slots__ = ("go_string", "parsed")

    cel_type: ClassVar[str] = "kubernetes.URL"
    cel_unit_equality: ClassVar[bool] = True

    def __init__(self, parsed: gourl.URL) -> None:
        self.parsed = parsed
        self.go_string = str(parsed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URL) and self.go_string == other.go_string

    def __hash__(self) -> int:
        return hash(self.go_string)


@memoized
def to_url(text: str) -> object:
    """Go asks whether the text could stand in a request, then reads it as any URL: a fragment is none of the path's."""
    try:
        gourl.parse_request_uri(text)
        return URL(gourl.parse(text))
    except gourl.URLError as error:
        return CelErr(f"URL parse error during conversion from string: {error}")


def is_url(text: str) -> object:
    return gourl.is_request_uri(text)


def get_query(url: URL) -> object:
    text = url.parsed.raw_query
    return query.parse_query(text) if text.count("&") < _PARAMETERS_MAX else {}
