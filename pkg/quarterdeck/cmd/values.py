"""How the values of flags are read: as Go's flag packages and kube-apiserver's options read them.

Every parser raises ValueError with upstream's text where upstream has one. Sources: Go's time.ParseDuration,
apiserver/pkg/server/options/etcd.go (ParseWatchCacheSizes).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_UNITS_S: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+", re.ASCII)
_PART: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")

GroupResource = tuple[str, str]


def parse_duration_s(text: str) -> float:
    """ "300ms", "1h45m", "0": a duration that is not negative."""
    unsigned = text.removeprefix("+")
    if unsigned == "0":
        return 0.0
    if not _DURATION.fullmatch(unsigned):
        raise ValueError(f'time: invalid duration "{text}"')
    return sum(float(number) * _UNITS_S[unit] for number, unit in _PART.findall(unsigned))


def parse_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def parse_watch_cache_sizes(texts: Iterable[str]) -> dict[GroupResource, int]:
    """`resource[.group]#size`, several separated by commas, the flag given once or more; a later one wins."""
    sizes: dict[GroupResource, int] = {}
    for text in (part for given in texts for part in given.split(",") if given):
        name, *rest = text.split("#")
        if len(rest) != 1:
            raise ValueError(f"invalid value of watch cache size: {text}")
        if not _INTEGER.fullmatch(rest[0]):
            raise ValueError(f"invalid size of watch cache size: {text}")
        size = int(rest[0])
        if size < 0:
            raise ValueError(f"watch cache size cannot be negative: {text}")
        resource, _, group = name.partition(".")
        sizes[group, resource] = size
    return sizes
