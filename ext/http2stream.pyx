"""One stream of HTTP/2: a request while it comes in, and the queue of its answer. For http2.pyx."""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from quarterdeck._kernels.http1fields cimport READ_ONCE
from quarterdeck._kernels.http2known cimport F_AUTHORITY, F_METHOD, F_OTHER, F_PATH, Field
from quarterdeck._kernels.nghttp2 cimport nghttp2_session_resume_data, nghttp2_submit_rst_stream
from quarterdeck._kernels.outlet cimport Outlet

cdef enum:
    # A stream is full with so much.
    C_FULL_BYTES = 64 * 1024
    C_FIELD_ADDS = 32          # RFC 9113, 6.5.2: what a field counts beside its octets

cdef long _streams_alive = 0


def count_alive():
    """How many streams exist: what tests compare before and after."""
    return _streams_alive


cdef class Wire:
    """What streams need of their connection: libnghttp2's session, and to say that there is something to be sent."""

    cdef int wake(self) except -1:
        if not self.is_awake and self.on_output is not None:
            self.is_awake = True
            self.on_output()
        return 0


@cython.final
cdef class Stream(Outlet):
    """One request and its answer. `headers`: names in lower case; repeated ones are joined with ", " and kept apart as
    http1.pyx keeps them. `owner` is whoever answers it."""

    def __cinit__(self):
        global _streams_alive
        _streams_alive += 1
        self.headers = {}
        self.method = ""
        self.target = ""
        self.queue = []

    def __dealloc__(self):
        global _streams_alive
        _streams_alive -= 1

    @property
    def is_open(self):
        return self.session is not None

    @property
    def is_paused(self):
        """Who reads is behind: an event tells when there is room."""
        return self.wants_room

    @property
    def body_size(self):
        return 0 if self.body is None else PyByteArray_GET_SIZE(self.body)

    def take_request(self, bint has_body):
        """(method, path, query, headers, body) of what has come; headers and body are kept no longer. Not `has_body`:
        that is still coming, and b"" stands for it."""
        cdef str target = self.target
        cdef Py_ssize_t mark = target.find("?")
        cdef dict headers = self.headers
        cdef bytes body = self.take_body() if has_body else b""
        self.headers = {}
        if mark < 0:
            return self.method, target, "", headers, body
        return self.method, target[:mark], target[mark + 1:], headers, body

    def take_body(self):
        """The request's body; it is kept no longer."""
        body, self.body = self.body, None
        return b"" if body is None else bytes(body)

    def drop_body(self):
        """Keep nothing of what still comes."""
        self.body = None
        self.drops_body = True

    def write(self, bytes data not None):
        """Send behind the head and what was written before."""
        if data:
            self.offer(data)

    def end(self):
        """Nothing comes behind what was written."""
        if self.session is not None and not self.is_ended:
            self.is_ended = True
            self._resume()

    cdef int add_field(self, Field field, Py_ssize_t bytes_max, Py_ssize_t fields_max) except -1:
        """One of the head; nothing is kept of a head that has too many of them, or bytes."""
        if self.is_refused:
            return 0
        self.head_bytes += field.octets + C_FIELD_ADDS
        if self.head_bytes > bytes_max or len(self.headers) >= fields_max:
            self.is_refused = True
            self.headers.clear()
        elif field.kind == F_METHOD:
            self.method = field.value
        elif field.kind == F_PATH:
            self.target = field.value
        elif field.kind == F_AUTHORITY:
            self.headers["host"] = field.value
        elif field.kind == F_OTHER:
            pass
        elif field.name in self.headers:
            self._join(field.name, field.value)
        else:
            self.headers[field.name] = field.value
        return 0

    cdef int _join(self, str key, str text) except -1:
        cdef dict headers = self.headers
        cdef str apart
        if key == "host":
            return 0  # the authority stands for it
        if key == "cookie":
            headers[key] = f"{headers[key]}; {text}"  # RFC 9113, 8.2.3
            return 0
        apart = "\n" + key
        headers[apart] = headers.get(apart, headers[key]) + "\n" + text
        if key not in READ_ONCE:
            headers[key] = f"{headers[key]}, {text}"
        return 0

    cdef bint add_body(self, const char* data, Py_ssize_t size, Py_ssize_t bytes_max) except -1:
        """Whether the body has become larger than that, and is not all there; what is more is dropped."""
        cdef Py_ssize_t before
        if self.drops_body:
            return False
        if self.body is None:
            self.body = bytearray()
        before = PyByteArray_GET_SIZE(self.body)
        if before > bytes_max:
            return False
        PyByteArray_Resize(self.body, before + size)
        memcpy(PyByteArray_AS_STRING(self.body) + before, data, size)
        return before + size > bytes_max and not self.is_complete

    def reset(self, uint32_t code):
        """Give the stream up, at once."""
        if self.session is not None:
            nghttp2_submit_rst_stream(self.session.inner, 0, self.id, code)
            self.session.wake()

    cdef bint is_full(self) noexcept:
        return self.wants_room or self.session is None

    cdef int offer(self, bytes data) except -1:
        if self.session is None or self.is_ended:
            return 0
        self.queue.append(data)
        self.queued += PyBytes_GET_SIZE(data)
        if self.queued >= C_FULL_BYTES and not self.wants_room:
            self.wants_room = True
            self.session.events.append((C_FULL, self))
        return self._resume()

    cdef int _resume(self) except -1:
        if self.is_deferred:
            self.is_deferred = False
            nghttp2_session_resume_data(self.session.inner, self.id)
        return self.session.wake()

    cdef int copy(self, char* target, Py_ssize_t size) except -1:
        """Take `size` bytes out of the queue, which has them."""
        cdef bytes data
        cdef Py_ssize_t part
        self.queued -= size
        self.sent += size
        while size:
            data = <bytes> self.queue[self.queue_start]
            part = min(size, PyBytes_GET_SIZE(data) - self.offset)
            memcpy(target, PyBytes_AS_STRING(data) + self.offset, part)
            target += part
            size -= part
            self.offset += part
            if self.offset == PyBytes_GET_SIZE(data):
                self.queue[self.queue_start] = None
                self.queue_start += 1
                self.offset = 0
        if self.queue_start == len(self.queue):
            self.queue.clear()
            self.queue_start = 0
        elif self.queue_start > 64:
            del self.queue[:self.queue_start]
            self.queue_start = 0
        return 0

    cdef int close(self) except -1:
        self.session = None
        self.body = None
        self.queue.clear()
        self.queue_start = self.offset = self.queued = 0
        return 0
