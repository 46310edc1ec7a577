"""What stands around an object in Kubernetes' protobuf: the magic bytes and a runtime.Unknown (protobuf_decode.py).

Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from quarterdeck._kernels import protobufobject
from quarterdeck._kernels.protobufwire import bytes_field, bytes_head
from quarterdeck.apimachinery.codec.protobuf_types import MAGIC

# No content encoding, no content type.
ENVELOPE_TAIL: Final = bytes_field(3, b"") + bytes_field(4, b"")


def envelope_ends(api_version: str, kind: str, size: int) -> tuple[bytes, bytes]:
    return envelope_head(api_version, kind) + bytes_head(2, size), ENVELOPE_TAIL


@lru_cache(maxsize=256)
def envelope_head(api_version: str, kind: str) -> bytes:
    """Up to the field that holds the object."""
    return MAGIC + bytes_field(1, bytes_field(1, api_version.encode()) + bytes_field(2, kind.encode()))


def enclosing(api_version: str, kind: str) -> Callable[[bytes], bytes]:
    """What puts its envelope around a message of that kind."""
    return partial(protobufobject.enclose, envelope_head(api_version, kind), ENVELOPE_TAIL)
