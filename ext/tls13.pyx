# cython: language_level=3
"""Both directions of one connection of TLS 1.3, without OpenSSL's connection: what is left of it is two keys.

Contract: _kernels/tls13.pyi; it is that of tlsrecords.pyx, which reads and writes the other connections. Python and
OpenSSL have shaken hands; from then on a connection of TLS 1.3 is records, alerts and changes of keys alone, as this
server sends no tickets and asks for no certificate later (RFC 8446: 4.6.3, 5, 6). OpenSSL's connection, 16 KB of
memory, can go.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove

from quarterdeck._kernels.newbytes cimport Py_DECREF, new_bytes, resize, taken, text_of
from quarterdeck._kernels.openssl cimport find_connection, find_function, open_library
from quarterdeck._kernels.tlscipher cimport (
    AES_128, AES_256, HEADER_SIZE, KIND_ALERT, KIND_DATA, KIND_HANDSHAKE, RECORD_ADDS, RECORD_MAX, TAG_SIZE, Keys,
    Suite, advance_keys, begin_keys, can_do, end_keys, open_record, seal_record, secret_size_of
)
from quarterdeck._kernels.tlsrecords cimport C_BROKEN, C_ENDED, C_OPEN
from quarterdeck._kernels.tlssealer cimport Sealer, append, seal_by_keys, sealed_size
from quarterdeck._kernels.tlssecrets cimport Secrets, find_secrets

cdef enum:
    SEALED_MAX = RECORD_MAX + 256  # what a record may hold when it comes
    IDLE_MAX = 32                  # records in a row that bring no data
    MESSAGE_SIZE = 5               # of the one message that there may be, a change of keys
    KEY_UPDATE = 24

    # What alerts tell (RFC 8446, 6).
    ALERT_SIZE = 2
    LEVEL_WARNING = 1
    LEVEL_FATAL = 2
    CLOSE_NOTIFY = 0
    UNEXPECTED_MESSAGE = 10
    BAD_RECORD_MAC = 20
    RECORD_OVERFLOW = 22
    ILLEGAL_PARAMETER = 47
    DECODE_ERROR = 50
    INTERNAL_ERROR = 80
    USER_CANCELED = 90

cdef dict _SUITES = {"TLS_AES_128_GCM_SHA256": <int> AES_128, "TLS_AES_256_GCM_SHA384": <int> AES_256}

# AES-GCM is good for 2^24.5 records of one key (RFC 8446, 5.5).
RECORDS_MAX = 1 << 24

ctypedef int (*Ask)(const void* connection) noexcept nogil

# Found by `prepare`; both or none.
cdef Ask _has_pending = NULL
cdef Ask _is_finished = NULL


def prepare(library):
    """Find OpenSSL's functions; `library` is that of openssl.prepare_server. False: they are hidden."""
    global _has_pending, _is_finished
    cdef void* handle = open_library(library)
    cdef Ask has_pending, is_finished
    try:
        has_pending = <Ask> find_function(handle, b"SSL_has_pending")
        is_finished = <Ask> find_function(handle, b"SSL_is_init_finished")
    except LookupError:
        return False
    _has_pending, _is_finished = has_pending, is_finished
    return True


@cython.final
cdef class Records:
    """`state` is OPEN, or what the last `read` found: ENDED, the client has said goodbye; BROKEN, it has broken the
    rules."""

    cdef readonly Sealer sealer
    cdef readonly int state
    cdef Keys keys                      # of what the client sends
    cdef char* kept                     # what has come of a record that is not whole yet
    cdef Py_ssize_t kept_size
    cdef char message[MESSAGE_SIZE]     # what has come of a message
    cdef int message_size
    cdef int idle_count                 # records in a row that have brought no data
    cdef bytes output                   # what there is to be told, behind what was written

    def __dealloc__(self):
        end_keys(&self.keys)
        free(self.kept)

    def read(self, bytes data not None):
        """What the client says, given what has come from the network; b"" where no record is whole."""
        cdef const char* text = PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Py_ssize_t place = 0
        cdef Py_ssize_t used = 0
        cdef Py_ssize_t whole
        cdef PyObject* plain
        if self.state != C_OPEN:
            return b""
        if self.kept_size:
            self._keep(text, size)
            text, size = self.kept, self.kept_size
        whole = self._measure(text, size)
        if whole <= 0:
            self._keep_rest(text, size, size)
            return b""
        plain = new_bytes(NULL, size)
        while whole > 0:
            used += self._open(text + place, whole, text_of(plain) + used)
            place += whole
            whole = self._measure(text + place, size - place) if self.state == C_OPEN else 0
        self._keep_rest(text, size, size - place)
        resize(&plain, used)
        return taken(plain)

    cdef Py_ssize_t _measure(self, const char* text, Py_ssize_t size) except -2:
        """The size of the record that begins here; 0: it is not whole, -1: it is none."""
        cdef Py_ssize_t inner
        if size < HEADER_SIZE:
            return 0
        inner = (<unsigned char> text[3] << 8) | <unsigned char> text[4]
        if text[0] != KIND_DATA:
            self._fail(UNEXPECTED_MESSAGE)
            return -1
        if inner > SEALED_MAX:
            self._fail(RECORD_OVERFLOW)
            return -1
        if inner <= TAG_SIZE:
            self._fail(DECODE_ERROR)
            return -1
        return HEADER_SIZE + inner if size >= HEADER_SIZE + inner else 0

    cdef Py_ssize_t _open(self, const char* record, Py_ssize_t size, char* target) except -1:
        """How many bytes of data it has brought."""
        cdef int kind = 0
        cdef Py_ssize_t count = open_record(&self.keys, record, size, target, &kind)
        if count < 0:
            self._fail(BAD_RECORD_MAC)
            return 0
        if count > RECORD_MAX:
            self._fail(RECORD_OVERFLOW)
            return 0
        if kind == KIND_DATA and count > 0 and not self.message_size:
            self.idle_count = 0
            return count
        self.idle_count += 1
        if self.idle_count > IDLE_MAX or (self.message_size and kind != KIND_HANDSHAKE):
            self._fail(UNEXPECTED_MESSAGE)
        elif kind == KIND_ALERT:
            self._take_alert(target, count)
        elif kind == KIND_HANDSHAKE:
            self._take_message(target, count)
        elif kind != KIND_DATA:
            self._fail(UNEXPECTED_MESSAGE)
        return 0

    cdef int _take_alert(self, const char* alert, Py_ssize_t size) except -1:
        """Its level tells nothing (RFC 8446, 6)."""
        if size != ALERT_SIZE:
            self._fail(DECODE_ERROR)
        elif <unsigned char> alert[1] == CLOSE_NOTIFY:
            self.state = C_ENDED
        elif <unsigned char> alert[1] != USER_CANCELED:
            self._break()
        return 0

    cdef int _take_message(self, const char* text, Py_ssize_t size) except -1:
        """A change of keys, or a part of it. It ends its record: the next one is sealed by other keys."""
        cdef char asks
        if size == 0 or size > MESSAGE_SIZE - self.message_size:
            return self._fail(UNEXPECTED_MESSAGE)
        memcpy(self.message + self.message_size, text, size)
        self.message_size += <int> size
        if self.message[0] != KEY_UPDATE:
            return self._fail(UNEXPECTED_MESSAGE)
        if self.message_size < MESSAGE_SIZE:
            return 0
        self.message_size = 0
        asks = self.message[4]
        if self.message[1] or self.message[2] or self.message[3] != 1:
            return self._fail(DECODE_ERROR)
        if asks != 0 and asks != 1:
            return self._fail(ILLEGAL_PARAMETER)
        if not advance_keys(&self.keys):
            return self._fail(INTERNAL_ERROR)
        if asks:
            self.sealer.side.owes_update = True  # told before what is written next
        return 0

    cdef int _fail(self, int why) except -1:
        """The client has broken the rules, and is told so."""
        self.output = self._seal_alert(LEVEL_FATAL, why)
        return self._break()

    cdef int _break(self) except -1:
        self.state = C_BROKEN
        end_keys(&self.sealer.side.keys)
        return 0

    cdef bytes _seal_alert(self, int level, int what):
        """b"" where nothing can be said, or not in its turn."""
        cdef char alert[ALERT_SIZE]
        cdef char record[ALERT_SIZE + RECORD_ADDS]
        cdef Py_ssize_t size
        if self.sealer.side.keys.context == NULL or self.sealer.side.rest_size:
            return b""
        alert[0] = <char> level
        alert[1] = <char> what
        size = seal_record(&self.sealer.side.keys, KIND_ALERT, alert, ALERT_SIZE, record)
        return record[:size] if size > 0 else b""

    def write(self, bytes data not None):
        """The records of these bytes; None: nothing can be written any more."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef PyObject* records
        cdef Py_ssize_t room, used
        if self.sealer.side.keys.context == NULL:
            return None
        room = sealed_size(&self.sealer.side, size)
        records = new_bytes(NULL, room)
        used = seal_by_keys(&self.sealer.side, PyBytes_AS_STRING(data), size, text_of(records))
        if used < 0:
            Py_DECREF(records)
            return None
        if used != room:
            resize(&records, used)
        return taken(records)

    def take_output(self):
        """What there is to be told of TLS itself, to be sent before the connection ends."""
        output, self.output = self.output, b""
        return output

    def goodbye(self):
        """The last that is written: nothing can be written any more."""
        said = self._seal_alert(LEVEL_WARNING, CLOSE_NOTIFY)
        end_keys(&self.sealer.side.keys)
        return said

    cdef int _keep(self, const char* text, Py_ssize_t size) except -1:
        """Put it behind what is kept."""
        if not append(&self.kept, &self.kept_size, text, size):
            raise MemoryError
        return 0

    cdef int _keep_rest(self, const char* text, Py_ssize_t size, Py_ssize_t rest) except -1:
        """The last `rest` bytes are kept, of what is new or of what was kept."""
        if rest == 0 or self.state != C_OPEN:
            free(self.kept)
            self.kept = NULL
            self.kept_size = 0
        elif text != self.kept:
            self._keep(text + size - rest, rest)
        elif rest < size:
            memmove(self.kept, text + size - rest, rest)
            self.kept_size = rest
        return 0


def build_records(connection, context, suite, unsigned long long records_max=RECORDS_MAX):
    """For an `ssl.SSLObject`'s inner object, of a context that was prepared, once its handshake is done; `suite` as
    `cipher()` calls it. Nothing may be read or written through it any more; what its BIO still has is to be read here.
    None where OpenSSL cannot be reached, the object is not what is expected, or the cipher is not AES-GCM of TLS 1.3.

    `records_max`: how many records are sealed with the same keys.
    """
    cdef Records records
    cdef Suite which
    cdef Secrets* secrets
    cdef void* inner = find_connection(connection, context)
    number = _SUITES.get(suite)
    if inner == NULL or number is None or _has_pending == NULL or not can_do():
        return None
    which = <Suite> <int> number
    secrets = find_secrets(inner)
    if secrets == NULL or secrets.client_size != secret_size_of(which) or secrets.server_size != secret_size_of(which):
        return None
    if not _is_finished(inner) or _has_pending(inner):
        return None
    records = Records()
    records.output = b""
    records.sealer = Sealer()
    records.sealer.side.has_keys = True
    records.sealer.side.records_max = records_max
    if not begin_keys(&records.sealer.side.keys, which, secrets.server, True):
        return None
    if not begin_keys(&records.keys, which, secrets.client, False):
        return None
    return records
