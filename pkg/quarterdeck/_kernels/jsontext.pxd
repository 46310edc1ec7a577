cdef object ascii_key(const unsigned char *text, Py_ssize_t size)
cdef object unquote(const unsigned char *text, Py_ssize_t size)
