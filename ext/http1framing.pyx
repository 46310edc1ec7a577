"""HTTP/1.x on the byte level: the fields of a head that frame its message. Contract: _kernels/http1framing.pxd.

RFC 9112, 6 and 7, with the lenience of Go's net/http; stricter in one point: Content-Length beside Transfer-Encoding is
refused.
"""

from libc.string cimport memchr

from quarterdeck._kernels.decimal cimport read_digits
from quarterdeck._kernels.octets cimport is_space, stop_of_text

cdef enum:
    LENGTH_DIGITS_MAX = 18


cdef inline unsigned char in_lower_case(unsigned char octet) noexcept nogil:
    return octet + 32 if c'A' <= octet <= c'Z' else octet


cdef inline bint is_host_octet(unsigned char octet) noexcept nogil:
    return 32 < octet < 127 and memchr(b"\"#/<>?@\\^`{|}", octet, 13) == NULL


cdef inline bint equals_ignoring_case(Bytes text, Py_ssize_t size, const char* lower,
                                      Py_ssize_t lower_size) noexcept nogil:
    cdef Py_ssize_t i
    if size != lower_size:
        return False
    for i in range(size):
        if in_lower_case(text[i]) != <unsigned char> lower[i]:
            return False
    return True


cdef bint has_token(Bytes text, Py_ssize_t size, const char* lower, Py_ssize_t lower_size) noexcept nogil:
    """Whether a comma-separated list holds the token."""
    cdef Py_ssize_t i = 0, begin, end
    while i < size:
        while i < size and (is_space(text[i]) or text[i] == c','):
            i += 1
        begin = i
        while i < size and text[i] != c',':
            i += 1
        end = stop_of_text(text + begin, text + i) - text
        if end > begin and equals_ignoring_case(text + begin, end - begin, lower, lower_size):
            return True
    return False


cdef bint has_word(Bytes text, Py_ssize_t size, const char* lower, Py_ssize_t lower_size) noexcept nogil:
    """Whether the text holds it between spaces and commas."""
    cdef Py_ssize_t i
    for i in range(size - lower_size + 1):
        if i > 0 and not (is_space(text[i - 1]) or text[i - 1] == c','):
            continue
        if i + lower_size < size and not (is_space(text[i + lower_size]) or text[i + lower_size] == c','):
            continue
        if equals_ignoring_case(text + i, lower_size, lower, lower_size):
            return True
    return False


cdef int read_framing_field(Framing* framing, int index, Bytes value, Py_ssize_t size) noexcept nogil:
    """Take in a field that frames the message; 0 or a refusal."""
    cdef Py_ssize_t i
    cdef long long length
    if index == N_HOST:
        framing.hosts += 1
        if framing.hosts > 1:
            return E_BAD_REQUEST
        for i in range(size):
            if not is_host_octet(value[i]):
                return E_HOST_MALFORMED
    elif index == N_CONTENT_LENGTH:
        length = read_digits(value, size, LENGTH_DIGITS_MAX)
        if length < 0 or (framing.is_length_set and length != framing.length):
            return E_BAD_REQUEST
        framing.length = length
        framing.is_length_set = True
    elif index == N_TRANSFER_ENCODING:
        if framing.is_encoding_set or not equals_ignoring_case(value, size, b"chunked", 7):
            # An empty coding is malformed rather than unknown.
            return E_TRANSFER_ENCODING_UNSUPPORTED if size else E_BAD_REQUEST
        framing.is_encoding_set = True
    elif index == N_CONNECTION:
        framing.closes = framing.closes or has_token(value, size, b"close", 5)
        framing.keeps = framing.keeps or has_token(value, size, b"keep-alive", 10)
    elif not framing.expects:  # the first counts
        framing.expects = True
        if has_word(value, size, b"100-continue", 12):
            framing.flags |= F_EXPECT_CONTINUE
        elif size:
            framing.flags |= F_EXPECT_OTHER
    return 0


cdef int set_framing_flags(Framing* framing, int minor) noexcept nogil:
    """What the fields come to, together with the version; 0 or a refusal."""
    if minor == 0:
        framing.flags = (framing.flags | F_HTTP_1_0) & ~F_EXPECT_CONTINUE
        if framing.keeps and not framing.closes:
            framing.flags |= F_KEEP_ALIVE
    else:
        if framing.hosts == 0:
            return E_HOST_MISSING
        if not framing.closes:
            framing.flags |= F_KEEP_ALIVE
    if framing.is_encoding_set:
        # Two lengths, or a coding that the version does not know: the ways in which requests are smuggled.
        # Differs from upstream: net/http takes the first as chunked and ignores the coding in the second.
        if framing.is_length_set or minor == 0:
            return E_BAD_REQUEST
        framing.flags |= F_CHUNKED
    return E_HEADER_NAME_INVALID if framing.has_bad_name else 0
