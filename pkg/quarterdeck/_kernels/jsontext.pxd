cdef object unquote(const unsigned char *text, Py_ssize_t size)
