# Shared with the kernel that stands before pruning and checking.

from quarterdeck._kernels.schema cimport Program

cdef tuple walk_object(
    Program program,
    dict obj,
    bint is_resource_root,
    bint apply_defaults,
    bint report_unknown,
    bint keep_applied=*,
    bint keep_unknown=*,
)
