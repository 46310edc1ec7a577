from quarterdeck._kernels.fieldtype cimport FieldType


cdef tuple compare_objects(FieldType type_, dict live, dict new, dict exclude, bint check)
