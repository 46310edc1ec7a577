# cython: language_level=3
"""The parts of a list, joined. Contract: _kernels/listparts.pyi."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcpy


def add_sizes(list parts not None):
    """The sizes of all `parts` (bytes) together."""
    cdef Py_ssize_t total = 0
    cdef bytes part
    for part in parts:
        total += PyBytes_GET_SIZE(part)
    return total


def join_parts(list parts not None, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t cut, bytes lead not None,
               bytes tail not None):
    """`lead`, the parts from `begin` to before `end` with commas between them, and `tail`. Where `cut` is not 0 each
    part loses so many octets, its brace among them, and gets the brace back."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(lead) + PyBytes_GET_SIZE(tail)
    cdef Py_ssize_t position, length
    cdef bytes part, joined
    cdef char* at
    end = min(end, len(parts))
    for position in range(begin, end):
        part = parts[position]
        if PyBytes_GET_SIZE(part) < cut:
            raise ValueError("a part is shorter than what is cut from it")
        size += PyBytes_GET_SIZE(part) - cut + (cut > 0) + (position > begin)
    joined = PyBytes_FromStringAndSize(NULL, size)
    at = PyBytes_AS_STRING(joined)
    at = copy(at, PyBytes_AS_STRING(lead), PyBytes_GET_SIZE(lead))
    for position in range(begin, end):
        part = parts[position]
        length = PyBytes_GET_SIZE(part) - cut
        if position > begin:
            at[0] = c","
            at += 1
        if cut:
            at[0] = c"{"
            at += 1
        at = copy(at, PyBytes_AS_STRING(part) + cut, length)
    copy(at, PyBytes_AS_STRING(tail), PyBytes_GET_SIZE(tail))
    return joined


cdef inline char* copy(char* at, const char* data, Py_ssize_t size) noexcept:
    memcpy(at, data, size)
    return at + size
