"""The order of API versions: GA before beta before alpha before anything else, newest first in each.

`v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1, v11alpha2, foo1, foo10`. Source:
apimachinery/pkg/version/helpers.go (CompareKubeAwareVersionStrings).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_KUBE_VERSION: Final = re.compile(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", re.ASCII)
_NUMBER_MAX: Final = (1 << 63) - 1  # with a larger one it is no version that Go can read
_STAGES: Final = {None: 0, "beta": 1, "alpha": 2}

SortKey = tuple[int, int, int, str]


def sort_key(version: str) -> SortKey:
    """Sorts ascending into Kubernetes' order of preference."""
    match = _KUBE_VERSION.fullmatch(version)
    if match is None or any(int(number or 0) > _NUMBER_MAX for number in match.group(1, 3)):
        return (3, 0, 0, version)
    major, stage, minor = match.groups()
    return (_STAGES[stage], -int(major), -int(minor or 0), version)


def sort_versions(versions: Iterable[str]) -> list[str]:
    """Most preferred first."""
    return sorted(versions, key=sort_key)
