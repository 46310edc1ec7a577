from quarterdeck._kernels.celvalue cimport Optional

cdef object as_member(object value)
cdef object native(object value)
cdef object open_again(Optional value)
