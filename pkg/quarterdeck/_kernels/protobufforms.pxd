"""Messages that JSON shows in a form of their own. Inlined where it is used; `error` makes of a text what is raised,
`to_text` shows bytes that are no UTF-8."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.math cimport fabs, floor, isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.asciitext cimport ascii_text
from quarterdeck._kernels.protobufcursor cimport (
    WIRE_BYTES,
    WIRE_FIXED64,
    WIRE_VARINT,
    Cursor,
    content,
    fail,
    need,
    next_field,
)
from quarterdeck._kernels.protobuffields cimport K_BOOL, K_BYTES, K_DOUBLE, K_INT, K_MESSAGE, K_STRING

cdef extern from "Python.h":
    Py_ssize_t PyDict_Size(object mapping) except -1
    Py_ssize_t PyUnicode_GET_LENGTH(object text)


cdef enum:
    # kinds, beside those of protobuffields
    K_QUANTITY = 7
    K_INT_OR_STRING = 8
    K_TIME = 9
    K_STRINGS = 10
    K_RAW = 11


cdef inline int wire_of(int kind) noexcept:
    if kind == K_BOOL or kind == K_INT:
        return WIRE_VARINT
    return WIRE_FIXED64 if kind == K_DOUBLE else WIRE_BYTES


cdef inline object zero_of(int kind):
    """The value of a key without one."""
    if kind == K_STRING or kind == K_BYTES:
        return ""
    if kind == K_QUANTITY:
        return "0"
    return {} if kind == K_MESSAGE else None


cdef inline bint is_given(int kind, object item, bint leaves_void) except -1:
    """Go writes the zero value of what is no pointer, though it counts as absent. Bytes, and any JSON, are written
    where they were given; `leaves_void`: messages that hold nothing are left out."""
    if type(item) is str and kind != K_BYTES and kind != K_RAW:
        return PyUnicode_GET_LENGTH(item) > 0
    if item is None:
        return False
    if type(item) is dict:
        return kind != K_MESSAGE or not leaves_void or PyDict_Size(item) > 0
    if kind == K_BYTES or kind == K_RAW or type(item) is list:
        return True
    return item != 0


cdef inline bint is_ascii(const char *data, Py_ssize_t size) noexcept:
    cdef uint64_t word
    cdef uint64_t seen = 0
    cdef Py_ssize_t at = 0
    while at + 8 <= size:
        memcpy(&word, data + at, 8)
        seen |= word
        at += 8
    while at < size:
        seen |= <unsigned char>data[at]
        at += 1
    return seen & <uint64_t>0x8080808080808080 == 0


cdef inline str read_text(const Cursor *cursor, object to_text):
    cdef const char *data = <const char *>cursor.data + cursor.begin
    cdef Py_ssize_t size = cursor.stop - cursor.begin
    if size > 1 and is_ascii(data, size):
        return ascii_text(data, size)
    try:
        return PyUnicode_DecodeUTF8(data, size, NULL)
    except UnicodeDecodeError:
        return to_text(content(cursor))


cdef inline object read_double(object error, const Cursor *cursor):
    """A number without a fraction is an integer, as far as a double tells all of them apart."""
    cdef double number
    memcpy(&number, cursor.data + cursor.begin, 8)  # little-endian, as the machines that this is built for
    if not isfinite(number):
        fail(error, f'json: unsupported value: "{number}"')
    return int(number) if floor(number) == number and fabs(number) <= 9007199254740992.0 else number


cdef inline str read_quantity(object error, Cursor *cursor, object to_text):
    cdef str found = "0"  # Go's zero value; a text that is empty is no amount
    while next_field(error, cursor, "Quantity"):
        if cursor.number == 1:
            need(error, cursor, WIRE_BYTES, "String_")
            found = read_text(cursor, to_text)
    return found


cdef inline object read_int_or_string(object error, Cursor *cursor, object to_text):
    cdef uint64_t which = 0
    cdef uint64_t number = 0
    cdef str string = ""
    while next_field(error, cursor, "IntOrString"):
        if cursor.number == 1:
            need(error, cursor, WIRE_VARINT, "Type")
            which = cursor.varint
        elif cursor.number == 2:
            need(error, cursor, WIRE_VARINT, "IntVal")
            number = cursor.varint
        elif cursor.number == 3:
            need(error, cursor, WIRE_BYTES, "StrVal")
            string = read_text(cursor, to_text)
    return <int32_t>number if which == 0 else string


cdef inline object read_time(object error, Cursor *cursor, object format_time):
    cdef uint64_t seconds = 0
    cdef uint64_t nanoseconds = 0
    cdef bint is_zero = True
    while next_field(error, cursor, "Timestamp"):
        is_zero = False
        if cursor.number == 1:
            need(error, cursor, WIRE_VARINT, "Seconds")
            seconds = cursor.varint
        elif cursor.number == 2:
            need(error, cursor, WIRE_VARINT, "Nanos")
            nanoseconds = cursor.varint
    if is_zero:
        return None  # upstream writes nothing of the zero time; 0 is the beginning of 1970
    return format_time(<int64_t>seconds, <int32_t>nanoseconds)


cdef inline list read_strings(object error, Cursor *cursor, object to_text):
    cdef list items = []
    while next_field(error, cursor, "ExtraValue"):
        if cursor.number == 1:
            need(error, cursor, WIRE_BYTES, "Items")
            items.append(read_text(cursor, to_text))
    return items


cdef inline object read_raw(object error, Cursor *cursor, object read_json, list late):
    """Upstream looks at JSON when all is read: what cannot be read of it is added to `late`."""
    cdef bytes raw = None
    while next_field(error, cursor, "RawExtension"):
        if cursor.number == 1:
            need(error, cursor, WIRE_BYTES, "Raw")
            raw = content(cursor)
    if raw is None:
        return None
    try:
        return read_json(raw)
    except ValueError as found:
        late.append(found)
        return None


cdef inline object unless_late(object read, list late):
    if late:
        raise late[0]
    return read
