cdef class Outlet:
    cdef bint is_full(self) noexcept
    cdef int offer(self, bytes data) except -1
