"""The order in which strict decoding into a Go type tells of unknown and duplicate fields: that of the text.

Such a decoder goes through a text once and skips the value of an unknown field, so that nothing in there is a
duplicate. The decoders here find duplicates (all of them) and unknown fields one after the other; these functions put
what they found in order. They run only where there is something to tell.

Source: sigs.k8s.io/json/internal/golang/encoding/json/kubernetes_patch.go, decode.go (object).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from quarterdeck.apimachinery import gofmt

_step = re.compile(r"\[([0-9]+)\]|\.?([^.\[]+|\[)").findall


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object as they are written."""


def order_findings(data: bytes, duplicates: list[str], unknown: list[str]) -> list[str]:
    """The findings of a JSON text, without duplicates inside unknown fields: `duplicates` as findings, `unknown` as
    paths."""
    try:
        document = json.loads(data, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):  # text that Go repairs, or nested deeply
        return [*duplicates, *map(describe_unknown, unknown)]
    given_twice, not_known = set(duplicates), set(unknown)
    found: list[str] = []
    walks = [_walk("", document)]
    while walks:
        step = next(walks[-1], None)
        if step is None:
            walks.pop()
            continue
        path, value, is_again = step
        if path in not_known:
            found.append(describe_unknown(path))
            continue
        if is_again and (duplicate := f"duplicate field {gofmt.quote(path)}") in given_twice:
            found.append(duplicate)
        if isinstance(value, list):
            walks.append(_walk(path, value))
    return list(dict.fromkeys(found))


def _walk(path: str, container: Any) -> Iterator[tuple[str, Any, bool]]:
    """The children, with their paths, and whether the object had the name before."""
    if not isinstance(container, list):
        return
    if not isinstance(container, _Pairs):
        for index, item in enumerate(container):
            yield f"{path}[{index}]", item, False
        return
    seen: set[str] = set()
    for name, value in container:
        yield (f"{path}.{name}" if path else name), value, name in seen
        seen.add(name)


def describe_unknown(path: str) -> str:
    return f"unknown field {gofmt.quote(path)}"


def sort_key(path: str) -> list[tuple[int, str]]:
    """Sorts paths as they follow each other in a text whose members are sorted, as those of what was a map are."""
    return [(int(index), "") if index else (-1, name) for index, name in _step(path)]
