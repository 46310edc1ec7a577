from cpython.object cimport PyObject

# The kinds of a Reader.
cdef enum:
    K_DYN = 0  # JSON as it is
    K_STRING = 1
    K_INT = 2
    K_DOUBLE = 3
    K_BOOL = 4
    K_OBJECT = 5
    K_MAP = 6
    K_LIST = 7
    K_INT_OR_STRING = 8
    K_PARSED = 9  # a string with a format: parse(text) gives the value or a CelErr
    K_UNKNOWN = 10  # preserved unknown fields: only equality is defined

    L_ATOMIC = 0
    L_SET = 1
    L_MAP = 2

cdef class CelErr:
    cdef readonly str message

cdef class Optional:
    cdef readonly object value
    cdef readonly bint present

cdef class Duration:
    cdef readonly long long ns

cdef class Timestamp:
    cdef readonly long long seconds
    cdef readonly long long nanos
    cdef readonly int offset_s

cdef class TypeValue:
    cdef readonly str name

cdef class Reader:
    cdef readonly int kind
    cdef readonly bint nullable
    cdef readonly int list_type
    cdef readonly dict fields
    cdef readonly dict raw_fields
    cdef readonly Reader elem
    cdef readonly tuple keys
    cdef readonly object parse
    cdef readonly object source
    cdef dict field_map(self)
    cdef dict raw_field_map(self)
    cdef Reader element(self)

cdef class ObjectValue:
    cdef readonly dict raw
    cdef readonly Reader reader

cdef class MapValue:
    cdef readonly dict raw
    cdef readonly Reader reader

cdef class ListValue:
    cdef readonly list raw
    cdef readonly Reader reader
    cdef set members  # of a set that has been asked for them

cdef class MapLiteral:
    cdef readonly dict entries

cdef class OddKey:
    cdef readonly object value
    cdef readonly object mark

cdef object read(object raw, Reader reader)
cdef object read_present(object raw, Reader reader)
cdef long long size_of(object value) except -1
cdef long long compared_size(object value) except -1
cdef object list_items(object value)
cdef object map_get(object value, object key)
cdef object find_member(ObjectValue obj, str key)
cdef object map_keys(object value)
cdef object map_key(object key)
cdef PyObject* find_entry(dict entries, object key) except? NULL
cdef str type_name(object value)
cdef object NO_SUCH_OVERLOAD
cdef object MISSING
cdef object UINT
cdef OddKey TRUE_KEY
cdef OddKey FALSE_KEY
cdef object PANIC
cdef int panic(str text) except -1
cdef int need_hashable(object value) except -1
cdef Reader DYN_READER
