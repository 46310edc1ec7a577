"""The phases of an HTTP/1.x connection and of an exchange of HTTP/2; http1.py and http2_exchange.py draw how they
follow each other."""

from __future__ import annotations

from typing import Final

IDLE: Final = 0  # no request has begun
HEAD: Final = 1  # a part of a head has come, or the connection is new
BODY: Final = 2  # a part of a body has come
BUSY: Final = 3  # a request is being answered
LINGER: Final = 4  # nothing is answered any more; what was written may still leave
CLOSED: Final = 5
SENDING: Final = 6  # of an exchange: the answer is there, the client takes it

NEVER: Final = float("inf")  # a deadline
