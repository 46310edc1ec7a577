# cython: language_level=3
"""Entries of what is stored, many at a time, as a start makes them.

Contract: _kernels/watchload.pyi.
"""

from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t

from sys import intern

from quarterdeck._kernels.objectbytes cimport splice_revision
from quarterdeck._kernels.watchobject cimport Entry

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_FindChar(str text, Py_UCS4 char, Py_ssize_t start, Py_ssize_t end, int direction) except -2
    Py_ssize_t PyUnicode_Tailmatch(str text, str part, Py_ssize_t start, Py_ssize_t end, int direction) except -1

cdef enum:
    FORWARD = 1
    AT_START = -1


def take_in(list items not None, Py_ssize_t start, str prefix not None, list entries not None):
    cdef Py_ssize_t at, slash, size = len(prefix)
    cdef str key, path, namespace = ""
    cdef bytes value, data
    cdef int64_t revision, create_revision
    for at in range(start, len(items)):
        item = items[at]
        if not PyTuple_Check(item) or PyTuple_GET_SIZE(item) != 4:
            raise TypeError("no item")
        key = <str?><object>PyTuple_GET_ITEM(item, 0)
        value = <bytes?><object>PyTuple_GET_ITEM(item, 1)
        revision = <object>PyTuple_GET_ITEM(item, 2)
        create_revision = <object>PyTuple_GET_ITEM(item, 3)
        if not PyUnicode_Tailmatch(key, prefix, 0, len(key), AT_START):
            return at
        data = splice_revision(value, revision)
        if data is None:
            return at
        path = key[size:]
        slash = PyUnicode_FindChar(path, u'/', 0, len(path), FORWARD)
        if slash < 0:
            namespace = ""
        elif slash != len(namespace) or not PyUnicode_Tailmatch(path, namespace, 0, slash, AT_START):
            namespace = intern(path[:slash])
        entries.append(Entry(path, namespace, data, revision, create_revision))
    return len(items)
