"""What libyaml reads from."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import offload

_PIECE_BYTES: Final = 16 * 1024  # what libyaml asks for


def source_of(data: bytes) -> bytes | Pieces:
    """For PyYAML's CParser."""
    return Pieces(data) if len(data) > offload.LARGE_BYTES else data or b"\n"


class Pieces:
    """A large text, of which libyaml asks for 16 KiB at a time. In between others may have the interpreter's lock: else
    it is held for as long as a scalar of megabytes is read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def read(self, length: int = _PIECE_BYTES, /) -> bytes:
        """The next bytes, none at the end."""
        longsteps.pause()
        begin, self._position = self._position, self._position + length
        return self._data[begin : self._position]
