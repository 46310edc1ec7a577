"""The fields that somebody owns who applies an object."""

from quarterdeck._kernels.fieldtype cimport FieldType

cdef dict applied_set(FieldType type_, object value)
