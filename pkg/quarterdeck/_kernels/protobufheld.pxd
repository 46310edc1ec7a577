"""Lists and maps of an object, made when the first of what is in them is read. Inlined where it is used."""

from cpython.object cimport PyObject

cdef extern from "Python.h":
    PyObject *PyDict_GetItem(object mapping, object key)
    int PyDict_SetItem(object mapping, object key, object value) except -1


cdef inline dict held_dict(dict value, str name):
    cdef PyObject *found = PyDict_GetItem(value, name)
    cdef dict fresh
    if found is not NULL:
        return <dict>found
    fresh = {}
    PyDict_SetItem(value, name, fresh)
    return fresh


cdef inline list held_list(dict value, str name):
    cdef PyObject *found = PyDict_GetItem(value, name)
    cdef list fresh
    if found is not NULL:
        return <list>found
    fresh = []
    PyDict_SetItem(value, name, fresh)
    return fresh
