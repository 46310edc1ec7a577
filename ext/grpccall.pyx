"""One call of gRPC: messages out, messages in, and how it ended. For grpccalls.pyx.

Source: grpc/doc/PROTOCOL-HTTP2.md (Length-Prefixed-Message, Trailers).
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from quarterdeck._kernels.decimal cimport read_digits
from quarterdeck._kernels.http2stream cimport Wire
from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_session_consume_stream,
    nghttp2_session_resume_data,
    nghttp2_submit_rst_stream,
)

cdef enum:
    C_DETAILS_BYTES_MAX = 8192
    C_PREFIX = 5               # of a message: whether it is compressed, and its size
    C_MESSAGE_MAX = 0x7fffffff
    C_INTERNAL_ERROR = 2
    C_CANCEL = 8
    C_DIGITS_MAX = 6           # of a status

cdef long _alive = 0


cdef long count_calls() noexcept:
    """How many exist."""
    return _alive


@cython.final
cdef class Call:
    """One call. `owner` is whoever waits for it. `status` is gRPC's, NOT_TOLD until the server has told it; `details`
    its text, percent-encoded. `reset` is HTTP/2's reason where the call was given up."""

    def __cinit__(self):
        global _alive
        _alive += 1
        self.status = self.http_status = -1
        self.details = b""
        self.outgoing = []
        self.messages = []

    def __dealloc__(self):
        global _alive
        _alive -= 1

    def take(self):
        """The next message that has come, or None."""
        cdef bytes message
        cdef Py_ssize_t owed
        if not self.messages:
            return None
        message = <bytes> self.messages.pop(0)
        self.untaken -= PyBytes_GET_SIZE(message)
        if self.owed and self.untaken < UNTAKEN_BYTES and self.session is not None:
            owed, self.owed = self.owed, 0
            nghttp2_session_consume_stream(self.session.inner, self.id, owed)
            self.session.wake()
        return message

    def send(self, bytes message not None, bint is_last):
        if self.session is None or self.is_ended:
            return
        self._queue(message)
        self.is_ended = is_last
        if self.is_deferred:
            self.is_deferred = False
            nghttp2_session_resume_data(self.session.inner, self.id)
        self.session.wake()

    def cancel(self):
        """Nobody waits for it any more."""
        self.owner = None
        self.is_given_up = True
        if self.session is not None:
            nghttp2_submit_rst_stream(self.session.inner, 0, self.id, C_CANCEL)
            self.session.wake()

    cdef int begin(self, Wire session, int32_t stream_id) except -1:
        self.session = session
        self.id = stream_id
        return 0

    cdef int end(self, uint32_t code) except -1:
        self.is_over = True
        self.reset = code
        self.session = None
        self.message = None
        self.outgoing.clear()
        return 0

    cdef int add_field(self, const char* name, size_t name_size, const char* value, size_t value_size) except -1:
        """Of the head or of the trailers."""
        if name_size == 7 and memcmp(name, b":status", 7) == 0:
            self.http_status = <int> read_digits(<const uint8_t*> value, value_size, C_DIGITS_MAX)
        elif name_size == 11 and memcmp(name, b"grpc-status", 11) == 0:
            self.status = <int> read_digits(<const uint8_t*> value, value_size, C_DIGITS_MAX)
        elif name_size == 12 and memcmp(name, b"grpc-message", 12) == 0:
            self.details = value[:min(value_size, C_DETAILS_BYTES_MAX)]
        return 0

    cdef int add_data(self, const char* data, Py_ssize_t size) except -1:
        if not self.is_given_up and not self._add(data, size):
            self.is_given_up = True
            nghttp2_submit_rst_stream(self.session.inner, 0, self.id, C_INTERNAL_ERROR)
        if self.untaken < UNTAKEN_BYTES:
            nghttp2_session_consume_stream(self.session.inner, self.id, size)
        else:
            self.owed += size
        return 0

    cdef int _queue(self, bytes message) except -1:
        cdef Py_ssize_t size = PyBytes_GET_SIZE(message)
        cdef bytes framed = PyBytes_FromStringAndSize(NULL, C_PREFIX + size)
        cdef char* target = PyBytes_AS_STRING(framed)
        target[0] = 0
        target[1] = <char> (size >> 24)
        target[2] = <char> (size >> 16)
        target[3] = <char> (size >> 8)
        target[4] = <char> size
        memcpy(target + C_PREFIX, PyBytes_AS_STRING(message), size)
        self.outgoing.append(framed)
        return 0

    cdef Py_ssize_t copy(self, char* target, Py_ssize_t room) except -1:
        """Move what is to be sent; how much it was."""
        cdef Py_ssize_t copied = 0
        cdef Py_ssize_t part
        cdef bytes data
        while self.outgoing and copied < room:
            data = <bytes> self.outgoing[0]
            part = min(PyBytes_GET_SIZE(data) - self.offset, room - copied)
            memcpy(target + copied, PyBytes_AS_STRING(data) + self.offset, part)
            copied += part
            self.offset += part
            if self.offset == PyBytes_GET_SIZE(data):
                self.outgoing.pop(0)
                self.offset = 0
        return copied

    cdef bint _add(self, const char* data, Py_ssize_t size) except -1:
        """Whether what came can be messages."""
        cdef Py_ssize_t part
        cdef Py_ssize_t length
        while size or self._is_whole():
            if self.message is None:
                part = min(size, C_PREFIX - self.filled)
                memcpy(self.head + self.filled, data, part)
                self.filled += part
                if self.filled == C_PREFIX:
                    length = read_length(self.head)
                    if self.head[0] or length > C_MESSAGE_MAX:
                        return False
                    self.message = PyBytes_FromStringAndSize(NULL, length)
                    self.filled = 0
            else:
                part = min(size, PyBytes_GET_SIZE(self.message) - self.filled)
                memcpy(PyBytes_AS_STRING(self.message) + self.filled, data, part)
                self.filled += part
            data += part
            size -= part
            if self._is_whole():
                self.messages.append(self.message)
                self.untaken += PyBytes_GET_SIZE(self.message)
                self.message = None
                self.filled = 0
        return True

    cdef bint _is_whole(self) noexcept:
        return self.message is not None and self.filled == PyBytes_GET_SIZE(self.message)


cdef inline Py_ssize_t read_length(const char* head) noexcept:
    cdef const uint8_t* at = <const uint8_t*> head
    return <Py_ssize_t> at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4]
