cdef bint is_same_scalar(object a, object b) except -1
cdef bint may_be_equal(object a, object b) except -1
cpdef bint deep_equal(a, b) except -1
