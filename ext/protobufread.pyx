# cython: language_level=3
"""Kubernetes objects read from protobuf, as the code that upstream generates reads them, with its error texts.
Contract: _kernels/protobufread.pyi."""

from sys import intern

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t

from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.protobufcursor cimport (
    WIRE_BYTES,
    WIRE_FIXED64,
    WIRE_VARINT,
    Cursor,
    content,
    fail,
    find_enclosed,
    inside,
    is_short_tag,
    need,
    next_of_entry,
    next_tag,
    read_rest,
    read_varint,
    start,
)
from quarterdeck._kernels.protobuffields cimport (
    K_BOOL,
    K_BYTES,
    K_DOUBLE,
    K_INT,
    K_MESSAGE,
    K_STRING,
    S_INLINE,
    S_LIST,
    S_MAP,
    S_POINTER,
    check_field,
)
from quarterdeck._kernels.protobufforms cimport (
    K_INT_OR_STRING,
    K_QUANTITY,
    K_RAW,
    K_STRINGS,
    K_TIME,
    is_given,
    read_double,
    read_int_or_string,
    read_quantity,
    read_raw,
    read_strings,
    read_text,
    read_time,
    unless_late,
    wire_of,
    zero_of,
)
from quarterdeck._kernels.protobufheld cimport held_dict, held_list

cdef extern from "Python.h":
    PyObject *PyDict_GetItem(object mapping, object key)
    int PyDict_SetItem(object mapping, object key, object value) except -1
    Py_ssize_t PyDict_Size(object mapping) except -1
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

QUANTITY = 7
INT_OR_STRING = 8
TIME = 9
STRINGS = 10
RAW = 11

cdef enum:
    NEAR = 64  # nearly all fields have lower numbers


@cython.final
cdef class Field:
    cdef int number
    cdef str name
    cdef str go_name
    cdef int kind
    cdef int shape
    cdef int wire
    cdef bint is_narrow       # a number of 32 bits
    cdef object target


@cython.final
cdef class Message:
    cdef readonly str name
    cdef dict fields          # by number
    cdef PyObject *near[NEAR]  # those of low numbers, which `fields` holds
    cdef object shown

    def __cinit__(self, str name not None, shown=None):
        self.name = name
        self.fields = {}
        self.shown = shown

    def add(self, int number, str name not None, str go_name not None, int kind, int shape, target=None):
        cdef Field field = Field.__new__(Field)
        check_field(number, kind, K_RAW, shape, type(target) is Message)
        if (kind == K_BYTES or kind == K_TIME or kind == K_RAW) != callable(target):
            raise TypeError("bytes, times and JSON have a function that reads them")
        field.number = number
        field.name = intern(name)  # what is asked for by a constant is found by identity
        field.go_name = go_name
        field.kind = kind
        field.shape = shape
        field.wire = WIRE_BYTES if shape == S_MAP else wire_of(kind)
        field.is_narrow = kind == K_INT and target is not None
        field.target = target
        self.fields[number] = field
        if number < NEAR:
            self.near[number] = <PyObject *>field


@cython.final
cdef class Reading:
    cdef object error         # what is raised, with a text
    cdef object to_text       # bytes that are no UTF-8 as Go shows them
    cdef int depth_max
    cdef bint leaves_void     # messages by value that hold nothing are left out
    cdef list late            # why JSON in it cannot be read

    def __cinit__(self, error, to_text, int depth_max, bint leaves_void):
        self.error, self.to_text, self.depth_max, self.leaves_void = error, to_text, depth_max, leaves_void
        self.late = []


cdef inline Field field_of(Message message, int number):
    """None: an unknown one."""
    cdef PyObject *found
    if number < NEAR:
        found = message.near[number]
    else:
        found = PyDict_GetItem(message.fields, number)
    return None if found is NULL else <Field>found


cdef inline int check_wire(Reading reading, Cursor *cursor, Field field) except -1:
    """Before the value is read, as upstream does."""
    if cursor.wire == field.wire or (field.shape == S_LIST and field.kind == K_INT and cursor.wire == WIRE_BYTES):
        return 0
    return need(reading.error, cursor, field.wire, field.go_name)


cdef object read_message(Reading reading, Cursor *cursor, Message message, dict value, int depth):
    """Into `value`: what is written twice is put together."""
    cdef Field field
    cdef object item
    cdef bint is_fresh = PyDict_Size(value) == 0
    cdef bint is_there
    cdef uint64_t seen = 0    # fields of low numbers
    if depth == 0:
        fail(reading.error, f"proto: messages are nested deeper than {reading.depth_max} levels")
    give_way()
    while cursor.at < cursor.end:
        if not is_short_tag(cursor):
            next_tag(reading.error, cursor, message.name)
        field = field_of(message, cursor.number)
        if field is not None:
            check_wire(reading, cursor, field)
        read_rest(reading.error, cursor)
        if field is None:
            continue
        if field.kind == K_STRING and field.shape <= S_POINTER:
            item = read_text(cursor, reading.to_text)
            is_there = field.shape == S_POINTER or PyUnicode_GET_LENGTH(item) > 0
        elif field.shape == S_MAP:
            read_entry(reading, cursor, field, held_dict(value, field.name), depth)
            continue
        elif field.shape == S_LIST:
            read_element(reading, cursor, field, held_list(value, field.name), depth)
            continue
        elif field.shape == S_INLINE:
            read_value(reading, cursor, field, value, depth)
            is_fresh = False
            continue
        else:
            item = read_value(reading, cursor, field, before(value, field), depth)
            is_there = field.shape == S_POINTER or is_given(field.kind, item, reading.leaves_void)
        if is_there:
            PyDict_SetItem(value, field.name, item)
        elif not is_fresh or field.number >= NEAR or seen >> field.number & 1:
            value.pop(field.name, None)
        if field.number < NEAR:
            seen |= <uint64_t>1 << field.number
    return value if message.shown is None else message.shown(value)


cdef dict before(dict value, Field field):
    """What was read of a message already; a fresh object where nothing was."""
    cdef PyObject *found
    if field.kind == K_MESSAGE and (<Message>field.target).shown is None:
        found = PyDict_GetItem(value, field.name)
        if found is not NULL:
            return <dict>found
        return {}
    return None


cdef inline int64_t shown_number(Field field, uint64_t number):
    """Go drops the bits that do not fit."""
    return <int32_t>number if field.is_narrow else <int64_t>number


cdef int read_element(Reading reading, Cursor *cursor, Field field, list items, int depth) except -1:
    cdef Cursor packed
    cdef uint64_t number = 0
    if field.kind != K_INT or cursor.wire != WIRE_BYTES:
        items.append(read_value(reading, cursor, field, None, depth))
        return 0
    packed = inside(cursor)
    while packed.at < packed.end:
        read_varint(reading.error, &packed, &number)
        items.append(shown_number(field, number))
    return 0


cdef int read_entry(Reading reading, Cursor *outer, Field field, dict entries, int depth) except -1:
    cdef Cursor cursor = inside(outer)
    cdef str key = ""
    cdef object value = zero_of(field.kind)
    cursor.end = outer.end
    while next_of_entry(reading.error, &cursor, outer.stop, wire_of(field.kind)):
        if cursor.number == 1:
            key = read_text(&cursor, reading.to_text)
        else:
            value = read_value(reading, &cursor, field, None, depth)
    PyDict_SetItem(entries, key, value)
    return 0


cdef object read_value(Reading reading, Cursor *cursor, Field field, dict value, int depth):
    """A message is read into `value`, or into a fresh object."""
    cdef int kind = field.kind
    cdef Cursor inner
    if kind == K_INT or kind == K_BOOL:
        need(reading.error, cursor, WIRE_VARINT, field.go_name)
        return shown_number(field, cursor.varint) if kind == K_INT else cursor.varint != 0
    if kind == K_DOUBLE:
        need(reading.error, cursor, WIRE_FIXED64, field.go_name)
        return read_double(reading.error, cursor)
    need(reading.error, cursor, WIRE_BYTES, field.go_name)
    if kind == K_STRING:
        return read_text(cursor, reading.to_text)
    if kind == K_BYTES:
        return field.target(content(cursor))
    inner = inside(cursor)
    if kind == K_MESSAGE:
        return read_message(reading, &inner, <Message>field.target, {} if value is None else value, depth - 1)
    if kind == K_QUANTITY:
        return read_quantity(reading.error, &inner, reading.to_text)
    if kind == K_INT_OR_STRING:
        return read_int_or_string(reading.error, &inner, reading.to_text)
    if kind == K_TIME:
        return read_time(reading.error, &inner, field.target)
    if kind == K_STRINGS:
        return read_strings(reading.error, &inner, reading.to_text)
    return read_raw(reading.error, &inner, field.target, reading.late)


def decode(data, Message message not None, error, to_text, int depth_max):
    cdef const unsigned char[::1] view = data
    cdef Cursor cursor = start(&view[0] if view.shape[0] else NULL, 0, view.shape[0])
    cdef Reading reading = Reading(error, to_text, depth_max, False)
    return unless_late(read_message(reading, &cursor, message, {}, depth_max), reading.late)


def decode_enclosed(
    bytes head not None, bytes tail not None, Message message not None, error, to_text, int depth_max,
    dict value not None, bytes data not None,
):
    cdef Cursor cursor
    cdef Reading reading = Reading(error, to_text, depth_max, True)
    if not find_enclosed(error, &cursor, data, head, tail):
        return None
    return unless_late(read_message(reading, &cursor, message, value, depth_max), reading.late)
