"""Equality of CEL values, and what identifies members of sets and of lists of type map.

Source: cel-go's common/types (Equal) and apiserver's pkg/cel/common/values.go.
"""

from quarterdeck._kernels.celnative cimport as_member
from quarterdeck._kernels.celvalue cimport (
    DYN_READER,
    FALSE_KEY,
    L_ATOMIC,
    L_MAP,
    L_SET,
    MISSING,
    NO_SUCH_OVERLOAD,
    TRUE_KEY,
    UINT,
    CelErr,
    Duration,
    ListValue,
    MapLiteral,
    MapValue,
    ObjectValue,
    Optional,
    Timestamp,
    find_member,
    list_items,
    map_get,
    map_keys,
    panic,
    size_of,
)

cdef str _UNHASHABLE = "runtime error: hash of unhashable type "  # Go's words


cdef bint _is_map(object value):
    t = type(value)
    return t is dict or t is MapValue or t is ObjectValue or t is MapLiteral


cdef bint equals(object a, object b) except -1:
    ta = type(a)
    tb = type(b)
    if ta is str:
        return tb is str and a == b
    if ta is bool:
        return a is b
    if ta is int or ta is float or ta is UINT:
        if tb is float:
            return float(a) == b
        if tb is int or tb is UINT:
            return a == (float(b) if ta is float else b)
        return False
    if a is None:
        return b is None
    if ta is ListValue or ta is list:
        if tb is not list and tb is not ListValue:
            return False
        return _list_equals(a, b)
    if _is_map(a):
        return _map_equals(a, b) if _is_map(b) else False
    if ta is not tb:
        return False
    if ta is Duration:
        return (<Duration>a).ns == (<Duration>b).ns
    if ta is Timestamp:
        return (<Timestamp>a).seconds == (<Timestamp>b).seconds and (<Timestamp>a).nanos == (<Timestamp>b).nanos
    if ta is Optional:
        if (<Optional>a).present and (<Optional>b).present:
            return equals((<Optional>a).value, (<Optional>b).value)
        return (<Optional>a).present == (<Optional>b).present
    return a == b


cdef bint compares_with_its_like_alone(object left, object right) except -1:
    """What schemas describe and the values of Kubernetes' own libraries are no value of another type: asking is an
    error, save for null. The other side may ask, and `!=` is true."""
    if right is None:
        return False
    while type(left) is Optional and type(right) is Optional and (<Optional>left).present and (<Optional>right).present:
        left, right = (<Optional>left).value, (<Optional>right).value  # where null is a value like others
    t = type(left)
    if t is ListValue:
        return (<ListValue>left).reader is not DYN_READER and type(right) is not ListValue and type(right) is not list
    if t is ObjectValue or (t is MapValue and (<MapValue>left).reader is not DYN_READER):
        return not _is_map(right) and map_keys(right) is None
    return type(right) is not t and hasattr(left, "cel_unit_equality")


def cel_equals(a, b):
    return equals(a, b)


cdef object _key(object value, bint is_sent):
    """What identifies a value among the elements of a set, and among the keys of entries: Go's own value of it, so that
    what a schema reads otherwise than it was sent (a duration) is none of its own set. What functions made is like
    nothing else; what holds others cannot be looked up, and ends the evaluation. `is_sent`: the value is a part of an
    object, not of an expression."""
    t = type(value)
    if t is str or t is int:
        return value
    if t is bool:
        return TRUE_KEY if value else FALSE_KEY
    if t is Timestamp:
        return ("t", (<Timestamp>value).seconds, (<Timestamp>value).nanos)
    if t is Duration:
        return ("d", (<Duration>value).ns)
    if t is float or value is None or t is UINT:
        return (t.__name__, value)
    if t is Optional:
        return _key((<Optional>value).value if (<Optional>value).present else None, is_sent)
    if t is bytes:
        panic(_UNHASHABLE + "[]uint8")
    if t is ListValue or t is list:
        panic(_UNHASHABLE + ("[]interface {}" if is_sent or t is ListValue else "[]ref.Val"))
    if _is_map(value):
        is_literal = not is_sent and (t is dict or t is MapLiteral)
        panic(_UNHASHABLE + ("map[ref.Val]ref.Val" if is_literal else "map[string]interface {}"))
    return ("x", id(value))


cdef object entry_key(object member, tuple keys):
    """What identifies a member of a list of type map, None where nothing does. Upstream looks the *escaped* names up;
    so does this."""
    if type(member) is not dict:
        return None
    return tuple([_key((<dict>member).get(key), True) for key in keys])


cdef set members_of(ListValue container):
    """What a set holds. As upstream has it, it is found out once, and `+` adds to what is known of its left side."""
    if container.members is None:
        container.members = {_key(raw, True) for raw in container.raw}
    return container.members


cdef object member_key(object item, bint is_sent):
    return _key(as_member(item) if item is None else item, is_sent)


cdef int list_type_of(object value) except -1:
    if type(value) is not ListValue:
        return L_ATOMIC
    (<ListValue>value).reader.element()  # fills the type in
    return (<ListValue>value).reader.list_type


cdef bint _list_equals(object a, object b) except -1:
    cdef list left, right
    cdef int list_type = list_type_of(a)
    cdef Py_ssize_t i
    if size_of(a) != size_of(b):
        return False
    left = list_items(a)
    right = list_items(b)
    if list_type == L_SET:
        members = members_of(<ListValue>a)
        for item in right:
            if member_key(item, type(b) is ListValue) not in members:
                return False
        return True
    if list_type == L_MAP:
        keys = (<ListValue>a).reader.keys
        entries = {entry_key(raw, keys): item for raw, item in zip((<ListValue>a).raw, left)}
        for item in right:
            key = entry_key(as_member(item), keys)
            if key is None:
                return False
            found = entries.get(key, MISSING)
            if found is MISSING or not equals(found, item):
                return False
        return True
    if type(a) is ListValue:
        for i in range(len(left)):
            if type(left[i]) is CelErr or not equals(left[i], right[i]):
                return False
        return True
    for i in range(len(left)):
        if not _passes(left[i], right[i]):
            return False
    return True


cdef bint _passes(object a, object b) except -1:
    """Whether two members do not make what an expression made of them differ: of a question that is an error nobody
    hears."""
    return equals(a, b) or equality_fault(a, b) is not None


cdef object equality_fault(object a, object b):
    """The error that asking whether two values are equal is, where they are not; None where it is none. What schemas
    describe hands the errors of its members on."""
    cdef Py_ssize_t i
    if compares_with_its_like_alone(a, b):
        return NO_SUCH_OVERLOAD
    while type(a) is Optional and type(b) is Optional and (<Optional>a).present and (<Optional>b).present:
        a, b = (<Optional>a).value, (<Optional>b).value
    t = type(a)
    if t is CelErr:
        return a
    if t is ListValue:
        left, right = list_items(a), list_items(b)
        if right is None or len(left) != len(right) or list_type_of(a) == L_SET:
            return None
        if list_type_of(a) == L_MAP:
            return _fault_of_entries(<ListValue>a, left, right)
        for i in range(len(left)):
            if type(left[i]) is CelErr or not equals(left[i], right[i]):
                return equality_fault(left[i], right[i])
    elif (t is ObjectValue or t is MapValue) and map_keys(b) is not None and size_of(a) == size_of(b):
        return _fault_of_members(a, b)
    return None


cdef object _fault_of_entries(ListValue a, list left, list right):
    cdef tuple keys = a.reader.keys
    entries = {entry_key(raw, keys): item for raw, item in zip(a.raw, left)}
    for item in right:
        found = entries.get(entry_key(as_member(item), keys), MISSING)
        if found is MISSING or not equals(found, item):
            return None if found is MISSING else equality_fault(found, item)
    return None


cdef object _fault_of_members(object a, object b):
    if type(a) is ObjectValue:
        fault = _difference(<ObjectValue>a, b, True)
        return fault if type(fault) is CelErr else None
    for key in map_keys(a):
        value, other = map_get(a, key), map_get(b, key)
        if value is MISSING and other is MISSING:
            continue
        if value is MISSING or other is MISSING or not equals(value, other):
            return None if value is MISSING or other is MISSING else equality_fault(value, other)
    return None


cdef object _difference(ObjectValue a, object b, bint tells_fault):
    """None where the objects are equal, else False, or the error that it is to ask about the first member that makes
    them differ: upstream takes them in a random order, which most often is this one."""
    cdef dict described = a.reader.raw_field_map()
    for name, raw in a.raw.items():
        if name not in described:
            # Only equality sees unknown fields; one that the other object lacks is not noticed, as upstream.
            if type(b) is not ObjectValue:
                return NO_SUCH_OVERLOAD
            other = (<ObjectValue>b).raw.get(name, MISSING)
            if other is not MISSING and not json_equals(raw, other):
                return False
            continue
        # Looked up as rules do: null is as good as absent, and what stands for an escape in a name is one.
        value, other = find_member(a, name), map_get(b, name)
        if value is MISSING or other is MISSING:
            if value is not other:
                return False
        elif not equals(value, other):
            fault = equality_fault(value, other) if tells_fault else None
            return False if fault is None else fault
    return None


cdef bint _map_equals(object a, object b) except -1:
    if size_of(a) != size_of(b):
        return False
    if type(a) is ObjectValue:
        return _difference(<ObjectValue>a, b, False) is None
    for key in map_keys(a):
        other = map_get(b, key)
        if other is MISSING or type(other) is CelErr:
            return False
        value = map_get(a, key)
        if not (equals(value, other) if type(a) is MapValue else _passes(value, other)):
            return False
    return True


def json_equals(a, b):
    """Deep equality of decoded JSON where true is not 1; 1 and 1.0 differ. An explicit stack: any depth."""
    cdef list stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if type(a) is dict:
            if len(a) != len(b):
                return False
            for key, value in (<dict>a).items():
                other = (<dict>b).get(key, MISSING)
                if other is MISSING:
                    return False
                stack.append((value, other))
        elif type(a) is list:
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b))
        elif a != b:
            return False
    return True
