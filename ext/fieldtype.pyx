# cython: language_level=3
"""Types of objects, and the sets of fields that typed objects make. Contract: _kernels/fieldtype.pyi.

added(type, value, …)      all fields of a new object
conforms(type, value)      whether the value fits its type

What changed between two objects is found in fieldcompare.pyx. The form of a set, and how the walks keep their stacks,
stands in fieldset.pyx.
Source: structured-merge-diff v6, typed/tofieldset.go, validate.go, helpers.go.
"""

import threading
from sys import intern

cimport cython
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.fieldset cimport (
    json_string,
    json_text,
    take_out_empty,
    value_order,
)
from quarterdeck._kernels.fieldrows cimport Row, is_like, is_sorted, key_label, read_row
from quarterdeck._kernels.giveway cimport drop_dict, drop_list, drop_set, give_way, sort_giving_way


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyLong_CheckExact(object value)
    bint PyFloat_CheckExact(object value)
    bint PyBool_Check(object value)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyTuple_GET_ITEM(object items, Py_ssize_t position)
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)


SCALAR_NONE = NOTHING
SCALAR_STRING = STRING
SCALAR_NUMERIC = NUMERIC
SCALAR_BOOLEAN = BOOLEAN
SCALAR_UNTYPED = UNTYPED

cdef str SELF = "."


@cython.final
cdef class FieldType:
    """A type: up to three atoms (scalar, list, map). Filled by its maker, or by `expand` at the first use."""

    def __cinit__(self, int scalar=NOTHING, *, object expand=None):
        self.scalar = scalar
        self.keys = ()
        self.key_defaults = {}
        self.fields = {}
        self.expand = expand

    def set_scalar(self, int scalar):
        self.scalar = scalar

    def set_list(self, FieldType item, *, bint atomic, tuple keys=(), dict key_defaults=None):
        cdef list heads = []
        self.has_list = True
        self.list_atomic = atomic
        self.item = item
        self.keys = keys
        self.key_defaults = key_defaults or {}
        self.sorted_keys = tuple(sorted(keys))
        for name in self.sorted_keys:
            heads.append(("," if heads else "k:{") + json_string(name) + ":")
        self.key_heads = tuple(heads)

    def set_map(self, dict fields, FieldType value, *, bint atomic):
        self.has_map = True
        self.map_atomic = atomic
        self.value = value
        self.fields = {intern(name): ("f:" + name, field) for name, field in fields.items()}

    def set_anything(self):
        self.anything = True

    def field(self, str name):
        """The type of a declared field; None if it is not declared."""
        resolve(self)
        slot = self.fields.get(name)
        return None if slot is None else slot[1]

    def resolved(self):
        resolve(self)
        return self


cdef object expanding = threading.RLock()


cdef int resolve(FieldType type_) except -1:
    if type_.expand is not None:
        # Both threads that walk objects may come here: what is filled once is never replaced below the other's feet.
        with expanding:
            if type_.expand is not None:
                expand = type_.expand
                expand(type_)
                type_.expand = None
    return 0


cdef int handler(FieldType type_, object value) noexcept:
    """The atom that is asked about `value`: the one that fits, else map, scalar, list, whichever there is first."""
    if PyDict_CheckExact(value):
        if type_.has_map:
            return BY_MAP
    elif PyList_CheckExact(value):
        if type_.has_list:
            return BY_LIST
    elif value is not None and type_.scalar:
        return BY_SCALAR
    if type_.has_map:
        return BY_MAP
    if type_.scalar:
        return BY_SCALAR
    return BY_LIST if type_.has_list else BY_NONE


cdef str item_label(FieldType list_type, object item):
    """The path element of a list's item; None if it has none."""
    cdef list parts
    cdef Py_ssize_t i
    cdef PyObject *found
    if not list_type.keys:
        if item is None or PyDict_CheckExact(item) or PyList_CheckExact(item):
            return None
        return "v:" + json_text(item)
    if not PyDict_CheckExact(item):
        return None
    if len(list_type.sorted_keys) == 1:
        found = PyDict_GetItem(item, list_type.sorted_keys[0])
        if found is not NULL:
            return <str> list_type.key_heads[0] + json_text(<object> found) + "}"
    parts = []
    for i in range(len(list_type.sorted_keys)):
        found = PyDict_GetItem(item, list_type.sorted_keys[i])
        if found is not NULL:
            value = <object> found
        else:
            # Without the key, and without a default, the item is told apart by its other keys.
            value = list_type.key_defaults.get(list_type.sorted_keys[i])
            if value is None:
                continue
        parts.append(list_type.key_heads[i] if parts or not i else "k:{" + (<str> list_type.key_heads[i])[1:])
        parts.append(json_text(value))
    if not parts:
        return None
    parts.append("}")
    return "".join(parts)


def label_of(FieldType list_type not None, object item):
    return item_label(list_type, item)


def value_text(object value):
    return json_text(value)


# --- the set of all fields below a value ---------------------------------------------------------


cdef int put_value(
    dict out, str label, FieldType type_, object value, object exclude, list todo, list maybe_empty
) except -1:
    """Make `value` a member with everything below it; containers are filled later from `todo`. 0: does not conform."""
    cdef int by
    cdef dict child
    resolve(type_)
    by = handler(type_, value)
    if not own_atom_fits(type_, by, value):
        return 0
    if exclude is not None and SELF in <dict> exclude and (by == BY_SCALAR or not value):
        return 1
    if by == BY_SCALAR or value is None or not value:
        out[label] = {}
        return 1
    if type_.map_atomic if by == BY_MAP else type_.list_atomic:
        out[label] = {}
        return type_.anything or conforms_to(type_, value, True)
    if exclude is None:
        child = {SELF: {}}
    else:
        child = {} if SELF in <dict> exclude else {SELF: {}}
        maybe_empty.append((out, label, child))
    out[label] = child
    todo.append((child, type_, value, exclude))
    return 1


cdef int fill_containers(list todo, list maybe_empty) except -1:
    """Fill the containers of `todo`, in order. 0: does not conform."""
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t pos
    cdef dict out
    cdef FieldType type_
    while todo:
        out, type_, value, exclude = todo.pop()
        if PyList_CheckExact(value):
            if not fill_list(out, type_, <list> value, todo, maybe_empty):
                return 0
        elif is_sorted(<dict> value):
            pos = 0
            while PyDict_Next(value, &pos, &key, &child):
                give_way()
                if not put_field(out, type_, <object> key, <object> child, exclude, todo, maybe_empty):
                    return 0
        else:
            names = sort_giving_way(list(<dict> value))
            for name in names:
                give_way()
                if not put_field(out, type_, name, (<dict> value)[name], exclude, todo, maybe_empty):
                    return 0
    return 1


cdef int put_field(
    dict out, FieldType type_, object name, object child, object exclude, list todo, list maybe_empty
) except -1:
    cdef PyObject *found = PyDict_GetItem(type_.fields, name)
    cdef FieldType child_type
    cdef object below = None
    cdef str label
    if found is not NULL:
        label = <str> (<tuple> <object> found)[0]
        child_type = <FieldType> (<tuple> <object> found)[1]
    elif type_.value is None:
        return 0
    else:
        label = "f:" + <str> name
        child_type = type_.value
    if exclude is not None:
        found = PyDict_GetItem(exclude, label)
        if found is not NULL:
            below = <object> found
            if not below:
                return conforms_quickly(child_type, child)
    if simple_fits(child_type, child):
        # A scalar, the common case; but a field without a place of its own (`.` excluded) is no member.
        if below is None or SELF not in <dict> below:
            out[label] = {}
        return 1
    return put_value(out, label, child_type, child, below, todo, maybe_empty)


cdef list sorted_labels(FieldType type_, dict items):
    """The labels of a list's items in canonical order: by their keys' values, or by the values of a set."""
    cdef list order
    cdef list labels = []
    cdef list values
    cdef PyObject *found
    if len(items) < 2:
        return list(items)
    order = []
    for label, item in items.items():
        give_way()
        if not type_.keys:
            order.append((value_order(item), label))
        elif len(type_.sorted_keys) == 1:
            found = PyDict_GetItem(item, type_.sorted_keys[0])
            value = <object> found if found is not NULL else type_.key_defaults.get(type_.sorted_keys[0])
            order.append((value_order(value), label))
        else:
            values = []
            for key in type_.sorted_keys:
                value = (<dict> item).get(key, type_.key_defaults.get(key))
                if value is not None or key in <dict> item:
                    values.append((key, value_order(value)))
            order.append((values, label))
    order = sort_giving_way(order)
    for _, label in order:
        give_way()
        labels.append(label)
    drop_list(order)
    return labels


cdef int fill_by_text(dict out, FieldType type_, list items, list todo, list maybe_empty) except -1:
    """`fill_list` of maps that one text each tells apart, by far the most; 2: they are no such maps."""
    cdef PyObject *found
    cdef dict seen = {}
    cdef dict pattern = None
    cdef list ordered = items
    cdef str last = ""
    cdef str label
    cdef bint in_order = True
    cdef object key = type_.sorted_keys[0]
    cdef str head = <str> type_.key_heads[0]
    cdef Row row
    for item in items:
        give_way()
        found = PyDict_GetItem(item, key) if PyDict_CheckExact(item) else NULL
        if found is NULL or not PyUnicode_CheckExact(<object> found):
            return 2
        in_order = in_order and last <= <str> <object> found
        last = <str> <object> found
        seen[last] = item
    if len(seen) < len(items):
        return 2
    if not in_order:
        ordered = [seen[name] for name in sort_giving_way(list(seen))]
    row.count = -1
    resolve(type_.item)
    for item in ordered:
        give_way()
        label = key_label(head, <str> <object> PyDict_GetItem(item, key))
        if pattern is None or not is_like(item, &row):
            pattern = pattern_of(type_.item, item, &row)
        if pattern is not None:
            out[label] = pattern.copy()
        elif not put_value(out, label, type_.item, item, None, todo, maybe_empty):
            return 0
    if len(seen) > 256:
        drop_dict(seen)
    return 1


cdef dict pattern_of(FieldType type_, dict item, Row *row):
    """The fields of a map in a list that holds scalars alone, as most do; None of others. Nobody changes a set, so its
    leaves are one."""
    cdef dict leaf = {}
    cdef dict pattern = {SELF: leaf}
    cdef Py_ssize_t i
    if not type_.has_map or type_.map_atomic:
        return None
    read_row(type_, item, row)
    if not is_like(item, row):
        return None
    for i in range(row.count):
        pattern[<object> row.labels[i]] = leaf
    return pattern


cdef int fill_list(dict out, FieldType type_, list items, list todo, list maybe_empty) except -1:
    cdef str label
    cdef dict seen = {}
    cdef set repeated = None
    cdef int done
    if len(type_.sorted_keys) == 1:
        done = fill_by_text(out, type_, items, todo, maybe_empty)
        if done != 2:
            return done
    for item in items:
        give_way()
        label = item_label(type_, item)
        if label is None:
            return 0
        if label in seen:
            if repeated is None:
                repeated = set()
            repeated.add(label)
            if not conforms_to(type_.item, item, True):
                return 0
        else:
            seen[label] = item
    for label in sorted_labels(type_, seen):
        give_way()
        # Repeated items are one member: nothing tells which of them a field below belongs to.
        if repeated is not None and label in repeated:
            out[label] = {}
            if not conforms_to(type_.item, seen[label], True):
                return 0
        elif not put_value(out, label, type_.item, seen[label], None, todo, maybe_empty):
            return 0
    drop_dict(seen)
    return 1


def added(FieldType type_ not None, dict value not None, dict exclude not None):
    """All fields of an object that was not there before, without `exclude`; None if it does not conform."""
    cdef dict out = {}
    cdef list maybe_empty = []
    cdef list todo = [(out, type_, value, exclude)]
    resolve(type_)
    if not fill_containers(todo, maybe_empty):
        return None
    if type_.map_atomic:  # an object that is owned whole has no path by which it could be
        return {}
    take_out_empty(maybe_empty)
    return out


# --- conformance ---------------------------------------------------------------------------------


def conforms(FieldType type_ not None, object value, bint allow_duplicates):
    return bool(conforms_to(type_, value, allow_duplicates))


cdef int conforms_to(FieldType type_, object value, bint allow_duplicates) except -1:
    resolve(type_)
    if type_.anything:
        return 1
    cdef list todo = [(type_, value)]
    cdef int fits = all_conform(todo, allow_duplicates)
    drop_list(todo)
    return fits


cdef int all_conform(list todo, bint allow_duplicates) except -1:
    """Whether the values of the pairs in `todo` fit their types. Some are left where one does not."""
    cdef FieldType type_, child_type
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos
    cdef Entries entries
    cdef Known known
    cdef int by
    cdef set seen
    while todo:
        type_, value = todo.pop()
        resolve(type_)
        by = handler(type_, value)
        if not own_atom_fits(type_, by, value):
            return 0
        if by == BY_MAP and value:
            pos = 0
            entries = entries_of(<PyObject *> value)
            while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
                give_way()
                child_type = type_below_name(type_, <object> key)
                if child_type is None:
                    return 0
                if not child_type.anything and not simple_fits(child_type, <object> child):
                    todo.append((child_type, <object> child))
        elif by == BY_LIST and value:
            known.count = 0
            seen = None if type_.list_atomic or allow_duplicates else set()
            for item in <list> value:
                give_way()
                if not type_.list_atomic:
                    label = item_label(type_, item)
                    if label is None:
                        return 0
                    if seen is not None:
                        if label in seen:
                            return 0
                        seen.add(label)
                if (
                    not type_.item.anything
                    and not simple_fits(type_.item, item)
                    and not plain_map_fits(type_.item, item, &known)
                ):
                    todo.append((type_.item, item))
            if seen is not None:
                drop_set(seen)
    return 1


cdef enum:
    KNOWN_MAX = 8

cdef struct Known:
    # Fields that were looked up before, by the identity of their names: the maps of a list mostly share those.
    int count
    PyObject *names[KNOWN_MAX]
    PyObject *types[KNOWN_MAX]


cdef bint plain_map_fits(FieldType type_, object value, Known *known) noexcept:
    """A map of nothing but scalars that certainly conforms, without a turn through the stack. `known` is of this type.

    The names live as long as what is looked at, and the types as long as `type_`.
    """
    cdef PyObject *child_type
    cdef PyObject *found
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef Entries entries
    cdef Py_ssize_t pos = 0
    cdef int i
    if not PyDict_CheckExact(value) or not type_.has_map or type_.expand is not None:
        return False
    entries = entries_of(<PyObject *> value)
    while next_entry(<PyObject *> value, &entries, &pos, &key, &child):
        give_way()
        child_type = NULL
        for i in range(known.count):
            if known.names[i] == key:
                child_type = known.types[i]
                break
        if child_type == NULL:
            found = PyDict_GetItem(type_.fields, <object> key)
            child_type = PyTuple_GET_ITEM(<object> found, 1) if found is not NULL else <PyObject *> type_.value
            if known.count < KNOWN_MAX:
                known.names[known.count] = key
                known.types[known.count] = child_type
                known.count += 1
        if <object> child_type is None or not simple_fits(<FieldType> child_type, <object> child):
            return False
    return True


cdef int conforms_quickly(FieldType type_, object value) except -1:
    """What is left out of a comparison still has to conform."""
    return value is None or simple_fits(type_, value) or conforms_to(type_, value, True)
