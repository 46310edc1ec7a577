from libc.stdint cimport int32_t

from quarterdeck._kernels.nghttp2 cimport nghttp2_data_provider, nghttp2_nv, nghttp2_session

cdef int submit_answer(nghttp2_session* inner, int32_t stream_id, int status, list headers, long long content_length,
                       bytes date_line, const nghttp2_data_provider* provider) except -1
cdef int submit_continue(nghttp2_session* inner, int32_t stream_id) noexcept
cdef void set_field(nghttp2_nv* field, const char* name, size_t name_size, const char* value,
                    size_t value_size) noexcept
