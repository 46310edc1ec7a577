"""Protobuf written from its end to its beginning, since a message's length stands before it. Inlined where it is used.

The bytes so far are those from `left` to `size`.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.varint cimport VARINT_MAX, put_varint


cdef struct Back:
    char *data
    Py_ssize_t size
    Py_ssize_t left


cdef inline int begin_back(Back *out, Py_ssize_t size) except -1:
    out.data = <char *>PyMem_Malloc(size)
    if out.data == NULL:
        raise MemoryError
    out.size = out.left = size
    return 0


cdef inline void drop_back(Back *out) noexcept:
    PyMem_Free(out.data)
    out.data = NULL


cdef inline bytes take_back(const Back *out):
    return PyBytes_FromStringAndSize(out.data + out.left, out.size - out.left)


cdef inline Py_ssize_t written(const Back *out) noexcept:
    return out.size - out.left


cdef inline char *room_for(Back *out, Py_ssize_t length) except NULL:
    """Where so many bytes are to be written next, before all others."""
    cdef Py_ssize_t used = out.size - out.left
    cdef Py_ssize_t size
    cdef char *data
    if length > out.left:
        size = out.size * 2
        while size - used < length:
            size *= 2
        data = <char *>PyMem_Malloc(size)
        if data == NULL:
            raise MemoryError
        memcpy(data + size - used, out.data + out.left, used)
        PyMem_Free(out.data)
        out.data, out.size, out.left = data, size, size - used
    out.left -= length
    return out.data + out.left


cdef inline int put_back(Back *out, const char *source, Py_ssize_t length) except -1:
    memcpy(room_for(out, length), source, length)
    return 0


cdef inline int put_number(Back *out, uint64_t value) except -1:
    """A varint."""
    cdef char data[VARINT_MAX]
    return put_back(out, data, put_varint(data, value))


cdef inline int close_back(Back *out, uint64_t number, Py_ssize_t start) except -1:
    """Make what was written since `start` the counted bytes of a field."""
    put_number(out, written(out) - start)
    return put_number(out, number << 3 | 2)
