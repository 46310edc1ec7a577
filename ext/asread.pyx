# cython: language_level=3
"""What an object is once it was written and read again, without doing either. Contract: _kernels/asread.pyi."""

from cpython.dict cimport PyDict_CheckExact, PyDict_Next
from cpython.exc cimport PyErr_Clear
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport floor

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    # Without `except`: who calls it clears the error.
    const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size)

cdef enum:
    DEPTH_MAX = 100


cdef bint is_text_kept(PyObject *text):
    """Lone surrogates are written as something else."""
    cdef Py_ssize_t size = 0
    if not PyUnicode_CheckExact(<object>text):
        return False
    if PyUnicode_IS_COMPACT_ASCII(<object>text):
        return True
    if PyUnicode_AsUTF8AndSize(text, &size) == NULL:
        PyErr_Clear()
        return False
    return True


cdef bint is_scalar_kept(PyObject *value):
    """A float without a fraction is read as an integer, an integer beyond int64 as a float."""
    cdef int overflow = 0
    cdef double number
    if <object>value is None or <object>value is True or <object>value is False:
        return True
    if PyLong_CheckExact(<object>value):
        PyLong_AsLongLongAndOverflow(<object>value, &overflow)
        return overflow == 0
    if PyFloat_CheckExact(<object>value):
        number = PyFloat_AS_DOUBLE(<object>value)
        return number - number == 0 and number != floor(number)
    return False


cdef bint is_kept(PyObject *value, int depth):
    """Whether reading what was written of the value gives an equal one, of the same types and order."""
    cdef Entries entries
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t position = 0
    if PyUnicode_CheckExact(<object>value):
        return is_text_kept(value)
    if PyDict_CheckExact(<object>value):
        if depth == DEPTH_MAX:
            return False
        entries = entries_of(value)
        while next_entry(value, &entries, &position, &key, &child):
            if not is_text_kept(key) or not is_kept(child, depth + 1):
                return False
        return True
    if PyList_CheckExact(<object>value):
        if depth == DEPTH_MAX:
            return False
        for position in range(PyList_GET_SIZE(<object>value)):
            if not is_kept(<PyObject *>PyList_GET_ITEM(<object>value, position), depth + 1):
                return False
        return True
    return is_scalar_kept(value)


def as_read(dict obj not None, str resource_version not None):
    """See asread.pyi."""
    cdef object metadata = obj.get("metadata")
    cdef dict shown, made
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    if not PyDict_CheckExact(metadata) or not is_kept(<PyObject *>obj, 0):
        return None
    shown = {"resourceVersion": resource_version}
    while PyDict_Next(metadata, &position, &key, &value):
        if <object>key != "resourceVersion":
            # The watch cache holds the labels.
            shown[<object>key] = (<dict>value).copy() if PyDict_CheckExact(<object>value) else <object>value
    made = {"apiVersion": obj.get("apiVersion", ""), "kind": obj.get("kind", ""), "metadata": shown}
    position = 0
    while PyDict_Next(obj, &position, &key, &value):
        if <object>key not in made:
            made[<object>key] = <object>value
    return made
