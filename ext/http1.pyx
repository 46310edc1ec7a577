"""HTTP/1.x on the byte level: the head of a request (http1answer.pyx: that of a response; http1chunks.pyx: bodies).

Sans I/O. `parse_head` reads one request's head out of a buffer in a single pass and hands back finished Python
objects; what it refuses it returns as a code (the constants below), it never raises for bad input. The grammar is
RFC 9112 with the lenience of Go's net/http, which kube-apiserver stands on: a bare LF ends a line of the head and a
folded value continues with a space. It is stricter in one point: Content-Length beside Transfer-Encoding is refused.
The slow and obvious version of all this is tests/reference/http1.py.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_New, PyDict_Size
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeLatin1
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, memcpy

from quarterdeck._kernels.octets cimport hex_digit

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    PyObject* PyDict_SetDefault(object mapping, object key, object value) except NULL

ctypedef const unsigned char* Bytes

# The same octet eight times over: 0x01 and 0x80.
cdef uint64_t ONES = 0x0101010101010101
cdef uint64_t HIGHS = 0x8080808080808080

# Flags of a parsed head.
KEEP_ALIVE = 1
CHUNKED = 2
EXPECT_CONTINUE = 4
EXPECT_OTHER = 8
HTTP_1_0 = 16

# Refusals. The transport has the texts.
BAD_REQUEST = 1
HOST_MISSING = 2
HOST_MALFORMED = 3
HEADER_VALUE_INVALID = 4
TRANSFER_ENCODING_UNSUPPORTED = 5
VERSION_UNSUPPORTED = 6
HEAD_TOO_LARGE = 7

cdef enum:
    E_BAD_REQUEST = 1
    E_HOST_MISSING = 2
    E_HOST_MALFORMED = 3
    E_HEADER_VALUE_INVALID = 4
    E_TRANSFER_ENCODING_UNSUPPORTED = 5
    E_VERSION_UNSUPPORTED = 6
    E_HEAD_TOO_LARGE = 7

cdef enum:
    F_KEEP_ALIVE = 1
    F_CHUNKED = 2
    F_EXPECT_CONTINUE = 4
    F_EXPECT_OTHER = 8
    F_HTTP_1_0 = 16

# Header names that clients of an API server send. The first five frame the message, known by index.
cdef enum:
    N_HOST = 0
    N_CONTENT_LENGTH = 1
    N_TRANSFER_ENCODING = 2
    N_CONNECTION = 3
    N_EXPECT = 4
    NAMES_MAX = 64
    SLOTS = 256
    NAME_BYTES_MAX = 64
    METHODS_KNOWN = 7
    EMPTY_OCTETS_MAX = 8

cdef tuple NAMES = (
    "host", "content-length", "transfer-encoding", "connection", "expect",
    "accept", "accept-encoding", "accept-language", "authorization", "cache-control", "content-encoding",
    "content-type", "cookie", "date", "if-match", "if-modified-since", "if-none-match", "impersonate-user",
    "impersonate-group", "impersonate-uid", "kubectl-command", "kubectl-session", "origin", "pragma", "te",
    "traceparent", "tracestate", "trailer", "upgrade", "user-agent", "via", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-proto", "x-forwarded-uri", "x-remote-user", "x-remote-group", "x-remote-uid", "x-request-id",
    "audit-id",
)
cdef tuple METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

cdef PyObject* name_objects[NAMES_MAX]
cdef const char* name_bytes[NAMES_MAX]
cdef Py_ssize_t name_sizes[NAMES_MAX]
cdef short name_slots[SLOTS]
cdef PyObject* method_objects[METHODS_KNOWN]
cdef const char* method_bytes[METHODS_KNOWN]
cdef Py_ssize_t method_sizes[METHODS_KNOWN]

# Classes of octets.
cdef unsigned char lower_token[256]   # the octet of a token in lower case, 0 if it is none
cdef unsigned char is_value[256]      # allowed in a field value
cdef unsigned char is_target[256]     # allowed in a request target
cdef unsigned char is_host[256]


cdef inline bint is_space(unsigned char octet) noexcept nogil:
    return octet == c' ' or octet == c'\t'


cdef inline unsigned int slot_of(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    return (<unsigned int> size * 37 + name[0] * 7 + name[size - 1] * 11 + name[size >> 1] * 3) & (SLOTS - 1)


cdef int fill_tables() except -1:
    cdef int i
    cdef unsigned int slot
    for i in range(256):
        lower_token[i] = 0
        is_value[i] = i == 9 or (i >= 32 and i != 127)
        is_target[i] = i > 32 and i != 127
        is_host[i] = 0
        name_slots[i] = -1
    for i in b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz":
        lower_token[i] = i
    for i in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        lower_token[i] = i + 32
    for i in b"!$%&'()*+,-.:;=[]_~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        is_host[i] = 1
    for i in range(len(NAMES)):
        name_objects[i] = <PyObject*> NAMES[i]  # NAMES lives as long as the module: borrowed
        name_bytes[i] = PyUnicode_AsUTF8AndSize(NAMES[i], &name_sizes[i])
        slot = slot_of(<const unsigned char*> name_bytes[i], name_sizes[i])
        while name_slots[slot] >= 0:
            slot = (slot + 1) & (SLOTS - 1)
        name_slots[slot] = i
    for i in range(len(METHODS)):
        method_objects[i] = <PyObject*> METHODS[i]
        method_bytes[i] = PyUnicode_AsUTF8AndSize(METHODS[i], &method_sizes[i])
    return 0


fill_tables()


cdef inline int known_name(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    """The index of a name in NAMES, or -1."""
    cdef unsigned int slot = slot_of(name, size)
    cdef int index
    while True:
        index = name_slots[slot]
        if index < 0:
            return -1
        if name_sizes[index] == size and memcmp(name_bytes[index], name, size) == 0:
            return index
        slot = (slot + 1) & (SLOTS - 1)


cdef inline bint equals_ignoring_case(Bytes text, Py_ssize_t size, const char* lower,
                                      Py_ssize_t lower_size) noexcept nogil:
    cdef Py_ssize_t i
    if size != lower_size:
        return False
    for i in range(size):
        if lower_token[text[i]] != <unsigned char> lower[i]:
            return False
    return True


cdef bint has_token(Bytes text, Py_ssize_t size, const char* lower, Py_ssize_t lower_size) noexcept nogil:
    """Whether a comma-separated list holds the token."""
    cdef Py_ssize_t i = 0, begin, end
    while i < size:
        while i < size and (is_space(text[i]) or text[i] == c','):
            i += 1
        begin = i
        while i < size and text[i] != c',':
            i += 1
        end = i
        while end > begin and is_space(text[end - 1]):
            end -= 1
        if end > begin and equals_ignoring_case(text + begin, end - begin, lower, lower_size):
            return True
    return False


cdef long long parse_length(Bytes text, Py_ssize_t size) noexcept nogil:
    """A Content-Length: digits and nothing else, or -1."""
    cdef long long value = 0
    cdef Py_ssize_t i
    if size == 0 or size > 18:
        return -1
    for i in range(size):
        if text[i] < c'0' or text[i] > c'9':
            return -1
        value = value * 10 + (text[i] - c'0')
    return value


cdef str quote_target(Bytes text, Py_ssize_t size):
    """The text in ASCII: octets beyond it are percent-encoded."""
    cdef Py_ssize_t i
    for i in range(size):
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


cdef Py_ssize_t path_offset(Bytes target, Py_ssize_t size) noexcept nogil:
    """Where the path begins: 0 in origin form, behind the authority in absolute form (`size` if there is no path),
    -1 if the target is neither."""
    cdef Py_ssize_t begin
    if target[0] == c'/':
        return 0
    if size > 7 and memcmp(target, b"http://", 7) == 0:
        begin = 7
    elif size > 8 and memcmp(target, b"https://", 8) == 0:
        begin = 8
    else:
        return -1
    if target[begin] == c'/' or target[begin] == c'?':
        return -1
    while begin < size and target[begin] != c'/' and target[begin] != c'?':
        begin += 1
    return begin


cdef object unfold(Bytes* line, Bytes end, Bytes begin, Bytes stop):
    """A value that goes on in the next lines: joined with one space each. Moves `line` behind the last of them.
    None: the buffer ends before it is clear; False: a bad octet."""
    cdef list parts = [(<const char*> begin)[: stop - begin]]
    cdef Bytes p = line[0]
    cdef Bytes newline
    while p < end and is_space(p[0]):
        newline = <Bytes> memchr(p, c'\n', end - p)
        if newline == NULL:
            return None
        begin = p
        stop = newline
        if stop > begin and (stop - 1)[0] == c'\r':
            stop -= 1
        while begin < stop and is_space(begin[0]):
            begin += 1
        while stop > begin and is_space((stop - 1)[0]):
            stop -= 1
        if not is_value_valid(begin, stop):
            return False
        parts.append((<const char*> begin)[: stop - begin])
        p = newline + 1
    if p >= end:
        return None
    line[0] = p
    return b" ".join(parts)


cdef struct Line:
    Bytes method
    Py_ssize_t method_size
    Bytes path
    Py_ssize_t path_size
    Bytes query
    Py_ssize_t query_size
    int minor


cdef struct Framing:
    # What the fields say about the message itself.
    int hosts
    long long length
    bint is_length_set
    bint is_encoding_set
    bint closes
    bint keeps
    int flags


cdef int parse_request_line(Bytes p, Bytes stop, Line* line) noexcept nogil:
    """Method, target and version of the line [p, stop); 0 or a refusal."""
    cdef Bytes begin = p
    cdef Bytes found
    cdef Py_ssize_t offset, size
    while p < stop and lower_token[p[0]]:
        p += 1
    if p == begin or p == stop or p[0] != c' ':
        return E_BAD_REQUEST
    line.method = begin
    line.method_size = p - begin
    p += 1
    begin = p
    while p < stop and is_target[p[0]]:
        p += 1
    size = p - begin
    if size == 0 or p == stop or p[0] != c' ':
        return E_BAD_REQUEST
    p += 1
    if stop - p != 8 or memcmp(p, b"HTTP/", 5) != 0 or p[6] != c'.' or p[5] < c'0' or p[5] > c'9' \
            or p[7] < c'0' or p[7] > c'9':
        return E_BAD_REQUEST
    if p[5] != c'1':
        return E_VERSION_UNSUPPORTED
    line.minor = p[7] - c'0'
    offset = path_offset(begin, size)
    if offset < 0:
        return E_BAD_REQUEST
    line.path = begin + offset
    size -= offset
    found = <Bytes> memchr(line.path, c'?', size) if size else NULL
    line.path_size = found - line.path if found != NULL else size
    line.query = line.path + line.path_size + 1
    line.query_size = size - line.path_size - 1
    return 0 if is_path_valid(line.path, line.path_size) else E_BAD_REQUEST


cdef int read_framing_field(Framing* framing, int index, Bytes value, Py_ssize_t size) noexcept nogil:
    """Take in a field that frames the message; 0 or a refusal."""
    cdef Py_ssize_t i
    cdef long long length
    if index == N_HOST:
        framing.hosts += 1
        if framing.hosts > 1:
            return E_BAD_REQUEST
        for i in range(size):
            if not is_host[value[i]]:
                return E_HOST_MALFORMED
    elif index == N_CONTENT_LENGTH:
        length = parse_length(value, size)
        if length < 0 or (framing.is_length_set and length != framing.length):
            return E_BAD_REQUEST
        framing.length = length
        framing.is_length_set = True
    elif index == N_TRANSFER_ENCODING:
        if framing.is_encoding_set or not equals_ignoring_case(value, size, b"chunked", 7):
            # An empty coding is malformed rather than unknown.
            return E_TRANSFER_ENCODING_UNSUPPORTED if size else E_BAD_REQUEST
        framing.is_encoding_set = True
    elif index == N_CONNECTION:
        framing.closes = framing.closes or has_token(value, size, b"close", 5)
        framing.keeps = framing.keeps or has_token(value, size, b"keep-alive", 10)
    elif equals_ignoring_case(value, size, b"100-continue", 12):
        framing.flags |= F_EXPECT_CONTINUE
    elif size:
        framing.flags |= F_EXPECT_OTHER
    return 0


cdef int set_framing_flags(Framing* framing, int minor) noexcept nogil:
    """What the fields come to, together with the version; 0 or a refusal."""
    if minor == 0:
        framing.flags = (framing.flags | F_HTTP_1_0) & ~F_EXPECT_CONTINUE
        if framing.keeps and not framing.closes:
            framing.flags |= F_KEEP_ALIVE
    else:
        if framing.hosts == 0:
            return E_HOST_MISSING
        if not framing.closes:
            framing.flags |= F_KEEP_ALIVE
    if framing.is_encoding_set:
        # Two lengths, or a coding that the version does not know: the ways in which requests are smuggled.
        # Differs from upstream: net/http takes the first as chunked and ignores the coding in the second.
        if framing.is_length_set or minor == 0:
            return E_BAD_REQUEST
        framing.flags |= F_CHUNKED
    return 0


cdef object method_text(Line* line):
    cdef int index
    for index in range(METHODS_KNOWN):
        if method_sizes[index] == line.method_size and memcmp(method_bytes[index], line.method, line.method_size) == 0:
            return <object> method_objects[index]
    return PyUnicode_DecodeASCII(<const char*> line.method, line.method_size, NULL)


cdef inline Py_ssize_t scan_name(Bytes p, Bytes stop, unsigned char* lowered) noexcept nogil:
    """The length of the token at p; its first NAME_BYTES_MAX octets in lower case."""
    cdef Py_ssize_t size = 0
    cdef unsigned char octet
    while p < stop:
        octet = lower_token[p[0]]
        if octet == 0:
            break
        if size < NAME_BYTES_MAX:
            lowered[size] = octet
        size += 1
        p += 1
    return size


cdef inline bint is_value_valid(Bytes p, Bytes stop) noexcept nogil:
    """Eight octets at a time; only where one of them is a control character, each by itself (a tab is allowed)."""
    cdef uint64_t word, low, delete
    while stop - p >= 8:
        memcpy(&word, p, 8)
        low = (word - ONES * 0x20) & ~word & HIGHS
        delete = word ^ (ONES * 0x7F)
        delete = (delete - ONES) & ~delete & HIGHS
        if (low | delete) and not (is_value[p[0]] and is_value[p[1]] and is_value[p[2]] and is_value[p[3]]
                                   and is_value[p[4]] and is_value[p[5]] and is_value[p[6]] and is_value[p[7]]):
            return False
        p += 8
    while p < stop:
        if not is_value[p[0]]:
            return False
        p += 1
    return True


cdef inline int add_field(dict headers, Bytes token, Py_ssize_t size, Bytes lowered, int index, Bytes value,
                          Bytes stop) except -1:
    cdef object name
    cdef object apart
    cdef object text = PyUnicode_DecodeLatin1(<const char*> value, stop - value, NULL)
    cdef PyObject* present
    cdef Py_ssize_t count
    if index >= 0:
        name = <object> name_objects[index]
    elif size <= NAME_BYTES_MAX:
        name = PyUnicode_DecodeASCII(<const char*> lowered, size, NULL)
    else:
        name = PyUnicode_DecodeASCII(<const char*> token, size, NULL).lower()
    count = PyDict_Size(headers)
    present = PyDict_SetDefault(headers, name, text)
    # Short texts are shared objects: only the size tells whether the name was new.
    if PyDict_Size(headers) == count and index != N_CONTENT_LENGTH:
        apart = "\n" + name  # no name of a field can be that
        headers[apart] = headers.get(apart, <object> present) + "\n" + text
        headers[name] = (<object> present) + ", " + text
    return 0


cdef object parse_fields(Bytes* at, Bytes end, Py_ssize_t fields_max, Framing* framing):
    """The fields up to the empty line; moves `at` behind it. The dict, None (the buffer ends before) or a refusal."""
    cdef unsigned char lowered[NAME_BYTES_MAX]
    cdef dict headers = PyDict_New()
    cdef Bytes p = at[0]
    cdef Bytes newline
    cdef Bytes stop
    cdef Bytes token
    cdef Bytes value
    cdef Py_ssize_t size, fields = 0
    cdef int index, refusal
    cdef object folded
    while True:
        newline = <Bytes> memchr(p, c'\n', end - p) if p < end else NULL
        if newline == NULL:
            return None
        stop = newline
        if stop > p and (stop - 1)[0] == c'\r':
            stop -= 1
        if stop == p:
            at[0] = newline + 1
            return headers
        fields += 1
        if fields > fields_max:
            return E_HEAD_TOO_LARGE
        token = p
        size = scan_name(p, stop, lowered)
        p += size
        if size == 0 or p == stop or p[0] != c':':
            return E_BAD_REQUEST
        value = p + 1
        while value < stop and is_space(value[0]):
            value += 1
        while stop > value and is_space((stop - 1)[0]):
            stop -= 1
        if not is_value_valid(value, stop):
            return E_HEADER_VALUE_INVALID
        p = newline + 1
        if p == end:
            return None
        if is_space(p[0]):
            folded = unfold(&p, end, value, stop)
            if folded is None:
                return None
            if folded is False:
                return E_HEADER_VALUE_INVALID
            value = <Bytes> PyBytes_AS_STRING(folded)
            stop = value + PyBytes_GET_SIZE(folded)
        index = known_name(lowered, size) if size <= NAME_BYTES_MAX else -1
        if 0 <= index <= N_EXPECT:
            refusal = read_framing_field(framing, index, value, stop - value)
            if refusal:
                return refusal
        add_field(headers, token, size, lowered, index, value, stop)


def parse_head(data, Py_ssize_t start, Py_ssize_t head_max, Py_ssize_t fields_max):
    """The head of a request that begins at `start` of bytes or a bytearray.

    None: not complete yet. An int: refused, for this reason. Else (method, path, query, headers, content length or -1,
    flags, offset behind the head). Names are in lower case; values of a repeated name are joined with ", ", and with
    line feeds under the name behind a line feed.
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
    stop = newline
    if stop > p and (stop - 1)[0] == c'\r':
        stop -= 1
    refusal = parse_request_line(p, stop, &line)
    if refusal:
        return refusal
    p = newline + 1
    framing.hosts = framing.flags = 0
    framing.length = -1
    framing.is_length_set = framing.is_encoding_set = framing.closes = framing.keeps = False
    headers = parse_fields(&p, end, fields_max, &framing)
    if headers is None:
        return unfinished
    if not isinstance(headers, dict):
        return headers
    refusal = set_framing_flags(&framing, line.minor)
    if refusal:
        return refusal
    path = quote_target(line.path, line.path_size) if line.path_size else "/"
    query = quote_target(line.query, line.query_size) if line.query_size > 0 else ""
    return method_text(&line), path, query, headers, framing.length, framing.flags, p - buffer
