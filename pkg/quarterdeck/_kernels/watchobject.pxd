from libc.stdint cimport int64_t

cdef class Entry:
    cdef readonly str path
    cdef readonly str namespace
    cdef readonly int64_t revision
    cdef readonly int64_t create_revision
    cdef public object labels
    cdef public object fields
    cdef bytes _held           # the data, or what zlib packed it into
    cdef Py_ssize_t _unpacked  # how many bytes the data has where it is packed, else 0
    cdef object _form          # the first form that bytes were kept for, mostly the only one
    cdef bytes _form_data
    cdef dict _encodings       # the others

cdef class Change:
    cdef readonly Entry entry
    cdef readonly Entry old
    cdef readonly int64_t revision
    cdef readonly double at_s
    cdef Entry _tombstone

cdef class Selection:
    cdef readonly str namespace
    cdef readonly str name
    cdef readonly tuple labels
    cdef readonly tuple fields
    cdef readonly str path        # "namespace/name" where both are fixed
    cdef readonly bint is_everything
    cdef dict _by_label           # key → its requirements, where there are many
    cdef Py_ssize_t _wanted_keys  # how many of these an object must have
    cdef bint matches(self, object decode, Entry entry) except -1
    cdef bint _match_many(self, dict labels) except -1

cdef int decode_entry(object decode, Entry entry) except -1
