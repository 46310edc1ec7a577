"""The types that objects are walked with. Scalar: nothing, string, numeric, boolean, any."""

cdef enum:
    NOTHING = 0
    STRING = 1
    NUMERIC = 2
    BOOLEAN = 3
    UNTYPED = 4


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


cdef int resolve(FieldType type_) except -1
cdef int handler(FieldType type_, object value) noexcept
cdef str item_label(FieldType list_type, object item)
cdef int conforms_to(FieldType type_, object value, bint allow_duplicates) except -1
cdef tuple compare_objects(FieldType type_, dict live, dict new, dict exclude, bint check)
cdef dict applied_set(FieldType type_, object value)
