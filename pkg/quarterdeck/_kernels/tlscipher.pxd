from libc.stdint cimport uint64_t

cdef enum:
    RECORD_MAX = 16384     # what one record holds
    RECORD_ADDS = 22       # its header, its kind and its tag
    HEADER_SIZE = 5
    TAG_SIZE = 16
    SECRET_MAX = 48
    IV_SIZE = 12

    # What records hold (RFC 8446, B.1).
    KIND_ALERT = 21
    KIND_HANDSHAKE = 22
    KIND_DATA = 23

cdef enum Suite:
    AES_128 = 0            # TLS_AES_128_GCM_SHA256
    AES_256 = 1            # TLS_AES_256_GCM_SHA384

cdef struct Keys:
    # One direction of a connection: `context` is OpenSSL's, NULL: there are none. `sequence` counts records, from each
    # change of keys on.
    void* context
    uint64_t sequence
    Suite suite
    bint is_sealing
    unsigned char iv[IV_SIZE]
    unsigned char secret[SECRET_MAX]

cdef bint can_do() noexcept nogil
cdef bint begin_keys(Keys* keys, Suite suite, const unsigned char* secret, bint is_sealing) noexcept nogil
cdef bint advance_keys(Keys* keys) noexcept nogil
cdef void end_keys(Keys* keys) noexcept nogil
cdef int secret_size_of(Suite suite) noexcept nogil
cdef Py_ssize_t seal_record(Keys* keys, int kind, const char* data, Py_ssize_t size, char* target) noexcept nogil
cdef Py_ssize_t open_record(Keys* keys, const char* record, Py_ssize_t size, char* target, int* kind) noexcept nogil
