"""Which streams of HTTP/2 a client has used and ended, on one connection: libnghttp2 forgets streams when they close,
and passes over what comes behind. For http2.pyx.

On a stream that the client itself has ended nothing may follow (RFC 9113, 5.1), and a head may only open a stream above
all others (5.1.1). What comes on a stream that the server gave up was on its way, and is passed over.
"""

cimport cython
from libc.stdint cimport int32_t

cdef enum:
    # So many streams that the server gave up are known, the newest ones.
    C_UNFINISHED_MAX = 1024


@cython.final
cdef class Past:
    """Asked of streams that are not open."""

    def __cinit__(self):
        self.unfinished = {}

    cdef bint open(self, int32_t stream_id) except -1:
        """Whether a head may come on that stream. Until it is begun it may be one too many, and refused."""
        if stream_id > self.newest:
            self.newest = stream_id
            self.leave_open(stream_id)
            return True
        return not self.is_ended_by_client(stream_id)

    cdef int begin(self, int32_t stream_id) except -1:
        """It is open now, and known elsewhere until it closes."""
        self.unfinished.pop(stream_id, None)
        return 0

    cdef int leave_open(self, int32_t stream_id) except -1:
        """It is closed, and the client had not ended it."""
        if len(self.unfinished) >= C_UNFINISHED_MAX:
            del self.unfinished[next(iter(self.unfinished))]
        self.unfinished[stream_id] = None
        return 0

    cdef bint is_ended_by_client(self, int32_t stream_id) except -1:
        """Streams of the server's own (even ids) and those that were never used are the library's to judge."""
        return stream_id & 1 and stream_id <= self.newest and stream_id not in self.unfinished
