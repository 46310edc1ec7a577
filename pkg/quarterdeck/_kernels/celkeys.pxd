cpdef str show_key(object key)
