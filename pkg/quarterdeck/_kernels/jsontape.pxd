"""The values of a JSON text in the order of the text, without an object for any of them.

Only a text as jsonwrite writes it is read: no spaces, no escape where none is needed, whole numbers of at most 18
digits, valid UTF-8. What is read stands in the text as jsonwrite would write it again. Inlined where it is used.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp

from quarterdeck._kernels.giveway cimport give_way_now
from quarterdeck._kernels.jsonplain cimport qd_plain_length

cdef enum:
    V_NULL = 0
    V_TRUE = 1
    V_FALSE = 2
    V_NUMBER = 3
    V_TEXT = 4
    V_LIST = 5
    V_OBJECT = 6
    V_SETS = 7  # the object of a member `fieldsV1`

    DIGITS_MAX = 18
    FIRST_ROOM = 512
    TEXT_BYTES_MAX = 1 << 30


cdef struct Value:
    # Where it stands in the text; of a text what stands between the quotes.
    uint32_t begin
    uint32_t end
    # The value after this one and all that is in it. In an object names and values take turns.
    uint32_t next
    uint8_t kind
    uint8_t has_escapes


cdef struct Tape:
    const unsigned char *text
    Py_ssize_t size
    Value *values
    Py_ssize_t count
    Py_ssize_t room
    uint64_t seen  # not 0 where a text is not ASCII


cdef inline void drop_tape(Tape *tape) noexcept:
    PyMem_Free(tape.values)
    tape.values = NULL


cdef inline Value *add_value(Tape *tape, int kind, Py_ssize_t begin, Py_ssize_t end) except NULL:
    cdef Value *grown
    cdef Value *value
    if tape.count == tape.room:
        grown = <Value *>PyMem_Realloc(tape.values, max(tape.room * 2, FIRST_ROOM) * sizeof(Value))
        if grown == NULL:
            raise MemoryError
        tape.values = grown
        tape.room = max(tape.room * 2, FIRST_ROOM)
    value = tape.values + tape.count
    tape.count += 1
    value.begin = <uint32_t>begin
    value.end = <uint32_t>end
    value.next = <uint32_t>tape.count
    value.kind = <uint8_t>kind
    value.has_escapes = False
    return value


cdef inline Py_ssize_t escape_length(const unsigned char *text, Py_ssize_t size) noexcept:
    """Bytes of the escape that begins there, 0 where jsonwrite writes no such one."""
    if size < 2:
        return 0
    if text[1] == c'"' or text[1] == c'\\':
        return 2
    if memchr(b"bfnrt", text[1], 5) != NULL:
        return 2
    if size < 6 or memcmp(text, b"\\u00", 4) != 0 or not c'0' <= text[4] <= c'1':
        return 0
    if text[4] == c'0' and memchr(b"89acd", text[5], 5) != NULL:
        return 0  # they have short ones
    return 6 if c'0' <= text[5] <= c'9' or c'a' <= text[5] <= c'f' else 0


cdef inline Py_ssize_t string_end(Tape *tape, Py_ssize_t at, bint *has_escapes) noexcept:
    """The place of the quote after the string whose inside begins there; -1: it is written otherwise."""
    cdef Py_ssize_t length
    while True:
        at += qd_plain_length(tape.text + at, tape.size - at, &tape.seen)
        if at < tape.size and tape.text[at] == c'"':
            return at
        if at >= tape.size or tape.text[at] != c'\\':
            return -1
        length = escape_length(tape.text + at, tape.size - at)
        if length == 0:
            return -1
        at += length
        has_escapes[0] = True


cdef inline Py_ssize_t read_string(Tape *tape, Py_ssize_t at) except -2:
    """The place behind the string whose inside begins there; -1: it is written otherwise."""
    cdef bint has_escapes = False
    cdef Py_ssize_t end = string_end(tape, at, &has_escapes)
    if end < 0:
        return -1
    add_value(tape, V_TEXT, at, end).has_escapes = has_escapes
    return end + 1


cdef inline Py_ssize_t read_sets(Tape *tape, Py_ssize_t at) except -2:
    """What managers own: objects in objects, of which nobody looks at one, so that they are one value; as above."""
    cdef const unsigned char *text = tape.text
    cdef Py_ssize_t begin = at
    cdef Py_ssize_t depth = 0
    cdef Py_ssize_t names = 0
    cdef bint has_escapes = False
    while text[at] == c'{':
        depth += 1
        at += 1
        if text[at] == c'}':
            while text[at] == c'}':
                at += 1
                depth -= 1
                if depth == 0:
                    add_value(tape, V_SETS, begin, at)
                    return at
            if text[at] != c',':
                return -1
            at += 1
        if text[at] != c'"':
            return -1
        at = string_end(tape, at + 1, &has_escapes) + 1
        if at == 0 or text[at] != c':':
            return -1
        at += 1
        names += 1
        if names & 63 == 0:
            give_way_now()
    return -1


cdef inline Py_ssize_t read_scalar_value(Tape *tape, Py_ssize_t at) except -2:
    """A number or a word, whose bytes end before the text does, since an object is around them; as above."""
    cdef const unsigned char *text = tape.text
    cdef Py_ssize_t begin = at
    cdef Py_ssize_t left = tape.size - at
    if left > 4 and memcmp(text + at, b"null", 4) == 0:
        add_value(tape, V_NULL, at, at + 4)
        return at + 4
    if left > 4 and memcmp(text + at, b"true", 4) == 0:
        add_value(tape, V_TRUE, at, at + 4)
        return at + 4
    if left > 5 and memcmp(text + at, b"false", 5) == 0:
        add_value(tape, V_FALSE, at, at + 5)
        return at + 5
    if text[at] == c'-':
        at += 1
    if text[at] == c'0' and at == begin:
        at += 1
    elif c'1' <= text[at] <= c'9':
        while at < tape.size and c'0' <= text[at] <= c'9':
            at += 1
    else:
        return -1
    if at - begin > DIGITS_MAX or at >= tape.size or memchr(b",]}", text[at], 3) == NULL:
        return -1
    add_value(tape, V_NUMBER, begin, at)
    return at


cdef inline Py_ssize_t read_name(Tape *tape, Py_ssize_t at) except -2:
    """A member's name with its colon; as above."""
    if tape.text[at] != c'"':
        return -1
    at = read_string(tape, at + 1)
    return at + 1 if 0 <= at < tape.size and tape.text[at] == c':' else -1


cdef inline bint is_of_sets(const Tape *tape) noexcept:
    """Whether the last text, which may be the name of what comes, is that of sets of fields."""
    cdef const Value *last = tape.values + tape.count - 1
    if tape.count == 0 or last.kind != V_TEXT or last.end - last.begin != 8:
        return False
    return memcmp(tape.text + last.begin, b"fieldsV1", 8) == 0


cdef inline bint is_utf8(const unsigned char *text, Py_ssize_t size) except -1:
    try:
        PyUnicode_DecodeUTF8(<const char *>text, size, NULL)
    except UnicodeDecodeError:
        return False
    return True


cdef inline bint read_tape(Tape *tape, const unsigned char *text, Py_ssize_t size) except -1:
    """The values of a text that holds one object and ends with a byte 0; the object is the first. False: it is written
    otherwise."""
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t open_ = -1  # the container around, whose `next` is that around it meanwhile
    cdef Value *value
    cdef bint is_object
    tape.text, tape.size, tape.values, tape.count, tape.room, tape.seen = text, size, NULL, 0, 0, 0
    if size > TEXT_BYTES_MAX or size == 0 or text[0] != c'{':
        return False
    while True:
        if tape.count & 63 == 0:
            give_way_now()
        is_object = text[at] == c'{'
        if is_object and is_of_sets(tape):
            at = read_sets(tape, at)
            if at < 0:
                return False
        elif is_object or text[at] == c'[':
            value = add_value(tape, V_OBJECT if is_object else V_LIST, at, 0)
            value.next = <uint32_t>open_
            open_ = tape.count - 1
            at += 1
            if text[at] != (c'}' if is_object else c']'):
                at = read_name(tape, at) if is_object else at
                if at < 0:
                    return False
                continue
        else:
            at = read_string(tape, at + 1) if text[at] == c'"' else read_scalar_value(tape, at)
            if at < 0:
                return False
        while text[at] != c',':
            value = tape.values + open_
            if text[at] != (c'}' if value.kind == V_OBJECT else c']'):
                return False
            at += 1
            value.end = <uint32_t>at
            open_ = <int>value.next
            value.next = <uint32_t>tape.count
            if open_ < 0:
                return at == size and (tape.seen == 0 or is_utf8(text, size))
        at += 1
        if tape.values[open_].kind == V_OBJECT:
            at = read_name(tape, at)
            if at < 0:
                return False
