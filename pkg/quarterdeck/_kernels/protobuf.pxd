"""What other kernels write protobuf with. Body: ext/protobuf.pyx."""

cimport cython
from libc.stdint cimport uint64_t


@cython.final
cdef class Out:
    """Written from the end to the beginning: the bytes so far are the last `used` of `size`."""

    cdef char *data
    cdef Py_ssize_t size
    cdef Py_ssize_t used
    cdef object dump

    cdef int push(self, const char *source, Py_ssize_t length) except -1
    cdef int push_varint(self, uint64_t value) except -1
    cdef int close(self, uint64_t number, Py_ssize_t start) except -1
    cdef int push_text(self, str text) except -1
    cdef int push_bytes(self, bytes data) except -1
    cdef int push_any(self, object value) except -1


cdef bytes finish(Out out)
