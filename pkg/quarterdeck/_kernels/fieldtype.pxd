"""The types that objects are walked with. Scalar: nothing, string, numeric, boolean, any."""

from cpython.object cimport PyObject

cdef extern from "Python.h":
    # Borrowed; NULL if absent.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyLong_CheckExact(object value)
    bint PyFloat_CheckExact(object value)
    bint PyBool_Check(object value)

cdef enum:
    NOTHING = 0
    STRING = 1
    NUMERIC = 2
    BOOLEAN = 3
    UNTYPED = 4

# Which atom of a type handles a value.
cdef enum:
    BY_MAP = 0
    BY_SCALAR = 1
    BY_LIST = 2
    BY_NONE = 3


cdef class FieldType:
    cdef readonly int scalar
    cdef readonly bint has_list
    cdef readonly bint list_atomic
    cdef readonly tuple keys  # of a list of maps, in declared order; empty for a set
    cdef readonly dict key_defaults
    cdef readonly FieldType item
    cdef readonly bint has_map
    cdef readonly bint map_atomic
    cdef readonly FieldType value  # of fields that are not declared; None refuses them
    cdef readonly bint anything  # every JSON value conforms, at any depth
    cdef dict fields  # name → (label, FieldType)
    cdef tuple sorted_keys
    cdef tuple key_heads
    cdef object expand
    cdef object shape  # of the object that was new last, for fieldshape.pyx
    cdef int misses    # how many objects in a row had another one


cdef inline FieldType type_below_name(FieldType type_, object name):
    """The type of a map's entry; None where the map's type does not know it."""
    cdef PyObject *found = PyDict_GetItem(type_.fields, name)
    return <FieldType> (<tuple> <object> found)[1] if found is not NULL else type_.value


cdef int resolve(FieldType type_) except -1
cdef int handler(FieldType type_, object value) noexcept
cdef str item_label(FieldType list_type, object item)
cdef int conforms_to(FieldType type_, object value, bint allow_duplicates) except -1
cdef list sorted_labels(FieldType type_, dict items)
cdef int conforms_quickly(FieldType type_, object value) except -1
cdef int fill_containers(list todo, list maybe_empty) except -1
cdef int put_value(
    dict out, str label, FieldType type_, object value, object exclude, list todo, list maybe_empty
) except -1


cdef inline bint scalar_fits(int scalar, object value) noexcept:
    if value is None:
        return True
    if scalar == STRING:
        return PyUnicode_CheckExact(value)
    if scalar == NUMERIC:
        return PyLong_CheckExact(value) or PyFloat_CheckExact(value)
    if scalar == BOOLEAN:
        return PyBool_Check(value)
    return not PyDict_CheckExact(value) and not PyList_CheckExact(value)


cdef inline bint own_atom_fits(FieldType type_, int by, object value) noexcept:
    """Whether `value` is, on its own level, what the atom that handles it accepts."""
    if by == BY_SCALAR:
        return scalar_fits(type_.scalar, value)
    if by == BY_MAP:
        return value is None or PyDict_CheckExact(value)
    if by == BY_LIST:
        return value is None or PyList_CheckExact(value)
    return False


cdef inline bint simple_fits(FieldType type_, object value) noexcept:
    """A scalar that certainly conforms: the common case, without a turn through the stack."""
    return type_.scalar != NOTHING and type_.expand is None and not PyDict_CheckExact(value) \
        and not PyList_CheckExact(value) and value is not None and scalar_fits(type_.scalar, value)
