# cython: language_level=3
"""Sets of fields: the arithmetic of managedFields. Contract: _kernels/fieldset.pyi.

A set is a nested dict in the form of FieldsV1. A key is a path element (`f:name`, `k:{…}`, `v:…`, `i:…`) or `.`, which
stands for the node itself; the value is what is owned below. Invariants:

1. Below the root, `{}` is a member without children.
2. A node with children is a member exactly if it holds `.`; no other node is empty, none holds `.` alone.
3. The keys of a node stand in canonical order: `.`, then fields, keys, values, indexes, each by its value.

    {"f:spec": {"f:color": {}, "f:more": {".": {}, "f:a": {}}}}      .spec.color   .spec.more   .spec.more.a

Differs from upstream: integers that are the same as float64 alone (`v:9007199254740993`) are different path elements.

Every walk keeps its own stack: the depth of an object is its sender's choice. What is still to do is a list of tuples;
a container is hung into its parent first and filled later, and what stayed empty is taken out at the end, in the
reverse order of its making. Inputs are never changed; results may share nodes with them.
Source: structured-merge-diff v6, fieldpath/set.go, element.go, serialize-pe.go.
"""

import json as _json

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport drop_list, give_way, sort_giving_way


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyFloat_CheckExact(object value)
    bint PyBool_Check(object value)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t index)


cdef str SELF = "."

# The type of a set, for annotations.
Set = dict


# --- path elements -------------------------------------------------------------------------------


cdef str json_string(str text):
    """As json-iterator writes it: <, > and & escaped too."""
    cdef Py_UCS4 char
    cdef Py_ssize_t begin = 0
    cdef Py_ssize_t at
    cdef list parts
    for at in range(len(text)):
        if is_escaped(text[at]):
            break
    else:
        return '"' + text + '"'
    parts = ['"']
    for at in range(at, len(text)):
        char = text[at]
        if not is_escaped(char):
            continue
        give_way()
        parts.append(text[begin:at])
        begin = at + 1
        if char == c'"' or char == c'\\':
            parts.append("\\" + char)
        elif char == c'\n':
            parts.append("\\n")
        elif char == c'\r':
            parts.append("\\r")
        elif char == c'\t':
            parts.append("\\t")
        else:
            parts.append(f"\\u{<int> char:04x}")
    parts.append(text[begin:])
    parts.append('"')
    text = "".join(parts)
    drop_list(parts)
    return text


cdef str json_float(double value):
    """The shortest digits, as json-iterator writes them; an exponent of two digits or more below 1e-6 and from 1e21."""
    cdef str text = repr(value)
    cdef double size = abs(value)
    if size != 0 and (size < 1e-6 or size >= 1e21):
        digits, _, exponent = text.partition("e")
        if not exponent:
            return text
        digits = digits.removesuffix(".0")
        return f"{digits}e{exponent}"
    if "e" in text:
        digits, _, exponent = text.partition("e")
        sign = "-" if digits.startswith("-") else ""
        whole, _, fraction = digits.lstrip("-").partition(".")
        if size < 1:
            text = sign + "0." + "0" * (-int(exponent) - 1) + whole + fraction
        else:
            text = sign + (whole + fraction).ljust(int(exponent) + 1, "0")
    return text.removesuffix(".0")


cdef str json_text(object value):
    """A key's or set item's value. What is no scalar has no place in a path: it is shown by its brackets alone."""
    if PyUnicode_CheckExact(value):
        return json_string(<str> value)
    if value is None:
        return "null"
    if PyBool_Check(value):
        return "true" if value else "false"
    if PyFloat_CheckExact(value):
        return json_float(value)
    if PyDict_CheckExact(value):
        return "{}"
    if PyList_CheckExact(value):
        return "[]"
    return str(value)


cdef object value_order(object value):
    """Sorts values of any kind: numbers, text, booleans, lists, maps, null."""
    if PyUnicode_CheckExact(value):
        return (1, value)
    if PyBool_Check(value):
        return (2, value)
    if value is None:
        return (5,)
    if PyDict_CheckExact(value):
        return (4,)
    if PyList_CheckExact(value):
        return (3,)
    return (0, value)


cdef object label_order(str label):
    cdef Py_UCS4 kind = label[0]
    cdef str value
    cdef Py_ssize_t colon
    if kind == c'.':
        return (0,)
    if kind == c'f':
        return (1, label)
    if kind == c'i':
        return (4, int(label[2:]))
    if "\\" not in label:
        # By far the most: one text, or one key with a text or a natural number.
        if kind == c'v' and label[2] == c'"':
            return (3, (1, label[3:-1]))
        colon = label.find('":')
        value = label[colon + 2:-1]
        if kind == c'k' and label.find('":', colon + 2) < 0:
            if value[:1] == '"':
                return (2, [(label[4:colon], (1, value[1:-1]))])
            if value.isdecimal():
                return (2, [(label[4:colon], (0, int(value)))])
    if kind == c'k':
        fields = _json.loads(label[2:])
        return (2, [(name, value_order(fields[name])) for name in sorted(fields)])
    return (3, value_order(_json.loads(label[2:])))


def is_well_formed(object fields):
    """Whether this is a set at all: nothing but dicts, and path elements as keys. Order is not looked at."""
    return bool(well_formed(fields))


cdef int well_formed(object fields) except -1:
    cdef list todo
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t pos
    cdef Py_UCS4 kind
    if not PyDict_CheckExact(fields):
        return 0
    todo = [fields]
    while todo:
        node = todo.pop()
        pos = 0
        while PyDict_Next(node, &pos, &key, &value):
            give_way()
            if not PyDict_CheckExact(<object> value):
                return 0
            if len(<dict> <object> value):
                todo.append(<object> value)
            label = <object> key
            if not PyUnicode_CheckExact(label) or len(<str> label) < 2:
                if label == SELF and node is not fields and not len(<dict> <object> value):
                    continue
                return 0
            kind = PyUnicode_READ_CHAR(label, 0)
            if PyUnicode_READ_CHAR(label, 1) != c':':
                return 0
            if kind != c'f':
                if kind != c'k' and kind != c'v' and kind != c'i':
                    return 0
                try:
                    label_order(label)
                except (ValueError, TypeError, AttributeError, IndexError):
                    return 0
    return 1


cdef bint in_order(dict node):
    """Whether the keys stand in order already; only fields are looked at, anything else counts as disorder."""
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t pos = 0
    cdef str last = ""
    if len(node) < 2:
        return True
    while PyDict_Next(node, &pos, &key, &value):
        give_way()
        label = <str> <object> key
        if label <= last or not (PyUnicode_READ_CHAR(label, 0) == c'f' or label == SELF):
            return False
        last = label
    return True


cdef dict ordered_level(dict node):
    cdef list labels
    cdef dict ordered = {}
    cdef str label
    if in_order(node):
        return node
    labels = list(node)
    for label in labels:
        give_way()
        if PyUnicode_READ_CHAR(label, 0) != c'f' and label != SELF:
            labels = sort_by_order(labels)
            break
    else:
        labels = sort_giving_way(labels)
    for label in labels:
        give_way()
        ordered[label] = node[label]
    return ordered


cdef list sort_by_order(list labels):
    """By `label_order`; equal ones as they stand."""
    cdef list keyed = []
    cdef list ordered = []
    cdef Py_ssize_t i
    for i in range(len(labels)):
        give_way()
        keyed.append((label_order(labels[i]), i))
    keyed = sort_giving_way(keyed)
    for _, place in keyed:
        give_way()
        ordered.append(labels[place])
    drop_list(keyed)
    return ordered


cdef int sort_in_place(dict node) except -1:
    cdef dict sorted_node = ordered_level(node)
    if sorted_node is not node:
        node.clear()
        node.update(sorted_node)
    return 0


cdef dict order_set(dict fields):
    """The same set with every node's keys in canonical order."""
    cdef dict out = ordered_level(fields.copy())
    cdef dict node, child
    cdef list todo = [out]
    while todo:
        node = todo.pop()
        for label in node:
            give_way()
            child = node[label]
            if child:
                child = ordered_level(child.copy())
                node[label] = child
                todo.append(child)
    return out


# --- equality of values --------------------------------------------------------------------------


cdef int same_plainly(object a, object b) except -1:
    """Of two maps with the same names in the same order and nothing but scalars in them; -1 is for exceptions alone,
    2 says that it takes a closer look."""
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *other_key = NULL
    cdef PyObject *other = NULL
    cdef Py_ssize_t pos = 0
    cdef Py_ssize_t other_pos = 0
    cdef Entries entries
    cdef Entries others
    if not PyDict_CheckExact(a) or not PyDict_CheckExact(b) or len(<dict> a) != len(<dict> b):
        return 2
    entries = entries_of(<PyObject *> a)
    others = entries_of(<PyObject *> b)
    while next_entry(<PyObject *> a, &entries, &pos, &key, &child):
        give_way()
        if not next_entry(<PyObject *> b, &others, &other_pos, &other_key, &other) or other_key != key:
            return 2
        if child == other:
            continue
        if PyDict_CheckExact(<object> child) or PyList_CheckExact(<object> child):
            return 2
        if not scalars_same(<object> child, <object> other):
            return 0
    return 1


cdef int same(object a, object b) except -1:
    """Equality of values: 1 equals 1.0, but not true."""
    cdef int plainly
    cdef Entries entries
    cdef list todo
    cdef PyObject *key = NULL
    cdef PyObject *child = NULL
    cdef PyObject *other
    cdef Py_ssize_t pos, i
    if a is b:
        return 1
    if PyUnicode_CheckExact(a):
        return PyUnicode_CheckExact(b) and a == b
    if not (PyDict_CheckExact(a) or PyList_CheckExact(a)):
        return scalars_same(a, b)
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if PyDict_CheckExact(a):
            if not PyDict_CheckExact(b) or len(<dict> a) != len(<dict> b):
                return 0
            pos = 0
            entries = entries_of(<PyObject *> a)
            while next_entry(<PyObject *> a, &entries, &pos, &key, &child):
                give_way()
                other = PyDict_GetItem(b, <object> key)
                if other is NULL:
                    return 0
                if other is child:
                    continue
                if PyDict_CheckExact(<object> child) or PyList_CheckExact(<object> child):
                    todo.append((<object> child, <object> other))
                elif not scalars_same(<object> child, <object> other):
                    return 0
        elif PyList_CheckExact(a):
            if not PyList_CheckExact(b) or len(<list> a) != len(<list> b):
                return 0
            for i in range(len(<list> a)):
                give_way()
                left = (<list> a)[i]
                right = (<list> b)[i]
                if PyDict_CheckExact(left) or PyList_CheckExact(left):
                    plainly = same_plainly(left, right)
                    if not plainly:
                        return 0
                    if plainly == 2:
                        todo.append((left, right))
                elif not scalars_same(left, right):
                    return 0
        elif not scalars_same(a, b):
            return 0
    return 1


cdef int scalars_same(object a, object b) except -1:
    if a is b:
        return 1
    if PyUnicode_CheckExact(a):
        return PyUnicode_CheckExact(b) and a == b
    if a is None or b is None or PyBool_Check(a) or PyBool_Check(b) or PyUnicode_CheckExact(b) \
            or PyDict_CheckExact(b) or PyList_CheckExact(b):
        return 0
    if PyFloat_CheckExact(a) or PyFloat_CheckExact(b):
        return float(a) == float(b)
    return a == b


def equal(object a, object b):
    return bool(same(a, b))


# --- arithmetic ----------------------------------------------------------------------------------


cdef int take_out_empty(list hung) except -1:
    """Restore the invariants where a container, which was hung in before it was filled, stayed empty."""
    cdef dict parent, child
    for parent, label, child in reversed(hung):
        give_way()
        if not child:
            del parent[label]
        elif len(child) == 1 and SELF in child:
            parent[label] = {}
    return 0


cdef inline int is_member(dict node) except -1:
    return len(node) == 0 or SELF in node


cdef inline int has_children(dict node) except -1:
    return len(node) > 1 or (len(node) == 1 and SELF not in node)


cdef dict with_self(dict node, bint member):
    """A node that has children, as a member or not."""
    cdef dict out
    if (SELF in node) == member:
        return node
    if member:
        out = {SELF: {}}
        out.update(node)
    else:
        out = node.copy()
        del out[SELF]
    return out


cdef dict combine(dict left, dict right, int operation):
    cdef dict out = {}
    cdef dict node, a, b, below_a, below_b, child
    cdef list todo = [(out, left, right)]
    cdef list hung = []
    cdef PyObject *key
    cdef PyObject *value
    cdef PyObject *found
    cdef Py_ssize_t pos
    cdef bint member, grew
    while todo:
        node, a, b = todo.pop()
        pos = 0
        while PyDict_Next(a, &pos, &key, &value):
            give_way()
            label = <str> <object> key
            if label == SELF:
                continue
            below_a = <object> value
            found = PyDict_GetItem(b, label)
            if found is NULL:
                if operation != INTERSECTION:
                    node[label] = below_a
                continue
            below_b = <object> found
            if operation == UNION:
                member = is_member(below_a) or is_member(below_b)
            elif operation == INTERSECTION:
                member = is_member(below_a) and is_member(below_b)
            elif operation == DIFFERENCE:
                member = is_member(below_a) and not is_member(below_b)
            elif is_member(below_b):
                continue
            else:
                member = is_member(below_a)
            if has_children(below_a) and has_children(below_b):
                child = {SELF: {}} if member else {}
                node[label] = child
                hung.append((node, label, child))
                todo.append((child, below_a, below_b))
            elif has_children(below_a) and operation != INTERSECTION:
                node[label] = with_self(below_a, member)
            elif has_children(below_b) and operation == UNION:
                node[label] = with_self(below_b, member)
            elif member:
                node[label] = {}
        if operation == UNION:
            grew = False
            pos = 0
            while PyDict_Next(b, &pos, &key, &value):
                give_way()
                if PyDict_GetItem(a, <object> key) is NULL and <object> key != SELF:
                    node[<object> key] = <object> value
                    grew = True
            if grew:
                sort_in_place(node)
    take_out_empty(hung)
    return out


def union(dict left not None, dict right not None):
    if not left:
        return right
    return left if not right else combine(left, right, UNION)


def difference(dict left not None, dict right not None):
    """Members of `left` that are not members of `right`; children are looked at one by one."""
    return left if not right or not left else combine(left, right, DIFFERENCE)


def recursive_difference(dict left not None, dict right not None):
    """`difference` that takes with a member everything below it."""
    return left if not right or not left else combine(left, right, RECURSIVE_DIFFERENCE)


def not_in_any(dict fields not None, list sets not None):
    """The members of `fields` that no set has."""
    cdef dict left = fields
    for other in sets:
        if not left:
            break
        left = combine(left, other, DIFFERENCE)
    return left


def intersection(dict left not None, dict right not None):
    return combine(left, right, INTERSECTION) if left and right else {}


def order(dict fields not None):
    return order_set(fields)
