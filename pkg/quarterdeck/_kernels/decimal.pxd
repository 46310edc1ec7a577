"""Numbers in decimal digits. Inlined where they are used."""

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


cdef inline long long read_digits(const unsigned char *text, Py_ssize_t size, Py_ssize_t digits_max) noexcept nogil:
    """What is digits and nothing else, no more than `digits_max` ≤ 18 of them; -1: it is not that."""
    cdef long long number = 0
    cdef Py_ssize_t i
    if size <= 0 or size > digits_max:
        return -1
    for i in range(size):
        if text[i] < c'0' or text[i] > c'9':
            return -1
        number = number * 10 + (text[i] - c'0')
    return number
