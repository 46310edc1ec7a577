"""Go's own values of CEL's values, where upstream takes a value for one of Go's and makes a value of it again.

Source: cel-go's interpreter/attributes.go (applyQualifiers), common/types (Value() of each type, NativeToValue).
"""

from quarterdeck._kernels.celvalue cimport (
    UINT,
    CelErr,
    Duration,
    ListValue,
    MapLiteral,
    MapValue,
    ObjectValue,
    Optional,
    Timestamp,
    TypeValue,
)


class NullMember:
    """A null that `+` has put into a list: to Go it is no absent value, and of no type that a schema has."""

    __slots__ = ()
    cel_type = "null_type"


cdef object NULL_MEMBER = NullMember()
cdef frozenset STAY = frozenset(
    (str, bool, int, float, UINT, bytes, list, dict, MapLiteral, Timestamp, Duration, CelErr)
)
cdef object NATIVE_OF_OTHER = None


def set_native_of_other(function):
    """What becomes of a value of no type that is known here, handed in since kernels import nothing at run time."""
    global NATIVE_OF_OTHER
    NATIVE_OF_OTHER = function


cdef object as_member(object value):
    """Go's own value: that of an optional is what it holds, a type is its name, what schemas describe is as it was
    sent. So a list that a schema describes holds what is added to it."""
    while type(value) is Optional:
        value = (<Optional>value).value if (<Optional>value).present else None
    t = type(value)
    if value is None:
        return NULL_MEMBER
    if t is ObjectValue:
        return (<ObjectValue>value).raw
    if t is MapValue:
        return (<MapValue>value).raw
    if t is ListValue:
        return (<ListValue>value).raw
    return (<TypeValue>value).name if t is TypeValue else value


cdef object native(object value):
    """The value that cel-go makes again of Go's own: of what functions made nothing can be made."""
    value = as_member(value)
    if value is NULL_MEMBER:
        return None
    return value if type(value) in STAY else NATIVE_OF_OTHER(value)


cdef object open_again(Optional value):
    """An optional as a path without steps gives it: upstream opens it all the same, and holds anew what it finds."""
    return Optional(native(value.value)) if value.present else value
