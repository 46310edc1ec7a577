# cython: language_level=3
"""Kubernetes objects written as protobuf, as the code that upstream generates writes them.

Fields go in the order of their numbers. One that stands by value in Go is written whatever it holds, one behind a
pointer where it is there. Maps are sorted by their keys. Everything is written from the end to the beginning, since a
message's length stands before it. Contract: _kernels/protobufobject.pyi.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.protobuf cimport Out, finish
from quarterdeck._kernels.protobufcursor cimport WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT
from quarterdeck._kernels.protobuffields cimport (
    K_BOOL,
    K_BYTES,
    K_DOUBLE,
    K_INT,
    K_STRING,
    S_INLINE,
    S_LIST,
    S_MAP,
    S_VALUE,
    check_field,
)
from quarterdeck._kernels.varint cimport VARINT_MAX, put_bytes_head, put_varint

STRING = 1
BOOL = 2
INT = 3
DOUBLE = 4
BYTES = 5
MESSAGE = 6
OWN = 7
TIME = 8
QUANTITY = 9
INT_OR_STRING = 10
JSON = 11
STRINGS = 12

VALUE = 0
POINTER = 1
LIST = 2
MAP = 3
INLINE = 4

cdef object INT64_MIN = -(2**63)
cdef object INT64_MAX = 2**63 - 1
cdef dict EMPTY = {}

cdef enum:
    DEPTH_OF_ZERO = 100  # what stands by value cannot hold itself


@cython.final
cdef class Field:
    """Declared in protobufobject.pxd."""


@cython.final
cdef class Message:
    def __cinit__(self, fit=None):
        self.fields = []
        self.fit = fit

    def add(self, int number, str name not None, int kind, int shape, target=None):
        cdef Field field = Field.__new__(Field)
        check_field(number, kind, K_STRINGS, shape, type(target) is Message)
        if (kind == K_BYTES or kind >= K_OWN) != callable(target):
            raise TypeError("bytes and values with a form of their own have a function that writes them")
        field.number = number
        field.name = name
        field.kind = kind
        field.shape = shape
        field.target = target
        cdef Py_ssize_t at = 0
        while at < len(self.fields) and (<Field>self.fields[at]).number > field.number:
            at += 1
        self.fields.insert(at, field)


cdef int write_message(Out out, object value, Message message, int depth) except -1:
    cdef Field field
    cdef PyObject *item
    if message.fit is not None and value is not None:
        value = message.fit(value)
    if type(value) is not dict:
        value = EMPTY
    for field in message.fields:
        if field.shape == S_INLINE:
            write_value(out, field.number, value, field, depth)
            continue
        item = PyDict_GetItem(value, field.name)
        if item is NULL or <object>item is None:
            if field.shape == S_VALUE:
                write_value(out, field.number, None, field, depth)
        elif field.shape == S_LIST:
            if type(<object>item) is list:
                write_list(out, <list>item, field, depth)
        elif field.shape == S_MAP:
            if type(<object>item) is dict:
                write_map(out, <dict>item, field, depth)
        else:
            write_value(out, field.number, <object>item, field, depth)
    return 0


cdef bytes zero_of(Field field):
    """What is written of a field that is not there."""
    cdef Out out = Out.__new__(Out, None)
    if field.shape == S_VALUE:
        write_value(out, field.number, None, field, DEPTH_OF_ZERO)
    return finish(out)


cdef int write_list(Out out, list items, Field field, int depth) except -1:
    cdef Py_ssize_t i = len(items) - 1
    while i >= 0:
        write_value(out, field.number, items[i], field, depth)
        i -= 1
    return 0


cdef int write_map(Out out, dict items, Field field, int depth) except -1:
    cdef Py_ssize_t start
    cdef Py_ssize_t name_start
    cdef list names = sorted([name for name in items if type(name) is str], reverse=True)
    for name in names:
        start = out.used
        write_value(out, 2, items[name], field, depth)
        name_start = out.used
        out.push_text(<str>name)
        out.close(1, name_start)
        out.close(field.number, start)
    return 0


cdef int write_value(Out out, uint64_t number, object value, Field field, int depth) except -1:
    """None is the zero value of the type; so is what is of another type."""
    cdef Py_ssize_t start = out.used
    cdef int kind = field.kind
    cdef double real
    if kind == K_STRING:
        if type(value) is str:
            out.push_text(<str>value)
        return out.close(number, start)
    if kind == K_BOOL:
        out.push_varint(1 if value is True else 0)
        return out.push_varint(number << 3 | WIRE_VARINT)
    if kind == K_INT:
        if (type(value) is int or type(value) is float) and INT64_MIN <= value <= INT64_MAX:
            out.push_varint(<uint64_t><int64_t>int(value))
        else:
            out.push_varint(0)
        return out.push_varint(number << 3 | WIRE_VARINT)
    if kind == K_DOUBLE:
        real = 0.0
        if type(value) is int or type(value) is float:
            try:
                real = float(value)
            except OverflowError:
                real = float("inf") if value > 0 else float("-inf")
        out.push(<const char *>&real, 8)  # little-endian, as the machines that this is built for
        return out.push_varint(number << 3 | WIRE_FIXED64)
    if kind == K_BYTES:
        if value is None:
            return 0  # a slice that is nil
        out.push_bytes(field.target(value))
        return out.close(number, start)
    if kind >= K_OWN:
        out.push_bytes(field.target(value))
        return out.close(number, start)
    if depth > 0:
        write_message(out, value, <Message>field.target, depth - 1)
    return out.close(number, start)


def encode(value, Message message not None, int depth_max):
    cdef Out out = Out.__new__(Out, None)
    write_message(out, value, message, depth_max)
    return finish(out)


def enclose(bytes head not None, bytes tail not None, bytes message not None):
    cdef Py_ssize_t head_size = PyBytes_GET_SIZE(head)
    cdef Py_ssize_t tail_size = PyBytes_GET_SIZE(tail)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(message)
    cdef char length[VARINT_MAX]
    cdef int length_size = put_varint(length, size)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, head_size + 1 + length_size + size + tail_size)
    cdef char *place = PyBytes_AS_STRING(made)
    memcpy(place, PyBytes_AS_STRING(head), head_size)
    place += head_size
    place[0] = 2 << 3 | WIRE_BYTES
    memcpy(place + 1, length, length_size)
    place += 1 + length_size
    memcpy(place, PyBytes_AS_STRING(message), size)
    memcpy(place + size, PyBytes_AS_STRING(tail), tail_size)
    return made


def repeat(int number, list messages not None):
    cdef list parts = []
    cdef char head[2 * VARINT_MAX]
    cdef int size
    cdef bytes message
    for message in messages:
        give_way()
        size = put_bytes_head(head, number, len(message))
        parts.append(PyBytes_FromStringAndSize(head, size))
        parts.append(message)
    return parts
