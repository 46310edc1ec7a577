cdef struct Scratch:
    # Room for records between two sends; grows, is freed by its owner.
    char* data
    Py_ssize_t size

cdef struct Side:
    # What sending needs of a connection: the SSL, its BIO for what goes out, and what was sealed and not sent.
    void* connection
    void* out
    char* rest
    Py_ssize_t rest_size

cdef class Sealer:
    cdef object owner
    cdef Side side

cdef Py_ssize_t seal(Side* side, const char* data, Py_ssize_t size, Scratch* scratch) noexcept nogil
cdef void trim(Scratch* scratch) noexcept nogil
cdef bint keep_rest(Side* side, const char* data, Py_ssize_t size) noexcept nogil
cdef void* open_library(library) except? NULL
