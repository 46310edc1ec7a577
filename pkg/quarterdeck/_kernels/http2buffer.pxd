cdef char* reserve_out(Py_ssize_t used, Py_ssize_t size) except NULL
cdef bytes take_out(Py_ssize_t size)
