# cython: language_level=3
"""The bytes of a stored object: what is cut out of them and put in without decoding anything.

Contract: _kernels/objectbytes.pyi.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

cdef extern from "string.h" nogil:
    # GNU's, which the BSDs and musl have too.
    void *memmem(const void *text, size_t size, const void *wanted, size_t wanted_size)


cdef Py_ssize_t _find_metadata(const char *data, Py_ssize_t size) noexcept nogil:
    """The place after `{"apiVersion":"…","kind":"…","metadata":{`, or -1 where the object does not begin so."""
    cdef const char *found
    cdef Py_ssize_t at = 15
    if size < 16 or memcmp(data, b'{"apiVersion":"', 15) != 0:
        return -1
    found = <const char *>memchr(data + at, b'"', size - at)
    if found == NULL:
        return -1
    at = found - data
    if size - at < 10 or memcmp(data + at, b'","kind":"', 10) != 0:
        return -1
    at += 10
    found = <const char *>memchr(data + at, b'"', size - at)
    if found == NULL:
        return -1
    at = found - data
    if size - at < 14 or memcmp(data + at, b'","metadata":{', 14) != 0:
        return -1
    return at + 14


cdef Py_ssize_t _write_revision(char *text, int64_t revision) noexcept nogil:
    """`"resourceVersion":"N"`; how long that is. The C library's printf takes as long as the rest of a start."""
    cdef char[24] digits
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t at = 19
    cdef uint64_t rest = <uint64_t>revision if revision >= 0 else <uint64_t>0 - <uint64_t>revision
    memcpy(text, b'"resourceVersion":"', 19)
    if revision < 0:
        text[at] = 45
        at += 1
    while True:
        digits[count] = <char>(48 + rest % 10)
        count += 1
        rest //= 10
        if rest == 0:
            break
    while count > 0:
        count -= 1
        text[at] = digits[count]
        at += 1
    text[at] = b'"'
    return at + 1


cpdef bytes splice_revision(bytes value, int64_t revision):
    """`value` with `"resourceVersion":"N"` as the first member of its metadata; None where it is not canonical.

    Canonical is `{"apiVersion":"…","kind":"…","metadata":{…` with the members in this order, without spaces. A
    resourceVersion that already stands first is replaced.
    """
    cdef const char *data = PyBytes_AS_STRING(value)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(value)
    cdef Py_ssize_t at = _find_metadata(data, size)
    cdef Py_ssize_t rest, inserted
    cdef const char *end
    cdef char[48] text
    cdef char *target
    if at < 0 or at >= size:
        return None
    rest = at
    if size - at > 19 and memcmp(data + at, b'"resourceVersion":"', 19) == 0:
        end = <const char *>memchr(data + at + 19, b'"', size - at - 19)
        if end == NULL:
            return None
        rest = end - data + 1
    inserted = _write_revision(text, revision)
    if rest == at and data[at] != b'}':
        text[inserted] = b','
        inserted += 1
    result = PyBytes_FromStringAndSize(NULL, at + inserted + size - rest)
    target = PyBytes_AS_STRING(result)
    memcpy(target, data, at)
    memcpy(target + at, text, inserted)
    memcpy(target + at + inserted, data + rest, size - rest)
    return result


def holds_any(bytes data not None, bytes first not None, bytes second not None):
    """Whether one of the two texts stands anywhere in the bytes. The C library searches several times as fast as
    Python does, which counts where every write is searched."""
    cdef const char *text = PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    return (
        memmem(text, size, PyBytes_AS_STRING(first), PyBytes_GET_SIZE(first)) != NULL
        or memmem(text, size, PyBytes_AS_STRING(second), PyBytes_GET_SIZE(second)) != NULL
    )


def slice_metadata(bytes data not None):
    """The value of `metadata` in a canonical object, as it stands there; None where the object is not canonical."""
    cdef const char *text = PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t start = _find_metadata(text, size) - 1
    cdef Py_ssize_t at = start
    cdef Py_ssize_t depth = 0
    cdef char byte
    cdef bint in_string = False
    if start < 0:
        return None
    while at < size:
        byte = text[at]
        if in_string:
            if byte == b'\\':
                at += 1
            elif byte == b'"':
                in_string = False
        elif byte == b'"':
            in_string = True
        elif byte == b'{' or byte == b'[':
            depth += 1
        elif byte == b'}' or byte == b']':
            depth -= 1
            if depth == 0:
                return data[start:at + 1]
        at += 1
    return None
