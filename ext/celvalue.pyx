"""Values of CEL: what an expression sees of decoded JSON, and the values JSON does not have.

A CEL value is a plain Python object wherever one will do: bool, int, float, str, bytes, None, list and dict (keys are
strings). The classes below add what is missing: unsigned integers, timestamps, durations, types, optionals, errors,
maps with other keys, and views of JSON containers that carry a Reader, which is the schema's meaning (a number is a
double, a date-time is a timestamp, a null field is absent). Nothing is copied or converted before an expression asks
for it.

Errors are values (CelErr): `&&` and `||` absorb them, and the cost of the steps after them still counts.
Source: cel-go's common/types and apiserver's pkg/cel/common/values.go.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem, PyDict_Size
from cpython.list cimport PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_GET_LENGTH


@cython.final
cdef class CelErr:
    """An evaluation error; `message` is what the user reads."""

    def __cinit__(self, str message):
        self.message = message

    def __repr__(self):
        return f"CelErr({self.message!r})"


class UInt(int):
    """An unsigned 64-bit integer; an int with another type."""

    __slots__ = ()


UINT = UInt
NO_SUCH_OVERLOAD = CelErr("no such overload")
MISSING = object()  # a variable without a value; a key that is not there
# The same two for Python: what the .pxd declares is no attribute of the module.
no_such_overload = NO_SUCH_OVERLOAD
missing = MISSING


@cython.final
cdef class Optional:
    def __cinit__(self, object value, bint present=True):
        self.value = value
        self.present = present

    def __repr__(self):
        return f"optional.of({self.value!r})" if self.present else "optional.none()"


OPTIONAL_NONE = Optional(None, False)
optional_none = OPTIONAL_NONE


@cython.final
cdef class Duration:
    """Nanoseconds, within int64."""

    def __cinit__(self, long long ns):
        self.ns = ns

    def __repr__(self):
        return f"Duration({self.ns})"


@cython.final
cdef class Timestamp:
    """A point in time: seconds since 1970, nanoseconds within the second, and the zone it was written in."""

    def __cinit__(self, long long seconds, long long nanos=0, int offset_s=0):
        self.seconds = seconds
        self.nanos = nanos
        self.offset_s = offset_s

    def __repr__(self):
        return f"Timestamp({self.seconds}, {self.nanos}, {self.offset_s})"


@cython.final
cdef class TypeValue:
    def __cinit__(self, str name):
        self.name = name

    def __eq__(self, other):
        return type(other) is TypeValue and (<TypeValue>other).name == self.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"TypeValue({self.name!r})"


cdef object EXPAND = None
cdef object UNESCAPE = None


def set_expand(function, unescape):
    """How the package fills a Reader in from its schema, and what reads the escapes in a field's name (None where one
    of them is none): handed in since kernels import nothing at run time."""
    global EXPAND, UNESCAPE
    EXPAND, UNESCAPE = function, unescape


@cython.final
cdef class Reader:
    """How one schema node reads JSON. `fields` maps names as rules write them (escaped) to (JSON name, Reader);
    `raw_fields` maps JSON names to Readers. What is below a node is read from its schema (`source`) when an evaluation
    first goes there: most of a schema no rule ever looks at."""

    def __cinit__(self, int kind, bint nullable=False, source=None):
        self.kind = kind
        self.nullable = nullable
        self.source = source
        self.list_type = L_ATOMIC
        self.keys = ()

    def set_fields(self, dict fields, dict raw_fields):
        self.fields = fields
        self.raw_fields = raw_fields

    def set_elem(self, Reader elem, int list_type=L_ATOMIC, tuple keys=()):
        self.elem = elem
        self.list_type = list_type
        self.keys = keys

    def set_parse(self, parse):
        self.parse = parse

    cdef dict field_map(self):
        if self.fields is None:
            EXPAND(self)
        return self.fields

    cdef dict raw_field_map(self):
        if self.fields is None:
            EXPAND(self)
        return self.raw_fields

    cdef Reader element(self):
        if self.elem is None:
            EXPAND(self)
        return self.elem


cdef Reader DYN_READER = Reader(K_DYN, True)
cdef Reader UNKNOWN_READER = Reader(K_UNKNOWN, True)
DYN = DYN_READER


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class ObjectValue:
    """An object with declared fields: a field that is null counts as absent."""

    def __init__(self, dict raw not None, Reader reader not None):
        self.raw = raw
        self.reader = reader


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class MapValue:
    def __init__(self, dict raw not None, Reader reader not None):
        self.raw = raw
        self.reader = reader


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class ListValue:
    def __init__(self, list raw not None, Reader reader not None):
        self.raw = raw
        self.reader = reader


# Made without arguments, which would be packed into a tuple first: loops make one for each item.


cdef ObjectValue view_object(object raw, Reader reader):
    cdef ObjectValue made = ObjectValue.__new__(ObjectValue)
    made.raw, made.reader = raw, reader
    return made


cdef MapValue view_map(object raw, Reader reader):
    cdef MapValue made = MapValue.__new__(MapValue)
    made.raw, made.reader = raw, reader
    return made


cdef ListValue view_list(object raw, Reader reader):
    cdef ListValue made = ListValue.__new__(ListValue)
    made.raw, made.reader = raw, reader
    return made


@cython.final
cdef class MapLiteral:
    """A map whose keys are not all strings. Texts and integers stand for themselves in `entries`, others as OddKey."""

    def __cinit__(self, dict entries):
        self.entries = entries


@cython.final
cdef class OddKey:
    """A key that a dict would take for another one (true for 1, 1u for 1), or for none at all: equal by its mark, as
    Go's values of keys are equal."""

    def __cinit__(self, value, mark):
        self.value = value
        self.mark = mark

    def __eq__(self, other):
        return type(other) is OddKey and (<OddKey>other).mark == self.mark

    def __hash__(self):
        return hash(self.mark)


cdef OddKey TRUE_KEY = OddKey(True, ("bool", True))
cdef OddKey FALSE_KEY = OddKey(False, ("bool", False))
cdef object INT64_MAX = (1 << 63) - 1
cdef object INT64_MIN = -(1 << 63)
cdef object UINT64_MAX = (1 << 64) - 1
cdef frozenset COMPARED_BY_VALUE = frozenset(("net.IP", "net.CIDR"))
cdef dict HOLD_UNHASHABLE = {"kubernetes.Semver": "cel.Semver", "kubernetes.NamedFormat": "cel.Format"}


class Panic(Exception):
    """The evaluation ended where upstream's code panics; the text is Go's."""


PANIC = Panic


cdef int panic(str text) except -1:
    raise Panic(text)


cdef int need_hashable(object value) except -1:
    """Ends the evaluation where Go cannot look a value up in a map."""
    t = type(value)
    if t is bytes:
        panic("runtime error: hash of unhashable type types.Bytes")
    name = HOLD_UNHASHABLE.get(getattr(value, "cel_type", None))
    if name is not None:
        panic("runtime error: hash of unhashable type " + name)
    return 0


cdef object map_key(object key):
    """What stands for a key among the entries of a MapLiteral."""
    t = type(key)
    if t is str or t is int:
        return key
    if key is True:
        return TRUE_KEY
    if key is False:
        return FALSE_KEY
    return OddKey(key, _mark_of(key))


cdef object _mark_of(object key):
    """Go compares what a pointer leads to by the pointer; NaN is no key twice."""
    t = type(key)
    if t is UINT:
        return ("uint", int(key))
    if t is float:
        return ("double", key) if key == key else object()
    if key is None:
        return ("null",)
    if t is Duration:
        return ("duration", (<Duration>key).ns)
    if t is Timestamp and _has_shared_zone((<Timestamp>key).offset_s):
        return ("timestamp", (<Timestamp>key).seconds, (<Timestamp>key).nanos, (<Timestamp>key).offset_s)
    if t is TypeValue:
        return ("type", (<TypeValue>key).name)
    if getattr(key, "cel_type", None) in COMPARED_BY_VALUE:
        return ("value", key)
    need_hashable(key)
    return ("identity", id(key))


cdef bint _has_shared_zone(int offset_s) noexcept:
    """Whether Go has one zone for all times of an offset: for whole hours."""
    return offset_s % 3600 == 0 and -12 * 3600 <= offset_s <= 14 * 3600


cdef object _other_number(object key):
    """The key of the same number and another type that a map is also asked for; None without one."""
    t = type(key)
    if t is int:
        return OddKey(key, ("uint", key)) if key >= 0 else None
    if t is UINT:
        return int(key) if key <= INT64_MAX else None
    if t is float and key - key == 0 and key == int(key):
        number = int(key)
        return number if INT64_MIN <= number <= INT64_MAX else None
    return None


cdef PyObject* find_entry(dict entries, object key) except? NULL:
    cdef PyObject* found = PyDict_GetItem(entries, map_key(key))
    if found is not NULL or type(key) is str:
        return found
    other = _other_number(key)
    if other is not None:
        found = PyDict_GetItem(entries, other)
    if found is NULL and type(key) is float and key - key == 0 and key == int(key) and 0 <= key <= UINT64_MAX:
        found = PyDict_GetItem(entries, OddKey(key, ("uint", int(key))))
    return found


cdef object TYPE_OF_OTHER = None


def set_type_of(function):
    """What Go calls the type of a value that no JSON has, handed in since kernels import nothing at run time."""
    global TYPE_OF_OTHER
    TYPE_OF_OTHER = function


cdef str _go_type(object raw):
    if raw is None:
        return "<nil>"
    if type(raw) is bool:
        return "bool"
    if type(raw) is int:
        return "int64"
    if type(raw) is float:
        return "float64"
    if type(raw) is str:
        return "string"
    if type(raw) is dict:
        return "map[string]interface {}"
    if type(raw) is list:
        return "[]interface {}"
    return TYPE_OF_OTHER(raw)


cdef object read(object raw, Reader reader):
    """`raw` as CEL sees it through `reader`."""
    if raw is None:
        if reader.nullable:
            return None
        return CelErr("invalid data, got null for schema with nullable=false")
    return read_present(raw, reader)


cdef object read_present(object raw, Reader reader):
    cdef int kind = reader.kind
    if kind == K_STRING:
        if type(raw) is str:
            return raw
        return CelErr(f"invalid data, expected string, got {_go_type(raw)}")
    if kind == K_INT:
        if type(raw) is int:
            return raw
        return CelErr(f"invalid data, expected int, got {_go_type(raw)}")
    if kind == K_OBJECT:
        if type(raw) is dict:
            return view_object(raw, reader)
        return CelErr("invalid data, expected a map for the provided schema with type=object")
    if kind == K_LIST:
        if type(raw) is list:
            return view_list(raw, reader)
        return CelErr("invalid data, expected an array for the provided schema with type=array")
    if kind == K_BOOL:
        if type(raw) is bool:
            return raw
        return CelErr(f"invalid data, expected bool, got {_go_type(raw)}")
    if kind == K_MAP:
        if type(raw) is dict:
            return view_map(raw, reader)
        return CelErr("invalid data, expected a map for the provided schema with type=object")
    if kind == K_DOUBLE:
        if type(raw) is float:
            return raw
        if type(raw) is int:
            return float(raw)
        return CelErr(f"invalid data, expected float, got {_go_type(raw)}")
    if kind == K_INT_OR_STRING:
        if type(raw) is str or type(raw) is int:
            return raw
        return CelErr("invalid data, expected XIntOrString value to be either a string or integer")
    if kind == K_PARSED:
        if type(raw) is str:
            return reader.parse(raw)
        return CelErr(f"invalid data, expected string, got {_go_type(raw)}")
    return raw


def read_value(raw, Reader reader):
    return read(raw, reader)


# --- sizes --------------------------------------------------------------------------------------------------


cdef long long size_of(object value) except -1:
    """The size that costs are computed from; 1 for what has none (cel-go: actualSize)."""
    t = type(value)
    if t is str:
        return PyUnicode_GET_LENGTH(value)
    if t is ListValue:
        return PyList_GET_SIZE((<ListValue>value).raw)
    if t is list:
        return PyList_GET_SIZE(value)
    if t is ObjectValue:
        return PyDict_Size((<ObjectValue>value).raw)
    if t is MapValue:
        return PyDict_Size((<MapValue>value).raw)
    if t is dict:
        return PyDict_Size(value)
    if t is bytes:
        return len(value)
    if t is MapLiteral:
        return PyDict_Size((<MapLiteral>value).entries)
    if t is int or t is bool or t is float or value is None:
        return 1
    size = getattr(value, "cel_size", None)
    return 1 if size is None else size


cdef long long compared_size(object value) except -1:
    """The size that costs of equality are computed from: an optional has its value's."""
    while type(value) is Optional and (<Optional>value).present:
        value = (<Optional>value).value
    return size_of(value)


def actual_size(value):
    return size_of(value)


cdef str type_name(object value):
    t = type(value)
    if t is bool:
        return "bool"
    if t is int:
        return "int"
    if t is str:
        return "string"
    if t is float:
        return "double"
    if value is None:
        return "null_type"
    if t is list or t is ListValue:
        return "list"
    if t is dict or t is MapValue or t is ObjectValue or t is MapLiteral:
        return "map"
    if t is bytes:
        return "bytes"
    if t is UINT:
        return "uint"
    if t is Timestamp:
        return "google.protobuf.Timestamp"
    if t is Duration:
        return "google.protobuf.Duration"
    if t is TypeValue:
        return "type"
    if t is Optional:
        return "optional_type"
    if t is CelErr:
        return "error"
    return value.cel_type


def cel_type_name(value):
    return type_name(value)


# --- containers ---------------------------------------------------------------------------------------------


cdef object list_items(object value):
    """The elements of a list as CEL values, as a Python list that must not be changed; None for what is no list."""
    cdef Reader elem
    if type(value) is list:
        return value
    if type(value) is ListValue:
        elem = (<ListValue>value).reader.element()
        if elem.kind == K_DYN:
            return (<ListValue>value).raw
        return [read(item, elem) for item in (<ListValue>value).raw]
    return None


def items_of(value):
    return list_items(value)


cdef object map_keys(object value):
    """The keys of a map as CEL values; None for what is no map."""
    cdef ObjectValue obj
    t = type(value)
    if t is MapValue:
        return list((<MapValue>value).raw)
    if t is dict:
        return list(value)
    if t is ObjectValue:
        obj = <ObjectValue>value
        # A reserved word can be written in two ways; the escaped one, which comes first, is the key.
        names = {}
        for name, (raw_name, _) in obj.reader.field_map().items():
            if raw_name in obj.raw:
                names.setdefault(raw_name, name)
        # What cannot be written as a name is its own key.
        for raw_name in obj.reader.raw_field_map():
            if raw_name in obj.raw:
                names.setdefault(raw_name, raw_name)
        # A member that the schema does not describe has a key that is nothing.
        return [*names.values(), *[None] * (PyDict_Size(obj.raw) - len(names))]
    if t is MapLiteral:
        return [(<OddKey>key).value if type(key) is OddKey else key for key in (<MapLiteral>value).entries]
    return None


def keys_of(value):
    return map_keys(value)


cdef object find_member(ObjectValue obj, str key):
    """The member under a name as JSON has it, in which escapes are read: who asks with a key that is a value need not
    escape it. MISSING where there is none, or null."""
    cdef object name = UNESCAPE(key) if "__" in key else key
    cdef object raw = None if name is None else obj.raw.get(name)
    cdef object reader = None if raw is None else obj.reader.raw_field_map().get(name)
    return MISSING if reader is None else read_present(raw, <Reader>reader)


cdef object map_get(object value, object key):
    """The value under `key`; MISSING where there is none, NO_SUCH_OVERLOAD for what is no map."""
    cdef PyObject* found
    cdef tuple field
    t = type(value)
    if t is ObjectValue:
        if type(key) is not str:
            return NO_SUCH_OVERLOAD
        found = PyDict_GetItem((<ObjectValue>value).reader.field_map(), key)
        if found is NULL:
            return find_member(<ObjectValue>value, key)
        field = <tuple>found
        found = PyDict_GetItem((<ObjectValue>value).raw, field[0])
        if found is NULL or <object>found is None:
            return MISSING
        return read_present(<object>found, <Reader>field[1])
    if t is MapValue:
        if type(key) is not str:
            return NO_SUCH_OVERLOAD
        found = PyDict_GetItem((<MapValue>value).raw, key)
        if found is NULL:
            return MISSING
        return read(<object>found, (<MapValue>value).reader.element())
    if t is dict:
        if type(key) is not str:
            return MISSING
        found = PyDict_GetItem(value, key)
        return MISSING if found is NULL else <object>found
    if t is MapLiteral:
        found = find_entry((<MapLiteral>value).entries, key)
        return MISSING if found is NULL else <object>found
    getter = getattr(value, "cel_get", None)  # a value computed field by field, such as admission's `variables`
    if getter is None:
        return NO_SUCH_OVERLOAD
    got = getter(key)
    return MISSING if got is NotImplemented else got


def get_key(value, key):
    return map_get(value, key)
