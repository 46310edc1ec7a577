"""Lists of CEL: what `+` makes of two, and whether one holds a value.

Source: cel-go's common/types/list.go and apiserver's pkg/cel/common/valuesunstructured.go.
"""

from quarterdeck._kernels.celcompare cimport entry_key, equals, list_type_of, member_key, members_of
from quarterdeck._kernels.celkeys cimport elements_ask_their_like_alone
from quarterdeck._kernels.celnative cimport as_member
from quarterdeck._kernels.celvalue cimport (
    K_LIST,
    L_ATOMIC,
    L_MAP,
    L_SET,
    NO_SUCH_OVERLOAD,
    CelErr,
    ListValue,
    MapLiteral,
    Reader,
    list_items,
    read,
)

cdef CelErr NO_ARRAY = CelErr("invalid data, expected an array for the provided schema with type=array")


cdef object of_literals(object value, Reader adding_to):
    """A list whose maps, and lists that are added to a list of lists, are told from those that were sent: no schema
    reads them."""
    if type(value) is not list:
        return value
    cdef bint reads_lists = adding_to is not None and adding_to.element().kind == K_LIST
    reads_lists = reads_lists and adding_to.list_type == L_ATOMIC
    return [
        MapLiteral(item) if type(item) is dict else (NO_ARRAY if reads_lists and type(item) is list else item)
        for item in <list>value
    ]


cdef object add_lists(object a, object b):
    """`+` of lists. A list that a schema describes gains Go's own values of what is in the other, and its schema reads
    them: a set gains what it lacks, in a list of type map the right side replaces entries with its keys."""
    cdef list right = list_items(b)
    cdef ListValue described
    cdef int list_type
    if type(a) is not ListValue:
        return list_items(a) + right
    described = <ListValue>a
    list_type = list_type_of(described)
    added = list(described.raw)
    if list_type == L_SET:
        members = members_of(described)
        for item in right:
            key = member_key(item, type(b) is ListValue)
            if key not in members:
                members.add(key)
                added.append(as_member(item))
    elif list_type == L_MAP:
        keys = described.reader.keys
        places = {entry_key(raw, keys): place for place, raw in enumerate(added)}
        for item in right:
            member = as_member(item)
            key = entry_key(member, keys)
            if key is not None and key in places:
                added[places[key]] = member
            else:
                added.append(member)
    else:
        added += [as_member(item) for item in right]
    return ListValue(added, described.reader)


cpdef object list_contains(object container, object value):
    """Whether a list has an element that equals a value, or the error that this is to ask. An element of a list that a
    schema describes is asked; else the value is, which matters where values of other types are in lists."""
    cdef ListValue view
    cdef Reader elem
    cdef object fault = None
    if type(value) is CelErr:
        return value
    if type(container) is list:
        for item in <list>container:
            if equals(value, item):
                return True
        return False
    view = <ListValue>container
    elem = view.reader.element()
    for raw in view.raw:
        item = read(raw, elem)
        if type(item) is CelErr:
            fault = fault or item
        elif equals(item, value):
            return True
    if fault is not None:
        return fault
    return NO_SUCH_OVERLOAD if elements_ask_their_like_alone(view, value) else False
