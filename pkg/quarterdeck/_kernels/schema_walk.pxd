# Shared with the kernel that checks values: the form that nearly all times have.

cdef bint is_plain_time(str text) noexcept
