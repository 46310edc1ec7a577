"""Keys: maps that expressions make of them, and how errors show them and other values and their types.

Source: cel-go's common/types/map.go, interpreter/interpretable.go (evalMap).
"""

from quarterdeck._kernels.celvalue cimport (
    DYN_READER,
    K_LIST,
    K_OBJECT,
    MISSING,
    UINT,
    CelErr,
    ListValue,
    MapLiteral,
    MapValue,
    ObjectValue,
    Optional,
    Reader,
    TypeValue,
    find_entry,
    map_key,
    map_keys,
    type_name,
)


def build_map(list keys, list values):
    """A map from CEL keys and values: a dict where all keys are strings. The last of equal keys counts; MISSING takes
    an entry away."""
    cdef dict entries = {}
    cdef bint plain = True
    for key, value in zip(keys, values):
        if type(key) is not str:
            plain = False
        if value is MISSING:
            entries.pop(map_key(key), None)
        else:
            entries[map_key(key)] = value
    return entries if plain or not entries else MapLiteral(entries)


def insert_key(target, key, value):
    """A copy of a map with one entry more (cel.@mapInsert); the accumulator owns its map, so it is changed in place."""
    cdef dict entries = (<MapLiteral>target).entries if type(target) is MapLiteral else target
    if entries and find_entry(entries, key) is not NULL:
        return CelErr(f"insert failed: key {show_key(key)} already exists")
    if type(target) is dict and type(key) is not str:
        target = MapLiteral(entries)
    entries[map_key(key)] = value
    return target


cdef object SHOW_OTHER = None


def set_show_other(function):
    """How the package shows what is no text, number or bool, handed in since kernels import nothing at run time."""
    global SHOW_OTHER
    SHOW_OTHER = function


cpdef str show_key(object key):
    """A key, or any other value, as Go's %v prints it in errors such as `no such key`."""
    if type(key) is bool:
        return "true" if key else "false"
    if type(key) is float:
        return _show_double(key)
    return str(key) if isinstance(key, (str, int)) else SHOW_OTHER(key)


cdef str _show_double(double value):
    """The shortest digits, with an exponent below 1e-4 and from 1e6 (1e+06, 123456.5)."""
    if value != value:
        return "NaN"
    if value - value != 0:
        return "+Inf" if value > 0 else "-Inf"
    mantissa, _, power = repr(value).removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The place of the decimal point, counted from the first digit that is not 0.
    cdef Py_ssize_t point = len(whole) + int(power or 0) - (len(whole) + len(fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if repr(value).startswith("-") else ""
    if not digits:
        return f"{sign}0"
    if not -4 < point <= 6:
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{'-' if point <= 0 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


# What upstream's implementation calls the types of values.
cdef dict GO_TYPES = {
    "null_type": "types.Null",
    "bool": "types.Bool",
    "int": "types.Int",
    "uint": "types.Uint",
    "double": "types.Double",
    "string": "types.String",
    "bytes": "types.Bytes",
    "google.protobuf.Timestamp": "types.Timestamp",
    "google.protobuf.Duration": "types.Duration",
    "list": "*types.baseList",
    "map": "*types.baseMap",
    "type": "*types.Type",
    "optional_type": "*types.Optional",
    "error": "*types.Err",
    "net.IP": "cel.IP",
    "net.CIDR": "cel.CIDR",
    "kubernetes.URL": "cel.URL",
    "kubernetes.Quantity": "cel.Quantity",
    "kubernetes.Semver": "cel.Semver",
    "kubernetes.NamedFormat": "cel.Format",
}


cdef str go_type(object value):
    if asks_for_texts(value):
        return "*common.unstructuredMap"
    if type(value) is ListValue:
        (<ListValue>value).reader.element()  # fills the type in
        return "*common.unstructured" + ("List", "SetList", "MapList")[(<ListValue>value).reader.list_type]
    name = type_name(value)
    return GO_TYPES.get(name, name)


cdef bint asks_for_texts(object value) noexcept:
    """Whether it is a map that a schema describes: no other keys than texts can be looked up there."""
    t = type(value)
    return t is ObjectValue or t is MapValue


cdef bint elements_ask_their_like_alone(ListValue container, object value) except -1:
    """Whether asking for a value among the elements of a list is an error, where none is equal to it: objects, maps and
    lists that schemas describe are compared with their like alone, even null is none."""
    cdef Reader elem = container.reader.element()
    if elem is DYN_READER or not K_OBJECT <= elem.kind <= K_LIST:
        return False
    t = type(value)
    if elem.kind == K_LIST:
        is_alike = t is ListValue or t is list
    else:
        is_alike = map_keys(value) is not None
    return not is_alike and any([raw is not None for raw in container.raw])


cdef bint is_qualifier(object key) noexcept:
    """Whether upstream takes a value for a step of a path."""
    t = type(key)
    return t is str or t is int or t is bool or t is float or t is UINT


def qualifier_error(key):
    """Why a value is no step of a path; None if it is one."""
    return None if is_qualifier(key) else qualifier_fault(key)


cdef str qualifier_fault(object key):
    return f"invalid qualifier type: {go_type(key)}"


cpdef object go_value(object value):
    """What Go's own value of a value is, where functions look at that: an optional's is that of what it holds (None for
    an empty one), a type's is its name."""
    while type(value) is Optional:
        value = (<Optional>value).value if (<Optional>value).present else None
    return (<TypeValue>value).name if type(value) is TypeValue else value
