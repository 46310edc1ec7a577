"""What the kernels of field management share: labels of path elements and the order of a set."""

cdef str json_string(str text)
cdef str json_text(object value)
cdef object value_order(object value)
cdef dict order_set(dict fields)
cdef int take_out_empty(list hung) except -1
