# Shared with the kernels that check values and that stand before both.

from quarterdeck._kernels.schema cimport Program

cdef bint is_plain_time(str text) noexcept
cdef bint is_plain(object meta) except -1
cdef tuple walk_object(
    Program program,
    dict obj,
    bint is_resource_root,
    bint apply_defaults,
    bint report_unknown,
    bint keep_nulls=*,
    bint keep_unknown=*,
)
