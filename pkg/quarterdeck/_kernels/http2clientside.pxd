"""What both clients of HTTP/2 have in common, that of gRPC and that of requests: how a connection begins, the fields that
are sent, and what is taken to be sent."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

from quarterdeck._kernels.http2buffer cimport reserve_out, take_out
from quarterdeck._kernels.http2fields cimport set_field
from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_nv,
    nghttp2_option,
    nghttp2_session,
    nghttp2_session_callbacks,
    nghttp2_session_client_new2,
    nghttp2_session_mem_send,
    nghttp2_session_set_local_window_size,
    nghttp2_settings_entry,
    nghttp2_submit_settings,
)

cdef enum:
    SETTINGS_ENABLE_PUSH = 2
    SETTINGS_INITIAL_WINDOW_SIZE = 4


cdef inline int begin_session(
    nghttp2_session** session,
    const nghttp2_session_callbacks* callbacks,
    object owner,
    const nghttp2_option* options,
    uint32_t stream_window,
    int32_t connection_window,
) except -1:
    """`owner` is given to the callbacks; it is to live longer than the session."""
    cdef nghttp2_settings_entry settings[2]
    if nghttp2_session_client_new2(session, callbacks, <void*> owner, options):
        raise MemoryError
    settings[0].settings_id = SETTINGS_ENABLE_PUSH
    settings[0].value = 0
    settings[1].settings_id = SETTINGS_INITIAL_WINDOW_SIZE
    settings[1].value = stream_window
    nghttp2_submit_settings(session[0], 0, settings, 2)
    nghttp2_session_set_local_window_size(session[0], 0, 0, connection_window)
    return 0


cdef inline void put_field(nghttp2_nv* field, bytes name, bytes value) noexcept:
    set_field(field, PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name), PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))


cdef inline bytes take_all(nghttp2_session* session, bint* is_broken):
    """What is to be sent now. A session that gives nothing any more is broken; one that is broken gives nothing."""
    cdef const uint8_t* data = NULL
    cdef ssize_t size
    cdef Py_ssize_t taken = 0
    while not is_broken[0]:
        size = nghttp2_session_mem_send(session, &data)
        if size < 0:
            is_broken[0] = True
        if size <= 0:
            break
        memcpy(reserve_out(taken, size), data, size)
        taken += size
    return take_out(taken)
