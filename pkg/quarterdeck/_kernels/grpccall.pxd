cimport cython
from libc.stdint cimport int32_t, uint32_t

from quarterdeck._kernels.http2stream cimport Wire

cdef enum:
    # So much of a call may have come without being taken before its window stays closed.
    UNTAKEN_BYTES = 8 * 1024 * 1024

cdef long count_calls() noexcept

@cython.final
cdef class Call:
    cdef Wire session         # None: over
    cdef int32_t id
    cdef public object owner
    cdef readonly int status
    cdef readonly int http_status
    cdef readonly bytes details
    cdef readonly uint32_t reset
    cdef readonly bint is_over
    cdef bint is_touched
    cdef bint is_given_up          # what still comes counts no more
    cdef list outgoing
    cdef Py_ssize_t offset         # of the first of them
    cdef bint is_ended             # nothing comes behind them
    cdef bint is_deferred
    cdef list messages
    cdef Py_ssize_t untaken        # bytes of them
    cdef Py_ssize_t owed           # by which the window has not been opened again
    cdef char head[5]              # C_PREFIX
    cdef Py_ssize_t filled         # of the head, and then of the message
    cdef bytes message
    cdef int begin(self, Wire session, int32_t stream_id) except -1
    cdef int end(self, uint32_t code) except -1
    cdef int add_field(self, const char* name, size_t name_size, const char* value, size_t value_size) except -1
    cdef int add_data(self, const char* data, Py_ssize_t size) except -1
    cdef int _queue(self, bytes message) except -1
    cdef Py_ssize_t copy(self, char* target, Py_ssize_t room) except -1
    cdef bint _add(self, const char* data, Py_ssize_t size) except -1
    cdef bint _is_whole(self) noexcept
