"""HTTP/1.x on the byte level: the head of a request (http1answer.pyx: that of a response; http1chunks.pyx: bodies).

Sans I/O. `parse_head` reads one request's head out of a buffer in a single pass and hands back finished Python
objects; what it refuses it returns as a code (the constants below), it never raises for bad input. The grammar is
RFC 9112 with the lenience of Go's net/http, which kube-apiserver stands on. What stands below the first line is read by
http1fields.pyx and http1framing.pyx. The slow and obvious version of all this is tests/reference/http1.py.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Copy
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.string cimport memchr, memcmp

from quarterdeck._kernels.http1fields cimport parse_fields
from quarterdeck._kernels.http1framing cimport (
    E_BAD_REQUEST, E_HEAD_TOO_LARGE, E_HEADER_VALUE_INVALID, E_HOST_MALFORMED, E_HOST_MISSING,
    E_HEADER_NAME_INVALID, E_TRANSFER_ENCODING_UNSUPPORTED, E_VERSION_UNSUPPORTED, F_CHUNKED, F_EXPECT_CONTINUE,
    F_EXPECT_OTHER, F_HTTP_1_0, F_KEEP_ALIVE, F_OTHER_FORM, Framing, set_framing_flags
)
from quarterdeck._kernels.octets cimport (
    Bytes, has_octet_above_ascii, has_octet_below, hex_digit, is_token_octet, stop_of_line
)

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

# Flags of a parsed head.
KEEP_ALIVE = F_KEEP_ALIVE
CHUNKED = F_CHUNKED
EXPECT_CONTINUE = F_EXPECT_CONTINUE
EXPECT_OTHER = F_EXPECT_OTHER
HTTP_1_0 = F_HTTP_1_0
OTHER_FORM = F_OTHER_FORM

# Refusals. The transport has the texts.
BAD_REQUEST = E_BAD_REQUEST
HOST_MISSING = E_HOST_MISSING
HOST_MALFORMED = E_HOST_MALFORMED
HEADER_VALUE_INVALID = E_HEADER_VALUE_INVALID
TRANSFER_ENCODING_UNSUPPORTED = E_TRANSFER_ENCODING_UNSUPPORTED
VERSION_UNSUPPORTED = E_VERSION_UNSUPPORTED
HEAD_TOO_LARGE = E_HEAD_TOO_LARGE
HEADER_NAME_INVALID = E_HEADER_NAME_INVALID

cdef enum:
    METHODS_KNOWN = 7
    EMPTY_OCTETS_MAX = 8
    KEPT_BYTES_MAX = 4096
    UNKEPT_MAX = 15

cdef tuple METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

cdef PyObject* method_objects[METHODS_KNOWN]
cdef const char* method_bytes[METHODS_KNOWN]
cdef Py_ssize_t method_sizes[METHODS_KNOWN]


cdef int fill_tables() except -1:
    cdef int i
    for i in range(len(METHODS)):
        method_objects[i] = <PyObject*> METHODS[i]  # METHODS lives as long as the module: borrowed
        method_bytes[i] = PyUnicode_AsUTF8AndSize(METHODS[i], &method_sizes[i])
    return 0


fill_tables()


cdef str quote_target(Bytes text, Py_ssize_t size):
    """The text in ASCII: octets beyond it are percent-encoded."""
    cdef Py_ssize_t i = 0
    while size - i >= 8 and not has_octet_above_ascii(text + i):
        i += 8
    for i in range(i, size):
        if text[i] >= 0x80:
            return "".join([chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in text[:size]])
    return PyUnicode_DecodeASCII(<const char*> text, size, NULL)


cdef bint is_path_valid(Bytes text, Py_ssize_t size) noexcept nogil:
    """Every percent sign begins an escape."""
    cdef Bytes found = text
    cdef Bytes end = text + size
    while True:
        found = <Bytes> memchr(found, c'%', end - found)
        if found == NULL:
            return True
        if end - found < 3 or hex_digit(found[1]) < 0 or hex_digit(found[2]) < 0:
            return False
        found += 3


cdef struct Line:
    Bytes method
    Py_ssize_t method_size
    int known  # which of METHODS, or -1
    Bytes path
    Py_ssize_t path_size
    Bytes query
    Py_ssize_t query_size
    bint is_path
    int minor


cdef int find_method(Bytes text, Py_ssize_t size) noexcept nogil:
    cdef int index
    for index in range(METHODS_KNOWN):
        if method_sizes[index] == size and memcmp(method_bytes[index], text, size) == 0:
            return index
    return -1


cdef object method_text(Line* line):
    if line.known >= 0:
        return <object> method_objects[line.known]
    return PyUnicode_DecodeASCII(<const char*> line.method, line.method_size, NULL)


cdef bint is_token(Bytes p, Bytes stop) noexcept nogil:
    cdef Bytes begin = p
    while p < stop and is_token_octet(p[0]):
        p += 1
    return p == stop and p > begin


cdef bint is_target(Bytes p, Bytes stop) noexcept nogil:
    """Neither spaces nor control characters."""
    while stop - p >= 8:
        if has_octet_below(p, 33):
            return False
        p += 8
    while p < stop and p[0] > 32 and p[0] != 127:
        p += 1
    return p == stop


cdef int parse_request_line(Bytes p, Bytes stop, Line* line) noexcept nogil:
    """Method, target and version of the line [p, stop); 0 or a refusal."""
    cdef Bytes begin
    cdef Bytes found = <Bytes> memchr(p, c' ', stop - p)
    cdef Py_ssize_t size
    if found == NULL:
        return E_BAD_REQUEST
    line.method = p
    line.method_size = found - p
    line.known = find_method(p, found - p)
    if line.known < 0 and not is_token(p, found):
        return E_BAD_REQUEST
    begin = found + 1
    found = <Bytes> memchr(begin, c' ', stop - begin)
    if found == NULL or found == begin or not is_target(begin, found):
        return E_BAD_REQUEST
    size = found - begin
    p = found + 1
    if stop - p != 8 or memcmp(p, b"HTTP/", 5) != 0 or p[6] != c'.' or p[5] < c'0' or p[5] > c'9' \
            or p[7] < c'0' or p[7] > c'9':
        return E_BAD_REQUEST
    if p[5] != c'1':
        return E_VERSION_UNSUPPORTED
    line.minor = p[7] - c'0'
    line.path = begin
    line.is_path = begin[0] == c'/'
    # Another form is the transport's to read.
    found = <Bytes> memchr(begin, c'?', size) if line.is_path else NULL
    line.path_size = found - begin if found != NULL else size
    line.query = begin + line.path_size + 1
    line.query_size = size - line.path_size - 1
    return 0 if not line.is_path or is_path_valid(line.path, line.path_size) else E_BAD_REQUEST


@cython.final
@cython.no_gc
cdef class LastFields:
    """The fields of a request of a connection: its next ones mostly have the same ones, octet by octet.

    Those of the first request are not kept, since most connections of watches have no other. Where those that were kept
    last have not come again, the next few are not kept either: bodies of other lengths make others each time.
    """

    cdef int unkept
    cdef bytes text
    cdef dict headers
    cdef Framing framing

    def __cinit__(self):
        self.unkept = 1

    cdef object find(self, Bytes at, Bytes end, Framing* framing):
        """A dict of its own for whoever asks, or None."""
        cdef Py_ssize_t size
        if self.text is None:
            return None
        size = PyBytes_GET_SIZE(self.text)
        if end - at < size or memcmp(at, PyBytes_AS_STRING(self.text), size) != 0:
            return None
        self.unkept = 0
        framing[0] = self.framing
        return PyDict_Copy(self.headers)

    cdef int keep(self, Bytes at, Bytes stop, dict headers, Framing* framing) except -1:
        if self.unkept:
            self.unkept -= 1
        elif stop - at <= KEPT_BYTES_MAX:
            self.unkept = UNKEPT_MAX
            self.text = (<const char*> at)[: stop - at]
            self.headers = PyDict_Copy(headers)
            self.framing = framing[0]
        return 0


def parse_head(data, Py_ssize_t start, Py_ssize_t head_max, Py_ssize_t fields_max, LastFields last=None):
    """The head of a request that begins at `start` of bytes or a bytearray. `last`: of the connection.

    None: not complete yet. An int: refused, for this reason. Else (method, path, query, headers, content length or -1,
    flags, offset behind the head). With the flag OTHER_FORM a target that is no path stands where the path belongs, as
    it was sent. Names are in lower case; values of a repeated name are joined with ", ", and with line feeds under the
    name behind a line feed.
    """
    cdef Bytes buffer
    cdef Py_ssize_t size
    if isinstance(data, bytes):
        buffer = <Bytes> PyBytes_AS_STRING(data)
        size = PyBytes_GET_SIZE(data)
    elif isinstance(data, bytearray):
        buffer = <Bytes> PyByteArray_AS_STRING(data)
        size = PyByteArray_GET_SIZE(data)
    else:
        raise TypeError("bytes or bytearray expected")
    if start < 0 or start > size:
        raise ValueError("start lies outside of the data")
    cdef Bytes begin = buffer + start
    cdef Bytes end = buffer + size
    cdef Bytes p = begin
    cdef Bytes newline
    cdef Bytes stop
    cdef Bytes fields
    cdef Line line
    cdef Framing framing
    cdef int refusal
    cdef object headers
    cdef object unfinished = None
    if end - begin > head_max:
        end = begin + head_max
        unfinished = E_HEAD_TOO_LARGE

    # RFC 9112, 2.2: empty lines before the request line are skipped.
    while p < end and (p[0] == c'\r' or p[0] == c'\n'):
        p += 1
        if p - begin > EMPTY_OCTETS_MAX:
            return E_BAD_REQUEST
    newline = <Bytes> memchr(p, c'\n', end - p) if p < end else NULL
    if newline == NULL:
        return unfinished
    stop = stop_of_line(p, newline)
    refusal = parse_request_line(p, stop, &line)
    if refusal:
        return refusal
    p = newline + 1
    framing.hosts = framing.flags = 0
    framing.length = -1
    framing.is_length_set = framing.is_encoding_set = framing.closes = framing.keeps = False
    framing.expects = framing.has_bad_name = False
    headers = last.find(p, end, &framing) if last is not None else None
    if headers is not None:
        p += PyBytes_GET_SIZE(last.text)
    else:
        fields = p
        headers = parse_fields(&p, end, fields_max, &framing)
        if headers is None:
            return unfinished
        if not isinstance(headers, dict):
            return headers
        if last is not None:
            last.keep(fields, p, headers, &framing)
    refusal = set_framing_flags(&framing, line.minor)
    if refusal:
        return refusal
    if not line.is_path:
        framing.flags |= F_OTHER_FORM
    path = quote_target(line.path, line.path_size)
    query = quote_target(line.query, line.query_size) if line.query_size > 0 else ""
    return method_text(&line), path, query, headers, framing.length, framing.flags, p - buffer
