# cython: language_level=3
"""The texts of JSON as Go reads them: escapes, lone surrogates, bad UTF-8. For jsondecode.pyx.

Source of the semantics: encoding/json decode.go (unquoteBytes).
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, memcpy

from quarterdeck._kernels.asciitext cimport ascii_text
from quarterdeck._kernels.octets cimport hex_digit

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char *text, Py_ssize_t size, const char *errors)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    KEYS = 1024
    KEY_CHARS_MAX = 64


cdef int put_utf8(unsigned char *out, unsigned int code) noexcept nogil:
    if code < 0x80:
        out[0] = <unsigned char>code
        return 1
    if code < 0x800:
        out[0] = 0xC0 | (code >> 6)
        out[1] = 0x80 | (code & 0x3F)
        return 2
    if code < 0x10000:
        out[0] = 0xE0 | (code >> 12)
        out[1] = 0x80 | ((code >> 6) & 0x3F)
        out[2] = 0x80 | (code & 0x3F)
        return 3
    out[0] = 0xF0 | (code >> 18)
    out[1] = 0x80 | ((code >> 12) & 0x3F)
    out[2] = 0x80 | ((code >> 6) & 0x3F)
    out[3] = 0x80 | (code & 0x3F)
    return 4


cdef int utf8_length(const unsigned char *text, Py_ssize_t size) noexcept nogil:
    """Bytes of the well-formed character at `text`, 0 if it is none (Go's utf8.DecodeRune then takes one byte)."""
    cdef unsigned char first = text[0]
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4:
        return 0
    if size < 2 or (text[1] & 0xC0) != 0x80:
        return 0
    if first < 0xE0:
        return 2
    if first < 0xF0:
        if (first == 0xE0 and text[1] < 0xA0) or (first == 0xED and text[1] > 0x9F):
            return 0
        return 3 if size >= 3 and (text[2] & 0xC0) == 0x80 else 0
    if (first == 0xF0 and text[1] < 0x90) or (first == 0xF4 and text[1] > 0x8F):
        return 0
    return 4 if size >= 4 and (text[2] & 0xC0) == 0x80 and (text[3] & 0xC0) == 0x80 else 0


cdef unsigned int four_digits(const unsigned char *text) noexcept nogil:
    return (hex_digit(text[0]) << 12) | (hex_digit(text[1]) << 8) | (hex_digit(text[2]) << 4) | hex_digit(text[3])


cdef enum:
    LONG_TEXT = 65536  # read without the interpreter's lock


cdef Py_ssize_t unquote_into(
    unsigned char *out, const unsigned char *text, Py_ssize_t size, bint is_sound
) noexcept nogil:
    """How many bytes it makes. `is_sound`: what is not escaped is copied as it is."""
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t used = 0
    cdef Py_ssize_t plain
    cdef const unsigned char *escape
    cdef unsigned int code, low
    cdef int length
    cdef unsigned char c
    while position < size:
        c = text[position]
        if c != 92 and is_sound:
            escape = <const unsigned char *>memchr(text + position, 92, size - position)
            plain = size - position if escape == NULL else escape - text - position
            memcpy(out + used, text + position, plain)
            used += plain
            position += plain
            continue
        if c != 92:
            length = utf8_length(text + position, size - position)
            if length == 0:
                used += put_utf8(out + used, 0xFFFD)
                position += 1
            else:
                memcpy(out + used, text + position, length)
                used += length
                position += length
            continue
        c = text[position + 1]
        position += 2
        if c == 117:  # u
            code = four_digits(text + position)
            position += 4
            if 0xD800 <= code < 0xE000:
                low = 0
                if code < 0xDC00 and position + 6 <= size and text[position] == 92 and text[position + 1] == 117:
                    low = four_digits(text + position + 2)
                if 0xDC00 <= low < 0xE000:
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                    position += 6
                else:
                    code = 0xFFFD
            used += put_utf8(out + used, code)
            continue
        if c == 98:
            c = 8
        elif c == 102:
            c = 12
        elif c == 110:
            c = 10
        elif c == 114:
            c = 13
        elif c == 116:
            c = 9
        out[used] = c
        used += 1
    return used


cdef object unquote(const unsigned char *text, Py_ssize_t size):
    """The text between two quotes, whose syntax has been checked. Bad UTF-8 and lone surrogates become U+FFFD."""
    cdef unsigned char *out = <unsigned char *>PyMem_Malloc(size * 3 + 4)  # one bad byte becomes three
    if out == NULL:
        raise MemoryError
    try:
        try:
            return decode_into(out, text, size, True)
        except UnicodeDecodeError:
            return decode_into(out, text, size, False)
    finally:
        PyMem_Free(out)


cdef object decode_into(unsigned char *out, const unsigned char *text, Py_ssize_t size, bint is_sound):
    cdef Py_ssize_t used
    if size > LONG_TEXT:
        with nogil:
            used = unquote_into(out, text, size, is_sound)
    else:
        used = unquote_into(out, text, size, is_sound)
    return PyUnicode_DecodeUTF8(<const char *>out, used, NULL)


# The last keys that were read, each in the place that its bytes say: those of an object's schema are few, and come by
# the thousand. Made once they cost no memory, and dicts need not hash them again.
cdef list known_keys = [None] * KEYS


cdef object ascii_key(const unsigned char *text, Py_ssize_t size):
    cdef uint64_t mixed = <uint64_t>size
    cdef Py_ssize_t offset
    cdef object known
    if size > KEY_CHARS_MAX:
        return ascii_text(text, size)
    for offset in range(size):
        mixed = (mixed ^ text[offset]) * 0x9E3779B97F4A7C15ULL
    offset = <Py_ssize_t>(mixed >> 54)
    known = known_keys[offset]
    if known is None or PyUnicode_GET_LENGTH(known) != size or memcmp(PyUnicode_DATA(known), text, size) != 0:
        known = ascii_text(text, size)
        known_keys[offset] = known
    return known
