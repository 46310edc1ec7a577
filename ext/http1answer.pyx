"""HTTP/1.x on the byte level: the head of a response, with or without its body, as one run of bytes."""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.string cimport memcpy

from quarterdeck._kernels.decimal cimport DECIMAL_BYTES_MAX, write_decimal_before
from quarterdeck._kernels.jsonplain cimport qd_copy_plain

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    bint PyUnicode_Check(PyObject* text)
    bint PyUnicode_IS_COMPACT_ASCII(PyObject* text)
    char* PyUnicode_DATA(PyObject* text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    PyObject* PyTuple_GET_ITEM(object pair, Py_ssize_t index)  # borrowed
    Py_ssize_t PyTuple_GET_SIZE(object pair)


cdef inline const char* text_of(PyObject* text, Py_ssize_t* size) except NULL:
    if PyUnicode_Check(text) and PyUnicode_IS_COMPACT_ASCII(text):
        size[0] = PyUnicode_GET_LENGTH(text)
        return PyUnicode_DATA(text)
    return PyUnicode_AsUTF8AndSize(<object> text, size)


cdef inline int put(char** at, char* end, const char* source, Py_ssize_t size) noexcept nogil:
    if end - at[0] < size:
        return -1
    memcpy(at[0], source, size)
    at[0] += size
    return 0


cdef inline int put_field_text(char** at, char* end, const char* source, Py_ssize_t size) noexcept nogil:
    """A line break within a field would begin another one: it becomes a space."""
    cdef Py_ssize_t i
    cdef char octet
    if end - at[0] < size:
        return -1
    # Up to a quote, a backslash or a control character, which few have.
    for i in range(<Py_ssize_t> qd_copy_plain(<unsigned char*> at[0], <const unsigned char*> source, size), size):
        octet = source[i]
        at[0][i] = c' ' if octet == c'\r' or octet == c'\n' or octet == 0 else octet
    at[0] += size
    return 0


cdef int put_number(char** at, char* end, long long number) noexcept nogil:
    cdef char digits[DECIMAL_BYTES_MAX]
    cdef char *begin = write_decimal_before(digits + DECIMAL_BYTES_MAX, number)
    return put(at, end, begin, digits + DECIMAL_BYTES_MAX - begin)


def build_head(bytes status_line, list headers, long long content_length, bytes date_line, bint closes, body=None):
    """The head of a response, and `body` (bytes) right behind it.

    `status_line` and `date_line` are whole lines with their CRLF. `content_length` -1: the body is chunked; -2: it
    has neither length nor chunks.
    """
    cdef Py_ssize_t size = PyBytes_GET_SIZE(status_line) + PyBytes_GET_SIZE(date_line) + 96
    cdef Py_ssize_t text_size
    cdef const char* text
    cdef tuple pair
    cdef Py_ssize_t body_size = 0
    cdef bytes result
    cdef char* at
    cdef char* end
    for pair in headers:
        if PyTuple_GET_SIZE(pair) != 2:
            raise ValueError("a field is a name and a value")
        text_of(PyTuple_GET_ITEM(pair, 0), &text_size)
        size += text_size + 4
        text_of(PyTuple_GET_ITEM(pair, 1), &text_size)
        size += text_size
    if body is not None:
        body_size = PyBytes_GET_SIZE(body) if isinstance(body, bytes) else -1
        if body_size < 0:
            raise TypeError("the body must be bytes")
    # The exact size is known only at the end: the head is put together in a scratch buffer when it is small.
    cdef char scratch[2048]
    cdef bytearray large = None
    if size <= 2048:
        at = scratch
        end = scratch + 2048
    else:
        large = bytearray()
        PyByteArray_Resize(large, size)
        at = PyByteArray_AS_STRING(large)
        end = at + size
    cdef char* begin = at
    put(&at, end, PyBytes_AS_STRING(status_line), PyBytes_GET_SIZE(status_line))
    for pair in headers:
        text = text_of(PyTuple_GET_ITEM(pair, 0), &text_size)
        put_field_text(&at, end, text, text_size)
        put(&at, end, b": ", 2)
        text = text_of(PyTuple_GET_ITEM(pair, 1), &text_size)
        put_field_text(&at, end, text, text_size)
        put(&at, end, b"\r\n", 2)
    put(&at, end, PyBytes_AS_STRING(date_line), PyBytes_GET_SIZE(date_line))
    if content_length >= 0:
        put(&at, end, b"Content-Length: ", 16)
        put_number(&at, end, content_length)
        put(&at, end, b"\r\n", 2)
    elif content_length == -1:
        put(&at, end, b"Transfer-Encoding: chunked\r\n", 28)
    if closes:
        put(&at, end, b"Connection: close\r\n", 19)
    put(&at, end, b"\r\n", 2)
    result = PyBytes_FromStringAndSize(NULL, at - begin + body_size)
    memcpy(PyBytes_AS_STRING(result), begin, at - begin)
    if body_size:
        memcpy(PyBytes_AS_STRING(result) + (at - begin), PyBytes_AS_STRING(body), body_size)
    return result
