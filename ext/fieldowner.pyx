# cython: language_level=3
"""An update and an apply as they nearly always are, from managedFields to managedFields.
Contract: _kernels/fieldowner.pyi.

The kernel handles objects that fit their type and whose managers all own fields in the version of the request, none of
which has become atomic since, and not managedFields themselves; an apply only if nothing is contested and nothing is
removed. For everything else it returns None, and the rules of fieldmanager/{updater,apply}.py decide: they know
versions, conversions, conflicts and errors. Where both answer they answer the same;
tests/property/test_fieldmanager_kernel.py compares them.

An entry whose owner keeps its fields is returned itself, so that the caller sees by identity that nothing changed.
"""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject

from quarterdeck._kernels.fieldapplied cimport applied_set
from quarterdeck._kernels.fieldmerge cimport atomic_nodes, merge_objects
from quarterdeck._kernels.fieldcompare cimport compare_objects
from quarterdeck._kernels.fieldset cimport (
    DIFFERENCE,
    INTERSECTION,
    RECURSIVE_DIFFERENCE,
    UNION,
    combine,
    same,
    well_formed,
)
from quarterdeck._kernels.fieldtype cimport FieldType, conforms_to, resolve
from quarterdeck._kernels.giveway cimport give_way


cdef extern from "Python.h":
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t index)


cdef str SELF = "."
cdef str VERSION = "f:apiVersion"
cdef str APPLY = "Apply"
cdef str UPDATE = "Update"
cdef str METADATA = "f:metadata"
cdef str ENTRIES = "f:managedFields"
cdef str EPOCH = "1970-01-01T00:00:00Z"  # no time at all counts as this one

cdef enum:
    UPDATE_MANAGERS_MAX = 10
    TIME_CHARS = 20  # 2006-01-02T15:04:05Z


cdef inline dict union(dict left, dict right):
    if not len(left):
        return right
    return combine(left, right, UNION) if len(right) else left


cdef inline dict without(dict fields, dict small):
    """`fields` without the members of a small set: itself, if it has none of them."""
    if not len(small) or not len(combine(small, fields, INTERSECTION)):
        return fields
    return combine(fields, small, DIFFERENCE)


cdef inline dict including(dict fields, dict small):
    """`fields` with the members of a small set: itself, if it has all of them."""
    return combine(fields, small, UNION) if len(combine(small, fields, DIFFERENCE)) else fields


cdef str text_of(dict entry, str name):
    """"" if it is absent, None if it is no text or an empty one, which nobody has written here."""
    value = entry.get(name)
    if value is None:
        return None if name in entry else ""
    return <str> value if PyUnicode_CheckExact(value) and len(<str> value) else None


cdef inline bint owns_entries(dict fields) except -1:
    """Whether managedFields themselves are owned, as only a client can say: an update takes them."""
    cdef PyObject *below = PyDict_GetItem(fields, METADATA)
    return below is not NULL and ENTRIES in <dict> below


cdef tuple read_entry(object item, FieldType type_, str api_version):
    """(operation, manager, subresource, time, fields) of an entry in the version of the request, else None."""
    cdef dict entry
    cdef str operation, manager, subresource, time
    cdef Py_ssize_t known = 4
    if not PyDict_CheckExact(item):
        return None
    entry = <dict> item
    operation = text_of(entry, "operation")
    manager = text_of(entry, "manager")
    subresource = text_of(entry, "subresource")
    time = text_of(entry, "time")
    fields = entry.get("fieldsV1")
    if operation is None or manager is None or subresource is None or time is None:
        return None
    if (operation != UPDATE and operation != APPLY) or entry.get("apiVersion") != api_version:
        return None
    if entry.get("fieldsType") != "FieldsV1" or not PyDict_CheckExact(fields) or not len(<dict> fields):
        return None
    known += (len(manager) > 0) + (len(subresource) > 0) + (len(time) > 0)
    if len(entry) != known:
        return None
    if len(time) and (len(time) != TIME_CHARS or PyUnicode_READ_CHAR(time, TIME_CHARS - 1) != c'Z'):
        return None
    if not well_formed(fields) or owns_entries(<dict> fields) or len(atomic_nodes(type_, <dict> fields)):
        return None
    return (operation, manager, subresource, time, fields)


cdef list read_entries(object entries, FieldType type_, str api_version):
    """The entries as read; None unless all are in the version of the request and no two are of the same manager."""
    cdef list out
    cdef set names
    if not PyList_CheckExact(entries) or not len(<list> entries):
        return None
    out = []
    names = set()
    for item in <list> entries:
        owner = read_entry(item, type_, api_version)
        if owner is None:
            return None
        out.append(owner)
        names.add((<tuple> owner)[:3])
    return out if len(names) == len(out) else None


cdef dict write_entry(
    str operation, str manager, str subresource, str time, str api_version, dict fields
):
    cdef dict entry = {"apiVersion": api_version, "fieldsType": "FieldsV1", "fieldsV1": fields}
    if len(manager):
        entry["manager"] = manager
    entry["operation"] = operation
    if len(subresource):
        entry["subresource"] = subresource
    if len(time):
        entry["time"] = time
    return entry


cdef list in_order(list entries):
    """In upstream's order: appliers first, then by time, manager and subresource; the version is the same."""
    cdef list keyed
    cdef Py_ssize_t position = 0
    if len(entries) < 2:
        return entries
    keyed = []
    for entry in entries:
        # Two entries differ in one of these, so that the sort never comes to the position.
        keyed.append((
            (<dict> entry)["operation"], (<dict> entry).get("time", EPOCH), (<dict> entry).get("manager", ""),
            (<dict> entry).get("subresource", ""), position,
        ))
        position += 1
    keyed.sort()
    return [entries[(<tuple> key)[4]] for key in keyed]


cdef bint has_room(list entries):
    """Whether there are no more updaters than may be kept apart."""
    cdef int updaters = 0
    if len(entries) <= UPDATE_MANAGERS_MAX:
        return True
    for entry in entries:
        updaters += (<dict> entry)["operation"] == UPDATE
    return updaters <= UPDATE_MANAGERS_MAX


def update(
    FieldType type_ not None,
    dict live not None,
    dict new not None,
    dict exclude not None,
    object entries,
    str manager not None,
    str subresource not None,
    str api_version not None,
    str now not None,
):
    """The entries after `manager` has made `new` of `live`, whose entries are `entries`; None: not handled here."""
    cdef list owners = read_entries(entries, type_, api_version)
    cdef list left = []
    cdef tuple sets
    cdef dict taken, removed, lost, fields, own
    cdef Py_ssize_t position
    cdef str operation, name, below, time
    if owners is None or len(now) != TIME_CHARS:
        return None
    sets = compare_objects(type_, live, new, exclude, True)
    if sets is None:
        return None
    removed = sets[2]
    taken = union(sets[1], sets[0])
    lost = union(taken, removed)
    own = {}
    for position in range(len(owners)):
        operation, name, below, time, owned = <tuple> owners[position]
        if operation == UPDATE and name == manager and below == subresource:
            fields = without(<dict> owned, removed)
            if not len(taken):
                if fields is owned:
                    left.append((<list> entries)[position])
                elif len(fields):
                    left.append(write_entry(operation, name, below, time, api_version, fields))
            else:
                own = fields
            continue
        fields = without(<dict> owned, lost)
        if fields is owned:
            left.append((<list> entries)[position])
        elif len(fields):
            left.append(write_entry(operation, name, below, time, api_version, fields))
    if len(taken):
        fields = including(own, taken) if len(own) else taken
        left.append(write_entry(UPDATE, manager, subresource, now, api_version, fields))
    return in_order(left) if has_room(left) else None


def apply(
    FieldType type_ not None,
    dict live not None,
    dict config not None,
    dict exclude not None,
    dict resets not None,
    dict stripped not None,
    object entries,
    str manager not None,
    str subresource not None,
    str api_version not None,
    bint force,
    str now not None,
):
    """(the object, its entries) after `manager` has applied `config` to `live`; None: not handled here.

    The object is `live` itself if it stays the same. It still has the entries of `live`.
    """
    cdef list owners = read_entries(entries, type_, api_version)
    cdef list left = []
    cdef dict fields, taken, removed, contested, last = None
    cdef tuple sets
    cdef str operation, name, below, time, last_time = ""
    cdef Py_ssize_t position
    cdef bint is_same
    if owners is None or len(now) != TIME_CHARS:
        return None
    if not conforms_to(type_, config, False) or not conforms_to(type_, live, True):
        return None
    own = applied_set(type_, config)
    if len(resets):
        own = combine(own, resets, RECURSIVE_DIFFERENCE)
    for owner in owners:
        operation, name, below, time, owned = <tuple> owner
        if operation == APPLY and name == manager and below == subresource:
            last = <dict> owned
            last_time = time
    if last is not None and (type_.map_atomic or VERSION in last):  # what is taken out leaves no object of a version
        return None
    if last is not None and not is_owned_by_all(last, own, owners, manager, subresource):
        return None
    merged = merge_objects(type_, live, config)
    if last is not None and not (is_seen(merged) and is_closed(type_, last)):
        return None
    is_same = same(live, merged)
    if is_same:
        taken = removed = {}
    else:
        sets = compare_objects(type_, live, merged, exclude, False)
        taken = union(sets[1], sets[0])
        removed = sets[2]
    for position in range(len(owners)):
        operation, name, below, time, owned = <tuple> owners[position]
        if operation == APPLY and name == manager and below == subresource:
            continue
        contested = combine(taken, <dict> owned, INTERSECTION) if len(taken) else taken
        fields = <dict> owned
        if len(contested):
            if not force:
                return None
            fields = combine(fields, contested, DIFFERENCE)
        fields = without(fields, removed)
        if fields is owned:
            left.append((<list> entries)[position])
        elif len(fields):
            left.append(write_entry(operation, name, below, time, api_version, fields))
    own = combine(own, stripped, DIFFERENCE) if len(own) else own
    if len(own):
        left.append(write_entry(APPLY, manager, subresource, last_time if is_same else now, api_version, own))
    return live if is_same else merged, in_order(left)


cdef bint is_owned_by_all(dict last, dict own, list owners, str manager, str subresource) except -1:
    """Whether everything of `last` is in `own` or belongs to another manager: then nothing goes."""
    cdef dict orphans = combine(last, own, DIFFERENCE) if len(own) else last
    cdef str operation, name, below
    for owner in owners:
        if not len(orphans):
            break
        operation, name, below, _, owned = <tuple> owner
        if not (operation == APPLY and name == manager and below == subresource):
            orphans = combine(orphans, <dict> owned, DIFFERENCE)
    return not len(orphans)


cdef bint is_seen(object value) except -1:
    """Whether sets of fields see all of it, which they do of everything but empty lists."""
    cdef list todo = [value]
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t pos
    while todo:
        value = todo.pop()
        if PyDict_CheckExact(value):
            pos = 0
            while PyDict_Next(value, &pos, &key, &child):
                give_way()
                if PyDict_CheckExact(<object> child) or PyList_CheckExact(<object> child):
                    todo.append(<object> child)
            continue
        if not len(<list> value):
            return False
        for item in <list> value:
            give_way()
            if PyDict_CheckExact(item) or PyList_CheckExact(item):
                todo.append(item)
    return True


cdef bint is_closed(FieldType type_, dict fields) except -1:
    """Whether whatever stands above a member is a declared field, or a member too."""
    cdef list todo = [(type_, fields)]
    cdef PyObject *found
    cdef FieldType below
    cdef dict child
    cdef str label
    while todo:
        type_, fields = todo.pop()
        if type_ is not None:
            resolve(type_)
        for label, child in fields.items():
            give_way()
            if not len(child):
                continue
            below = None
            found = NULL
            if type_ is not None and PyUnicode_READ_CHAR(label, 0) == c'f':
                found = PyDict_GetItem(type_.fields, label[2:])
                below = <FieldType> (<tuple> <object> found)[1] if found is not NULL else type_.value
            elif type_ is not None:
                below = type_.item
            if found is NULL and SELF not in child:
                return False
            todo.append((below, child))
    return True
