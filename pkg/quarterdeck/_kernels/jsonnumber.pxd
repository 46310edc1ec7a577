cdef object read_number(const unsigned char *text, Py_ssize_t size, bint is_integer)
