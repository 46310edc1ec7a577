# Shared with the kernels that check values and that stand before pruning and checking.

cdef bint is_plain_time(str text) noexcept
cdef bint is_plain(object meta) except -1
