"""Queries of URLs: names and values out of their escapes."""

from urllib.parse import unquote_plus

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8

from quarterdeck._kernels.octets cimport hex_digit

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

ctypedef const unsigned char* Bytes


cdef str unquote(str text, bint keeps_bytes):
    """A name or a value of a query, out of its escapes."""
    cdef bytes source, made
    cdef Bytes p
    cdef char* out
    cdef Py_ssize_t size, at = 0, used = 0
    if not text.isascii():
        return unquote_plus(text, errors="surrogateescape" if keeps_bytes else "replace")
    source = text.encode("ascii")
    size = len(source)
    p = <Bytes> <const char*> source
    made = PyBytes_FromStringAndSize(NULL, size)
    out = PyBytes_AS_STRING(made)
    while at < size:
        if p[at] == c'%' and at + 2 < size and hex_digit(p[at + 1]) >= 0 and hex_digit(p[at + 2]) >= 0:
            out[used] = <char> (hex_digit(p[at + 1]) << 4 | hex_digit(p[at + 2]))
            at += 3
        else:
            out[used] = 32 if p[at] == c'+' else <char> p[at]
            at += 1
        used += 1
    return PyUnicode_DecodeUTF8(out, used, "surrogateescape" if keeps_bytes else "replace")


cdef str query_text(const char* text, Py_ssize_t size, bint is_escaped, bint keeps_bytes):
    cdef str found = PyUnicode_DecodeUTF8(text, size, NULL)
    return unquote(found, keeps_bytes) if is_escaped else found


def parse_query(str text not None, frozenset wanted=None, *, bint keeps_bytes=False):
    """The values of each name, or of those that are wanted, as Go's url.ParseQuery reads them."""
    cdef dict query = {}
    cdef Py_ssize_t size, end, equals, begin = 0
    cdef bint is_escaped, is_bad
    cdef const char* chars = PyUnicode_AsUTF8AndSize(text, &size)
    cdef Bytes p = <Bytes> chars
    cdef str name, value
    while begin < size:
        end, equals, is_escaped, is_bad = begin, -1, False, False
        while end < size and p[end] != c'&':
            if p[end] == c'=':
                if equals < 0:
                    equals = end
            elif p[end] == c';':
                is_bad = True
            elif p[end] == c'+':
                is_escaped = True
            elif p[end] == c'%':
                is_escaped = True
                if end + 2 >= size or hex_digit(p[end + 1]) < 0 or hex_digit(p[end + 2]) < 0:
                    is_bad = True
            end += 1
        if end > begin and not is_bad:
            if equals < 0:
                equals = end
            name = query_text(chars + begin, equals - begin, is_escaped, keeps_bytes)
            if wanted is None or name in wanted:
                value = ""
                if equals < end:
                    value = query_text(chars + equals + 1, end - equals - 1, is_escaped, keeps_bytes)
                values = query.get(name)
                if values is None:
                    query[name] = [value]
                else:
                    (<list> values).append(value)
        begin = end + 1
    return query
