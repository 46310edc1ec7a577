"""What the other kernels of field management take from fieldmerge."""

from quarterdeck._kernels.fieldtype cimport FieldType

cdef object merge_objects(FieldType type_, object live, object config)
cdef dict atomic_nodes(FieldType type_, dict fields)
