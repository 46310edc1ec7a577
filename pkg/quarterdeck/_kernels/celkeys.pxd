cdef str show(object key)
