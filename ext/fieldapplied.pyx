# cython: language_level=3
"""The fields that somebody owns who applies an object. Contract: _kernels/fieldapplied.pyi.

The form of a set, and how the walks keep their stacks, stands in fieldset.pyx; types in fieldtype.pyx.
Source: structured-merge-diff v6, typed/tofieldset.go.
"""

from cpython.object cimport PyObject

from quarterdeck._kernels.fieldset cimport take_out_empty
from quarterdeck._kernels.fieldtype cimport (
    BY_MAP,
    BY_SCALAR,
    FieldType,
    handler,
    item_label,
    resolve,
    sorted_labels,
)
from quarterdeck._kernels.giveway cimport drop_dict, drop_set, give_way, sort_giving_way


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)


cdef str SELF = "."


def to_set(FieldType type_ not None, object value):
    """What somebody who applies `value` owns: its leaves, items and undeclared fields. `value` conforms."""
    return applied_set(type_, value)


cdef dict applied_set(FieldType type_, object value):
    cdef dict out = {}
    cdef dict node, child
    cdef list maybe_empty = []
    cdef list todo = []
    cdef FieldType node_type, child_type
    cdef dict items = None
    cdef PyObject *found
    cdef str label
    cdef bint member
    cdef int by
    resolve(type_)
    if value and not type_.map_atomic:  # an object that is owned whole has no path by which it could be
        todo.append((out, type_, value))
    while todo:
        node, node_type, value = todo.pop()
        if items is not None:
            drop_dict(items)
        items = None
        if PyList_CheckExact(value):
            items = applied_items(node, node_type, <list> value)
            names = list(items)
        else:
            names = sort_giving_way(list(<dict> value))
        for name in names:
            give_way()
            if items is not None:
                item = items[name]
                label, child_type, member = name, node_type.item, True
            else:
                item = (<dict> value)[name]
                found = PyDict_GetItem(node_type.fields, name)
                if found is not NULL:
                    label = <str> (<tuple> <object> found)[0]
                    child_type = <FieldType> (<tuple> <object> found)[1]
                    member = item is None or (PyDict_CheckExact(item) and not item)
                else:
                    label, child_type, member = "f:" + <str> name, node_type.value, True
            resolve(child_type)
            by = handler(child_type, item)
            if by == BY_SCALAR or (child_type.map_atomic if by == BY_MAP else child_type.list_atomic):
                node[label] = {}
            elif not item:
                if member:
                    node[label] = {}
            else:
                child = {SELF: {}} if member else {}
                node[label] = child
                maybe_empty.append((node, label, child))
                todo.append((child, child_type, item))
    take_out_empty(maybe_empty)
    return out


cdef dict applied_items(dict out, FieldType type_, list items):
    """The items by label, in order; what occurs more than once is a member right away and left out."""
    cdef dict once = {}
    cdef dict seen = {}
    cdef set repeated = set()
    cdef str label
    for item in items:
        give_way()
        label = item_label(type_, item)
        if label in seen:
            repeated.add(label)
        else:
            seen[label] = item
    for label in sorted_labels(type_, seen):
        give_way()
        out[label] = {}
        if label not in repeated:
            once[label] = seen[label]
    drop_set(repeated)
    drop_dict(seen)
    return once
