# Classes of octets, as RFC 9110 (5.6.2) and RFC 9112 have them.

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy

ctypedef const unsigned char* Bytes

cdef extern from *:
    """
    // The same octet eight times over.
    #define QD_ONES 0x0101010101010101ULL
    #define QD_HIGHS 0x8080808080808080ULL
    """
    const uint64_t ONES "QD_ONES"
    const uint64_t HIGHS "QD_HIGHS"


cdef inline bint has_octet_below(Bytes p, uint64_t least) noexcept nogil:
    """Whether one of the eight octets at p is lower than `least`, which is no more than 128, or 127."""
    cdef uint64_t word, delete
    memcpy(&word, p, 8)
    delete = word ^ (ONES * 0x7F)
    return (((word - ONES * least) & ~word & HIGHS) | ((delete - ONES) & ~delete & HIGHS)) != 0


cdef inline bint has_octet_above_ascii(Bytes p) noexcept nogil:
    """Likewise, beyond 127."""
    cdef uint64_t word
    memcpy(&word, p, 8)
    return (word & HIGHS) != 0


cdef inline bint is_space(unsigned char octet) noexcept nogil:
    return octet == c' ' or octet == c'\t'


cdef inline Bytes begin_of_text(Bytes p, Bytes stop) noexcept nogil:
    """Behind the spaces that it begins with."""
    while p < stop and is_space(p[0]):
        p += 1
    return p


cdef inline Bytes stop_of_text(Bytes p, Bytes stop) noexcept nogil:
    """Before the spaces that it ends with."""
    while stop > p and is_space((stop - 1)[0]):
        stop -= 1
    return stop


cdef inline Bytes stop_of_line(Bytes p, Bytes newline) noexcept nogil:
    """Before the line feed, and the carriage return in front of it where there is one."""
    return newline - 1 if newline > p and (newline - 1)[0] == c'\r' else newline


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
