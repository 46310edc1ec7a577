"""How the objects of a served version are shown: as they are stored, or as their codec presents them.

`Form` and `AwaitedForm` of storage/cacher say what a form is.
"""

from __future__ import annotations

import asyncio

from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.customresource.codec import CustomResourceCodec
from quarterdeck.storage.cacher import Entry, frames
from quarterdeck.storage.cacher.forms import encode_bookmark_metadata


class ObjectForm:
    """The objects of one served version (cacher.Form). `is_stored` where stored bytes can be shown unread: the
    storage version of a definition whose schema is the first one and has no defaults that an object could lack."""

    is_kept = True
    has_header = False
    framing: frames.Framing = frames.JSON

    def __init__(self, codec: CustomResourceCodec, gvk: GroupVersionKind, *, is_stored: bool) -> None:
        self.is_stored = is_stored
        self._codec = codec
        self._head = b'{"kind":"%b","apiVersion":"%b","metadata":{' % (gvk.kind.encode(), gvk.api_version.encode())

    def encode(self, entry: Entry) -> bytes:
        if self.is_stored:
            return entry.data
        return self._codec.present(entry.data)

    def encode_first(self, entry: Entry) -> bytes:
        return self.encode(entry)

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        return self._head + encode_bookmark_metadata(revision, is_initial_end=is_initial_end) + b"}"


class AwaitedForm(ObjectForm):
    """The objects of a version for which a webhook may have to be asked (cacher.AwaitedForm)."""

    def __init__(self, codec: CustomResourceCodec, gvk: GroupVersionKind) -> None:
        super().__init__(codec, gvk, is_stored=False)
        self._pending: dict[Entry, asyncio.Future[None]] = {}

    def encode(self, entry: Entry) -> bytes:
        data = entry.encoding(self)
        assert data is not None, "the entry was not prepared"
        return data

    async def prepare(self, entries: list[Entry]) -> None:
        """Each entry is converted once, whoever asks for it meanwhile."""
        missing = [entry for entry in entries if entry.encoding(self) is None]
        while missing:
            mine = [entry for entry in missing if entry not in self._pending]
            others = {self._pending[entry] for entry in missing if entry in self._pending}
            if mine:
                await self._prepare(mine)
            if others:
                await asyncio.wait(others)
            missing = [entry for entry in missing if entry.encoding(self) is None]

    async def _prepare(self, entries: list[Entry]) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending |= dict.fromkeys(entries, future)
        try:
            for entry, data in zip(
                entries, await self._codec.present_all([each.data for each in entries]), strict=True
            ):
                entry.keep_encoding(self, data)
        finally:
            for entry in entries:
                del self._pending[entry]
            future.set_result(None)
