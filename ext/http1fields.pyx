"""HTTP/1.x on the byte level: the fields of a head, up to the empty line. Contract: _kernels/http1fields.pxd.

A bare LF ends a line and a folded value continues with a space, as in Go's net/http, which kube-apiserver stands on.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_New, PyDict_Size
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeLatin1
from libc.string cimport memchr, memcmp

from quarterdeck._kernels.http1framing cimport (
    E_BAD_REQUEST, E_HEAD_TOO_LARGE, E_HEADER_VALUE_INVALID, N_CONTENT_LENGTH, N_EXPECT, read_framing_field
)
from quarterdeck._kernels.octets cimport (
    begin_of_text, has_octet_below, is_space, is_token_octet, is_value_octet, stop_of_line, stop_of_text
)

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    PyObject* PyDict_SetDefault(object mapping, object key, object value) except NULL

cdef enum:
    NAMES_MAX = 64
    SLOTS = 256
    NAME_BYTES_MAX = 64

# Names that clients of an API server send. Those that frame the message come first (N_HOST and so on).
cdef tuple NAMES = (
    "host", "content-length", "transfer-encoding", "connection", "expect",
    "accept", "accept-encoding", "accept-language", "authorization", "cache-control", "content-encoding",
    "content-type", "cookie", "date", "if-match", "if-modified-since", "if-none-match", "impersonate-user",
    "impersonate-group", "impersonate-uid", "kubectl-command", "kubectl-session", "origin", "pragma", "te",
    "traceparent", "tracestate", "trailer", "upgrade", "user-agent", "via", "x-forwarded-for", "x-forwarded-host",
    "x-forwarded-proto", "x-forwarded-uri", "x-remote-user", "x-remote-group", "x-remote-uid", "x-request-id",
    "audit-id",
)

# Of those that a client sends more than once the first counts, as it does to who asks Go's Header.Get.
READ_ONCE = frozenset((
    "accept", "accept-encoding", "audit-id", "content-type", "if-match", "if-modified-since", "if-none-match",
    "if-range", "if-unmodified-since", "range", "user-agent",
))

cdef PyObject* name_objects[NAMES_MAX]
cdef const char* name_bytes[NAMES_MAX]
cdef Py_ssize_t name_sizes[NAMES_MAX]
cdef short name_slots[SLOTS]
cdef unsigned char lower_token[256]  # the octet of a token in lower case, 0 if it is none


cdef inline unsigned int slot_of(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    return (<unsigned int> size * 37 + name[0] * 7 + name[size - 1] * 11 + name[size >> 1] * 3) & (SLOTS - 1)


cdef int fill_tables() except -1:
    cdef int i
    cdef unsigned int slot
    for i in range(256):
        lower_token[i] = 0 if not is_token_octet(i) else i + 32 if c'A' <= i <= c'Z' else i
        name_slots[i] = -1
    for i in range(len(NAMES)):
        name_objects[i] = <PyObject*> NAMES[i]  # NAMES lives as long as the module: borrowed
        name_bytes[i] = PyUnicode_AsUTF8AndSize(NAMES[i], &name_sizes[i])
        slot = slot_of(<const unsigned char*> name_bytes[i], name_sizes[i])
        while name_slots[slot] >= 0:
            slot = (slot + 1) & (SLOTS - 1)
        name_slots[slot] = i
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


cdef inline Bytes behind_name(Bytes p, Bytes stop) noexcept nogil:
    """Behind the token octets and spaces at p."""
    while p < stop and (p[0] == c' ' or lower_token[p[0]]):
        p += 1
    return p


cdef inline bint are_values(Bytes p, Bytes stop) noexcept nogil:
    while p < stop:
        if not is_value_octet(p[0]):
            return False
        p += 1
    return True


cdef inline bint is_value_valid(Bytes p, Bytes stop) noexcept nogil:
    """Eight octets at a time; only where one of them is a control character, each by itself (a tab is allowed)."""
    while stop - p >= 8:
        if has_octet_below(p, 0x20) and not are_values(p, p + 8):
            return False
        p += 8
    return are_values(p, stop)


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
        stop = stop_of_line(p, newline)
        begin = begin_of_text(p, stop)
        stop = stop_of_text(begin, stop)
        if not is_value_valid(begin, stop):
            return False
        parts.append((<const char*> begin)[: stop - begin])
        p = newline + 1
    if p >= end:
        return None
    line[0] = p
    return b" ".join(parts)


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
        if name not in READ_ONCE:
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
    cdef bint has_space
    cdef object folded
    while True:
        newline = <Bytes> memchr(p, c'\n', end - p) if p < end else NULL
        if newline == NULL:
            return None
        stop = stop_of_line(p, newline)
        if stop == p:
            at[0] = newline + 1
            return headers
        fields += 1
        if fields > fields_max:
            return E_HEAD_TOO_LARGE
        token = p
        size = scan_name(p, stop, lowered)
        p += size
        has_space = size > 0 and p < stop and p[0] == c' '
        if has_space:  # net/http refuses such names when it has read them all
            framing.has_bad_name = True
            p = behind_name(p, stop)
        if size == 0 or p == stop or p[0] != c':':
            return E_BAD_REQUEST
        value = begin_of_text(p + 1, stop)
        stop = stop_of_text(value, stop)
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
        if has_space:
            continue
        index = known_name(lowered, size) if size <= NAME_BYTES_MAX else -1
        if 0 <= index <= N_EXPECT:
            refusal = read_framing_field(framing, index, value, stop - value)
            if refusal:
                return refusal
        add_field(headers, token, size, lowered, index, value, stop)
