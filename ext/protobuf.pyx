# cython: language_level=3
"""JSON values written as protobuf, by tables. Contract: _kernels/protobuf.pyi.

A message's length stands before it, so everything is written from the end to the beginning: when a message is done its
length is what was written since it began. So members come in the reverse order of their object, which says nothing in
protobuf; lists are walked from their end and keep their order.

The walk recurses once a message, down to depth_max.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Next
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.varint cimport VARINT_MAX, put_varint

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

STRING = 1
BOOL = 2
INT = 3
DOUBLE = 4
ANY = 5
ANYS = 6
SCALAR = 7
MESSAGE = 8
MAP = 9

cdef enum:
    K_STRING = 1
    K_BOOL = 2
    K_INT = 3
    K_DOUBLE = 4
    K_ANY = 5
    K_ANYS = 6
    K_SCALAR = 7
    K_MESSAGE = 8
    K_MAP = 9

cdef object INT64_MIN = -(2**63)
cdef object INT64_MAX = 2**63 - 1

cdef enum:
    WIRE_VARINT = 0
    WIRE_FIXED64 = 1
    WIRE_BYTES = 2
    NUMBERS_MAX = 4
    FIRST_SIZE = 4096


cdef struct Numbers:
    int count
    uint64_t at[NUMBERS_MAX]


cdef int read_numbers(Numbers *into, tuple numbers) except -1:
    if not 1 <= len(numbers) <= NUMBERS_MAX:
        raise ValueError("a field has one to four numbers")
    into.count = len(numbers)
    cdef int i
    for i in range(into.count):
        into.at[i] = numbers[i]
    return 0


@cython.final
cdef class Member:
    cdef int kind
    cdef Numbers numbers
    cdef object target


@cython.final
cdef class Message:
    cdef dict members
    cdef uint64_t extensions

    def __cinit__(self, int extensions):
        self.members = {}
        self.extensions = extensions

    def add(self, str name not None, int kind, tuple numbers not None, target=None):
        cdef Member member = Member.__new__(Member)
        if not K_STRING <= kind <= K_MAP:
            raise ValueError("unknown kind")
        if (K_MESSAGE <= kind <= K_MAP) != (type(target) is Message or type(target) is Union):
            raise TypeError("messages and maps have a target, other kinds none")
        if kind in (K_BOOL, K_INT, K_DOUBLE) and len(numbers) > 1:
            raise ValueError("plain numbers are not wrapped")
        member.kind = kind
        member.target = target
        read_numbers(&member.numbers, numbers)
        self.members[name] = member


@cython.final
cdef class Case:
    cdef str key
    cdef object value
    cdef Numbers numbers
    cdef Message target


@cython.final
cdef class Union:
    cdef list cases
    cdef uint64_t bool_number

    def __cinit__(self, int bool_number):
        self.cases = []
        self.bool_number = bool_number

    def add(self, str key not None, value, tuple numbers not None, Message target not None):
        cdef Case case = Case.__new__(Case)
        case.key = key
        case.value = value
        case.target = target
        read_numbers(&case.numbers, numbers)
        self.cases.append(case)


@cython.final
cdef class Out:
    def __cinit__(self, dump):
        self.size = FIRST_SIZE
        self.data = <char *>PyMem_Malloc(self.size)
        if self.data == NULL:
            raise MemoryError
        self.dump = dump

    def __dealloc__(self):
        PyMem_Free(self.data)

    cdef int push(self, const char *source, Py_ssize_t length) except -1:
        cdef Py_ssize_t size
        cdef char *data
        if self.size - self.used < length:
            size = self.size * 2
            while size - self.used < length:
                size *= 2
            data = <char *>PyMem_Malloc(size)
            if data == NULL:
                raise MemoryError
            memcpy(data + size - self.used, self.data + self.size - self.used, self.used)
            PyMem_Free(self.data)
            self.data = data
            self.size = size
        self.used += length
        memcpy(self.data + self.size - self.used, source, length)
        return 0

    cdef int push_varint(self, uint64_t value) except -1:
        cdef char out[VARINT_MAX]
        return self.push(out, put_varint(out, value))

    cdef int close(self, uint64_t number, Py_ssize_t start) except -1:
        """Make what was written since `start` the counted bytes of a field."""
        self.push_varint(self.used - start)
        return self.push_varint(number << 3 | WIRE_BYTES)

    cdef int push_text(self, str text) except -1:
        cdef Py_ssize_t length = 0
        cdef const char *data
        try:
            data = PyUnicode_AsUTF8AndSize(text, &length)
        except UnicodeEncodeError:
            return self.push_bytes(text.encode("utf-8", "replace"))
        return self.push(data, length)

    cdef int push_bytes(self, bytes data) except -1:
        return self.push(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))

    cdef int push_any(self, object value) except -1:
        """The inside of an Any: its text in field 2."""
        cdef Py_ssize_t start = self.used
        self.push_bytes(self.dump(value))
        return self.close(2, start)


cdef int close_all(Out out, Numbers *numbers, int first, Py_ssize_t start) except -1:
    """Wrap what was written since `start`, innermost first, down to the number at `first`."""
    cdef int i = numbers.count - 1
    while i >= first:
        out.close(numbers.at[i], start)
        i -= 1
    return 0


cdef int write_double(Out out, uint64_t number, object value) except -1:
    cdef double number_value
    try:
        number_value = float(value)
    except OverflowError:
        number_value = float("inf") if value > 0 else float("-inf")
    out.push(<const char *>&number_value, 8)  # little-endian, as the machines that this is built for
    return out.push_varint(number << 3 | WIRE_FIXED64)


cdef bint is_number(object value) noexcept:
    return type(value) is int or type(value) is float


cdef int write_target(Out out, object value, object target, int depth) except -1:
    """The inside of a message. 0: nothing fits and nothing was written, 1: written."""
    if type(target) is Message:
        if type(value) is not dict:
            return 0
        write_message(out, <dict>value, <Message>target, depth)
        return 1
    return write_union(out, value, <Union>target, depth)


cdef int write_union(Out out, object value, Union union, int depth) except -1:
    cdef Py_ssize_t start = out.used
    cdef Case case
    if type(value) is bool:
        if union.bool_number:
            out.push_varint(1 if value else 0)
            out.push_varint(union.bool_number << 3 | WIRE_VARINT)
        return union.bool_number != 0
    if type(value) is not dict:
        return 0
    for case in union.cases:
        if case.key and (case.key not in <dict>value or (case.value is not None and value[case.key] != case.value)):
            continue
        write_message(out, <dict>value, case.target, depth)
        close_all(out, &case.numbers, 0, start)
        return 1
    return 0


cdef int write_message(Out out, dict value, Message message, int depth) except -1:
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t start
    cdef object member
    while PyDict_Next(value, &position, &key, &item):
        if type(<object>key) is not str or <object>item is None:
            continue
        member = message.members.get(<object>key)
        if member is not None:
            write_member(out, <object>item, <Member>member, depth)
        elif message.extensions and (<str>key).startswith("x-"):
            start = out.used
            out.push_any(<object>item)
            out.close(2, start)
            write_name(out, <str>key)
            out.close(message.extensions, start)
    return 0


cdef int write_name(Out out, str name) except -1:
    cdef Py_ssize_t start = out.used
    out.push_text(name)
    return out.close(1, start)


cdef int write_member(Out out, object value, Member member, int depth) except -1:
    cdef Py_ssize_t i
    if type(value) is list and member.kind != K_ANY:
        i = len(<list>value) - 1
        while i >= 0:
            write_one(out, (<list>value)[i], member, depth)
            i -= 1
        return 0
    return write_one(out, value, member, depth)


cdef int write_one(Out out, object value, Member member, int depth) except -1:
    cdef Py_ssize_t start = out.used
    cdef uint64_t innermost = member.numbers.at[member.numbers.count - 1]
    cdef int kind = member.kind
    if kind == K_STRING:
        if type(value) is str:
            out.push_text(value)
            close_all(out, &member.numbers, 0, start)
    elif kind == K_BOOL:
        if type(value) is bool:
            out.push_varint(1 if value else 0)
            out.push_varint(innermost << 3 | WIRE_VARINT)
    elif kind == K_INT:
        if is_number(value) and INT64_MIN <= value <= INT64_MAX:
            out.push_varint(<uint64_t><int64_t>int(value))
            out.push_varint(innermost << 3 | WIRE_VARINT)
    elif kind == K_DOUBLE:
        if is_number(value):
            write_double(out, innermost, value)
    elif kind == K_ANY or kind == K_ANYS:
        out.push_any(value)
        close_all(out, &member.numbers, 0, start)
    elif kind == K_SCALAR:
        if write_scalar(out, value):
            close_all(out, &member.numbers, 0, start)
    elif depth > 0:
        if kind == K_MAP:
            if type(value) is dict:
                write_entries(out, innermost, <dict>value, member.target, depth - 1)
                close_wraps(out, &member.numbers, start)
        elif write_target(out, value, member.target, depth - 1):
            close_all(out, &member.numbers, 0, start)
    return 0


cdef int close_wraps(Out out, Numbers *numbers, Py_ssize_t start) except -1:
    """As close_all, but the last number is that of a map's entries, which are closed already."""
    cdef int i = numbers.count - 2
    while i >= 0:
        out.close(numbers.at[i], start)
        i -= 1
    return 0


cdef int write_scalar(Out out, object value) except -1:
    cdef Py_ssize_t start = out.used
    if type(value) is bool:
        out.push_varint(1 if value else 0)
        out.push_varint(2 << 3 | WIRE_VARINT)
    elif is_number(value):
        write_double(out, 1, value)
    elif type(value) is str:
        out.push_text(value)
        out.close(3, start)
    else:
        return 0
    return 1


cdef int write_entries(Out out, uint64_t number, dict entries, object target, int depth) except -1:
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t start
    while PyDict_Next(entries, &position, &key, &item):
        if type(<object>key) is not str:
            continue
        start = out.used
        write_target(out, <object>item, target, depth)
        out.close(2, start)
        write_name(out, <str>key)
        out.close(number, start)
    return 0


cdef bytes finish(Out out):
    return PyBytes_FromStringAndSize(out.data + out.size - out.used, out.used)


def encode(value, target not None, dump not None, int depth_max):
    cdef Out out = Out.__new__(Out, dump)
    write_target(out, value, target, depth_max)
    return finish(out)


def encode_entries(int number, dict entries not None, target not None, dump not None, int depth_max):
    cdef Out out = Out.__new__(Out, dump)
    write_entries(out, number, entries, target, depth_max)
    return finish(out)
