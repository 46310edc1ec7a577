"""gRPC over one connection, on the client's side: libnghttp2 does the frames, HPACK and the windows.

Sans I/O: `Calls.receive` takes bytes and gives the calls of which something has come, `Calls.take` gives the bytes to
be sent. A call has messages that came and were not taken yet: with UNTAKEN_BYTES of them its window is not opened
again, so that who is behind is sent no more; other calls of the connection go on.

Sources: RFC 9113; grpc/doc/PROTOCOL-HTTP2.md.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t

from quarterdeck._kernels.grpccall cimport Call, count_calls
from quarterdeck._kernels.http2clientside cimport begin_session, put_field, take_all
from quarterdeck._kernels.http2stream cimport Wire
from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_data_provider,
    nghttp2_data_source,
    nghttp2_frame,
    nghttp2_nv,
    nghttp2_option,
    nghttp2_option_new,
    nghttp2_option_set_no_auto_window_update,
    nghttp2_session,
    nghttp2_session_callbacks,
    nghttp2_session_callbacks_new,
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback,
    nghttp2_session_callbacks_set_on_frame_not_send_callback,
    nghttp2_session_callbacks_set_on_frame_recv_callback,
    nghttp2_session_callbacks_set_on_header_callback,
    nghttp2_session_callbacks_set_on_stream_close_callback,
    nghttp2_session_consume_connection,
    nghttp2_session_del,
    nghttp2_session_get_stream_user_data,
    nghttp2_session_mem_recv,
    nghttp2_submit_ping,
    nghttp2_submit_request,
)

REFUSED_STREAM = 7
NOT_TOLD = -1    # as a status

cdef enum:
    C_WINDOW = 4 * 1024 * 1024
    C_CONNECTION_WINDOW = 64 * 1024 * 1024
    C_REFUSED_STREAM = 7
    T_HEADERS = 1
    T_PING = 6
    T_GOAWAY = 7
    FLAG_ACK = 1
    DATA_EOF = 1
    E_DEFERRED = -508
    E_CALLBACK_FAILURE = -902

cdef nghttp2_session_callbacks* _callbacks = NULL
cdef nghttp2_option* _options = NULL
cdef long _alive = 0


def count_alive():
    """How many connections and calls exist: what tests compare before and after."""
    return _alive + count_calls()


@cython.final
cdef class Calls(Wire):
    """`on_output` is called when there is something to be sent, once until the next `take`. `scheme` and `authority`
    are those of all requests."""

    cdef bytes scheme
    cdef bytes authority
    cdef dict open_calls           # id → Call
    cdef list touched
    cdef readonly bint is_broken
    cdef readonly bint is_leaving  # the server takes no new calls
    cdef readonly long pongs

    def __cinit__(self, on_output, bytes scheme not None, bytes authority not None):
        global _alive
        _alive += 1
        self.on_output = on_output
        self.scheme = scheme
        self.authority = authority
        self.open_calls = {}
        self.touched = []
        begin_session(&self.inner, prepare_callbacks(), self, _options, C_WINDOW, C_CONNECTION_WINDOW)

    def __dealloc__(self):
        global _alive
        _alive -= 1
        if self.inner != NULL:
            nghttp2_session_del(self.inner)

    @property
    def open_count(self):
        return len(self.open_calls)

    def begin(self, bytes path not None, bytes timeout not None):
        """A new call; its first message is still to be sent. `timeout` as gRPC writes it (`20S`), empty for none.
        Raises ConnectionError where the connection takes none."""
        cdef nghttp2_data_provider provider
        cdef nghttp2_nv fields[8]
        cdef int count = 7
        cdef int32_t stream_id
        cdef Call call = Call()
        if self.is_broken or self.is_leaving:
            raise ConnectionError("the connection takes no more calls")
        put_field(&fields[0], b":method", b"POST")
        put_field(&fields[1], b":scheme", self.scheme)
        put_field(&fields[2], b":path", path)
        put_field(&fields[3], b":authority", self.authority)
        put_field(&fields[4], b"te", b"trailers")
        put_field(&fields[5], b"content-type", b"application/grpc")
        put_field(&fields[6], b"user-agent", b"quarterdeck")
        if timeout:
            put_field(&fields[7], b"grpc-timeout", timeout)
            count = 8
        provider.source.ptr = <void*> call
        provider.read_callback = read_source
        stream_id = nghttp2_submit_request(self.inner, NULL, fields, count, &provider, <void*> call)
        if stream_id < 0:
            raise ConnectionError("the connection takes no more calls")
        call.begin(self, stream_id)
        self.open_calls[stream_id] = call
        self.wake()
        return call

    def ping(self):
        nghttp2_submit_ping(self.inner, 0, NULL)
        self.wake()

    def receive(self, bytes data not None):
        """The calls of which something has come, in the order in which it began to."""
        if not self.is_broken and nghttp2_session_mem_recv(
            self.inner, <const uint8_t*> PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        ) < 0:
            self.is_broken = True
        self.wake()
        return self.take_touched()

    def take_touched(self):
        """Those of `take`: calls that the server does not take any more."""
        cdef list touched = self.touched
        cdef Call call
        if touched:
            self.touched = []
            for call in touched:
                call.is_touched = False
        return touched

    def take(self):
        """What is to be sent now; empty when there is nothing."""
        self.is_awake = False
        return take_all(self.inner, &self.is_broken)

    def close(self):
        """The connection is gone. Returns the calls that were open, all over now."""
        cdef list left = list(self.open_calls.values())
        cdef Call call
        for call in left:
            call.end(0)
        self.open_calls.clear()
        self.touched.clear()
        self.on_output = None
        self.is_broken = True
        return left

    cdef int _touch(self, Call call) except -1:
        if not call.is_touched:
            call.is_touched = True
            self.touched.append(call)
        return 0

    cdef int _closed(self, Call call, uint32_t code) except -1:
        call.end(code)
        self._touch(call)
        self.open_calls.pop(call.id, None)
        return 0


# The library's calls. `user` is the Calls; a failure (no memory) ends the connection.

cdef int on_header(nghttp2_session* inner, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                   const uint8_t* value, size_t value_size, uint8_t flags, void* user) noexcept:
    cdef void* call = nghttp2_session_get_stream_user_data(inner, frame.hd.stream_id)
    if call == NULL or frame.hd.type != T_HEADERS:
        return 0
    try:
        return (<Call> call).add_field(<const char*> name, name_size, <const char*> value, value_size)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_frame(nghttp2_session* inner, const nghttp2_frame* frame, void* user) noexcept:
    if frame.hd.type == T_PING and frame.hd.flags & FLAG_ACK:
        (<Calls> user).pongs += 1
    elif frame.hd.type == T_GOAWAY:
        (<Calls> user).is_leaving = True
    return 0


cdef int on_data(nghttp2_session* inner, uint8_t flags, int32_t stream_id, const uint8_t* data, size_t size,
                 void* user) noexcept:
    cdef void* call = nghttp2_session_get_stream_user_data(inner, stream_id)
    nghttp2_session_consume_connection(inner, size)
    if call == NULL:
        return 0
    try:
        (<Call> call).add_data(<const char*> data, size)
        return (<Calls> user)._touch(<Call> call) if (<Call> call).messages else 0
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_frame_not_sent(nghttp2_session* inner, const nghttp2_frame* frame, int code, void* user) noexcept:
    """A call that has not begun when the server says that it takes no more."""
    cdef Call call
    try:
        call = (<Calls> user).open_calls.get(frame.hd.stream_id) if frame.hd.type == T_HEADERS else None
        return 0 if call is None else (<Calls> user)._closed(call, C_REFUSED_STREAM)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_close(nghttp2_session* inner, int32_t stream_id, uint32_t code, void* user) noexcept:
    cdef void* call = nghttp2_session_get_stream_user_data(inner, stream_id)
    if call == NULL:
        return 0
    try:
        return (<Calls> user)._closed(<Call> call, code)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef ssize_t read_source(nghttp2_session* inner, int32_t stream_id, uint8_t* buffer, size_t length, uint32_t* flags,
                         nghttp2_data_source* source, void* user) noexcept:
    cdef Call call = <Call> source.ptr
    cdef Py_ssize_t size
    try:
        size = call.copy(<char*> buffer, length)
    except BaseException:
        return E_CALLBACK_FAILURE
    if call.is_ended and not call.outgoing:
        flags[0] |= DATA_EOF
    elif size == 0:
        call.is_deferred = True
        return E_DEFERRED
    return size


cdef nghttp2_session_callbacks* prepare_callbacks() except NULL:
    """Made once, for all connections."""
    global _callbacks, _options
    if _callbacks == NULL:
        if nghttp2_session_callbacks_new(&_callbacks) or nghttp2_option_new(&_options):
            raise MemoryError
        nghttp2_session_callbacks_set_on_header_callback(_callbacks, on_header)
        nghttp2_session_callbacks_set_on_frame_recv_callback(_callbacks, on_frame)
        nghttp2_session_callbacks_set_on_frame_not_send_callback(_callbacks, on_frame_not_sent)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(_callbacks, on_data)
        nghttp2_session_callbacks_set_on_stream_close_callback(_callbacks, on_close)
        nghttp2_option_set_no_auto_window_update(_options, 1)
    return _callbacks
