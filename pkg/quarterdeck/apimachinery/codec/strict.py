"""The order in which strict decoding into a Go type tells of unknown and duplicate fields: that of the text.

Such a decoder goes through a text once and skips the value of an unknown field, so that nothing in there is a
duplicate. The decoders here find duplicates (all of them) and unknown fields one after the other; these functions put
what they found in order. They run only where there is something to tell.

Source: sigs.k8s.io/json/internal/golang/encoding/json/kubernetes_patch.go, decode.go (object).
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from quarterdeck._kernels import jsondecode
from quarterdeck.apimachinery import gofmt

_DEPTH_MAX: Final = 1000
_step = re.compile(r"\[([0-9]+)\]|\.?([^.\[]+|\[)").findall


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object as they are written."""


# What decodes a value, and what decodes its member of that name: None is not known, READS_ITSELF tells of nothing.
READS_ITSELF: Final = object()
Shape = Any
Below = Callable[[Shape, str], Shape]


def order_findings(
    data: bytes,
    duplicates: list[str],
    unknown: list[str],
    count_max: int,
    shape: Shape = None,
    below: Below | None = None,
) -> list[str]:
    """The first findings of a JSON text, without duplicates inside unknown fields: `duplicates` as findings, `unknown`
    as paths."""
    document = _read_pairs(data) if duplicates else _read(data)
    if document is None:
        return [*duplicates, *map(describe_unknown, unknown)][:count_max]
    given_twice, not_known = set(duplicates), set(unknown)
    found: dict[str, None] = {}
    walks = [(shape, _walk("", document))]
    while walks and len(found) < count_max:
        shape, walk = walks[-1]
        step = next(walk, None)
        if step is None:
            walks.pop()
            continue
        path, name, value, is_again = step
        if path in not_known:
            found[describe_unknown(path)] = None
            continue
        if is_again and (duplicate := f"duplicate field {gofmt.quote(path)}") in given_twice:
            found[duplicate] = None
        if isinstance(value, (list, dict)):
            shape = None if shape is None or below is None else below(shape, name)
            if shape is not READS_ITSELF:
                walks.append((shape, _walk(path, value)))
    return list(found)


def describe_sorted(unknown: Iterable[str], count_max: int) -> list[str]:
    """The first unknown fields of a value whose members are sorted, as findings."""
    return [describe_unknown(path) for path in heapq.nsmallest(count_max, unknown, key=sort_key)]


def _read_pairs(data: bytes) -> Any:
    """None for a text that Go repairs, and one that is nested deeply."""
    try:
        return json.loads(data, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def read_members(data: bytes) -> list[tuple[str, Any]] | None:
    """The members of a JSON text's object as they are written, those inside their values left out. None as of
    `_read_pairs`."""
    try:
        document = json.loads(data, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, _Pairs):
        return None
    return [(name, {} if isinstance(value, _Pairs) else value) for name, value in document]


def _read(data: bytes) -> Any:
    """The same where no member stands twice: a dict has the text's order too. This reader gives up the interpreter's
    lock while it reads."""
    document, _, error, _ = jsondecode.decode(data, _DEPTH_MAX)
    return document if error is None else None


def _walk(path: str, container: Any) -> Iterator[tuple[str, str, Any, bool]]:
    """The children, with their paths and names, and whether the object had the name before."""
    if isinstance(container, dict):
        for name, value in container.items():
            yield (f"{path}.{name}" if path else name), name, value, False
        return
    if not isinstance(container, list):
        return
    if not isinstance(container, _Pairs):
        for index, item in enumerate(container):
            yield f"{path}[{index}]", "", item, False
        return
    seen: set[str] = set()
    for name, value in container:
        yield (f"{path}.{name}" if path else name), name, value, name in seen
        seen.add(name)


def describe_unknown(path: str) -> str:
    return f"unknown field {gofmt.quote(path)}"


def sort_key(path: str) -> list[tuple[int, str]]:
    """Sorts paths as they follow each other in a text whose members are sorted, as those of what was a map are."""
    return [(int(index), "") if index else (-1, name) for index, name in _step(path)]
