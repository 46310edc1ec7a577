"""How the values of flags are read: as Go's flag packages and kube-apiserver's options read them.

Every parser raises ValueError with upstream's text where upstream has one. Source:
apiserver/pkg/server/options/etcd.go (ParseWatchCacheSizes).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Any, Final

from quarterdeck.apimachinery import duration

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")

GroupResource = tuple[str, str]


def parse_duration_s(text: str) -> float:
    """ "300ms", "1h45m", "0": a duration that is not negative."""
    ns = duration.parse_ns(text)
    if ns < 0:
        raise ValueError(f'time: invalid duration "{text}"')
    return ns / 1e9


def split_csv(text: str) -> list[str]:
    """One line of comma-separated values, some of which may stand in double quotes. Raises ValueError."""
    import csv  # few give such values: the start does not pay for them

    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        raise ValueError(str(error)) from error


def parse_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


class Listing(argparse.Action):
    """A list that a flag adds to when it is given again; what it is given first takes the place of its default.

    Source: pflag/string_slice.go (Set).
    """

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, _option: str | None = None
    ) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is self.default else (*before, *values))


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
