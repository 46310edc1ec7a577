from quarterdeck._kernels.nghttp2 cimport nghttp2_option

cdef nghttp2_option* build_options() except NULL
