"""How an HTTP/1.x connection takes in what stands behind a head."""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import http1, http1chunks
from quarterdeck.transport import refusals, targets
from quarterdeck.transport.brokenbodies import FAULTS, BrokenBody
from quarterdeck.transport.http1_waiting import HTTP1Waiting
from quarterdeck.transport.incoming import IncomingBody
from quarterdeck.transport.messages import Request
from quarterdeck.transport.phases import BODY

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

_KEEP_ALIVE: Final = http1.KEEP_ALIVE
_CHUNKED: Final = http1.CHUNKED
_EXPECT_CONTINUE: Final = http1.EXPECT_CONTINUE
_EXPECT_OTHER: Final = http1.EXPECT_OTHER
_OTHER_FORM: Final = http1.OTHER_FORM


class HTTP1Bodies(HTTP1Waiting):
    __slots__ = ()

    def _begin_body(self, request: Request, length: int, data: bytes, offset: int) -> int:
        """The offset behind the body if it is all there, else -1: it is waited for, or the request is refused."""
        flags = self._flags
        limits = self._server.limits
        if flags & _OTHER_FORM and not targets.read(request):
            self._refuse(refusals.refuse_head(http1.BAD_REQUEST))
            return -1
        if flags & _EXPECT_OTHER:
            self._refuse(refusals.refuse_expectation())
            return -1
        if length > limits.body_bytes_max:
            self._refuse(refusals.render(self._server.answer_large_body(request)))
            return -1
        if not self._hold_body(limits.body_bytes_max if flags & _CHUNKED else length):
            self._refuse(refusals.render(refusals.answer_bodies()))
            return -1
        if not flags & _CHUNKED:
            end = offset + max(length, 0)
            if end <= len(data):
                request.body = data[offset:end]
                return end
        if flags & _EXPECT_CONTINUE and offset == len(data):
            self._channel.write(_CONTINUE)
        self._phase = BODY
        self._request = request
        self.deadline = self._server.now + limits.body_timeout_s
        self._incoming_body = IncomingBody(-1 if flags & _CHUNKED else length, limits.body_bytes_max)
        return self._read_body(data, offset)

    def _read_body(self, data: bytes, offset: int) -> int:
        """The offset behind the body, or -1: more of it is waited for, or the request is refused."""
        incoming, request = self._incoming_body, self._request
        assert incoming is not None
        assert request is not None
        offset = incoming.feed(data, offset)
        if offset == http1chunks.CHUNK_TOO_LARGE:
            self._refuse(refusals.render(self._server.answer_large_body(request)))
            return -1
        if offset < 0:
            # Who does not look at the body answers all the same. What else comes belongs to nothing.
            request.body = BrokenBody.of(FAULTS[offset])
            self._free_body()
            self._incoming_body = None
            self._flags &= ~_KEEP_ALIVE
            return len(data)
        if not incoming.is_done:
            return -1
        request.body = incoming.take()
        self._free_body(len(request.body))
        self._incoming_body = None
        return offset
