from libc.stdint cimport int64_t

cpdef bytes splice_revision(bytes value, int64_t revision)
