# cython: language_level=3
"""How JSON is laid out in lines, as far as YAML minds. Contract: _kernels/jsonlayout.pyi."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr

cdef enum:
    KEY_MAX = 1024  # characters from where a key begins to its colon


cdef bint is_space(unsigned char c) noexcept nogil:
    return c == b' ' or c == b'\t' or c == b'\n' or c == b'\r'


cdef bint has_tab_at_end(const unsigned char *text, const unsigned char *end) noexcept nogil:
    """Whether one stands in a line behind the last value."""
    cdef bint is_met = False
    while end > text and is_space((end - 1)[0]):
        end -= 1
        if end[0] == b'\t':
            is_met = True
        elif end[0] != b' ' and is_met:
            return True
    return False


def fits_yaml(bytes data not None):
    """Whether each key has its colon near and in its line, and no tab stands in a line behind the last value. The
    octet behind the text is 0, as behind that of all bytes."""
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef const unsigned char *end = at + size
    cdef const unsigned char *begin
    cdef bint is_broken
    if size <= KEY_MAX and memchr(at, b'\n', size) == NULL and memchr(at, b'\r', size) == NULL:
        return True
    if has_tab_at_end(at, end):
        return False
    while True:
        while at[0] != b'"':
            if at >= end:
                return True
            at += 1
        begin = at
        at += 1
        while at[0] != b'"':
            if at[0] == b'\\':
                at += 1
            if at >= end:
                return True
            at += 1
        at += 1
        is_broken = False
        while is_space(at[0]):
            is_broken = is_broken or at[0] == b'\n' or at[0] == b'\r'
            at += 1
        if at[0] == b':' and (is_broken or at - begin > KEY_MAX):
            return False
