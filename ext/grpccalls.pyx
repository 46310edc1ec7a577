"""gRPC over one connection, on the client's side: libnghttp2 does the frames, HPACK and the windows.

Sans I/O: `Calls.receive` takes bytes and gives the calls of which something has come, `Calls.take` gives the bytes to be
sent. A call has messages that came and were not taken yet: with UNTAKEN_BYTES of them its window is not opened again,
so that who is behind is sent no more; other calls of the connection go on.

Sources: RFC 9113; grpc/doc/PROTOCOL-HTTP2.md.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from quarterdeck._kernels.http2buffer cimport reserve_out, take_out
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
    nghttp2_session_client_new2,
    nghttp2_session_consume_connection,
    nghttp2_session_consume_stream,
    nghttp2_session_del,
    nghttp2_session_get_stream_user_data,
    nghttp2_session_mem_recv,
    nghttp2_session_mem_send,
    nghttp2_session_resume_data,
    nghttp2_session_set_local_window_size,
    nghttp2_settings_entry,
    nghttp2_submit_ping,
    nghttp2_submit_request,
    nghttp2_submit_rst_stream,
    nghttp2_submit_settings,
)

UNTAKEN_BYTES = 8 * 1024 * 1024
REFUSED_STREAM = 7
NOT_TOLD = -1    # as a status

cdef enum:
    C_WINDOW = 4 * 1024 * 1024
    C_CONNECTION_WINDOW = 64 * 1024 * 1024
    C_UNTAKEN = 8 * 1024 * 1024
    C_DETAILS_BYTES_MAX = 8192
    C_PREFIX = 5               # of a message: whether it is compressed, and its size
    C_MESSAGE_MAX = 0x7fffffff
    C_INTERNAL_ERROR = 2
    C_REFUSED_STREAM = 7
    C_CANCEL = 8
    T_HEADERS = 1
    T_PING = 6
    T_GOAWAY = 7
    FLAG_ACK = 1
    DATA_EOF = 1
    E_DEFERRED = -508
    E_CALLBACK_FAILURE = -902
    S_ENABLE_PUSH = 2
    S_INITIAL_WINDOW_SIZE = 4

cdef nghttp2_session_callbacks* _callbacks = NULL
cdef nghttp2_option* _options = NULL
cdef long _alive = 0


def count_alive():
    """How many connections and calls exist: what tests compare before and after."""
    return _alive


@cython.final
cdef class Call:
    """One call. `owner` is whoever waits for it. `status` is gRPC's, NOT_TOLD until the server has told it; `details` its
    text, percent-encoded. `reset` is HTTP/2's reason where the call was given up; `is_answered`: the server has begun to
    answer."""

    cdef Calls session
    cdef int32_t id
    cdef public object owner
    cdef readonly int status
    cdef readonly int http_status
    cdef readonly bytes details
    cdef readonly uint32_t reset
    cdef readonly bint is_over
    cdef readonly bint is_answered
    cdef bint is_touched
    cdef bint is_given_up          # what still comes counts no more
    cdef list outgoing
    cdef Py_ssize_t offset         # of the first of them
    cdef bint is_ended             # nothing comes behind them
    cdef bint is_deferred
    cdef list messages
    cdef Py_ssize_t untaken        # bytes of them
    cdef Py_ssize_t owed           # by which the window has not been opened again
    cdef char head[5]              # C_PREFIX
    cdef Py_ssize_t filled         # of the head, and then of the message
    cdef bytes message

    def __cinit__(self):
        global _alive
        _alive += 1
        self.status = self.http_status = -1
        self.details = b""
        self.outgoing = []
        self.messages = []

    def __dealloc__(self):
        global _alive
        _alive -= 1

    def take(self):
        """The next message that has come, or None."""
        cdef bytes message
        cdef Py_ssize_t owed
        if not self.messages:
            return None
        message = <bytes> self.messages.pop(0)
        self.untaken -= PyBytes_GET_SIZE(message)
        if self.owed and self.untaken < C_UNTAKEN and self.session is not None:
            owed, self.owed = self.owed, 0
            nghttp2_session_consume_stream(self.session.inner, self.id, owed)
            self.session.wake()
        return message

    def send(self, bytes message not None, bint is_last):
        if self.session is None or self.is_ended:
            return
        self._queue(message)
        self.is_ended = is_last
        if self.is_deferred:
            self.is_deferred = False
            nghttp2_session_resume_data(self.session.inner, self.id)
        self.session.wake()

    def cancel(self):
        """Nobody waits for it any more."""
        self.owner = None
        self.is_given_up = True
        if self.session is not None:
            nghttp2_submit_rst_stream(self.session.inner, 0, self.id, C_CANCEL)
            self.session.wake()

    cdef int _queue(self, bytes message) except -1:
        cdef Py_ssize_t size = PyBytes_GET_SIZE(message)
        cdef bytes framed = PyBytes_FromStringAndSize(NULL, C_PREFIX + size)
        cdef char* target = PyBytes_AS_STRING(framed)
        target[0] = 0
        target[1] = <char> (size >> 24)
        target[2] = <char> (size >> 16)
        target[3] = <char> (size >> 8)
        target[4] = <char> size
        memcpy(target + C_PREFIX, PyBytes_AS_STRING(message), size)
        self.outgoing.append(framed)
        return 0

    cdef Py_ssize_t copy(self, char* target, Py_ssize_t room) except -1:
        """Move what is to be sent; how much it was."""
        cdef Py_ssize_t copied = 0
        cdef Py_ssize_t part
        cdef bytes data
        while self.outgoing and copied < room:
            data = <bytes> self.outgoing[0]
            part = min(PyBytes_GET_SIZE(data) - self.offset, room - copied)
            memcpy(target + copied, PyBytes_AS_STRING(data) + self.offset, part)
            copied += part
            self.offset += part
            if self.offset == PyBytes_GET_SIZE(data):
                self.outgoing.pop(0)
                self.offset = 0
        return copied

    cdef bint add(self, const char* data, Py_ssize_t size) except -1:
        """Whether what came can be messages."""
        cdef Py_ssize_t part
        cdef Py_ssize_t length
        while size or self._is_whole():
            if self.message is None:
                part = min(size, C_PREFIX - self.filled)
                memcpy(self.head + self.filled, data, part)
                self.filled += part
                if self.filled == C_PREFIX:
                    length = read_length(self.head)
                    if self.head[0] or length > C_MESSAGE_MAX:
                        return False
                    self.message = PyBytes_FromStringAndSize(NULL, length)
                    self.filled = 0
            else:
                part = min(size, PyBytes_GET_SIZE(self.message) - self.filled)
                memcpy(PyBytes_AS_STRING(self.message) + self.filled, data, part)
                self.filled += part
            data += part
            size -= part
            if self._is_whole():
                self.messages.append(self.message)
                self.untaken += PyBytes_GET_SIZE(self.message)
                self.message = None
                self.filled = 0
        return True

    cdef bint _is_whole(self) noexcept:
        return self.message is not None and self.filled == PyBytes_GET_SIZE(self.message)


cdef inline Py_ssize_t read_length(const char* head) noexcept:
    cdef const uint8_t* at = <const uint8_t*> head
    return <Py_ssize_t> at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4]


@cython.final
cdef class Calls:
    """`on_output` is called when there is something to be sent, once until the next `take`. `scheme` and `authority` are
    those of all requests."""

    cdef nghttp2_session* inner
    cdef object on_output
    cdef bytes scheme
    cdef bytes authority
    cdef dict open_calls           # id → Call
    cdef list touched
    cdef bint is_awake
    cdef readonly bint is_broken
    cdef readonly bint is_leaving  # the server takes no new calls
    cdef readonly long pongs

    def __cinit__(self, on_output, bytes scheme not None, bytes authority not None):
        cdef nghttp2_settings_entry settings[2]
        global _alive
        _alive += 1
        self.on_output = on_output
        self.scheme = scheme
        self.authority = authority
        self.open_calls = {}
        self.touched = []
        if nghttp2_session_client_new2(&self.inner, prepare_callbacks(), <void*> self, _options):
            raise MemoryError
        settings[0].settings_id = S_ENABLE_PUSH
        settings[0].value = 0
        settings[1].settings_id = S_INITIAL_WINDOW_SIZE
        settings[1].value = C_WINDOW
        nghttp2_submit_settings(self.inner, 0, settings, 2)
        nghttp2_session_set_local_window_size(self.inner, 0, 0, C_CONNECTION_WINDOW)

    def __dealloc__(self):
        global _alive
        _alive -= 1
        if self.inner != NULL:
            nghttp2_session_del(self.inner)

    @property
    def open_count(self):
        return len(self.open_calls)

    def begin(self, bytes path not None, bytes timeout not None):
        """A new call; its first message is still to be sent. `timeout` as gRPC writes it (`20S`), empty for none. Raises
        ConnectionError where the connection takes none."""
        cdef nghttp2_data_provider provider
        cdef nghttp2_nv fields[8]
        cdef int count = 7
        cdef Call call = Call()
        if self.is_broken or self.is_leaving:
            raise ConnectionError("the connection takes no more calls")
        set_field(&fields[0], b":method", b"POST")
        set_field(&fields[1], b":scheme", self.scheme)
        set_field(&fields[2], b":path", path)
        set_field(&fields[3], b":authority", self.authority)
        set_field(&fields[4], b"te", b"trailers")
        set_field(&fields[5], b"content-type", b"application/grpc")
        set_field(&fields[6], b"user-agent", b"quarterdeck")
        if timeout:
            set_field(&fields[7], b"grpc-timeout", timeout)
            count = 8
        provider.source.ptr = <void*> call
        provider.read_callback = read_source
        call.session = self
        call.id = nghttp2_submit_request(self.inner, NULL, fields, count, &provider, <void*> call)
        if call.id < 0:
            call.session = None
            raise ConnectionError("the connection takes no more calls")
        self.open_calls[call.id] = call
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
        cdef const uint8_t* data = NULL
        cdef ssize_t size
        cdef Py_ssize_t taken = 0
        self.is_awake = False
        while not self.is_broken:
            size = nghttp2_session_mem_send(self.inner, &data)
            if size < 0:
                self.is_broken = True
            if size <= 0:
                break
            memcpy(reserve_out(taken, size), data, size)
            taken += size
        return take_out(taken)

    def close(self):
        """The connection is gone. Returns the calls that were open, all over now."""
        cdef list left = list(self.open_calls.values())
        cdef Call call
        for call in left:
            call.is_over = True
            call.session = None
        self.open_calls.clear()
        self.touched.clear()
        self.on_output = None
        self.is_broken = True
        return left

    cdef int wake(self) except -1:
        if not self.is_awake and self.on_output is not None:
            self.is_awake = True
            self.on_output()
        return 0

    cdef int _touch(self, Call call) except -1:
        if not call.is_touched:
            call.is_touched = True
            self.touched.append(call)
        return 0

    cdef int _add_field(self, Call call, const char* name, size_t name_size, const char* value,
                        size_t value_size) except -1:
        call.is_answered = True
        if name_size == 7 and memcmp(name, b":status", 7) == 0:
            call.http_status = read_number(value, value_size)
        elif name_size == 11 and memcmp(name, b"grpc-status", 11) == 0:
            call.status = read_number(value, value_size)
        elif name_size == 12 and memcmp(name, b"grpc-message", 12) == 0:
            call.details = value[:min(value_size, C_DETAILS_BYTES_MAX)]
        return 0

    cdef int _add_data(self, int32_t stream_id, Call call, const char* data, size_t size) except -1:
        nghttp2_session_consume_connection(self.inner, size)
        if not call.is_given_up and not call.add(data, size):
            call.is_given_up = True
            nghttp2_submit_rst_stream(self.inner, 0, stream_id, C_INTERNAL_ERROR)
        if call.untaken < C_UNTAKEN:
            nghttp2_session_consume_stream(self.inner, stream_id, size)
        else:
            call.owed += size
        if call.messages:
            self._touch(call)
        return 0

    cdef int _closed(self, Call call, uint32_t code) except -1:
        call.is_over = True
        call.reset = code
        call.session = None
        call.message = None
        call.outgoing.clear()
        self._touch(call)
        self.open_calls.pop(call.id, None)
        return 0


cdef void set_field(nghttp2_nv* field, bytes name, bytes value) noexcept:
    field.name = <uint8_t*> PyBytes_AS_STRING(name)
    field.namelen = PyBytes_GET_SIZE(name)
    field.value = <uint8_t*> PyBytes_AS_STRING(value)
    field.valuelen = PyBytes_GET_SIZE(value)
    field.flags = 0


cdef int read_number(const char* text, size_t size) noexcept:
    """-1: it is none."""
    cdef int number = 0
    cdef size_t i
    if size == 0 or size > 6:
        return -1
    for i in range(size):
        if text[i] < c'0' or text[i] > c'9':
            return -1
        number = number * 10 + (text[i] - c'0')
    return number


# The library's calls. `user` is the Calls; a failure (no memory) ends the connection.

cdef int on_header(nghttp2_session* inner, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                   const uint8_t* value, size_t value_size, uint8_t flags, void* user) noexcept:
    cdef void* call = nghttp2_session_get_stream_user_data(inner, frame.hd.stream_id)
    if call == NULL or frame.hd.type != T_HEADERS:
        return 0
    try:
        return (<Calls> user)._add_field(<Call> call, <const char*> name, name_size, <const char*> value, value_size)
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
    if call == NULL:
        nghttp2_session_consume_connection(inner, size)
        return 0
    try:
        return (<Calls> user)._add_data(stream_id, <Call> call, <const char*> data, size)
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
