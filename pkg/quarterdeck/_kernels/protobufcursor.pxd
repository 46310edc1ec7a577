"""The bytes of a protobuf message, field by field, with the errors of the code that upstream generates. Inlined where
it is used; `error` makes of a text what is raised."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp

cdef enum:
    WIRE_VARINT = 0
    WIRE_FIXED64 = 1
    WIRE_BYTES = 2
    WIRE_GROUP_START = 3
    WIRE_GROUP_END = 4
    WIRE_FIXED32 = 5


# What is being read: the bytes from `at` to `end`, and the field that was read last.
cdef struct Cursor:
    const unsigned char *data
    Py_ssize_t at
    Py_ssize_t end
    int32_t number
    int wire
    uint64_t varint
    Py_ssize_t begin          # of the value, which is a varint or stands from here to `stop`
    Py_ssize_t stop


cdef inline Cursor start(const unsigned char *data, Py_ssize_t begin, Py_ssize_t end) noexcept:
    cdef Cursor cursor
    cursor.data = data
    cursor.at = cursor.begin = cursor.stop = begin
    cursor.end = end
    cursor.varint = 0
    cursor.number = 0
    cursor.wire = WIRE_VARINT
    return cursor


cdef inline Cursor inside(const Cursor *outer) noexcept:
    """The message that the last field holds."""
    return start(outer.data, outer.begin, outer.stop)


cdef inline bytes content(const Cursor *cursor):
    return PyBytes_FromStringAndSize(<const char *>cursor.data + cursor.begin, cursor.stop - cursor.begin)


cdef inline int fail(object error, str text) except -1:
    raise error(text)


cdef inline int need(object error, const Cursor *cursor, int wire, str go_name) except -1:
    if cursor.wire != wire:
        return fail(error, f"proto: wrong wireType = {cursor.wire} for field {go_name}")
    return 0


cdef inline int read_varint(object error, Cursor *cursor, uint64_t *value) except -1:
    cdef uint64_t number = 0
    cdef unsigned int shift = 0
    cdef unsigned char byte
    if cursor.at < cursor.end and cursor.data[cursor.at] < 0x80:  # nearly all of them
        value[0] = cursor.data[cursor.at]
        cursor.at += 1
        return 0
    while True:
        if shift >= 64:
            return fail(error, "proto: integer overflow")
        if cursor.at >= cursor.end:
            return fail(error, "unexpected EOF")
        byte = cursor.data[cursor.at]
        cursor.at += 1
        number |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            value[0] = number
            return 0
        shift += 7


cdef inline bint is_short_tag(Cursor *cursor) noexcept:
    """Whether the next tag is one byte with nothing to tell about, as nearly all are; it is read then. Before the end."""
    cdef unsigned char tag = cursor.data[cursor.at]
    if tag < 8 or tag >= 0x80 or tag & 7 == WIRE_GROUP_END:
        return False
    cursor.at += 1
    cursor.number = tag >> 3
    cursor.wire = tag & 7
    return True


cdef inline bint next_tag(object error, Cursor *cursor, str name) except -1:
    """The number and the wire type of the next field; False at the end."""
    cdef uint64_t tag = 0
    if cursor.at >= cursor.end:
        return False
    read_varint(error, cursor, &tag)
    cursor.number = <int32_t>(tag >> 3)
    cursor.wire = <int>(tag & 7)
    if cursor.wire == WIRE_GROUP_END:
        fail(error, f"proto: {name}: wiretype end group for non-group")
    if cursor.number <= 0:
        fail(error, f"proto: {name}: illegal tag {cursor.number} (wire type {tag})")
    return True


cdef inline int read_rest(object error, Cursor *cursor) except -1:
    """The value of the field whose tag was read; a group is skipped, and nothing is in it."""
    cdef Py_ssize_t groups = 1 if cursor.wire == WIRE_GROUP_START else 0
    cdef uint64_t tag = 0
    if groups == 0:
        return read_scalar(error, cursor, cursor.wire)
    while groups:
        read_varint(error, cursor, &tag)
        if tag & 7 == WIRE_GROUP_START:
            groups += 1
        elif tag & 7 == WIRE_GROUP_END:
            groups -= 1
        else:
            read_scalar(error, cursor, <int>(tag & 7))
    return 0


cdef inline int read_scalar(object error, Cursor *cursor, int wire) except -1:
    cdef uint64_t size = 0
    if wire == WIRE_VARINT:
        return read_varint(error, cursor, &cursor.varint)
    if wire == WIRE_BYTES:
        read_varint(error, cursor, &size)
        if size >> 63:
            return fail(error, "proto: negative length found during unmarshaling")
    elif wire == WIRE_FIXED64:
        size = 8
    elif wire == WIRE_FIXED32:
        size = 4
    else:
        return fail(error, f"proto: illegal wireType {wire}")
    if size > <uint64_t>(cursor.end - cursor.at):
        return fail(error, "unexpected EOF")
    cursor.begin = cursor.at
    cursor.stop = cursor.at = cursor.at + <Py_ssize_t>size
    return 0


cdef inline bint next_of_entry(object error, Cursor *cursor, Py_ssize_t end, int value_wire) except -1:
    """The key (1) or the value (2) of an entry in a map, up to `end`; False there. Upstream does not look at the wire
    type of either, nor whether it goes on behind the entry, in the message around it; what else is there must not."""
    cdef uint64_t tag = 0
    while cursor.at < end:
        read_varint(error, cursor, &tag)
        cursor.number = <int32_t>(tag >> 3)
        cursor.wire = <int>(tag & 7)
        if cursor.number == 1 or cursor.number == 2:
            cursor.wire = WIRE_BYTES if cursor.number == 1 else value_wire
            return read_scalar(error, cursor, cursor.wire) == 0
        if cursor.wire == WIRE_GROUP_END:
            fail(error, "proto: unexpected end of group")
        read_rest(error, cursor)
        if cursor.at > end:
            fail(error, "unexpected EOF")
    return False


cdef inline bint next_field(object error, Cursor *cursor, str name) except -1:
    """The next one with its value; False at the end."""
    return next_tag(error, cursor, name) and read_rest(error, cursor) == 0


cdef inline bint find_enclosed(object error, Cursor *cursor, bytes data, bytes head, bytes tail) except -1:
    """Whether the data are a field 2 of counted bytes between `head` and `tail`, and nothing else; the inside of it."""
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t begin = PyBytes_GET_SIZE(head)
    cdef Py_ssize_t end = PyBytes_GET_SIZE(data) - PyBytes_GET_SIZE(tail)
    if end <= begin or memcmp(text, PyBytes_AS_STRING(head), begin) != 0:
        return False
    if memcmp(text + end, PyBytes_AS_STRING(tail), PyBytes_GET_SIZE(tail)) != 0:
        return False
    cursor[0] = start(text, begin, end)
    if not next_field(error, cursor, "Unknown") or cursor.number != 2 or cursor.wire != WIRE_BYTES:
        return False
    if cursor.at != end:
        return False
    cursor[0] = inside(cursor)
    return True
