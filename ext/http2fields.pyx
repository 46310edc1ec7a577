"""The head of an answer for libnghttp2. For http2.pyx."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from quarterdeck._kernels.decimal cimport DECIMAL_BYTES_MAX, write_decimal_before
from quarterdeck._kernels.nghttp2 cimport (
    NGHTTP2_NV_FLAG_NO_INDEX,
    nghttp2_data_provider,
    nghttp2_nv,
    nghttp2_session,
    nghttp2_submit_headers,
    nghttp2_submit_response,
)

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL


cdef tuple CONNECTION_FIELDS = (b"upgrade", b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding")


cdef int submit_answer(nghttp2_session* inner, int32_t stream_id, int status, list headers, long long content_length,
                       bytes date_line, const nghttp2_data_provider* provider) except -1:
    """The fields are copied by the library; names are put into lower case here, line breaks become spaces."""
    cdef nghttp2_nv* fields
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t room = 0
    cdef Py_ssize_t size
    cdef tuple pair
    cdef char* texts
    cdef char* at
    cdef char number[24]
    for pair in headers:
        PyUnicode_AsUTF8AndSize(pair[0], &size)
        room += size
        PyUnicode_AsUTF8AndSize(pair[1], &size)
        room += size
    fields = <nghttp2_nv*> malloc((len(headers) + 3) * sizeof(nghttp2_nv) + room + 1)
    if fields == NULL:
        raise MemoryError
    at = texts = <char*> (fields + len(headers) + 3)
    number[0] = <char> (c'0' + status // 100 % 10)
    number[1] = <char> (c'0' + status // 10 % 10)
    number[2] = <char> (c'0' + status % 10)
    set_field(&fields[0], b":status", 7, number, 3)
    count = 1
    for pair in headers:
        count += put_field(&fields[count], &at, pair[0], pair[1])
    set_field(&fields[count], b"date", 4, PyBytes_AS_STRING(date_line) + 6, PyBytes_GET_SIZE(date_line) - 8)
    count += 1
    if content_length >= 0:
        size = put_number(number + 3, content_length)
        set_field(&fields[count], b"content-length", 14, number + 3, size)
        count += 1
    nghttp2_submit_response(inner, stream_id, fields, count, provider)
    free(fields)
    return 0


cdef int submit_continue(nghttp2_session* inner, int32_t stream_id) noexcept:
    """100 Continue, before the answer."""
    cdef nghttp2_nv field
    set_field(&field, b":status", 7, b"100", 3)
    return nghttp2_submit_headers(inner, 0, stream_id, NULL, &field, 1, NULL)


cdef void set_field(nghttp2_nv* field, const char* name, size_t name_size, const char* value,
                    size_t value_size) noexcept:
    field.name = <uint8_t*> name
    field.namelen = name_size
    field.value = <uint8_t*> value
    field.valuelen = value_size
    field.flags = 0


cdef int put_field(nghttp2_nv* field, char** at, name, value) except -1:
    """0: a field of HTTP/1.1 connections, which is left out (RFC 9113, 8.2.2)."""
    cdef Py_ssize_t size, i
    cdef Py_ssize_t value_size
    cdef const char* text = PyUnicode_AsUTF8AndSize(name, &size)
    cdef char* begin = at[0]
    cdef char octet
    for i in range(size):
        octet = text[i]
        begin[i] = octet + 32 if c'A' <= octet <= c'Z' else octet
    if size in (7, 10, 16, 17) and begin[:size] in CONNECTION_FIELDS:
        return 0
    at[0] += size
    text = PyUnicode_AsUTF8AndSize(value, &value_size)
    put_value(at[0], text, value_size)
    set_field(field, begin, size, at[0], value_size)
    if size == 8 and memcmp(begin, b"audit-id", 8) == 0:
        # It never comes again: in the table it would push out what does.
        field.flags = NGHTTP2_NV_FLAG_NO_INDEX
    at[0] += value_size
    return 1


cdef void put_value(char* target, const char* text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t i
    memcpy(target, text, size)
    if memchr(text, c'\n', size) == NULL and memchr(text, c'\r', size) == NULL and memchr(text, 0, size) == NULL:
        return
    for i in range(size):
        if text[i] == c'\r' or text[i] == c'\n' or text[i] == 0:
            target[i] = c' '


cdef Py_ssize_t put_number(char* target, long long number) noexcept:
    cdef char digits[DECIMAL_BYTES_MAX]
    cdef char *begin = write_decimal_before(digits + DECIMAL_BYTES_MAX, number)
    cdef Py_ssize_t size = digits + DECIMAL_BYTES_MAX - begin
    memcpy(target, begin, size)
    return size
