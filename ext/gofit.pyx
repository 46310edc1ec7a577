# cython: language_level=3
"""JSON that fits a Go type, decoded. Contract: _kernels/gofit.pyi. Source of the rules: schema/godecode.py.

A struct is walked by what it holds, and written in the order of its type. Structs nest in themselves, so the walk calls
itself; `structs_max` bounds that.
"""

import threading
from sys import intern

cimport cython
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdlib cimport free, malloc

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1


cdef enum Kind:
    C_ANY
    C_TEXT
    C_TRUTH
    C_NUMBER
    C_INTEGER
    C_CALL
    C_STRUCT
    C_UNION
    C_LIST
    C_MAP

ANY = C_ANY
TEXT = C_TEXT
TRUTH = C_TRUTH
NUMBER = C_NUMBER
INTEGER = C_INTEGER
CALL = C_CALL
STRUCT = C_STRUCT
UNION = C_UNION
LIST = C_LIST
MAP = C_MAP

cdef object absent = object()
cdef object empty = object()
cdef object misfit = object()

ABSENT, EMPTY, MISFIT = absent, empty, misfit

cdef enum:
    STACK_FIELDS = 48  # most structs have no more at once


cdef struct Found:
    Py_ssize_t place
    PyObject *item  # NULL: not sent


@cython.final
cdef class Slot:
    """A field of a struct, `place` in its order."""

    cdef Py_ssize_t place
    cdef str name
    cdef Fit fit
    cdef bint is_zero_kept
    cdef object null


@cython.final
cdef class Fit:
    """How values of one Go type are decoded."""

    cdef Kind kind
    cdef long long low
    cdef long long high
    cdef object call
    cdef object expand
    cdef dict slots  # of a struct, by name
    cdef list ordered
    cdef list filled  # the slots that are written although they are not there
    cdef Fit item  # of lists, maps and unions
    cdef Fit struct_fit  # of a union
    cdef object null  # what a null item is
    cdef bint or_bool

    def __cinit__(
        self, int kind, *, long long low=0, long long high=0, object call=None, object expand=None, Fit item=None,
        Fit struct=None, object null=None, bint or_bool=False,
    ):
        self.kind = <Kind> kind
        self.low = low
        self.high = high
        self.call = call
        self.expand = expand
        self.item = item
        self.struct_fit = struct
        self.null = null
        self.or_bool = or_bool

    def decode(self, value, int structs_max):
        return decode_value(self, value, structs_max)


cdef object expanding = threading.RLock()


cdef int resolve(Fit fit) except -1:
    cdef list ordered = []
    cdef list filled = []
    cdef dict slots = {}
    cdef Slot slot
    # Both threads that decode may come here: what is filled once is never replaced below the other's feet.
    with expanding:
        if fit.expand is None:
            return 0
        expand = fit.expand
        for name, field_fit, is_zero_kept, null in expand():
            slot = Slot.__new__(Slot)
            slot.place = len(ordered)
            slot.name = intern(name)  # what is asked for by a constant is found by identity
            slot.fit = field_fit
            slot.is_zero_kept = is_zero_kept
            slot.null = null
            slots[name] = slot
            ordered.append(slot)
            if null is not absent:
                filled.append(slot)
        fit.slots = slots
        fit.ordered = ordered
        fit.filled = filled
        fit.expand = None
    return 0


cdef object decode_value(Fit fit, object value, int structs_left):
    """Of a value that is not null."""
    cdef Kind kind = fit.kind
    cdef long long number
    cdef int overflow = 0
    give_way()
    if kind == C_TEXT:
        return value if PyUnicode_CheckExact(value) else misfit
    if kind == C_STRUCT:
        return decode_struct(fit, value, structs_left)
    if kind == C_LIST:
        return decode_list(fit, value, structs_left)
    if kind == C_MAP:
        return decode_map(fit, value, structs_left)
    if kind == C_INTEGER:
        if not PyLong_CheckExact(value):
            return misfit
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        return value if not overflow and fit.low <= number <= fit.high else misfit
    if kind == C_TRUTH:
        return value if PyBool_Check(value) else misfit
    if kind == C_NUMBER:
        return value if PyLong_CheckExact(value) or PyFloat_CheckExact(value) else misfit
    if kind == C_CALL:
        return fit.call(value)
    if kind == C_UNION:
        return decode_union(fit, value, structs_left)
    return value


cdef object decode_union(Fit fit, object value, int structs_left):
    if PyBool_Check(value) and fit.or_bool:
        return value
    if PyList_CheckExact(value) and fit.item is not None:
        return decode_list(fit.item, value, structs_left)
    if not PyDict_CheckExact(value) and not fit.or_bool:
        return None
    return decode_struct(fit.struct_fit, value, structs_left)


cdef object decode_list(Fit fit, object value, int structs_left):
    cdef list out
    if not PyList_CheckExact(value):
        return misfit
    out = []
    for item in <list> value:
        if item is None:
            item = null_of(fit.item, fit.null, structs_left)
        else:
            item = decode_value(fit.item, item, structs_left)
        if item is misfit:
            return misfit
        out.append(item)
    return out


cdef object decode_map(Fit fit, object value, int structs_left):
    cdef dict out
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos = 0
    cdef Entries entries
    if not PyDict_CheckExact(value):
        return misfit
    out = {}
    entries = entries_of(<PyObject *> value)
    while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
        if <object> child is None:
            item = null_of(fit.item, fit.null, structs_left)
        else:
            item = decode_value(fit.item, <object> child, structs_left)
        if item is misfit:
            return misfit
        out[<object> key] = item
    return out


cdef object null_of(Fit fit, object null, int structs_left):
    return decode_value(fit, {}, structs_left) if null is empty else null


cdef object decode_struct(Fit fit, object value, int structs_left):
    """Where more structs lie in one another than may, it is as if it did not fit."""
    cdef Found few[STACK_FIELDS]
    cdef Found *found = few
    cdef Py_ssize_t count
    if not PyDict_CheckExact(value) or not structs_left:
        return misfit
    if fit.expand is not None:
        resolve(fit)
    count = len(<dict> value)
    if count > len(fit.ordered):
        return misfit
    count += len(fit.filled)
    if count > STACK_FIELDS:
        found = <Found *> malloc(count * sizeof(Found))
        if found is NULL:
            raise MemoryError
    try:
        count = find_fields(fit, <dict> value, found)
        return misfit if count < 0 else decode_fields(fit, found, count, structs_left - 1)
    finally:
        if found is not few:
            free(found)


cdef Py_ssize_t find_fields(Fit fit, dict value, Found *found) except -2:
    """The fields that are there and those to be filled in, in the order of the type; how many, -1: one is unknown."""
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *slot
    cdef Py_ssize_t pos = 0
    cdef Py_ssize_t count = 0
    cdef Entries entries = entries_of(<PyObject *> value)
    while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
        slot = PyDict_GetItemWithError(fit.slots, <object> key)
        if slot is NULL:
            return -1
        count = insert(found, count, (<Slot> slot).place, child)
    for filled in fit.filled:
        if (<Slot> filled).name not in value:
            count = insert(found, count, (<Slot> filled).place, NULL)
    return count


cdef Py_ssize_t insert(Found *found, Py_ssize_t count, Py_ssize_t place, PyObject *item) noexcept:
    """Most objects are written in the order of their type, or nearly so."""
    cdef Py_ssize_t at = count
    while at and found[at - 1].place > place:
        found[at] = found[at - 1]
        at -= 1
    found[at].place = place
    found[at].item = item
    return count + 1


cdef object decode_fields(Fit fit, Found *found, Py_ssize_t count, int structs_left):
    """`found` borrows from the decoded value, which nobody changes meanwhile."""
    cdef dict out = {}
    cdef Slot slot
    cdef Py_ssize_t i
    for i in range(count):
        slot = <Slot> (<list> fit.ordered)[found[i].place]
        if found[i].item is NULL or <object> found[i].item is None:
            item = null_of(slot.fit, slot.null, structs_left)
            if item is not absent:
                if item is misfit:
                    return misfit
                out[slot.name] = item
            continue
        item = decode_value(slot.fit, <object> found[i].item, structs_left)
        if item is misfit:
            return misfit
        if slot.is_zero_kept or item:
            out[slot.name] = item
    return out
