"""HTTP/2 of one connection, on the server's side: libnghttp2 does the frames, HPACK and the windows.

Sans I/O: `Session.receive` takes bytes and gives events, `Session.take` gives the bytes to be sent. What is to be sent
of a stream waits in its queue, shared with whoever else sends the same bytes; it is copied once, into the record that
leaves. A client's window, or a connection that is not taken from, stops `take`: then queues fill up, streams say that
they are full, and an event tells when there is room again.

Sources: RFC 9113, RFC 7541; limits against misuse: the CVEs of 2019 (9511 to 9518), 2023-44487 and 2024-28182.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from quarterdeck._kernels.http2buffer cimport reserve_out, take_out
from quarterdeck._kernels.http2fields cimport submit_answer, submit_continue
from quarterdeck._kernels.http2known cimport KnownFields
from quarterdeck._kernels.http2options cimport build_options
from quarterdeck._kernels.http2past cimport Past
from quarterdeck._kernels.http2stream cimport Stream, Wire
from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_data_provider,
    nghttp2_data_source,
    nghttp2_frame,
    nghttp2_frame_hd,
    nghttp2_option,
    nghttp2_rcbuf,
    nghttp2_session,
    nghttp2_session_callbacks,
    nghttp2_session_callbacks_new,
    nghttp2_session_callbacks_set_on_begin_frame_callback,
    nghttp2_session_callbacks_set_on_begin_headers_callback,
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback,
    nghttp2_session_callbacks_set_on_frame_recv_callback,
    nghttp2_session_callbacks_set_on_header_callback2,
    nghttp2_session_callbacks_set_on_stream_close_callback,
    nghttp2_session_callbacks_set_send_data_callback,
    nghttp2_session_del,
    nghttp2_session_get_last_proc_stream_id,
    nghttp2_session_mem_recv,
    nghttp2_session_mem_send,
    nghttp2_session_server_new2,
    nghttp2_session_set_local_window_size,
    nghttp2_session_terminate_session,
    nghttp2_session_want_read,
    nghttp2_session_want_write,
    nghttp2_settings_entry,
    nghttp2_submit_goaway,
    nghttp2_submit_rst_stream,
    nghttp2_submit_settings,
    nghttp2_submit_shutdown_notice,
)

# What `receive` and `take` tell of a stream.
HEAD = 0      # its head is there, the body is still to come
REQUEST = 1   # all of the request is there
ROOM = 2      # it was full, and is not any more
CLOSED = 3    # nothing comes and nothing goes any more; told of those that have an owner
REFUSED = 4   # its head has too many fields or bytes
FULL = 5      # it has enough to send for now

# What is wrong with a connection.
NOISY = 1
BROKEN = 2

# Why a stream or a connection is given up (RFC 9113, 7).
NO_ERROR = 0
PROTOCOL_ERROR = 1
INTERNAL_ERROR = 2
REFUSED_STREAM = 7
CANCEL = 8
ENHANCE_YOUR_CALM = 11
INADEQUATE_SECURITY = 12

cdef enum:
    C_HEAD = 0
    C_REQUEST = 1
    C_ROOM = 2
    C_CLOSED = 3
    C_REFUSED = 4
    C_NOISY = 1
    C_BROKEN = 2
    # Frames, by their types.
    T_DATA = 0
    T_HEADERS = 1
    T_PRIORITY = 2
    T_RST_STREAM = 3
    T_SETTINGS = 4
    T_PING = 6
    T_WINDOW_UPDATE = 8
    FLAG_END_STREAM = 1
    CAT_REQUEST = 0
    DATA_EOF = 1
    DATA_NO_COPY = 4
    E_WOULDBLOCK = -504
    E_DEFERRED = -508
    E_CALLBACK_FAILURE = -902
    S_MAX_CONCURRENT_STREAMS = 3
    S_INITIAL_WINDOW_SIZE = 4
    S_MAX_HEADER_LIST_SIZE = 6
    # A full stream has room again with so little.
    C_ROOM_BYTES = 16 * 1024
    # Frames that bring nothing on: so many at first, and more for what is really sent.
    C_IDLE_FRAMES_MAX = 10000
    C_BYTES_FOR_FRAME = 256
    # Streams that the client gives up before they are answered.
    C_RESETS_MAX = 1000
    C_PREFACE = 24
    C_FRAME_HEAD = 9
    E_STREAM_CLOSED = 5

cdef long _sessions_alive = 0
cdef nghttp2_session_callbacks* _callbacks = NULL
cdef nghttp2_option* _options = NULL


def count_alive():
    """How many sessions exist: what tests compare before and after."""
    return _sessions_alive


@cython.final
cdef class Session(Wire):
    """`on_output` is called when there is something to be sent, once until the next `take`.

    `streams_max`: how many may be open at a time; `head_bytes_max` and `fields_max` bound a head, `body_bytes_max` a
    body (more of it is dropped, and `Stream.body_size` says so by being larger).
    """

    cdef dict streams          # id → Stream
    cdef Past past
    cdef KnownFields known
    cdef Stream arriving       # whose head comes: no other frame comes before its end
    cdef Py_ssize_t ahead      # bytes until the next frame begins
    cdef bytes held            # of a frame's head that has come in part
    cdef Py_ssize_t head_bytes_max
    cdef Py_ssize_t fields_max
    cdef Py_ssize_t body_bytes_max
    cdef Py_ssize_t out_size
    cdef Py_ssize_t out_max
    cdef bint is_stopped
    cdef bint is_broken
    cdef uint64_t idle_frames
    cdef uint64_t sent
    cdef uint64_t resets

    def __cinit__(self, on_output, Py_ssize_t streams_max, Py_ssize_t head_bytes_max, Py_ssize_t fields_max,
                  Py_ssize_t body_bytes_max, Py_ssize_t window_bytes):
        cdef nghttp2_settings_entry settings[3]
        global _sessions_alive
        _sessions_alive += 1
        self.streams = {}
        self.past = Past()
        self.known = KnownFields()
        self.ahead = C_PREFACE
        self.events = []
        self.on_output = on_output
        self.head_bytes_max = head_bytes_max
        self.fields_max = fields_max
        self.body_bytes_max = body_bytes_max
        if nghttp2_session_server_new2(&self.inner, prepare_callbacks(), <void*> self, _options):
            raise MemoryError
        settings[0].settings_id = S_MAX_CONCURRENT_STREAMS
        settings[0].value = <uint32_t> streams_max
        settings[1].settings_id = S_INITIAL_WINDOW_SIZE
        settings[1].value = <uint32_t> window_bytes
        settings[2].settings_id = S_MAX_HEADER_LIST_SIZE
        settings[2].value = <uint32_t> head_bytes_max
        nghttp2_submit_settings(self.inner, 0, settings, 3)
        nghttp2_session_set_local_window_size(self.inner, 0, 0, <int32_t> min(window_bytes * streams_max, 0x7fffffff))

    def __dealloc__(self):
        global _sessions_alive
        _sessions_alive -= 1
        if self.inner != NULL:
            nghttp2_session_del(self.inner)

    @property
    def streams_count(self):
        return len(self.streams)

    @property
    def is_over(self):
        """Nothing comes and nothing goes any more: the connection can be closed."""
        return self.is_broken or not (nghttp2_session_want_read(self.inner) or nghttp2_session_want_write(self.inner))

    @property
    def trouble(self):
        """BROKEN; else NOISY: too many frames that brought nothing on, or streams given up, since it was asked to
        forgive; else 0."""
        if self.is_broken:
            return C_BROKEN
        if self.idle_frames > C_IDLE_FRAMES_MAX + self.sent // C_BYTES_FOR_FRAME or self.resets > C_RESETS_MAX:
            return C_NOISY
        return 0

    def forgive(self):
        self.idle_frames = self.resets = self.sent = 0

    def close(self):
        """The connection is gone: all streams are closed. Returns them, and those whose end was not told of yet."""
        closed = [stream for kind, stream in self.events if kind == C_CLOSED]
        closed.extend(self.streams.values())
        for stream in closed:
            (<Stream> stream).close()
        self.streams.clear()
        self.events.clear()
        self.on_output = self.arriving = None
        self.is_broken = True
        return closed

    # - what comes in

    def receive(self, bytes data not None):
        """Returns events, (HEAD | REQUEST | REFUSED | ROOM | CLOSED, Stream), in the order in which they happened."""
        cdef const uint8_t* start
        cdef Py_ssize_t size, fed = 0, at = self.ahead
        if self.is_broken:
            return self._take_events()
        if self.held is not None:
            data = self.held + data
        start = <const uint8_t*> PyBytes_AS_STRING(data)
        size = PyBytes_GET_SIZE(data)
        while at + C_FRAME_HEAD <= size:
            if start[at + 3] == T_DATA:  # the library says nothing of those that it passes over
                self._feed(start + fed, at - fed)
                fed = at
                self._look_at_data(start + at)
            at += C_FRAME_HEAD + (start[at] << 16 | start[at + 1] << 8 | start[at + 2])
        self.ahead = max(at - size, 0)
        self.held = data[at:] if at < size else None
        self._feed(start + fed, min(at, size) - fed)
        self.wake()
        return self._take_events()

    cdef int _feed(self, const uint8_t* data, Py_ssize_t size) except -1:
        if size and not self.is_broken and nghttp2_session_mem_recv(self.inner, data, size) < 0:
            self.is_broken = True
        return 0

    cdef list _take_events(self):
        cdef list events = self.events
        if events:
            self.events = []
        return events

    def take_events(self):
        """Those of `take`."""
        return self._take_events()

    cdef int _look_at_data(self, const uint8_t* head) except -1:
        cdef int32_t stream_id = (head[5] & 0x7f) << 24 | head[6] << 16 | head[7] << 8 | head[8]
        if stream_id not in self.streams and self.past.is_ended_by_client(stream_id):
            self.resets += 1
            nghttp2_submit_rst_stream(self.inner, 0, stream_id, E_STREAM_CLOSED)
        return 0

    cdef int _begin(self, const nghttp2_frame* frame) except -1:
        cdef Stream stream
        if frame.hd.type == T_HEADERS and <int> frame.headers.cat == CAT_REQUEST:
            stream = Stream()
            stream.session = self
            stream.id = frame.hd.stream_id
            self.streams[stream.id] = self.arriving = stream
            self.past.begin(stream.id)
            self.known.expected = 0
        return 0

    cdef int _add_field(self, const nghttp2_frame* frame, nghttp2_rcbuf* name, nghttp2_rcbuf* value,
                        uint8_t flags) except -1:
        cdef Stream stream = self.arriving
        if frame.hd.type == T_HEADERS and <int> frame.headers.cat == CAT_REQUEST:  # else it is a trailer
            if stream is not None and stream.id == frame.hd.stream_id:
                stream.add_field(self.known.read(name, value, flags), self.head_bytes_max, self.fields_max)
        return 0

    cdef int _received(self, const nghttp2_frame* frame) except -1:
        cdef Stream stream = self.streams.get(frame.hd.stream_id)
        cdef uint8_t kind = frame.hd.type
        if kind != T_DATA and kind != T_HEADERS:
            self.idle_frames += 1
            if kind == T_RST_STREAM and stream is not None:
                stream.is_given_up = True
            return 0
        if kind == T_DATA and frame.hd.length == 0 and not frame.hd.flags & FLAG_END_STREAM:
            self.idle_frames += 1
        if stream is None or stream.is_complete:
            return 0
        if frame.hd.flags & FLAG_END_STREAM:
            stream.is_complete = True
        if kind == T_HEADERS:
            self.arriving = None
        if kind == T_HEADERS and <int> frame.headers.cat == CAT_REQUEST and stream.is_refused:
            stream.drops_body = True
            self.events.append((C_REFUSED, stream))
        elif stream.is_refused:
            pass
        elif stream.is_complete:
            self.events.append((C_REQUEST, stream))
        elif kind == T_HEADERS:
            self.events.append((C_HEAD, stream))
        return 0

    cdef int _add_body(self, int32_t stream_id, const char* data, size_t size) except -1:
        cdef Stream stream = self.streams.get(stream_id)
        if stream is not None and stream.add_body(data, size, self.body_bytes_max):
            self.events.append((C_HEAD, stream))  # once: whoever answers it has a look at the size
        return 0

    cdef int _closed(self, int32_t stream_id) except -1:
        cdef Stream stream = self.streams.pop(stream_id, None)
        if stream is None:
            return 0
        if stream is self.arriving:  # what it began with was wrong
            self.arriving = None
        if not stream.is_answered:
            self.resets += 1
        if not stream.is_complete and not stream.is_given_up:
            self.past.leave_open(stream_id)
        stream.close()
        if stream.owner is not None:
            self.events.append((C_CLOSED, stream))
        return 0

    # - what goes out

    def answer(self, Stream stream not None, int status, list headers not None, long long content_length,
               bytes date_line not None, bint has_body, bytes body=None):
        """The head of the answer. `has_body`: what is written to the stream follows, until its end; `body` is all of
        it. `content_length` -1: it is not said. `date_line` is a whole line of HTTP/1.1."""
        cdef nghttp2_data_provider provider
        if stream.session is not self or stream.is_answered:
            return
        stream.is_answered = True
        provider.source.ptr = <void*> stream
        provider.read_callback = read_source
        if body is not None and PyBytes_GET_SIZE(body):
            stream.queue.append(body)
            stream.queued = PyBytes_GET_SIZE(body)
        if body is not None or not has_body:
            stream.is_ended = True
        submit_answer(self.inner, stream.id, status, headers, content_length, date_line,
                      &provider if has_body else NULL)
        self.wake()

    def go_on(self, Stream stream not None):
        """100 Continue: the client waits for it before it sends the body."""
        if stream.session is self:
            submit_continue(self.inner, stream.id)
            self.wake()

    def warn(self):
        """The client is asked to send no further requests on this connection; those on their way are still served."""
        nghttp2_submit_shutdown_notice(self.inner)
        self.wake()

    def leave(self):
        """No further requests are served; those that are open go on. The client may try the others elsewhere."""
        nghttp2_submit_goaway(self.inner, 0, nghttp2_session_get_last_proc_stream_id(self.inner), NO_ERROR, NULL, 0)
        self.wake()

    def terminate(self, uint32_t code):
        """Give the connection up; what is told of it is still to be sent."""
        nghttp2_session_terminate_session(self.inner, code)
        self.wake()

    def take(self, Py_ssize_t bytes_max):
        """What is to be sent now, of about `bytes_max` bytes; empty when there is nothing (more)."""
        cdef const uint8_t* data = NULL
        cdef ssize_t size
        self.is_awake = False
        self.out_size = 0
        self.out_max = bytes_max
        while self.out_size < bytes_max:
            size = nghttp2_session_mem_send(self.inner, &data)
            if size < 0:
                self.is_broken = True
            if size <= 0:
                break
            memcpy(reserve_out(self.out_size, size), data, size)
            self.out_size += size
        return take_out(self.out_size)

    cdef int _put_data(self, Stream stream, const uint8_t* head, Py_ssize_t size) except -1:
        cdef char* target = reserve_out(self.out_size, 9 + size)
        memcpy(target, head, 9)
        stream.copy(target + 9, size)
        self.out_size += 9 + size
        self.sent += size
        if stream.wants_room and stream.queued <= C_ROOM_BYTES:
            stream.wants_room = False
            self.events.append((C_ROOM, stream))
        return 0


# The library's calls. `user` is the Session; a failure (no memory) ends the connection.

cdef int on_begin_frame(nghttp2_session* inner, const nghttp2_frame_hd* head, void* user) noexcept:
    cdef Session session = <Session> user
    try:
        if head.type == T_HEADERS and head.stream_id not in session.streams and not session.past.open(head.stream_id):
            return nghttp2_session_terminate_session(inner, PROTOCOL_ERROR)
        return 0
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_begin_headers(nghttp2_session* inner, const nghttp2_frame* frame, void* user) noexcept:
    try:
        return (<Session> user)._begin(frame)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_header(nghttp2_session* inner, const nghttp2_frame* frame, nghttp2_rcbuf* name, nghttp2_rcbuf* value,
                   uint8_t flags, void* user) noexcept:
    try:
        return (<Session> user)._add_field(frame, name, value, flags)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_frame(nghttp2_session* inner, const nghttp2_frame* frame, void* user) noexcept:
    try:
        return (<Session> user)._received(frame)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_data(nghttp2_session* inner, uint8_t flags, int32_t stream_id, const uint8_t* data, size_t size,
                 void* user) noexcept:
    try:
        return (<Session> user)._add_body(stream_id, <const char*> data, size)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef int on_close(nghttp2_session* inner, int32_t stream_id, uint32_t code, void* user) noexcept:
    try:
        return (<Session> user)._closed(stream_id)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef ssize_t read_source(nghttp2_session* inner, int32_t stream_id, uint8_t* buffer, size_t length, uint32_t* flags,
                         nghttp2_data_source* source, void* user) noexcept:
    """How much of a stream goes into its next frame; `send_data` copies it."""
    cdef Stream stream = <Stream> source.ptr
    cdef Py_ssize_t size = min(stream.queued, <Py_ssize_t> length)
    if size == 0:
        if not stream.is_ended:
            stream.is_deferred = True
            return E_DEFERRED
        flags[0] |= DATA_EOF
        return 0
    flags[0] |= DATA_NO_COPY
    if stream.is_ended and size == stream.queued:
        flags[0] |= DATA_EOF
    return size


cdef int send_data(nghttp2_session* inner, nghttp2_frame* frame, const uint8_t* head, size_t size,
                   nghttp2_data_source* source, void* user) noexcept:
    cdef Session session = <Session> user
    if session.out_size >= session.out_max:
        return E_WOULDBLOCK
    try:
        return session._put_data(<Stream> source.ptr, head, size)
    except BaseException:
        return E_CALLBACK_FAILURE


cdef nghttp2_session_callbacks* prepare_callbacks() except NULL:
    """Made once, for all sessions."""
    global _callbacks, _options
    if _callbacks == NULL:
        if nghttp2_session_callbacks_new(&_callbacks):
            raise MemoryError
        _options = build_options()
        nghttp2_session_callbacks_set_on_begin_frame_callback(_callbacks, on_begin_frame)
        nghttp2_session_callbacks_set_on_begin_headers_callback(_callbacks, on_begin_headers)
        nghttp2_session_callbacks_set_on_header_callback2(_callbacks, on_header)
        nghttp2_session_callbacks_set_on_frame_recv_callback(_callbacks, on_frame)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(_callbacks, on_data)
        nghttp2_session_callbacks_set_on_stream_close_callback(_callbacks, on_close)
        nghttp2_session_callbacks_set_send_data_callback(_callbacks, send_data)
    return _callbacks
