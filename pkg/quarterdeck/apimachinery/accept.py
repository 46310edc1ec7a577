"""The Accept header, as kube-apiserver's two readers of it see it; and who gets JSON set out in lines.

Handlers read clauses by a small parser whose order is peculiar: a clause without a wildcard goes before its neighbour
with one, whatever their weights, so that what stands where matters. The router of built-in addresses looks at Accept
first and only knows whole media types.
Sources: github.com/munnerz/goautoneg (ParseAccept), go-restful (Route.matchesAccept), apiserver/pkg/endpoints/handlers/
negotiation/negotiate.go (isPrettyPrint).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

from quarterdeck._kernels import query as query_kernel

_CACHED_MAX: Final = 256
_CACHED_CHARS_MAX: Final = 512
_CLAUSES_MAX: Final = 64
_PRETTY: Final = frozenset(("pretty",))
_PRETTY_SPOKEN: Final = ("1", "t", "T", "TRUE", "true", "True")


class Clause(NamedTuple):
    media_type: str  # "application", without the subtype
    subtype: str
    parameters: dict[str, str]
    quality: float


def parse(header: str) -> tuple[Clause, ...]:
    """The clauses in the order in which they are tried. Malformed ones are left out."""
    return _parse_short(header) if len(header) <= _CACHED_CHARS_MAX else _parse(header)


@lru_cache(maxsize=_CACHED_MAX)
def _parse_short(header: str) -> tuple[Clause, ...]:
    return _parse(header)


def _parse(header: str) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    for text in header.split(",", _CLAUSES_MAX)[:_CLAUSES_MAX]:
        clause = _parse_clause(text)
        if clause is None:
            continue
        # Go's insertion sort, step by step: the relation is no order, so that another algorithm sorts otherwise.
        position = len(clauses)
        while position and _precedes(clause, clauses[position - 1]):
            position -= 1
        clauses.insert(position, clause)
    return tuple(clauses)


def _precedes(one: Clause, other: Clause) -> bool:
    if one.quality > other.quality:
        return True
    return (one.media_type != "*" and other.media_type == "*") or (one.subtype != "*" and other.subtype == "*")


def _parse_clause(text: str) -> Clause | None:
    name, *parameter_texts = text.split(";")
    media_type, _, rest = name.strip(" ").partition("/")
    media_type = media_type.strip(" ")
    subtype, _, more = rest.partition("/")
    if more or (not rest and media_type != "*"):
        return None
    subtype = subtype.strip(" ") if rest else "*"
    parameters: dict[str, str] = {}
    quality = 1.0
    for parameter in parameter_texts:
        key, _, rest = parameter.partition("=")
        value, _, more = rest.partition("=")
        if more or not rest:
            continue
        if key.strip(" ") == "q":
            quality = _parse_quality(value)
        else:
            parameters[key.strip(" ")] = value.strip(" ")
    return Clause(media_type, subtype, parameters, quality)


def _parse_quality(text: str) -> float:
    try:
        return float(text) if text.isascii() and text == text.strip() else 0.0
    except ValueError:
        return 0.0


def names_one_of(header: str, media_types: Collection[str]) -> bool:
    """Whether the router lets a request through: it knows `*/*`, but not `application/*`."""
    for text in (header or "*/*").split(","):
        name = text.partition(";")[0].strip(" ")
        if name == "*/*" or name in media_types:
            return True
    return False


def wants_pretty(query: str, user_agent: str) -> bool:
    """Whether JSON is to be indented: by `pretty` in the query, or because a person seems to be reading."""
    values = query_kernel.parse_query(query, _PRETTY).get("pretty") if query and "pretty" in query else None
    if values and values[0]:
        return values[0] in _PRETTY_SPOKEN
    return user_agent.startswith(("curl", "Wget", "Mozilla/5.0"))
