cdef bint equals(object a, object b) except -1
cdef bint compares_with_its_like_alone(object left, object right) except -1
cdef object compare(object a, object b)
