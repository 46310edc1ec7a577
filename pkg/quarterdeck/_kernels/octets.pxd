# Classes of octets, as RFC 9110 (5.6.2) and RFC 9112 have them.

from libc.string cimport memchr


cdef inline int hex_digit(unsigned char octet) noexcept nogil:
    """The value of a hexadecimal digit, -1 of what is none."""
    if c'0' <= octet <= c'9':
        return octet - c'0'
    octet |= 0x20
    return octet - c'a' + 10 if c'a' <= octet <= c'f' else -1


cdef inline bint is_value_octet(unsigned char octet) noexcept nogil:
    """Allowed in a field's value (and in a chunk's extension)."""
    return octet == 9 or (octet >= 32 and octet != 127)


cdef inline bint is_token_octet(unsigned char octet) noexcept nogil:
    """Allowed in a field's name."""
    return 32 < octet < 127 and memchr(b"\"(),/:;<=>?@[\\]{}", octet, 17) == NULL
