cimport cython
from libc.stdint cimport int32_t, uint64_t

from quarterdeck._kernels.http2known cimport Field
from quarterdeck._kernels.nghttp2 cimport nghttp2_session
from quarterdeck._kernels.outlet cimport Outlet

# What is told of a stream; http2.pyx tells of the others.
cdef enum:
    C_FULL = 5

cdef class Wire:
    cdef nghttp2_session* inner
    cdef object on_output      # None: the connection is gone
    cdef bint is_awake
    cdef list events           # (what, Stream)
    cdef int wake(self) except -1

@cython.final
cdef class Stream(Outlet):
    cdef Wire session         # None: closed
    cdef readonly int32_t id
    cdef public object owner
    cdef readonly str method
    cdef str target
    cdef dict headers
    cdef Py_ssize_t head_bytes
    cdef bint is_refused
    cdef bytearray body
    cdef readonly bint is_complete    # all of the request is there
    cdef bint is_given_up             # by the client
    cdef readonly bint is_answered
    cdef bint drops_body
    cdef list queue            # what is to be sent, from `queue_start` and `offset` on
    cdef Py_ssize_t queue_start
    cdef Py_ssize_t offset
    cdef readonly Py_ssize_t queued   # bytes
    cdef bint is_ended         # nothing comes behind the queue
    cdef bint is_deferred      # the library waits to be told of more
    cdef bint wants_room
    cdef readonly uint64_t sent       # bytes
    cdef int add_field(self, Field field, Py_ssize_t bytes_max, Py_ssize_t fields_max) except -1
    cdef int _join(self, str key, str text) except -1
    cdef bint add_body(self, const char* data, Py_ssize_t size, Py_ssize_t bytes_max) except -1
    cdef int _resume(self) except -1
    cdef int copy(self, char* target, Py_ssize_t size) except -1
    cdef int close(self) except -1
