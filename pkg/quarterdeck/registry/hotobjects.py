"""Objects that are updated again and again, as they were decoded: the next update need not read the stored bytes.

Whoever takes one has it alone, and may change it as if it had read it: it is kept no more. What an update has stored is
kept when it is stored, and nobody holds it any longer then, but for what is below the members of metadata, which nobody
changes in place (docs/adr/0062). A write that fails keeps nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from quarterdeck._kernels.asread import as_read

# Decoded, an object takes some fifteen times its bytes, mostly for its sets of fields: so many fit a processor's cache.
# What has left that takes longer to fetch than the stored bytes take to read.
BYTES_MAX: Final = 64 * 1024  # stored bytes, together
CLUSTER_BYTES_MAX: Final = 32 * 1024  # of a logical cluster, of which there are many
OBJECT_BYTES_MAX: Final = 16 * 1024

Object = dict[str, Any]


class HotObjects:
    """Of all resources of a server, the latest last. `reader` stands for the definition that an object was stored by:
    after a change of that it may have to be read otherwise."""

    __slots__ = ("_bytes", "_bytes_max", "_kept")

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[int, object, int, Object]] = OrderedDict()

    def take(self, key: str, revision: int, reader: object) -> Object | None:
        """The object as `codec.json.load` would give it; None where it has to be read."""
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        self._bytes -= kept[2]
        return kept[3] if kept[0] == revision and kept[1] is reader else None

    def keep(self, key: str, revision: int, reader: object, obj: Object, size: int) -> None:
        """`obj` was stored at a revision, in `size` bytes. The caller gives it up."""
        if size > OBJECT_BYTES_MAX or (read := as_read(obj, str(revision))) is None:
            return
        if key in self._kept:  # another write has been there meanwhile
            self._bytes -= self._kept.pop(key)[2]
        self._kept[key] = (revision, reader, size, read)
        self._bytes += size
        while self._bytes > self._bytes_max:
            self._bytes -= self._kept.popitem(last=False)[1][2]
