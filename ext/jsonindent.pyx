# cython: language_level=3
"""JSON set out in lines for a person to read. Contract: _kernels/jsonindent.pyi.

Two walks over the bytes, one that counts and one that writes; a state of three numbers and no stack, so that any depth
will do. What is indented already comes out the same.

Source of the form: encoding/json indent.go (Indent with an empty prefix and two spaces).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memchr, memcpy, memset

cdef enum:
    SPACES = 2  # a level


cdef inline const char *end_of_string(const char *begin, const char *end) noexcept:
    """Behind the quote that ends the string that begins at `begin`; `end` where none does."""
    cdef const char *at = begin + 1
    cdef const char *escape
    while at < end:
        at = <const char *> memchr(at, c'"', end - at)
        if at == NULL:
            return end
        escape = at
        while (escape - 1)[0] == c'\\':  # ends at the opening quote at the latest
            escape -= 1
        at += 1
        if (at - escape) & 1:  # an even number of backslashes, and the quote
            return at
    return end


cdef Py_ssize_t walk(const char *at, const char *end, Py_ssize_t size_max, char *out) noexcept:
    """The size of the indented text, or -1 where it is larger than `size_max`. Writes it where `out` is not NULL."""
    cdef Py_ssize_t size = 0, depth = 0, length
    cdef bint is_open = False  # a bracket was written, and nothing behind it
    cdef const char *begin
    cdef char byte
    while at < end:
        byte = at[0]
        if byte == c' ' or byte == c'\n' or byte == c'\t' or byte == c'\r':
            at += 1
            continue
        if byte == c'}' or byte == c']':
            if depth > 0:
                depth -= 1
            if not is_open:
                size = new_line(size, depth, out)
            is_open = False
        elif is_open:
            is_open = False
            size = new_line(size, depth, out)
        begin = at
        if byte == c'"':
            at = end_of_string(at, end)
        else:
            at += 1
        length = at - begin
        if size + length + SPACES * (depth + 1) + 2 > size_max:
            return -1
        if out != NULL:
            memcpy(out + size, begin, length)
        size += length
        if byte == c'{' or byte == c'[':
            is_open = True
            depth += 1
        elif byte == c',':
            size = new_line(size, depth, out)
        elif byte == c':':
            if out != NULL:
                out[size] = c' '
            size += 1
    return size


cdef inline Py_ssize_t new_line(Py_ssize_t size, Py_ssize_t depth, char *out) noexcept:
    if out != NULL:
        out[size] = c'\n'
        memset(out + size + 1, c' ', SPACES * depth)
    return size + 1 + SPACES * depth


def indent(bytes data not None, Py_ssize_t size_max):
    cdef const char *begin = PyBytes_AS_STRING(data)
    cdef const char *end = begin + PyBytes_GET_SIZE(data)
    cdef Py_ssize_t size = walk(begin, end, size_max, NULL)
    if size < 0:
        return None
    out = PyBytes_FromStringAndSize(NULL, size)
    walk(begin, end, size_max, PyBytes_AS_STRING(out))
    return out
