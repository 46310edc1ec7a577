# cython: language_level=3
"""The fields of new objects, of which many have the shape of the one before. Contract: _kernels/fieldshape.pyi.

Who creates objects mostly creates many that differ in the values of their fields alone. So what decides on the set of
fields of an object is noted beside it: the names of its maps, of which kind each value is, and the scalars that become
labels (keys of lists of maps, items of sets). The next object is held against that, which takes a tenth of what making
its set takes. A set is never changed (fieldset.pyx), so all of them have the same one.

What is noted has a bound, in its size and its depth, and so has the walk. Objects that cannot be noted (keys
that are floats) are looked at as before.
"""

cimport cython
from cpython.object cimport PyObject
from libc.stdlib cimport free, realloc

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.fieldtype cimport (
    FieldType, conforms_quickly, conforms_to, resolve, simple_fits, type_below_name
)

from quarterdeck._kernels.fieldcompare import compare
from quarterdeck._kernels.fieldset import union
from quarterdeck._kernels.fieldtype import added as added_anew
from quarterdeck._kernels.jsonwrite import encode, keep_text

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyLong_CheckExact(object value)
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)

cdef enum:
    NODES_MAX = 1024
    DEPTH_MAX = 24
    MISSES_MAX = 4     # in a row: then every sixteenth object is noted
    MISSES_STEP = 16

# What a value has to be.
cdef enum:
    LOOSE = 0          # whatever fits: nobody owns it
    SIMPLE = 1         # a scalar that fits
    ABSENT = 2         # null
    EMPTY_MAP = 3
    EMPTY_LIST = 4
    MAP = 5            # of `count` entries, whose nodes follow
    ROWS = 6           # a list of `count` maps, whose nodes follow
    LABELS = 7         # a list of `count` scalars, whose nodes follow
    LABEL = 8          # this very text or integer
    WHOLE_MAP = 9      # not empty, of one owner, and what is in it fits
    WHOLE_LIST = 10

cdef struct Node:
    int kind
    Py_ssize_t count
    PyObject *name     # of the entry that it is; NULL: of none
    PyObject *type_or_label


@cython.final
cdef class Shape:
    """`held` keeps names, types and labels alive, but for the type whose objects are noted: that one has the shape."""

    cdef PyObject *whose
    cdef Node *nodes
    cdef Py_ssize_t count
    cdef list held
    cdef dict fields
    cdef object exclude
    cdef object zero
    cdef bint is_seen_again

    def __cinit__(self, FieldType whose not None):
        self.whose = <PyObject *> whose
        self.held = []

    def __dealloc__(self):
        free(self.nodes)

    cdef bint add(self, int kind, PyObject *name, object type_or_label, Py_ssize_t count=0) except -1:
        """False: there are too many."""
        cdef Node *grown
        if self.count == NODES_MAX:
            return False
        if not self.count & (self.count - 1):  # a power of two, or none: as many again
            grown = <Node *> realloc(self.nodes, max(self.count * 2, 1) * sizeof(Node))
            if grown == NULL:
                raise MemoryError
            self.nodes = grown
        if name != NULL:
            self.held.append(<object> name)
        if <PyObject *> type_or_label != self.whose:
            self.held.append(type_or_label)
        self.nodes[self.count].kind = kind
        self.nodes[self.count].count = count
        self.nodes[self.count].name = name
        self.nodes[self.count].type_or_label = <PyObject *> type_or_label
        self.count += 1
        return True


# --- noting ---------------------------------------------------------------------------------------


cdef bint note_value(
    Shape shape, FieldType type_, PyObject *name, object value, object zero, object exclude, int depth
) except -1:
    """False: it cannot be noted. `zero`: what is there before anything is set; what equals it is no field."""
    resolve(type_)
    if simple_fits(type_, value):
        if zero is None or PyDict_CheckExact(zero) or PyList_CheckExact(zero):
            return shape.add(SIMPLE, name, type_)
        return is_label(value) and shape.add(LABEL, name, value)
    if value is None:
        return shape.add(ABSENT, name, type_)
    if PyDict_CheckExact(value):
        if not type_.has_map:
            return False
        if not value:
            return shape.add(EMPTY_MAP, name, type_)
        if type_.map_atomic:
            return not zero and shape.add(WHOLE_MAP, name, type_)
        return note_map(shape, type_, name, <dict> value, zero, exclude, None, depth)
    if not PyList_CheckExact(value) or not type_.has_list or zero:
        return False
    if not value:
        return shape.add(EMPTY_LIST, name, type_)
    if type_.list_atomic:
        return shape.add(WHOLE_LIST, name, type_)
    return note_list(shape, type_, name, <list> value, depth)


cdef bint note_map(
    Shape shape, FieldType type_, PyObject *name, dict value, object zero, object exclude, tuple label_keys, int depth
) except -1:
    """`label_keys`: of an item, the names whose values tell it apart."""
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *found
    cdef Py_ssize_t pos = 0
    cdef Entries entries = entries_of(<PyObject *> value)
    cdef FieldType child_type
    cdef object below, child_zero
    if depth == DEPTH_MAX or not shape.add(MAP, name, type_, len(value)):
        return False
    while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
        if not PyUnicode_CheckExact(<object> key):
            return False
        child_type = type_below_name(type_, <object> key)
        if child_type is None:
            return False
        below = None
        if exclude is not None:
            found = PyDict_GetItem(exclude, "f:" + <str> <object> key)
            if found is not NULL:
                below = <object> found
                if not below:
                    if not shape.add(LOOSE, key, child_type):
                        return False
                    continue
        if label_keys is not None and <object> key in label_keys:
            resolve(child_type)
            if not is_label(<object> child) or not simple_fits(child_type, <object> child):
                return False
            if not shape.add(LABEL, key, <object> child):
                return False
            continue
        found = PyDict_GetItem(zero, <object> key) if PyDict_CheckExact(zero) else NULL
        child_zero = <object> found if found is not NULL else None
        if not note_value(shape, child_type, key, <object> child, child_zero, below, depth + 1):
            return False
    return True


cdef bint note_list(Shape shape, FieldType type_, PyObject *name, list value, int depth) except -1:
    if depth == DEPTH_MAX or len(value) > NODES_MAX:
        return False
    if type_.sorted_keys:
        resolve(type_.item)
        if not shape.add(ROWS, name, type_, len(value)) or not type_.item.has_map or type_.item.map_atomic:
            return False
        for item in value:
            if not PyDict_CheckExact(item):
                return False
            if not note_map(shape, type_.item, NULL, <dict> item, None, None, type_.sorted_keys, depth + 1):
                return False
        return True
    if not shape.add(LABELS, name, type_, len(value)):
        return False
    for item in value:
        if not is_label(item) or not shape.add(LABEL, NULL, item):
            return False
    return True


cdef bint is_label(object value) noexcept:
    return PyUnicode_CheckExact(value) or PyLong_CheckExact(value)


# --- recognizing ----------------------------------------------------------------------------------


cdef bint fits(Shape shape, Py_ssize_t *at, object value) except -1:
    """Whether it is what the node and those that belong to it say; `at` is behind them then. It goes no deeper than
    what was noted."""
    cdef Node *node = shape.nodes + at[0]
    cdef int kind = node.kind
    at[0] += 1
    if kind == SIMPLE:
        return simple_fits(<FieldType> node.type_or_label, value)
    if kind == MAP:
        return PyDict_CheckExact(value) and fits_map(shape, at, node.count, <dict> value)
    if kind == LOOSE:
        return conforms_quickly(<FieldType> node.type_or_label, value)
    if kind == LABEL:
        return type(value) is type(<object> node.type_or_label) and value == <object> node.type_or_label
    if kind == ROWS or kind == LABELS:
        if not PyList_CheckExact(value) or len(<list> value) != node.count:
            return False
        for item in <list> value:
            if not fits(shape, at, item):
                return False
        return True
    if kind == ABSENT:
        return value is None
    if kind == EMPTY_MAP or kind == WHOLE_MAP:
        if not PyDict_CheckExact(value) or (kind == EMPTY_MAP) != (len(<dict> value) == 0):
            return False
    elif not PyList_CheckExact(value) or (kind == EMPTY_LIST) != (len(<list> value) == 0):
        return False
    if kind == WHOLE_MAP or kind == WHOLE_LIST:
        return conforms_to(<FieldType> node.type_or_label, value, True)
    return True


cdef bint fits_map(Shape shape, Py_ssize_t *at, Py_ssize_t count, dict value) except -1:
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *name
    cdef Py_ssize_t pos = 0
    cdef Entries entries = entries_of(<PyObject *> value)
    if len(value) != count:
        return False
    while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
        name = shape.nodes[at[0]].name
        # Mostly the same object: decoding shares names.
        if key != name and (not PyUnicode_CheckExact(<object> key) or <str> <object> key != <str> <object> name):
            return False
        if not fits(shape, at, <object> child):
            return False
    return True


def added(FieldType type_ not None, dict value not None, dict exclude not None, dict zero=None):
    cdef Shape shape = type_.shape
    cdef Py_ssize_t at = 0
    if shape is not None and shape.exclude is exclude and shape.zero is zero and fits(shape, &at, value):
        type_.misses = 0
        if not shape.is_seen_again:
            shape.is_seen_again = True
            keep_text(shape.fields, encode(shape.fields))
        return shape.fields
    fields = added_anew(type_, value, exclude) if zero is None else added_to(type_, zero, value, exclude)
    type_.misses = type_.misses + 1 if type_.misses < 1 << 30 else MISSES_MAX
    if fields and (type_.misses <= MISSES_MAX or not type_.misses % MISSES_STEP):
        note(type_, value, exclude, zero, fields)
    return fields


cdef object added_to(FieldType type_, dict zero, dict value, dict exclude):
    sets = compare(type_, zero, value, exclude, True)
    return None if sets is None else union(sets[1], sets[0])


cdef int note(FieldType type_, dict value, dict exclude, dict zero, dict fields) except -1:
    cdef Shape shape = Shape(type_)
    if type_.has_map and not type_.map_atomic and note_map(shape, type_, NULL, value, zero, exclude, None, 0):
        shape.fields = fields
        shape.exclude = exclude
        shape.zero = zero
        type_.shape = shape
    return 0


def has_shape(FieldType type_ not None):
    return type_.shape is not None
