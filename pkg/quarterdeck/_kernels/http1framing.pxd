# What the head of a request says of the message itself (ext/http1framing.pyx).

from quarterdeck._kernels.octets cimport Bytes

# Refusals; http1.pyi has the names that the transport knows them by.
cdef enum:
    E_BAD_REQUEST = 1
    E_HOST_MISSING = 2
    E_HOST_MALFORMED = 3
    E_HEADER_VALUE_INVALID = 4
    E_TRANSFER_ENCODING_UNSUPPORTED = 5
    E_VERSION_UNSUPPORTED = 6
    E_HEAD_TOO_LARGE = 7
    E_HEADER_NAME_INVALID = 8

cdef enum:
    F_KEEP_ALIVE = 1
    F_CHUNKED = 2
    F_EXPECT_CONTINUE = 4
    F_EXPECT_OTHER = 8
    F_HTTP_1_0 = 16
    F_OTHER_FORM = 32  # the target is no path

# The fields that frame a message.
cdef enum:
    N_HOST = 0
    N_CONTENT_LENGTH = 1
    N_TRANSFER_ENCODING = 2
    N_CONNECTION = 3
    N_EXPECT = 4

cdef struct Framing:
    int hosts
    long long length
    bint is_length_set
    bint is_encoding_set
    bint closes
    bint keeps
    bint expects
    bint has_bad_name
    int flags

cdef int read_framing_field(Framing* framing, int index, Bytes value, Py_ssize_t size) noexcept nogil
cdef int set_framing_flags(Framing* framing, int minor) noexcept nogil
