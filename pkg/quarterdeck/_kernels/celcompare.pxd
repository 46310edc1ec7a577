cdef bint equals(object a, object b) except -1
cdef object compare(object a, object b)
