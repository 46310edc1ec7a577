cdef object compare(object a, object b)
