"""What differs between two runs of kube-apiserver itself, beyond placeholders.py: for recordings of random scenarios.

Names of types in CEL errors hold a random number; of the run's own group and namespace a part may be left, in OpenAPI
names and in echoes that are cut off; some lists have no order.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_NAMES = (
    (re.compile(r"selfType\d+"), "selfType<n>"),
    (re.compile(r"(?<![0-9a-z])g[0-9a-f]{6}(?![0-9a-z])"), "<group>"),
    (re.compile(r"G[0-9a-f]{6}(?=Golden)"), "<Group>"),
    (re.compile(r"(?<![0-9a-z])ns-[0-9a-f]{6}(?![0-9a-z])"), "<namespace>"),
)
_ERROR_LINES = re.compile(r"(?<=errors:\n)(?:  [^\n]*\n?)+")
_MISSING_ROLE = r'(?:cluster)?role\.rbac\.authorization\.k8s\.io "[^"]*" not found'
_MISSING_ROLES = re.compile(rf"(?<=\[){_MISSING_ROLE}(?:, {_MISSING_ROLE})+(?=\])")


def settle(value: Any, member: str = "") -> Any:
    """Levels a recorded or an actual answer."""
    if isinstance(value, dict):
        return {_settle_text(name): settle(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        settled = [settle(inner) for inner in value]
        return sorted(settled) if member == "Warning" else settled
    return _settle_text(value) if isinstance(value, str) else value


@lru_cache(maxsize=20_000)  # names of members and most values come again and again
def _settle_text(text: str) -> str:
    for pattern, name in _NAMES:
        text = pattern.sub(name, text)
    text = _ERROR_LINES.sub(lambda match: "\n".join(sorted(match[0].rstrip("\n").split("\n"))), text)
    return _MISSING_ROLES.sub(lambda match: ", ".join(sorted(match[0].split(", "))), text)
