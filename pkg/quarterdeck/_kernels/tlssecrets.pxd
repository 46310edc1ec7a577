from quarterdeck._kernels.tlscipher cimport SECRET_MAX

cdef struct Secrets:
    # Those of what the client and of what the server sends once hands are shaken; a size of 0: not known.
    int client_size
    int server_size
    unsigned char client[SECRET_MAX]
    unsigned char server[SECRET_MAX]

cdef Secrets* find_secrets(const void* connection) noexcept nogil
