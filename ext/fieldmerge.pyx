# cython: language_level=3
"""What server-side apply does to objects and sets of fields. Contract: _kernels/fieldmerge.pyi.

merge(type, live, config)        the live object with what is applied laid over it
remove_items(type, value, set)   the object without the members of a set
with_named_fields(type, set)     the set with every declared field above its members
reconcile(type, set)             the set as a type that became atomic has it

The form of a set, and how the walks keep their stacks, stands in fieldset.pyx.
Source: structured-merge-diff v6, typed/merge.go, remove.go, reconcile_schema.go; fieldpath/set.go.
"""

from cpython.object cimport PyObject

from quarterdeck._kernels.fieldset cimport order_set
from quarterdeck._kernels.fieldtype cimport UNTYPED, FieldType, handler, item_label, resolve, type_below_name
from quarterdeck._kernels.giveway cimport drop_list, drop_set, give_way


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)


cdef enum:
    BY_MAP = 0
    BY_SCALAR = 1
    BY_LIST = 2

cdef str SELF = "."


cdef inline FieldType type_below(FieldType type_, str label):
    """The type of a path element in a map; None where the type has nothing to say."""
    return type_below_name(type_, label[2:]) if label[0] == c'f' else type_.value


# --- merge ---------------------------------------------------------------------------------------


def merge(FieldType type_ not None, object live, object config):
    """Shares with both what only one of them has. Both conform; only `live` may hold items twice."""
    return merge_objects(type_, live, config)


cdef object merge_objects(FieldType type_, object live, object config):
    cdef list todo = []
    cdef object out = merged(type_, live, config, todo)
    cdef dict fields
    while todo:
        made, type_, left, right = todo.pop()
        if PyList_CheckExact(made):
            merge_lists(<list> made, type_, left or [], right or [], todo)
            continue
        fields = <dict> made
        if left:
            fields.update(<dict> left)
        for name, value in (<dict> right or {}).items():
            give_way()
            if name not in fields:
                fields[name] = value
            else:
                fields[name] = merged(type_below_name(type_, name), fields[name], value, todo)
    return out


cdef object merged(FieldType type_, object live, object config, list todo):
    """A value that both have. A container comes back empty, to be filled from `todo`."""
    cdef int by
    cdef object made
    resolve(type_)
    by = handler(type_, config)
    if by == BY_MAP and not type_.map_atomic:
        left = live if PyDict_CheckExact(live) else None
        right = config if PyDict_CheckExact(config) else None
        made = {}
    elif by == BY_LIST and not type_.list_atomic:
        left = live if PyList_CheckExact(live) else None
        right = config if PyList_CheckExact(config) else None
        made = []
    else:
        return config
    if not left:
        return config
    if not right:
        return live
    todo.append((made, type_, left, right))
    return made


cdef int merge_lists(list out, FieldType type_, list left, list right, list todo) except -1:
    """The items of both. Those of `right` keep its order; those of `left` alone stay where they were, if they can."""
    cdef list left_labels = []
    cdef list right_labels = []
    cdef dict lefts = {}
    cdef dict rights = {}
    cdef list shared = []
    cdef set done = set()
    cdef Py_ssize_t at_left = 0, at_right = 0, at_shared = 0
    cdef str label, wanted
    for item in left:
        give_way()
        label = item_label(type_, item)
        # What occurs more than once is not merged with the new value but replaced by it.
        lefts[label] = None if label in lefts else item
        left_labels.append(label)
    for item in right:
        give_way()
        label = item_label(type_, item)
        rights[label] = item
        right_labels.append(label)
    for label in right_labels:
        give_way()
        if label in lefts:
            shared.append(label)
    while at_left < len(left_labels) or at_right < len(right_labels):
        give_way()
        wanted = shared[at_shared] if at_shared < len(shared) else None
        if at_left < len(left_labels) and at_right < len(right_labels):
            label = left_labels[at_left]
            if label == right_labels[at_right]:
                out.append(merged(type_.item, lefts[label], rights[label], todo))
                done.add(label)
                at_left += 1
                at_right += 1
                at_shared += 1
                continue
            if label in rights and wanted is not None and wanted != label:
                at_left += 1
                continue
        if at_left < len(left_labels):
            label = left_labels[at_left]
            if label not in rights:
                out.append(left[at_left])
                at_left += 1
                continue
            if label in done:
                at_left += 1
        if at_right < len(right_labels):
            label = right_labels[at_right]
            out.append(merged(type_.item, lefts[label], rights[label], todo) if label in lefts else rights[label])
            done.add(label)
            at_right += 1
            if wanted is not None and wanted == label:
                at_shared += 1
    drop_set(done)
    drop_list(shared)
    drop_list(left_labels)
    drop_list(right_labels)
    return 0


# --- removal -------------------------------------------------------------------------------------


def remove_items(FieldType type_ not None, dict value not None, dict fields not None):
    """Without the members of `fields`. A container that lost everything stays, empty."""
    cdef dict out = {}
    cdef list todo = [(out, type_, value, fields)]
    cdef PyObject *found
    cdef FieldType child_type
    cdef dict node, below
    cdef str label
    if not fields:
        return value
    while todo:
        made, type_, source, node = todo.pop()
        resolve(type_)
        if PyList_CheckExact(made):
            for item in <list> source:
                give_way()
                label = item_label(type_, item)
                found = PyDict_GetItem(node, label)
                if found is NULL:
                    (<list> made).append(item)
                    continue
                below = <object> found
                if not below or SELF in below:
                    continue
                (<list> made).append(without(type_.item, item, below, todo))
            continue
        for name, item in (<dict> source).items():
            give_way()
            found = PyDict_GetItem(type_.fields, name)
            if found is not NULL:
                label, child_type = <tuple> <object> found
            else:
                label, child_type = "f:" + <str> name, type_.value
            found = PyDict_GetItem(node, label)
            if found is NULL:
                (<dict> made)[name] = item
                continue
            below = <object> found
            if not below or SELF in below:
                continue
            (<dict> made)[name] = without(child_type, item, below, todo)
    return out


cdef object without(FieldType type_, object item, dict below, list todo):
    cdef int by
    cdef object made
    resolve(type_)
    by = handler(type_, item)
    if by == BY_SCALAR or item is None:
        return item
    made = {} if PyDict_CheckExact(item) else []
    if item and not (type_.map_atomic if by == BY_MAP else type_.list_atomic):
        todo.append((made, type_, item, below))
    return made


# --- sets and types ------------------------------------------------------------------------------


def with_named_fields(FieldType type_, dict fields not None):
    """With every declared field above a member as a member itself. Shares nothing that it changes."""
    cdef dict out = {}
    cdef list todo = [(out, type_, fields)]
    cdef dict made, node, child, grown
    cdef FieldType node_type, child_type
    cdef str label
    cdef bint declared
    while todo:
        made, node_type, node = todo.pop()
        if node_type is not None:
            resolve(node_type)
        for label, child in node.items():
            give_way()
            if not child:
                made[label] = child
                continue
            declared = False
            child_type = None
            if node_type is not None:
                if label[0] == c'f' and node_type.has_map:
                    declared = PyDict_GetItem(node_type.fields, label[2:]) is not NULL
                    child_type = type_below(node_type, label)
                elif label[0] == c'k' and node_type.has_list:
                    child_type = node_type.item
            grown = {SELF: {}} if declared else {}
            made[label] = grown
            todo.append((grown, child_type, child))
    return out


def atomic_paths(FieldType type_ not None, dict fields not None):
    """A set of the nodes of `fields` that have children although their type is atomic; {} if there are none."""
    return atomic_nodes(type_, fields)


cdef dict atomic_nodes(FieldType type_, dict fields):
    cdef list todo
    cdef dict out = {}
    cdef dict node, child
    cdef FieldType child_type
    cdef str label
    todo = [(None, None, type_, fields)]
    while todo:
        item = todo.pop()
        type_, node = item[2], item[3]
        resolve(type_)
        if type_.has_map:
            if not type_.fields and is_deduced(type_.value):
                continue
            if type_.map_atomic:
                insert(out, item)
                continue
            for label, child in node.items():
                give_way()
                if child:
                    child_type = type_below(type_, label)
                    if child_type is not None:
                        todo.append((item, label, child_type, child))
        elif type_.has_list and not type_.scalar:
            if type_.list_atomic:
                insert(out, item)
                continue
            for label, child in node.items():
                give_way()
                if child:
                    todo.append((item, label, type_.item, child))
    return order_set(out) if len(out) > 1 else out


cdef bint is_deduced(FieldType type_) except -1:
    if type_ is None:
        return False
    resolve(type_)
    return type_.scalar == UNTYPED and not type_.map_atomic


cdef int insert(dict out, tuple item) except -1:
    cdef list path = []
    cdef dict node
    while item[1] is not None:
        path.append(item[1])
        item = item[0]
    if not path:
        return 0
    path.reverse()
    for label in path:
        node = out.get(label)
        if node is None:
            node = {}
            out[label] = node
        out = node
    return 0
