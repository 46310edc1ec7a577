# cython: language_level=3
"""The members of an object that are picked by their name or their value. Contract: _kernels/members.pyi."""

from cpython.object cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)


def without(dict value not None, tuple names not None):
    cdef dict kept = {}
    for name, member in value.items():
        give_way()
        if name not in names:
            kept[name] = member
    return kept


def empty(dict value not None):
    cdef dict found = {}
    for name, member in value.items():
        give_way()
        if (PyDict_CheckExact(member) and not <dict>member) or (PyList_CheckExact(member) and not <list>member):
            found[name] = member
    return found


def has_empty(object value):
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos
    cdef Entries entries
    cdef list pending = [value]
    while pending:
        value = pending.pop()
        if PyDict_CheckExact(value):
            pos = 0
            entries = entries_of(<PyObject *> value)
            while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
                give_way()
                if PyDict_CheckExact(<object> child) or PyList_CheckExact(<object> child):
                    if not <object> child:
                        return True
                    pending.append(<object> child)
        else:
            for item in <list> value:
                give_way()
                if PyDict_CheckExact(item) or PyList_CheckExact(item):
                    if not item:
                        return True
                    pending.append(item)
    return False
