"""HTTP/2 of one connection, on the client's side: libnghttp2 does the frames, HPACK and the windows.

Sans I/O: `ClientSession.submit` begins a request, `receive` takes bytes and gives events, `take_output` gives the bytes
to be sent. Nothing of an answer is kept here: what has come leaves as events, and the library opens the windows again
at once, so that no stream waits for another. A body is kept until it is sent.

Source: RFC 9113.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from quarterdeck._kernels.http2clientside cimport begin_session, put_field, take_all
from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_data_provider,
    nghttp2_data_source,
    nghttp2_frame,
    nghttp2_nv,
    nghttp2_session,
    nghttp2_session_callbacks,
    nghttp2_session_callbacks_new,
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback,
    nghttp2_session_callbacks_set_on_frame_not_send_callback,
    nghttp2_session_callbacks_set_on_frame_recv_callback,
    nghttp2_session_callbacks_set_on_header_callback,
    nghttp2_session_callbacks_set_on_stream_close_callback,
    nghttp2_session_del,
    nghttp2_session_get_remote_settings,
    nghttp2_session_mem_recv,
    nghttp2_session_want_read,
    nghttp2_session_want_write,
    nghttp2_submit_request,
    nghttp2_submit_rst_stream,
)

# What `receive` tells of a stream, and the value that comes with it.
HEAD = 0    # its status
DATA = 1    # bytes of the body
END = 2     # all of the answer has come
RESET = 3   # it ended before that; why (RFC 9113, 7)

cdef enum:
    C_HEAD = 0
    C_DATA = 1
    C_END = 2
    C_RESET = 3
    C_REFUSED_STREAM = 7
    C_CANCEL = 8
    C_OWN_FIELDS = 5
    C_FIELDS_MAX = 32
    # Large enough that no stream stalls: what comes is handed over at once.
    C_WINDOW = 16 * 1024 * 1024
    C_CONNECTION_WINDOW = 0x7fffffff
    T_DATA = 0
    T_HEADERS = 1
    T_SETTINGS = 4
    T_GOAWAY = 7
    FLAG_ACK = 1
    FLAG_END_STREAM = 1
    DATA_EOF = 1
    E_CALLBACK_FAILURE = -902
    S_MAX_CONCURRENT_STREAMS = 3

cdef nghttp2_session_callbacks* _callbacks = NULL
cdef long _alive = 0


def count_alive():
    """How many sessions exist: what tests compare before and after."""
    return _alive


@cython.final
cdef class _Exchange:
    """One request while it is open. `body`: what of it is still to be sent, from `offset` on."""

    cdef bytes body
    cdef Py_ssize_t offset
    cdef bint is_complete      # all of the answer has come


@cython.final
cdef class ClientSession:
    """`scheme` and `authority` are those of all requests."""

    cdef nghttp2_session* inner
    cdef bytes scheme
    cdef bytes authority
    cdef dict exchanges            # id of the stream → _Exchange
    cdef list events
    cdef bint is_broken
    cdef readonly bint is_greeted  # the server has sent its settings
    cdef readonly bint is_leaving  # no more requests are taken

    def __cinit__(self, bytes scheme not None, bytes authority not None):
        global _alive
        _alive += 1
        self.scheme = scheme
        self.authority = authority
        self.exchanges = {}
        self.events = []
        begin_session(&self.inner, prepare_callbacks(), self, NULL, C_WINDOW, C_CONNECTION_WINDOW)

    def __dealloc__(self):
        global _alive
        _alive -= 1
        if self.inner != NULL:
            nghttp2_session_del(self.inner)

    @property
    def streams_max(self):
        """How many the server lets be open at a time; more of them wait here. Known once it has greeted."""
        return nghttp2_session_get_remote_settings(self.inner, S_MAX_CONCURRENT_STREAMS)

    @property
    def is_over(self):
        """Nothing comes and nothing goes any more: the connection can be closed, open requests get no answer."""
        return self.is_broken or not (nghttp2_session_want_read(self.inner) or nghttp2_session_want_write(self.inner))

    def submit(self, bytes method not None, bytes path not None, tuple fields not None, bytes body not None):
        """Begin a request; its stream's id. `fields`: up to 32 pairs of bytes, names in lower case; that of the
        body's length is added. Raises ConnectionError where the connection takes none."""
        cdef nghttp2_data_provider provider
        cdef nghttp2_nv heads[C_OWN_FIELDS + C_FIELDS_MAX]
        cdef Py_ssize_t count = 4
        cdef _Exchange exchange = _Exchange()
        cdef bytes length = b"%d" % PyBytes_GET_SIZE(body)
        cdef int32_t stream_id
        cdef tuple pair
        if len(fields) > C_FIELDS_MAX:
            raise ValueError("too many fields")
        put_field(&heads[0], b":method", method)
        put_field(&heads[1], b":scheme", self.scheme)
        put_field(&heads[2], b":authority", self.authority)
        put_field(&heads[3], b":path", path)
        for pair in fields:
            put_field(&heads[count], <bytes?> pair[0], <bytes?> pair[1])
            count += 1
        if body:
            put_field(&heads[count], b"content-length", length)
            count += 1
        exchange.body = body
        provider.source.ptr = <void*> exchange
        provider.read_callback = read_source
        stream_id = -1
        if not (self.is_broken or self.is_leaving):
            stream_id = nghttp2_submit_request(self.inner, NULL, heads, count, &provider if body else NULL, NULL)
        if stream_id < 0:
            self.is_leaving = True
            raise ConnectionError("the connection takes no more requests")
        self.exchanges[stream_id] = exchange
        return stream_id

    def cancel(self, int32_t stream_id):
        """Nobody waits for this answer any more."""
        if stream_id in self.exchanges:
            nghttp2_submit_rst_stream(self.inner, 0, stream_id, C_CANCEL)

    def receive(self, bytes data not None):
        """Returns events, (HEAD | DATA | END | RESET, id of the stream, value), in the order in which they happened."""
        if not self.is_broken and nghttp2_session_mem_recv(
            self.inner, <const uint8_t*> PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        ) < 0:
            self.is_broken = True
        return self.take_events()

    def take_events(self):
        """Those of `take_output`: requests that the server does not take any more, and what was cancelled."""
        cdef list events = self.events
        if events:
            self.events = []
        return events

    def take_output(self):
        """What is to be sent now; empty when there is nothing."""
        return take_all(self.inner, &self.is_broken)

    cdef int _received(self, const nghttp2_frame* frame) except -1:
        cdef _Exchange exchange
        if frame.hd.type == T_GOAWAY:
            self.is_leaving = True
        elif frame.hd.type == T_SETTINGS and not frame.hd.flags & FLAG_ACK:
            self.is_greeted = True
        elif frame.hd.type in (T_DATA, T_HEADERS) and frame.hd.flags & FLAG_END_STREAM:
            exchange = self.exchanges.get(frame.hd.stream_id)
            if exchange is not None:
                exchange.is_complete = True
        return 0

    cdef int _closed(self, int32_t stream_id, uint32_t code) except -1:
        cdef _Exchange exchange = self.exchanges.pop(stream_id, None)
        if exchange is not None:
            self.events.append((C_END if exchange.is_complete else C_RESET, stream_id, code))
        return 0


# The library's calls. `user` is the ClientSession; a failure (no memory) ends the connection.

cdef int on_header(nghttp2_session* inner, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                   const uint8_t* value, size_t value_size, uint8_t flags, void* user) noexcept:
    """Of the head only the status is wanted, and not that of an answer before the answer (1xx). The library has seen to
    it that there is one, of three digits, and none in trailers."""
    cdef int status
    if frame.hd.type != T_HEADERS or name_size != 7 or memcmp(name, b":status", 7) != 0 or value[0] == c'1':
        return 0
    status = (value[0] - c'0') * 100 + (value[1] - c'0') * 10 + (value[2] - c'0')
    try:
        (<ClientSession> user).events.append((C_HEAD, frame.hd.stream_id, status))
        return 0
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_frame(nghttp2_session* inner, const nghttp2_frame* frame, void* user) noexcept:
    try:
        return (<ClientSession> user)._received(frame)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_data(nghttp2_session* inner, uint8_t flags, int32_t stream_id, const uint8_t* data, size_t size,
                 void* user) noexcept:
    try:
        (<ClientSession> user).events.append((C_DATA, stream_id, PyBytes_FromStringAndSize(<const char*> data, size)))
        return 0
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_frame_not_sent(nghttp2_session* inner, const nghttp2_frame* frame, int code, void* user) noexcept:
    """A request that has not begun when the server says that it takes no more."""
    try:
        return (<ClientSession> user)._closed(frame.hd.stream_id, C_REFUSED_STREAM) if frame.hd.type == T_HEADERS else 0
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_close(nghttp2_session* inner, int32_t stream_id, uint32_t code, void* user) noexcept:
    try:
        return (<ClientSession> user)._closed(stream_id, code)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef ssize_t read_source(nghttp2_session* inner, int32_t stream_id, uint8_t* buffer, size_t length, uint32_t* flags,
                         nghttp2_data_source* source, void* user) noexcept:
    cdef _Exchange exchange = <_Exchange> source.ptr
    cdef Py_ssize_t size = min(PyBytes_GET_SIZE(exchange.body) - exchange.offset, <Py_ssize_t> length)
    memcpy(buffer, PyBytes_AS_STRING(exchange.body) + exchange.offset, size)
    exchange.offset += size
    if exchange.offset == PyBytes_GET_SIZE(exchange.body):
        flags[0] |= DATA_EOF
    return size


cdef nghttp2_session_callbacks* prepare_callbacks() except NULL:
    """Made once, for all connections."""
    global _callbacks
    if _callbacks == NULL:
        if nghttp2_session_callbacks_new(&_callbacks):
            raise MemoryError
        nghttp2_session_callbacks_set_on_header_callback(_callbacks, on_header)
        nghttp2_session_callbacks_set_on_frame_recv_callback(_callbacks, on_frame)
        nghttp2_session_callbacks_set_on_frame_not_send_callback(_callbacks, on_frame_not_sent)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(_callbacks, on_data)
        nghttp2_session_callbacks_set_on_stream_close_callback(_callbacks, on_close)
    return _callbacks
