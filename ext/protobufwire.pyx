# cython: language_level=3
"""Protobuf's fields, written and read without a table. Contract: _kernels/protobufwire.pyi."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.protobufcursor cimport (
    WIRE_GROUP_START,
    WIRE_VARINT,
    Cursor,
    content,
    next_field,
    start,
)
from quarterdeck._kernels.varint cimport VARINT_MAX, put_bytes_head, put_varint

cdef extern from "Python.h":
    uint64_t PyLong_AsUnsignedLongLongMask(object number) except? <uint64_t>-1


class WireError(ValueError):
    """The bytes are no message."""


def varint_field(int number, object value) -> bytes:
    cdef char out[2 * VARINT_MAX]
    cdef Py_ssize_t length = put_varint(out, <uint64_t>number << 3 | WIRE_VARINT)
    length += put_varint(out + length, PyLong_AsUnsignedLongLongMask(value))
    return PyBytes_FromStringAndSize(out, length)


def bytes_field(int number, bytes value not None) -> bytes:
    cdef char head[2 * VARINT_MAX]
    cdef Py_ssize_t size = PyBytes_GET_SIZE(value)
    cdef Py_ssize_t length = put_bytes_head(head, number, size)
    cdef bytes field = PyBytes_FromStringAndSize(NULL, length + size)
    memcpy(PyBytes_AS_STRING(field), head, length)
    memcpy(PyBytes_AS_STRING(field) + length, PyBytes_AS_STRING(value), size)
    return field


def bytes_head(int number, Py_ssize_t size) -> bytes:
    cdef char head[2 * VARINT_MAX]
    if size < 0:
        raise ValueError("a size is not negative")
    return PyBytes_FromStringAndSize(head, put_bytes_head(head, number, size))


def read_fields(bytes message not None) -> list:
    cdef Cursor cursor = start(<const unsigned char *>PyBytes_AS_STRING(message), 0, PyBytes_GET_SIZE(message))
    cdef list fields = []
    while next_field(WireError, &cursor, "message"):
        if cursor.wire == WIRE_VARINT:
            fields.append((cursor.number, <int64_t>cursor.varint))
        elif cursor.wire != WIRE_GROUP_START:
            fields.append((cursor.number, content(&cursor)))
    return fields
