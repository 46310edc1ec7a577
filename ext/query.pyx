"""Queries of URLs: names and values out of their escapes."""

from urllib.parse import unquote_plus as _unquote_plus

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from quarterdeck._kernels.octets cimport hex_digit

ctypedef const unsigned char* Bytes


def unquote_plus(str text not None):
    """A name or a value of a query, whose bytes are UTF-8; what is none is replaced, piece by piece as Python does."""
    cdef bytes source, made
    cdef Bytes p
    cdef char* out
    cdef Py_ssize_t size, at = 0, used = 0
    if not text.isascii():
        return _unquote_plus(text)
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
    return made[:used].decode("utf-8", "replace")
