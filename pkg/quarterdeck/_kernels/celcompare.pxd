from quarterdeck._kernels.celvalue cimport ListValue

cdef bint equals(object a, object b) except -1
cdef object equality_fault(object a, object b)
cdef object entry_key(object member, tuple keys)
cdef object member_key(object item, bint is_sent)
cdef set members_of(ListValue container)
cdef int list_type_of(object value) except -1
