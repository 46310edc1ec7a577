"""How much of what was sent a client has not taken yet: tells one that is slow from one that has stopped reading."""

from __future__ import annotations

import fcntl
import sys
import termios
from typing import Final

from quarterdeck.transport.channel import Channel

LOOK_S: Final = 1.0  # how often a client that is behind is looked at


class Stall:
    """How long a client has taken nothing."""

    __slots__ = ("_channel", "_since_s", "_socket", "_unread")

    def __init__(self, channel: Channel, socket: int, now_s: float) -> None:
        self._channel = channel
        self._socket = socket
        self._since_s = now_s
        self._unread = self._count_unread()

    def measure_s(self, now_s: float) -> float:
        before, self._unread = self._unread, self._count_unread()
        if self._unread < before:
            self._since_s = now_s
        return now_s - self._since_s

    def _count_unread(self) -> int:
        """What waits in this process and in the kernel (SIOCOUTQ: sent and not acknowledged, and not sent)."""
        waiting = self._channel.get_write_buffer_size()
        if self._socket >= 0:
            try:
                answer = fcntl.ioctl(self._socket, termios.TIOCOUTQ, b"\0\0\0\0")
            except OSError:  # no socket any more
                return waiting
            waiting += int.from_bytes(answer, sys.byteorder)
        return waiting
