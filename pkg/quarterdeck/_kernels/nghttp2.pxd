# What is used of libnghttp2, which is under the MIT licence (https://nghttp2.org).
from libc.stdint cimport int32_t, uint8_t, uint32_t

cdef extern from *:
    """
    #if defined(__has_include)
    #  if !__has_include(<nghttp2/nghttp2.h>)
    #    error "the headers of libnghttp2 are missing: apt-get install libnghttp2-dev, or dnf install libnghttp2-devel"
    #  endif
    #endif
    #include <nghttp2/nghttp2.h>
    #if NGHTTP2_VERSION_NUM < 0x013200  /* it refuses no blanks around values that it could be asked to take */
    #  define nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, value) ((void) (option))
    #endif
    """

cdef extern from "nghttp2/nghttp2.h":
    ctypedef struct nghttp2_session:
        pass
    ctypedef struct nghttp2_session_callbacks:
        pass
    ctypedef struct nghttp2_option:
        pass
    ctypedef struct nghttp2_frame_hd:
        size_t length
        int32_t stream_id
        uint8_t type
        uint8_t flags
    ctypedef struct nghttp2_headers:
        int cat
    ctypedef union nghttp2_frame:
        nghttp2_frame_hd hd
        nghttp2_headers headers
    ctypedef struct nghttp2_nv:
        uint8_t* name
        uint8_t* value
        size_t namelen
        size_t valuelen
        uint8_t flags
    ctypedef struct nghttp2_vec:
        uint8_t* base
        size_t len
    ctypedef struct nghttp2_rcbuf:
        pass
    enum: NGHTTP2_NV_FLAG_NO_INDEX
    ctypedef union nghttp2_data_source:
        int fd
        void* ptr
    ctypedef ssize_t (*ReadSource)(nghttp2_session*, int32_t, uint8_t*, size_t, uint32_t*, nghttp2_data_source*,
                                   void*) noexcept
    ctypedef struct nghttp2_data_provider:
        nghttp2_data_source source
        ReadSource read_callback
    ctypedef struct nghttp2_settings_entry:
        int32_t settings_id
        uint32_t value
    int nghttp2_session_callbacks_new(nghttp2_session_callbacks**)
    void nghttp2_session_callbacks_del(nghttp2_session_callbacks*)
    void nghttp2_session_callbacks_set_on_begin_frame_callback(
        nghttp2_session_callbacks*, int (*)(nghttp2_session*, const nghttp2_frame_hd*, void*) noexcept)
    void nghttp2_session_callbacks_set_on_begin_headers_callback(
        nghttp2_session_callbacks*, int (*)(nghttp2_session*, const nghttp2_frame*, void*) noexcept)
    void nghttp2_session_callbacks_set_on_header_callback(
        nghttp2_session_callbacks*,
        int (*)(nghttp2_session*, const nghttp2_frame*, const uint8_t*, size_t, const uint8_t*, size_t, uint8_t,
                void*) noexcept)
    void nghttp2_session_callbacks_set_on_header_callback2(
        nghttp2_session_callbacks*,
        int (*)(nghttp2_session*, const nghttp2_frame*, nghttp2_rcbuf*, nghttp2_rcbuf*, uint8_t, void*) noexcept)
    void nghttp2_session_callbacks_set_on_frame_recv_callback(
        nghttp2_session_callbacks*, int (*)(nghttp2_session*, const nghttp2_frame*, void*) noexcept)
    void nghttp2_session_callbacks_set_on_frame_not_send_callback(
        nghttp2_session_callbacks*, int (*)(nghttp2_session*, const nghttp2_frame*, int, void*) noexcept)
    void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        nghttp2_session_callbacks*,
        int (*)(nghttp2_session*, uint8_t, int32_t, const uint8_t*, size_t, void*) noexcept)
    void nghttp2_session_callbacks_set_on_stream_close_callback(
        nghttp2_session_callbacks*, int (*)(nghttp2_session*, int32_t, uint32_t, void*) noexcept)
    void nghttp2_session_callbacks_set_send_data_callback(
        nghttp2_session_callbacks*,
        int (*)(nghttp2_session*, nghttp2_frame*, const uint8_t*, size_t, nghttp2_data_source*, void*) noexcept)
    int nghttp2_option_new(nghttp2_option**)
    void nghttp2_option_del(nghttp2_option*)
    void nghttp2_option_set_no_closed_streams(nghttp2_option*, int)
    void nghttp2_option_set_max_settings(nghttp2_option*, size_t)
    void nghttp2_option_set_max_outbound_ack(nghttp2_option*, size_t)
    void nghttp2_option_set_no_auto_window_update(nghttp2_option*, int)
    void nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(nghttp2_option*, int)
    int nghttp2_session_client_new2(nghttp2_session**, const nghttp2_session_callbacks*, void*, const nghttp2_option*)
    int nghttp2_session_server_new2(nghttp2_session**, const nghttp2_session_callbacks*, void*, const nghttp2_option*)
    void nghttp2_session_del(nghttp2_session*)
    void nghttp2_rcbuf_incref(nghttp2_rcbuf*)
    void nghttp2_rcbuf_decref(nghttp2_rcbuf*)
    nghttp2_vec nghttp2_rcbuf_get_buf(nghttp2_rcbuf*)
    ssize_t nghttp2_session_mem_recv(nghttp2_session*, const uint8_t*, size_t)
    ssize_t nghttp2_session_mem_send(nghttp2_session*, const uint8_t**)
    int nghttp2_session_consume_connection(nghttp2_session*, size_t)
    int nghttp2_session_consume_stream(nghttp2_session*, int32_t, size_t)
    void* nghttp2_session_get_stream_user_data(nghttp2_session*, int32_t)
    int nghttp2_session_resume_data(nghttp2_session*, int32_t)
    int nghttp2_session_want_read(nghttp2_session*)
    int nghttp2_session_want_write(nghttp2_session*)
    uint32_t nghttp2_session_get_remote_settings(nghttp2_session*, int)
    int32_t nghttp2_session_get_last_proc_stream_id(nghttp2_session*)
    int nghttp2_session_terminate_session(nghttp2_session*, uint32_t)
    int nghttp2_session_set_local_window_size(nghttp2_session*, uint8_t, int32_t, int32_t)
    int nghttp2_submit_ping(nghttp2_session*, uint8_t, const uint8_t*)
    int32_t nghttp2_submit_request(nghttp2_session*, const void*, const nghttp2_nv*, size_t,
                                   const nghttp2_data_provider*, void*)
    int nghttp2_submit_settings(nghttp2_session*, uint8_t, const nghttp2_settings_entry*, size_t)
    int nghttp2_submit_response(nghttp2_session*, int32_t, const nghttp2_nv*, size_t, const nghttp2_data_provider*)
    int32_t nghttp2_submit_headers(nghttp2_session*, uint8_t, int32_t, const void*, const nghttp2_nv*, size_t, void*)
    int nghttp2_submit_rst_stream(nghttp2_session*, uint8_t, int32_t, uint32_t)
    int nghttp2_submit_shutdown_notice(nghttp2_session*)
    int nghttp2_submit_goaway(nghttp2_session*, uint8_t, int32_t, uint32_t, const uint8_t*, size_t)
