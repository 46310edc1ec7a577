from quarterdeck._kernels.celvalue cimport Reader

cdef object of_literals(object value, Reader adding_to)
cdef object add_lists(object a, object b)
cpdef object list_contains(object container, object value)
