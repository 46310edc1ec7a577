"""Whether all objects of a custom resource could be shown in one version when that began to be served.

Upstream reads them into a cache of the version. Where one cannot be converted it tries again and again; until then
whatever is answered from the cache is refused.

Source: apiserver/pkg/storage/cacher/{delegator,ready}.go (KEP-4568).
"""

from __future__ import annotations


class Filling:
    """`since`: the revision at which the version began to be served. Objects that came later are changes, which a
    filled cache takes in or not. `heads`: how the stored bytes of the definition's versions begin. `is_done` is never
    taken back."""

    __slots__ = ("heads", "is_done", "since")

    def __init__(self, since: int, heads: tuple[bytes, ...]) -> None:
        self.since = since
        self.heads = heads
        self.is_done = False
