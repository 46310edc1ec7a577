"""The codec of a version in which nothing is stored, and how objects are shown in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.codec import BuiltinCodec, Versions
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.gotype import Struct
from quarterdeck.storage.cacher import Entry, StoredForm


class ConvertingCodec(BuiltinCodec):
    """Of a version in which nothing is stored."""

    def __init__(
        self,
        api_version: str,
        kind: str,
        make_struct: Callable[[], Struct],
        versions: Versions,
        default: Callable[[Object], None] | None = None,
        note: Callable[[Object], None] | None = None,
        spelling: Spelling | None = None,
    ) -> None:
        super().__init__(api_version, kind, make_struct, default, note, spelling)
        self.versions = self._versions = versions

    def decode(self, data: bytes, read: Object | None = None) -> Object:
        return self._versions.convert(super().decode(data, read), self._api_version)

    def encode(self, obj: Object) -> bytes:
        stored = self._versions.convert(obj, self._versions.stored)
        if self._versions.default is not None:
            self._versions.default(stored)
        return super().encode(stored)

    def present(self, data: bytes) -> bytes:
        """Stored bytes as this version shows them."""
        return json_codec.encode(self.decode(data))


class ConvertedForm(StoredForm):
    """The objects of a version in which nothing is stored (cacher.Form)."""

    is_stored = False
    is_kept = True

    def __init__(
        self, api_version: str, kind: str, codec: ConvertingCodec, make_empty: Callable[[], Mapping[str, Any]]
    ) -> None:
        super().__init__(api_version, kind, make_empty=make_empty)
        self._codec = codec

    def encode(self, entry: Entry) -> bytes:
        return self._codec.present(entry.data)

    def encode_first(self, entry: Entry) -> bytes:
        return self.encode(entry)
