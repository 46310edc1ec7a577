# cython: language_level=3
"""The bytes of a stored object: what is cut out of them and put in without decoding anything.

Contract: _kernels/objectbytes.pyi.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memcpy

from quarterdeck._kernels.decimal cimport DECIMAL_BYTES_MAX, write_decimal_before

cdef extern from "string.h" nogil:
    # GNU's, which the BSDs and musl have too.
    void *memmem(const void *text, size_t size, const void *wanted, size_t wanted_size)


cdef Py_ssize_t _pass_text(
    const char *data, Py_ssize_t size, Py_ssize_t at, const char *wanted, Py_ssize_t wanted_size
) noexcept nogil:
    """The place behind what is wanted, which begins with the next quotation mark from `at` on, or -1."""
    cdef const char *found = <const char *>memchr(data + at, b'"', size - at)
    if found == NULL or data + size - found < wanted_size or memcmp(found, wanted, wanted_size) != 0:
        return -1
    return found - data + wanted_size


cdef Py_ssize_t _find_metadata(const char *data, Py_ssize_t size) noexcept nogil:
    """The place after `{"apiVersion":"…","kind":"…","metadata":{`, or -1 where the object does not begin so."""
    cdef Py_ssize_t at
    if size < 16 or memcmp(data, b'{"apiVersion":"', 15) != 0:
        return -1
    at = _pass_text(data, size, 15, b'","kind":"', 10)
    return at if at < 0 else _pass_text(data, size, at, b'","metadata":{', 14)


cdef Py_ssize_t _write_revision(char *text, int64_t revision) noexcept nogil:
    """`"resourceVersion":"N"`; how long that is. The C library's printf takes longer than the rest of a splice."""
    cdef char digits[DECIMAL_BYTES_MAX]
    cdef char *begin = write_decimal_before(digits + DECIMAL_BYTES_MAX, revision)
    cdef Py_ssize_t size = digits + DECIMAL_BYTES_MAX - begin
    memcpy(text, b'"resourceVersion":"', 19)
    memcpy(text + 19, begin, size)
    text[19 + size] = b'"'
    return 20 + size


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
