"""A definition as the server's own controllers write it: its schemas, nearly all of it, stay the bytes they are."""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import jsoncut
from quarterdeck.apiextensions.schemas import SCHEMAS
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.errors import too_large
from quarterdeck.registry.strategy import Codec, Object
from quarterdeck.storage.interface import VALUE_BYTES_MAX


class StatusCodec:
    """Of one write, which leaves the spec as it is. What `decode` gives has null for each schema; `encode` puts those
    of the last one back. All else is the definition's own codec's."""

    def __init__(self, codec: Codec) -> None:
        self.waits = codec.waits
        self.awaited_version = codec.awaited_version
        self.reads_what_it_writes = False
        self._codec = codec
        self._schemas: list[bytes] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)

    def decode(self, data: bytes, read: Object | None = None) -> Object:
        try:
            small, self._schemas = jsoncut.apart(data, SCHEMAS)
        except ValueError:  # another server has stored it, with blanks
            self._schemas = None
            return self._codec.decode(data)
        return json_codec.load(small)

    def encode(self, obj: Object) -> bytes:
        return self._put_back(self._codec.encode(obj))

    def encode_unconverted(self, obj: Object) -> bytes:
        return self._put_back(self._codec.encode_unconverted(obj))

    def _put_back(self, small: bytes) -> bytes:
        data = small if self._schemas is None else jsoncut.filled(small, SCHEMAS, self._schemas)
        if len(data) > VALUE_BYTES_MAX:
            raise too_large()
        return data
