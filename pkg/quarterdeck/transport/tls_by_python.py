"""Records of TLS through Python's ssl, where its OpenSSL is hidden from the kernels (docs/adr/0011-tls.md)."""

from __future__ import annotations

import ssl
from typing import Final

from quarterdeck._kernels import tlsrecords

_RECORD_BYTES: Final = 16384  # the most that one TLS record holds


class PythonRecords:
    """As the kernels' (`_kernels/tlsrecords.pyi`), of a connection over memory whose handshake is done."""

    sealer = None  # nothing can be written past the channel

    def __init__(self, connection: ssl.SSLObject, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> None:
        self.state = tlsrecords.OPEN
        self._connection = connection
        self._incoming = incoming
        self._outgoing = outgoing

    def read(self, data: bytes) -> bytes:
        self._incoming.write(data)
        self.state = tlsrecords.OPEN
        pieces: list[bytes] = []
        try:
            while self._incoming.pending:
                piece = self._connection.read(_RECORD_BYTES)
                if not piece:
                    self.state = tlsrecords.ENDED
                    break
                pieces.append(piece)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            self.state = tlsrecords.BROKEN
        if self.state == tlsrecords.OPEN and self._outgoing.pending:
            self.state = tlsrecords.HAS_OUTPUT
        return b"".join(pieces)

    def write(self, data: bytes) -> bytes | None:
        try:
            sent = self._connection.write(data)
            if sent < len(data):
                rest = memoryview(data)
                while sent < len(data):
                    sent += self._connection.write(rest[sent:])
        except ssl.SSLError:
            return None
        return self._outgoing.read()

    def take_output(self) -> bytes:
        return self._outgoing.read()

    def goodbye(self) -> bytes:
        try:
            self._connection.unwrap()
        except ssl.SSLError:
            pass  # the client's own goodbye is not there yet and is not waited for
        return self._outgoing.read()
