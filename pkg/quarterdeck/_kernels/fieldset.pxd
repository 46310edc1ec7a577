"""What the kernels of field management share: labels of path elements, the order of a set, equality of values."""

cdef str json_string(str text)
cdef str json_text(object value)
cdef object value_order(object value)
cdef dict order_set(dict fields)
cdef int sort_in_place(dict node) except -1
cdef int take_out_empty(list hung) except -1
cdef int same(object a, object b) except -1
cdef int scalars_same(object a, object b) except -1

cdef enum:
    UNION = 0
    DIFFERENCE = 1
    RECURSIVE_DIFFERENCE = 2
    INTERSECTION = 3

cdef dict combine(dict left, dict right, int operation)
cdef int well_formed(object fields) except -1


cdef inline bint is_escaped(Py_UCS4 char) noexcept:
    return char < 0x20 or char == c'"' or char == c'\\' or char == c'<' or char == c'>' or char == c'&' \
        or char == 0x2028 or char == 0x2029
