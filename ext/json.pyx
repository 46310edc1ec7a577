# cython: language_level=3
"""JSON with the semantics of sigs.k8s.io/json, where orjson's differ. Contract: _kernels/json.pyi.

is_exact(data, value)   proves that a tree that orjson made from `data` is what Go would have made
copy(value), equal(…)   for values of any depth

All walk with an explicit stack: the API accepts values nested 10,000 deep. Go's decoder itself is jsondecode.pyx.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Next, PyDict_SetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from libc.string cimport memchr

from quarterdeck._kernels.giveway cimport give_way, give_way_now

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyLong_CheckExact(object value)
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1
    Py_ssize_t PyDict_Size(object value) except -1
    PyObject *PyDict_GetItemWithError(object value, object key) except? NULL

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__) && !defined(__clang__)
    #define QD_VECTORIZE __attribute__((optimize("O3")))
    #else
    #define QD_VECTORIZE
    #endif

    /* How often `wanted` occurs. Blocks of 255 keep the partial sums in bytes, which lets the compiler use vectors. */
    static QD_VECTORIZE size_t qd_count(const unsigned char *text, size_t size, unsigned char wanted)
    {
        size_t total = 0;
        while (size) {
            size_t block = size < 4080 ? size : 4080;
            size_t i = 0;
            unsigned char lanes[16] = {0};
            for (; i + 16 <= block; i += 16)
                for (int lane = 0; lane < 16; lane++)
                    lanes[lane] += text[i + lane] == wanted;
            for (int lane = 0; lane < 16; lane++)
                total += lanes[lane];
            for (; i < block; i++)
                total += text[i] == wanted;
            text += block;
            size -= block;
        }
        return total;
    }

    """
    size_t qd_count(const unsigned char *text, size_t size, unsigned char wanted) noexcept nogil


# ---- is_exact -------------------------------------------------------------------------------------------------

cdef enum:
    LONG_NUMBER = 19  # digits of the least integer beyond int64
    COPIED_AT_ONCE = 65536  # values of a list
    WALK_DEPTH_MAX = 1100  # more than orjson's own limit of 1,024: what it accepted fits

cdef struct Frame:
    PyObject *container
    Py_ssize_t position


cdef Py_ssize_t count_strings(object root) except -2:
    """How many strings (keys and values) the tree holds; -1 if an integer is outside int64 or the tree too deep."""
    cdef Frame stack[WALK_DEPTH_MAX]
    cdef int depth = 0
    cdef int overflow = 0
    cdef Py_ssize_t total = 0
    cdef PyObject *key
    cdef PyObject *child
    cdef Frame *top
    if PyUnicode_CheckExact(root):
        return 1
    if PyLong_CheckExact(root):
        PyLong_AsLongLongAndOverflow(root, &overflow)
        return -1 if overflow else 0
    if not PyDict_CheckExact(root) and not PyList_CheckExact(root):
        return 0
    stack[0].container = <PyObject *>root
    stack[0].position = 0
    if PyDict_CheckExact(root):
        total = PyDict_Size(root)
    while depth >= 0:
        give_way()
        top = &stack[depth]
        if PyDict_CheckExact(<object>top.container):
            if not PyDict_Next(<object>top.container, &top.position, &key, &child):
                depth -= 1
                continue
        else:
            if top.position >= PyList_GET_SIZE(<object>top.container):
                depth -= 1
                continue
            child = PyList_GET_ITEM(<object>top.container, top.position)
            top.position += 1
        if PyUnicode_CheckExact(<object>child):
            total += 1
        elif PyLong_CheckExact(<object>child):
            PyLong_AsLongLongAndOverflow(<object>child, &overflow)
            if overflow:
                return -1
        elif PyDict_CheckExact(<object>child) or PyList_CheckExact(<object>child):
            depth += 1
            if depth == WALK_DEPTH_MAX:
                return -1
            stack[depth].container = child
            stack[depth].position = 0
            if PyDict_CheckExact(<object>child):
                total += PyDict_Size(<object>child)
    return total


def is_exact(bytes data not None, object value):
    """Whether `value`, which a decoder that keeps the last of duplicate keys made from the valid JSON `data`, lost
    nothing: no duplicate keys, no integer outside int64.

    Why counting is a proof: every string of the text has exactly two unescaped quotes, and every key and text value
    of the tree was one string of the text. A duplicate key drops at least its own string.
    """
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t quotes = qd_count(text, size, b'"')
    cdef const unsigned char *end = text + size
    cdef const unsigned char *escape = text
    while escape < end:
        escape = <const unsigned char *>memchr(escape, b'\\', end - escape)
        if escape == NULL:
            break
        if escape + 1 < end and escape[1] == b'"':
            quotes -= 1
        escape += 2
    return quotes == 2 * count_strings(value)


def has_long_number(bytes data not None):
    """Whether there are 19 digits in a row, as every integer beyond int64 has them. One byte in 19 is looked at: of
    such a run one is met."""
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t at = LONG_NUMBER - 1
    cdef Py_ssize_t first
    cdef Py_ssize_t after
    while at < size:
        if b'0' <= text[at] <= b'9':
            first = at
            while first > 0 and b'0' <= text[first - 1] <= b'9':
                first -= 1
            after = at + 1
            while after < size and b'0' <= text[after] <= b'9':
                after += 1
            if after - first >= LONG_NUMBER:
                return True
        at += LONG_NUMBER
    return False


# ---- copy and equal -------------------------------------------------------------------------------------------

cdef object shallow_copy(object value):
    """A copy of a container, None for anything else."""
    if PyDict_CheckExact(value):
        return (<dict>value).copy()
    if PyList_CheckExact(value):
        return copy_list(<list>value)
    return None


cdef list copy_list(list values):
    """The same values in another list. A million of them at once would take 10 ms."""
    cdef Py_ssize_t begin
    cdef list made = values[:COPIED_AT_ONCE]
    for begin in range(COPIED_AT_ONCE, PyList_GET_SIZE(values), COPIED_AT_ONCE):
        give_way_now()
        made += values[begin : begin + COPIED_AT_ONCE]
    return made


def copy(object root):
    """A deep copy of the dicts and lists; scalars are shared."""
    cdef list pending = []  # copies whose children are still the original's
    cdef object top = shallow_copy(root)
    cdef object made
    cdef object container
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t position
    if top is None:
        return root
    pending.append(top)
    while pending:
        container = pending.pop()
        position = 0
        if PyDict_CheckExact(container):
            # Replacing the value of a key that exists is the one change that PyDict_Next allows.
            while PyDict_Next(container, &position, &key, &child):
                give_way()
                made = shallow_copy(<object>child)
                if made is not None:
                    PyDict_SetItem(container, <object>key, made)
                    pending.append(made)
        else:
            for position in range(PyList_GET_SIZE(container)):
                give_way()
                made = shallow_copy(<object>PyList_GET_ITEM(container, position))
                if made is not None:
                    (<list>container)[position] = made
                    pending.append(made)
    return top


cdef int compare_leaves(object left, object right) except -2:
    """1 if they are the same, 0 if they differ, -1 if both are dicts or lists, into which one has to look."""
    if left is right:
        return 1
    if type(left) is not type(right):
        return 0
    if PyUnicode_CheckExact(left):
        if PyUnicode_GET_LENGTH(left) != PyUnicode_GET_LENGTH(right):
            return 0
    elif PyDict_CheckExact(left):
        return -1 if PyDict_Size(left) == PyDict_Size(right) else 0
    elif PyList_CheckExact(left):
        return -1 if PyList_GET_SIZE(left) == PyList_GET_SIZE(right) else 0
    return left == right


def equal(object left, object right):
    """Whether two values are the same JSON: types count (1, 1.0 and true differ), the order of members does not.

    What has no depth is compared before anything is descended into: most differences are found there."""
    cdef list pending
    cdef PyObject *key
    cdef PyObject *child
    cdef PyObject *other
    cdef Py_ssize_t position
    cdef int found = compare_leaves(left, right)
    if found != -1:
        return found == 1
    pending = [left, right]
    while pending:
        right = pending.pop()
        left = pending.pop()
        if PyDict_CheckExact(left):
            position = 0
            while PyDict_Next(left, &position, &key, &child):
                give_way()
                other = PyDict_GetItemWithError(right, <object>key)
                if other == NULL:
                    return False
                found = compare_leaves(<object>child, <object>other)
                if found == 0:
                    return False
                if found == -1:
                    pending.append(<object>child)
                    pending.append(<object>other)
        else:
            for position in range(PyList_GET_SIZE(left)):
                give_way()
                child = PyList_GET_ITEM(left, position)
                other = PyList_GET_ITEM(right, position)
                found = compare_leaves(<object>child, <object>other)
                if found == 0:
                    return False
                if found == -1:
                    pending.append(<object>child)
                    pending.append(<object>other)
    return True
