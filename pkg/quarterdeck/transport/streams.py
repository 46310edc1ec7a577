"""The writer of one Stream over HTTP/1.1: chunks out, nothing buffered here (messages.StreamWriter)."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport.channel import Channel
from quarterdeck.transport.messages import frame_chunk


class HTTP1StreamWriter:
    """`is_chunked` is false for HTTP/1.0, where the end of the connection ends the body. Under TLS `sealer` encrypts
    what is sent to `socket` directly; `socket` is -1 where there is none.

    Writing through a writer that has ended is allowed and does nothing: the client may leave at any moment.
    """

    __slots__ = ("_channel", "_is_chunked", "_on_end", "_sealer", "_socket", "is_paused")

    def __init__(
        self,
        channel: Channel,
        socket: int,
        on_end: Callable[[], None],
        *,
        is_chunked: bool,
        sealer: Sealer | None = None,
    ) -> None:
        self._channel: Channel | None = channel
        self._socket = socket
        self._on_end = on_end
        self._is_chunked = is_chunked
        self.is_paused = False
        self._sealer = sealer

    def write(self, data: bytes) -> None:
        if self._channel is not None and data:
            self._write_rest(self._channel)
            self._channel.write(frame_chunk(data) if self._is_chunked else data)

    def write_chunks(self, chunks: bytes) -> None:
        channel = self._channel
        if channel is None:
            return
        self._write_rest(channel)
        if not self._is_chunked:
            chunks = unframe(chunks)
        if chunks:
            channel.write(chunks)

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        channel, sealer = self._channel, self._sealer
        if (
            channel is None
            or self.is_paused
            or not self._is_chunked
            or channel.get_write_buffer_size()
            or channel.is_closing()
            or (sealer is not None and sealer.has_rest)
        ):
            return -1, sealer, None
        return self._socket, sealer, None

    def _write_rest(self, channel: Channel) -> None:
        """What a direct send has encrypted and could not place: records are counted, so that none may overtake it."""
        sealer = self._sealer
        if sealer is not None and sealer.has_rest:
            channel.write_sealed(sealer.take_rest())

    def end(self) -> None:
        channel = self._channel
        if channel is not None:
            self._write_rest(channel)
            if self._is_chunked:
                channel.write(b"0\r\n\r\n")
            self._channel = None
            self._on_end()

    def abort(self) -> None:
        if self._channel is not None:
            self._channel.abort()

    def detach(self) -> None:
        """The connection is gone."""
        self._channel = None


def unframe(frames: bytes) -> bytes:
    """The data of whole chunks that were framed by frame_chunk."""
    parts: list[bytes] = []
    at = 0
    while at < len(frames):
        end_of_size = frames.index(b"\r\n", at)
        size = int(frames[at:end_of_size], 16)
        begin = end_of_size + 2
        parts.append(frames[begin : begin + size])
        at = begin + size + 2
    return b"".join(parts)
