"""Where a connection's frames are put together before they are sent: one place for all connections, which are taken
from one at a time. For http2.pyx.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdlib cimport free, realloc

cdef enum:
    C_LEAST = 64 * 1024
    C_KEPT = 512 * 1024    # more is given back once it has been taken

cdef char* _out = NULL
cdef Py_ssize_t _room = 0


cdef char* reserve_out(Py_ssize_t used, Py_ssize_t size) except NULL:
    """Where `size` bytes may be put behind the `used` ones, which stay."""
    global _out, _room
    cdef char* grown
    cdef Py_ssize_t wanted
    if used + size > _room:
        wanted = max(2 * (used + size), C_LEAST)
        grown = <char*> realloc(_out, wanted)
        if grown == NULL:
            raise MemoryError
        _out = grown
        _room = wanted
    return _out + used


cdef bytes take_out(Py_ssize_t size):
    """The first `size` bytes."""
    global _out, _room
    if size == 0:
        return b""
    taken = PyBytes_FromStringAndSize(_out, size)
    if _room > C_KEPT:
        free(_out)
        _out = NULL
        _room = 0
    return taken
