"""The text of /metrics, as tests name what is in it."""

from __future__ import annotations

import re
from typing import Final

_LABEL: Final = re.compile(r'[a-z_]+="[^"]*"')


def sort_labels(series: str) -> str:
    """A series with its labels in the order in which they are told: that of their names, the bound of a bucket last."""
    name, brace, rest = series.partition("{")
    if not brace:
        return series
    labels = sorted(_LABEL.findall(rest), key=lambda label: (label.startswith("le="), label))
    return f"{name}{{{','.join(labels)}}}{rest[rest.rindex('}') + 1 :]}"
