"""Bytes that are written in place and made as long as they have become: nobody else has them until they are `taken`."""

from cpython.object cimport PyObject

cdef extern from "Python.h":
    PyObject* new_bytes "PyBytes_FromStringAndSize"(const char* data, Py_ssize_t size) except NULL
    char* text_of "PyBytes_AS_STRING"(PyObject* data) noexcept
    int resize "_PyBytes_Resize"(PyObject** data, Py_ssize_t size) except -1
    void Py_DECREF(PyObject* object) noexcept


cdef inline object taken(PyObject* made):
    """The object, whose one reference is given up."""
    result = <object> made
    Py_DECREF(made)
    return result
