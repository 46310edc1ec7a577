# cython: language_level=3
"""UUIDs of version 4 (RFC 9562, 5.4). Contract: _kernels/uids.pyi."""

from os import urandom

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

cdef extern from "Python.h":
    object PyUnicode_FromStringAndSize(const char *text, Py_ssize_t size)

cdef enum:
    UID_BYTES = 16
    UID_CHARS = 36
    POOL_BYTES = 4096

# Fetched many at a time: the call costs more than the bytes. The server never forks after its start, so no two
# processes share what was fetched.
cdef bytes _pool = b""
cdef Py_ssize_t _taken = 0


cdef object _format(const unsigned char *source):
    cdef const char *digits = "0123456789abcdef"
    cdef char out[UID_CHARS]
    cdef unsigned char byte
    cdef int i, position = 0
    for i in range(UID_BYTES):
        byte = source[i]
        if i == 6:
            byte = 0x40 | (byte & 0x0f)
        elif i == 8:
            byte = 0x80 | (byte & 0x3f)
        if i == 4 or i == 6 or i == 8 or i == 10:
            out[position] = c'-'
            position += 1
        out[position] = digits[byte >> 4]
        out[position + 1] = digits[byte & 15]
        position += 2
    return PyUnicode_FromStringAndSize(out, UID_CHARS)


def format_uid(bytes random not None):
    if PyBytes_GET_SIZE(random) != UID_BYTES:
        raise ValueError("a UID takes 16 bytes")
    return _format(<const unsigned char *> PyBytes_AS_STRING(random))


def new_request_id():
    global _pool, _taken
    if _taken + UID_BYTES > PyBytes_GET_SIZE(_pool):
        _pool = urandom(POOL_BYTES)
        _taken = 0
    _taken += UID_BYTES
    return _format(<const unsigned char *> PyBytes_AS_STRING(_pool) + _taken - UID_BYTES)
