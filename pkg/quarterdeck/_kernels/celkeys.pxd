from quarterdeck._kernels.celvalue cimport ListValue

cpdef str show_key(object key)
cdef bint asks_for_texts(object value) noexcept
cdef bint is_qualifier(object key) noexcept
cdef str qualifier_fault(object key)
cdef str go_type(object value)
cpdef object go_value(object value)
cdef bint elements_ask_their_like_alone(ListValue container, object value) except -1
