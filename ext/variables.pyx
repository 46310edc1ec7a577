# cython: language_level=3
"""The variables of a container, looked at quickly. Contract: _kernels/variables.pyi.

A pod has many, nearly all of which are a name and a text: checks, defaults and warnings look at the others alone.
"""

from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.set cimport PySet_Add, PySet_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef str NAME = "name"
cdef str VALUE = "value"


cdef extern from *:
    """
    /* Of an identifier: 1 anywhere, 2 but not first. */
    static const unsigned char qd_identifier[256] = {
        ['0' ... '9'] = 2, ['A' ... 'Z'] = 1, ['_'] = 1, ['a' ... 'z'] = 1,
    };
    """
    const unsigned char qd_identifier[256]


cdef bint is_identifier(object text) noexcept:
    """ASCII letters, digits and underscores, no digit first."""
    cdef const unsigned char *chars
    cdef Py_ssize_t size, i
    if not PyUnicode_CheckExact(text) or not PyUnicode_IS_COMPACT_ASCII(text):
        return False
    size = PyUnicode_GET_LENGTH(text)
    chars = <const unsigned char *> PyUnicode_DATA(text)
    if not size or qd_identifier[chars[0]] != 1:
        return False
    for i in range(1, size):
        if not qd_identifier[chars[i]]:
            return False
    return True


cdef bint is_plain(object variable):
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos = 0
    cdef Entries entries
    cdef bint has_name = False
    if not PyDict_CheckExact(variable):
        return False
    entries = entries_of(<PyObject *> variable)
    while next_entry(<PyObject *> variable, &entries, &pos, &key, &child):
        # Names that were decoded are these very texts.
        if key == <PyObject *> NAME or (key != <PyObject *> VALUE and <str> <object> key == NAME):
            has_name = is_identifier(<object> child)
            if not has_name:
                return False
        elif key != <PyObject *> VALUE and <str> <object> key != VALUE:
            return False
    return has_name


def odd(list variables not None):
    cdef list found = []
    cdef Py_ssize_t i
    for i in range(len(variables)):
        give_way()
        if not is_plain(variables[i]):
            found.append(i)
    return found


def has_repeated(list variables not None):
    cdef set seen = set()
    cdef PyObject *name
    cdef Py_ssize_t unnamed = 0
    for variable in variables:
        give_way()
        name = PyDict_GetItemWithError(<dict?> variable, NAME)
        if name is NULL:
            unnamed += 1
        else:
            PySet_Add(seen, <object> name)
    return bool(PySet_GET_SIZE(seen) + unnamed < len(variables) or unnamed > 1 or (unnamed and "" in seen))
