"""The text that Prometheus reads: exposition format 0.0.4.

Imported when the metrics are asked for the first time. Lines are made a few children at a time, so that a scrape of
many series need not hold the event loop: whoever sends them may let others run between two. As Go's clients of
Prometheus do it, labels come in the order of their names, and children in that of their labels' values.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format; prometheus/client_golang
(MakeLabelPairs, NormalizeMetricFamilies)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final

from quarterdeck._kernels import metrics as kernel
from quarterdeck.metrics.limits import Limits, Summed
from quarterdeck.metrics.registry import AnyFamily, Registry

_CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8; escaping="
_ESCAPING: Final = re.compile(r"\bescaping\s*=\s*\"?(allow-utf-8|underscores|dots|values)\b")
# A histogram's child makes some 25 lines; the piece's worth of them takes about 5 ms.
_LINES_A_PIECE: Final = 2000
_WHOLE_MAX: Final = 2**53  # beyond it a double is no count any more


def content_type(accept: str) -> str:
    """The media type of the text for a client that accepts `accept`. It tells how names are escaped, of which none here
    needs any (prometheus/common, expfmt/encode.go: Negotiate)."""
    wanted = _ESCAPING.search(accept)
    return _CONTENT_TYPE + (wanted[1] if wanted else "underscores")


def format_pieces(registry: Registry) -> Iterator[bytes]:
    """The text in pieces of some thousand lines. Families without children are left out, as upstream does."""
    for prepare in registry.preparations:
        prepare()
    lines: list[str] = []
    limits = registry.limits
    for family in registry.families():
        if family.name in limits.disabled:
            continue
        is_first = True
        for child in _format_children(family, limits):
            if is_first:
                lines.append(f"# HELP {family.name} {_escape_help(family.help_text)}")
                lines.append(f"# TYPE {family.name} {family.kind}")
                is_first = False
            lines += child
            if len(lines) >= _LINES_A_PIECE:
                yield _join(lines)
                lines = []
    if lines:
        yield _join(lines)


def _join(lines: list[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode()


def _format_children(family: AnyFamily, limits: Limits) -> Iterator[Iterable[str]]:
    name = family.name
    order = sorted(range(len(family.label_names)), key=family.label_names.__getitem__)
    label_names = tuple(family.label_names[at] for at in order)
    limited = limits.apply(name, family.label_names, family.children())
    children = [(tuple([values[at] for at in order]), value) for values, value in limited]
    children.sort(key=itemgetter(0))
    for values, value in children:
        labels = _format_labels(label_names, values)
        if isinstance(value, (kernel.Histogram, Summed)):
            yield _format_histogram(name, labels, value)
        else:
            number = value if isinstance(value, (int, float)) else value.value
            yield (f"{name}{{{labels}}} {_format_number(number)}" if labels else f"{name} {_format_number(number)}",)


def _format_histogram(name: str, labels: str, value: kernel.Histogram | Summed) -> list[str]:
    prefix = f"{name}_bucket{{{labels},le=" if labels else f"{name}_bucket{{le="
    suffix = f"{{{labels}}}" if labels else ""
    counts = value.cumulate()
    lines = [
        f'{prefix}"{_format_number(bound)}"}} {count}' for bound, count in zip(value.bounds, counts[:-1], strict=True)
    ]
    lines.append(f'{prefix}"+Inf"}} {counts[-1]}')
    lines.append(f"{name}_sum{suffix} {_format_number(value.sum)}")
    lines.append(f"{name}_count{suffix} {counts[-1]}")
    return lines


def _format_labels(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    return ",".join([f'{name}="{_escape_value(value)}"' for name, value in zip(names, values, strict=True)])


def _format_number(value: float) -> str:
    if value - value != 0:  # an infinity, or no number at all
        return "NaN" if value != value else ("+Inf" if value > 0 else "-Inf")
    return str(int(value)) if value == int(value) and abs(value) < _WHOLE_MAX else repr(float(value))


def _escape_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _escape_value(text: str) -> str:
    if "\\" in text or '"' in text or "\n" in text:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return text
