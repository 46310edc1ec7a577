"""Maps of a list of one type, most of which are like the one before: inlined where fields of new objects are found."""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.string cimport memcpy

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.fieldset cimport is_escaped, json_string
from quarterdeck._kernels.fieldtype cimport FieldType, simple_fits
from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    PyObject *PyTuple_GET_ITEM(object items, Py_ssize_t position)
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    object PyUnicode_New(Py_ssize_t size, Py_UCS4 char_max)

cdef enum:
    ROW_MAX = 8

cdef struct Row:
    # The names of a map, in order, and what its type says of them.
    Py_ssize_t count
    PyObject *names[ROW_MAX]
    PyObject *labels[ROW_MAX]
    PyObject *types[ROW_MAX]


cdef inline bint is_sorted(dict value) except -1:
    """Whether the keys stand in order, as Go writes maps."""
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t pos = 0
    cdef str last = ""
    while PyDict_Next(value, &pos, &key, &child):
        give_way()
        if <str> <object> key < last:
            return False
        last = <str> <object> key
    return True


cdef inline str key_label(str head, str text):
    """The path element of an item that one text tells apart: `head`, the text as JSON and a brace."""
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
    cdef Py_ssize_t head_size = PyUnicode_GET_LENGTH(head)
    cdef const unsigned char *chars
    cdef unsigned char *out
    cdef Py_ssize_t i
    if not PyUnicode_IS_COMPACT_ASCII(text) or not PyUnicode_IS_COMPACT_ASCII(head):
        return f"{head}{json_string(text)}}}"
    chars = <const unsigned char *> PyUnicode_DATA(text)
    for i in range(size):
        if is_escaped(chars[i]):
            return f"{head}{json_string(text)}}}"
    made = PyUnicode_New(head_size + size + 3, 127)
    out = <unsigned char *> PyUnicode_DATA(made)
    memcpy(out, PyUnicode_DATA(head), head_size)
    out += head_size
    out[0] = c'"'
    memcpy(out + 1, chars, size)
    out[size + 1] = c'"'
    out[size + 2] = c'}'
    return <str> made


cdef inline bint is_like(dict item, Row *row) noexcept:
    """Whether an item has the names of the one before, and scalars that fit below them."""
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos = 0
    cdef Py_ssize_t i = 0
    cdef Entries entries = entries_of(<PyObject *> item)
    if len(item) != row.count:
        return False
    while next_entry(<PyObject *> item, &entries, &pos, &key, &child):
        if key != row.names[i] or not simple_fits(<FieldType> row.types[i], <object> child):
            return False
        i += 1
    return True


cdef inline int read_row(FieldType type_, dict item, Row *row) except -1:
    """Note an item's names, which live as long as it does, and what the type says of them; none where they do not stand
    in order, or one is unknown."""
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *found
    cdef Py_ssize_t pos = 0
    cdef Py_ssize_t i = 0
    cdef Entries entries = entries_of(<PyObject *> item)
    row.count = -1
    if len(item) > ROW_MAX or not is_sorted(item):
        return 0
    while next_entry(<PyObject *> item, &entries, &pos, &key, &child):
        found = PyDict_GetItem(type_.fields, <object> key)
        if found is NULL:
            return 0
        row.names[i] = key
        row.labels[i] = PyTuple_GET_ITEM(<object> found, 0)
        row.types[i] = PyTuple_GET_ITEM(<object> found, 1)
        i += 1
    row.count = i
    return 0
