from quarterdeck._kernels.tlscipher cimport Keys

cdef struct Scratch:
    # Room for records between two sends; grows, is freed by its owner.
    char* data
    Py_ssize_t size

cdef struct Side:
    # What sending needs of a connection: keys of TLS 1.3 (`has_keys`; without a context: nothing can be sealed any more),
    # or OpenSSL's connection and its BIO for what goes out; and what was sealed and not sent.
    bint has_keys
    bint owes_update     # the client has asked for the next generation of keys
    Keys keys
    unsigned long long records_max  # for each generation of keys
    void* connection
    void* out
    char* rest
    Py_ssize_t rest_size

cdef class Sealer:
    cdef object owner
    cdef Side side

cdef Py_ssize_t seal(Side* side, const char* data, Py_ssize_t size, Scratch* scratch) noexcept nogil
cdef Py_ssize_t sealed_size(Side* side, Py_ssize_t size) noexcept nogil
cdef Py_ssize_t seal_by_keys(Side* side, const char* data, Py_ssize_t size, char* target) noexcept nogil
cdef void trim(Scratch* scratch) noexcept nogil
cdef bint append(char** kept, Py_ssize_t* kept_size, const char* data, Py_ssize_t size) noexcept nogil
cdef bint keep_rest(Side* side, const char* data, Py_ssize_t size) noexcept nogil
