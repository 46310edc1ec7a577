"""Protobuf's numbers of variable length, as they are written. Inlined where it is used."""

from libc.stdint cimport uint64_t

cdef enum:
    VARINT_MAX = 10  # bytes


cdef inline int put_varint(char *place, uint64_t value) noexcept:
    """How many bytes it takes."""
    cdef int size = 0
    while value >= 0x80:
        place[size] = <char>(value & 0x7F | 0x80)
        size += 1
        value >>= 7
    place[size] = <char>value
    return size + 1


cdef inline int put_bytes_head(char *place, uint64_t number, uint64_t size) noexcept:
    """What comes before the counted bytes of a field. How many bytes it takes, at most 2 * VARINT_MAX."""
    cdef int length = put_varint(place, number << 3 | 2)
    return length + put_varint(place + length, size)
