from libc.stdint cimport uint64_t

cdef void* open_library(library) except? NULL
cdef void* find_function(void* handle, const char* name) except NULL
cdef void* find_context(context, void* handle, uint64_t options) except? NULL
cdef void* find_connection(connection, context) noexcept
