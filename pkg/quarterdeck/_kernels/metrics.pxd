# Shared with the kernel that counts what watchers are sent.

from libc.stdint cimport uint64_t

cdef class Buckets:
    cdef double* _bounds
    cdef Py_ssize_t _size
    cdef readonly tuple bounds

cdef class Histogram:
    cdef Buckets _buckets
    cdef uint64_t* _counts
    cdef readonly double sum
    cdef void _observe(self, double value) noexcept
    cdef void observe_often(self, double value, uint64_t times) noexcept
