# cython: language_level=3
"""What changed between two objects of one type: the fields that were added, modified and removed.

Contract: _kernels/fieldcompare.pyi. Both objects are walked side by side, with explicit stacks (see fieldset.pyx).
Source: structured-merge-diff v6, typed/compare.go.
"""

cimport cython
from cpython.object cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.fieldset cimport same, scalars_same, sort_in_place, take_out_empty
from quarterdeck._kernels.fieldtype cimport (
    BY_MAP,
    BY_SCALAR,
    FieldType,
    conforms_quickly,
    conforms_to,
    fill_containers,
    handler,
    item_label,
    own_atom_fits,
    put_value,
    resolve,
    simple_fits,
)
from quarterdeck._kernels.giveway cimport give_way


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)


cdef str SELF = "."

# Which of the three sets.
cdef enum:
    ADDED = 0
    MODIFIED = 1
    REMOVED = 2


@cython.final
cdef class Place:
    """A node that both objects have. Its dicts in the three sets are made when something below differs."""

    cdef Place parent
    cdef str label
    cdef dict added
    cdef dict modified
    cdef dict removed

    cdef dict get(self, int which):
        return self.added if which == ADDED else self.modified if which == MODIFIED else self.removed

    cdef int set(self, int which, dict value) except -1:
        if which == ADDED:
            self.added = value
        elif which == MODIFIED:
            self.modified = value
        else:
            self.removed = value
        return 0


@cython.final
cdef class Comparison:
    cdef bint check
    cdef list pairs
    cdef list todo
    cdef list maybe_empty
    cdef list made  # the dicts of places: what hangs in them was put there as it came

    cdef dict node_at(self, Place place, int which):
        """The dict of `place` in one set, with those above it."""
        cdef list missing
        cdef dict node = place.get(which)
        cdef dict above
        if node is not None:
            return node
        missing = []
        while node is None:
            missing.append(place)
            place = place.parent
            node = place.get(which)
        while missing:
            place = missing.pop()
            above = node
            node = {}
            # The node itself may be a member already: a scalar that became a map counts as modified, with fields added.
            if place.label in above:
                node[SELF] = {}
            above[place.label] = node
            place.set(which, node)
            self.made.append(node)
        return node

    cdef int modify(self, Place parent, str label) except -1:
        cdef dict node = self.node_at(parent, MODIFIED)
        if label not in node:
            node[label] = {}
        elif node[label]:
            (<dict> node[label])[SELF] = {}
        return 0

    cdef int pair(self, Place parent, str label, FieldType type_, object live, object new, object exclude) except -1:
        """A field that both have. 0: one of them does not conform."""
        cdef int live_by, new_by
        if live is new:
            return not self.check or conforms_to(type_, new, True)
        resolve(type_)
        live_by = handler(type_, live)
        new_by = handler(type_, new)
        if self.check and not (own_atom_fits(type_, live_by, live) and own_atom_fits(type_, new_by, new)):
            return 0
        if live_by == BY_SCALAR and new_by == BY_SCALAR:
            if not scalars_same(live, new):
                self.modify(parent, label)
            return 1
        if not self.pair_by(live_by, parent, label, type_, live, new, exclude):
            return 0
        return live_by == new_by or self.pair_by(new_by, parent, label, type_, live, new, exclude)

    cdef int pair_by(
        self, int by, Place parent, str label, FieldType type_, object live, object new, object exclude
    ) except -1:
        cdef bint atomic, is_same
        cdef Place place
        if by == BY_SCALAR:
            atomic = True
            left = right = None
        elif by == BY_MAP:
            atomic = type_.map_atomic
            left = live if PyDict_CheckExact(live) else None
            right = new if PyDict_CheckExact(new) else None
        else:
            atomic = type_.list_atomic
            left = live if PyList_CheckExact(live) else None
            right = new if PyList_CheckExact(new) else None
        if atomic or not (left or right):
            is_same = same(live, new)
            if not is_same:
                self.modify(parent, label)
            if self.check and not type_.anything:
                return conforms_to(type_, new, True) and (is_same or conforms_to(type_, live, True))
            return 1
        place = Place.__new__(Place)
        place.parent = parent
        place.label = label
        self.pairs.append((place, type_, left, right, exclude))
        return 1

    cdef int run(self) except -1:
        while self.pairs:
            place, type_, left, right, exclude = self.pairs.pop()
            if PyList_CheckExact(left) or PyList_CheckExact(right):
                if not self.lists(place, type_, left, right):
                    return 0
            elif not self.maps(place, type_, left or {}, right or {}, exclude):
                return 0
        if not fill_containers(self.todo, self.maybe_empty):
            return 0
        take_out_empty(self.maybe_empty)
        # Whatever is added or removed as a whole was filled in order.
        for node in self.made:
            give_way()
            sort_in_place(<dict> node)
        return 1

    cdef int maps(self, Place place, FieldType type_, dict left, dict right, dict exclude) except -1:
        cdef PyObject *key = NULL
        cdef PyObject *child = NULL
        cdef PyObject *other
        cdef PyObject *found
        cdef FieldType field_type
        cdef Py_ssize_t pos = 0
        cdef Entries entries = entries_of(<PyObject *> left)
        while next_entry(<PyObject *> left, &entries, &pos, &key, &child):
            give_way()
            other = PyDict_GetItem(right, <object> key)
            if other is child and not self.check:
                continue
            if other is not NULL and exclude is None:
                # Two scalars, the common case, without a call for each step.
                found = PyDict_GetItem(type_.fields, <object> key)
                if found is not NULL:
                    field_type = <FieldType> (<tuple> <object> found)[1]
                    if simple_fits(field_type, <object> child) and simple_fits(field_type, <object> other):
                        if not scalars_same(<object> child, <object> other):
                            self.modify(place, <str> (<tuple> <object> found)[0])
                        continue
            if not self.field(
                place, type_, <object> key, True, <object> child, other is not NULL,
                <object> other if other is not NULL else None, exclude,
            ):
                return 0
        pos = 0
        entries = entries_of(<PyObject *> right)
        while next_entry(<PyObject *> right, &entries, &pos, &key, &child):
            give_way()
            if PyDict_GetItem(left, <object> key) is NULL and not self.field(
                place, type_, <object> key, False, None, True, <object> child, exclude
            ):
                return 0
        return 1

    cdef int field(
        self, Place place, FieldType type_, str name, bint has_live, object live, bint has_new, object new,
        dict exclude,
    ) except -1:
        cdef PyObject *found
        cdef FieldType child_type
        cdef str label
        cdef object below = None
        found = PyDict_GetItem(type_.fields, name)
        if found is not NULL:
            label = (<tuple> <object> found)[0]
            child_type = (<tuple> <object> found)[1]
        elif type_.value is None:
            return 0
        else:
            label = "f:" + name
            child_type = type_.value
        if exclude is not None:
            found = PyDict_GetItem(exclude, label)
            if found is not NULL:
                below = <object> found
                if not below:
                    return not self.check or (conforms_quickly(child_type, live) and conforms_quickly(child_type, new))
        if has_live and has_new:
            return self.pair(place, label, child_type, live, new, below)
        if has_new:
            return put_value(self.node_at(place, ADDED), label, child_type, new, below, self.todo, self.maybe_empty)
        return put_value(self.node_at(place, REMOVED), label, child_type, live, below, self.todo, self.maybe_empty)

    cdef int lists(self, Place place, FieldType type_, object left, object right) except -1:
        cdef dict lefts = {}
        cdef dict rights = {}
        cdef str label
        if not index_items(type_, left, lefts) or not index_items(type_, right, rights):
            return 0
        for label in lefts:
            give_way()
            if not self.items(place, label, type_.item, lefts[label], rights.get(label)):
                return 0
        for label in rights:
            give_way()
            if label not in lefts and not self.items(place, label, type_.item, None, rights[label]):
                return 0
        return 1

    cdef int items(self, Place place, str label, FieldType type_, list lives, list news) except -1:
        """Items with one path element: repeated ones are compared as if they were one atomic value."""
        cdef Py_ssize_t live_count = 0 if lives is None else len(lives)
        cdef Py_ssize_t new_count = 0 if news is None else len(news)
        if live_count <= 1 and new_count <= 1:
            if live_count and new_count:
                return self.pair(place, label, type_, lives[0], news[0], None)
            if new_count:
                return put_value(self.node_at(place, ADDED), label, type_, news[0], None, self.todo, self.maybe_empty)
            return put_value(self.node_at(place, REMOVED), label, type_, lives[0], None, self.todo, self.maybe_empty)
        if self.check:
            for item in lives or ():
                if not conforms_to(type_, item, True):
                    return 0
            for item in news or ():
                if not conforms_to(type_, item, True):
                    return 0
        if live_count >= 2 and new_count >= 2:
            if not same(lives, news):
                self.modify(place, label)
            return 1
        if live_count >= 2:
            self.node_at(place, REMOVED)[label] = {}
            if new_count:
                return put_value(self.node_at(place, ADDED), label, type_, news[0], None, self.todo, self.maybe_empty)
            return 1
        self.node_at(place, ADDED)[label] = {}
        if live_count:
            return put_value(self.node_at(place, REMOVED), label, type_, lives[0], None, self.todo, self.maybe_empty)
        return 1


cdef int index_items(FieldType type_, object items, dict out) except -1:
    cdef str label
    if items is None:
        return 1
    for item in <list> items:
        give_way()
        label = item_label(type_, item)
        if label is None:
            return 0
        found = out.get(label)
        if found is None:
            out[label] = [item]
        else:
            (<list> found).append(item)
    return 1


def compare(FieldType type_ not None, dict live not None, dict new not None, dict exclude not None, bint check):
    """(added, modified, removed) without `exclude`; None if `check` and one of the objects does not conform."""
    return compare_objects(type_, live, new, exclude, check)


cdef tuple compare_objects(FieldType type_, dict live, dict new, dict exclude, bint check):
    cdef Comparison walk = Comparison.__new__(Comparison)
    cdef Place root = Place.__new__(Place)
    walk.check = check
    walk.pairs = []
    walk.todo = []
    walk.maybe_empty = []
    root.added = {}
    root.modified = {}
    root.removed = {}
    walk.made = [root.added, root.modified, root.removed]
    resolve(type_)
    if not walk.maps(root, type_, live, new, exclude) or not walk.run():
        return None
    if type_.map_atomic:  # an object that is owned whole has no path by which it could be
        return {}, {}, {}
    return root.added, root.modified, root.removed
