"""A text of bytes of which it is known that all are ASCII: no decoder looks at them again. Inlined where it is used."""

from libc.string cimport memcpy


cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void *PyUnicode_DATA(object text)


cdef inline str ascii_text(const void *data, Py_ssize_t size):
    cdef str made = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(made), data, size)
    return made
