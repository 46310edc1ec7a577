"""A number of 64 bits in decimal digits. Inlined where it is used."""

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    DECIMAL_BYTES_MAX = 20  # with its sign


cdef inline char *write_decimal_before(char *end, int64_t number) noexcept nogil:
    """Write it so that it ends there; where it begins."""
    cdef uint64_t rest = <uint64_t>number
    if number < 0:
        rest = 0 - rest
    while True:
        end -= 1
        end[0] = <char>(c'0' + rest % 10)
        rest //= 10
        if rest == 0:
            break
    if number < 0:
        end -= 1
        end[0] = c'-'
    return end
