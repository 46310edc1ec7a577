# cython: language_level=3
"""Both directions of one connection of TLS, without Python's objects between it and OpenSSL.

Contract: _kernels/tlsrecords.pyi. The connection is one over two memory BIOs whose handshake Python has done; that it
is what is expected, build_sealer (tlssealer.pyx) has found out. It is one that tls13.pyx does not do: of TLS 1.2, or of
ChaCha20. The interpreter's lock is kept: what is read or written at once are no more than some 256 KiB, and whoever
gives the lock up has to win it back.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject

from quarterdeck._kernels.newbytes cimport Py_DECREF, new_bytes, resize, taken, text_of
from quarterdeck._kernels.openssl cimport find_function, open_library
from quarterdeck._kernels.tlscipher cimport RECORD_ADDS, RECORD_MAX
from quarterdeck._kernels.tlssealer cimport Sealer

cdef enum:
    SSL_ERROR_WANT_READ = 2
    SSL_ERROR_ZERO_RETURN = 6

OPEN = C_OPEN
ENDED = C_ENDED
BROKEN = C_BROKEN
HAS_OUTPUT = C_HAS_OUTPUT

ctypedef int (*Read)(void* connection, void* data, int size) noexcept nogil
ctypedef int (*Write)(void* connection, const void* data, int size) noexcept nogil
ctypedef int (*GetError)(const void* connection, int result) noexcept nogil
ctypedef int (*GetCount)(const void* connection) noexcept nogil
ctypedef size_t (*GetSize)(void* bio) noexcept nogil
ctypedef void* (*GetPointer)(const void* connection) noexcept nogil
ctypedef void (*ClearErrors)() noexcept nogil
ctypedef int (*Shutdown)(void* connection) noexcept nogil

# Found by `prepare`; all or none.
cdef Read _ssl_read = NULL
cdef Write _ssl_write = NULL
cdef GetError _get_error = NULL
cdef GetCount _ssl_pending = NULL
cdef Read _bio_read = NULL
cdef Write _bio_write = NULL
cdef GetSize _bio_pending = NULL
cdef GetPointer _get_in = NULL
cdef ClearErrors _clear_errors = NULL
cdef Shutdown _shutdown = NULL


def prepare(library):
    """Find OpenSSL's functions; `library` is that of openssl.prepare_server. False: they are hidden."""
    global _ssl_read, _ssl_write, _get_error, _ssl_pending, _bio_read, _bio_write, _bio_pending, _get_in, _clear_errors
    global _shutdown
    cdef void* handle = open_library(library)
    cdef GetError get_error
    cdef GetCount ssl_pending
    cdef Read ssl_read, bio_read
    cdef Write ssl_write, bio_write
    cdef GetSize bio_pending
    cdef GetPointer get_in
    cdef ClearErrors clear_errors
    cdef Shutdown shutdown
    try:
        get_error = <GetError> find_function(handle, b"SSL_get_error")
        ssl_pending = <GetCount> find_function(handle, b"SSL_pending")
        ssl_read, ssl_write = <Read> find_function(handle, b"SSL_read"), <Write> find_function(handle, b"SSL_write")
        bio_read, bio_write = <Read> find_function(handle, b"BIO_read"), <Write> find_function(handle, b"BIO_write")
        bio_pending = <GetSize> find_function(handle, b"BIO_ctrl_pending")
        get_in = <GetPointer> find_function(handle, b"SSL_get_rbio")
        clear_errors = <ClearErrors> find_function(handle, b"ERR_clear_error")
        shutdown = <Shutdown> find_function(handle, b"SSL_shutdown")
    except LookupError:
        return False
    _get_error, _ssl_pending, _bio_read, _bio_write = get_error, ssl_pending, bio_read, bio_write
    _bio_pending, _get_in, _clear_errors = bio_pending, get_in, clear_errors
    _ssl_read, _ssl_write, _shutdown = ssl_read, ssl_write, shutdown
    return True


@cython.final
cdef class Records:
    """`state` is what the last `read` found: OPEN; HAS_OUTPUT, where TLS itself has something to say; ENDED, the client
    has said goodbye; BROKEN, it has broken the rules."""

    cdef readonly Sealer sealer
    cdef readonly int state
    cdef void* incoming

    def read(self, bytes data not None):
        """What the client says, given what has come from the network; b"" where no record is whole."""
        cdef void* connection = self.sealer.side.connection
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Py_ssize_t used = 0
        cdef int count
        cdef PyObject* plain
        self.state = C_OPEN
        if size > 0 and _bio_write(self.incoming, PyBytes_AS_STRING(data), <int> size) != size:
            _clear_errors()
            self.state = C_BROKEN
            return b""
        size = max(<Py_ssize_t> _bio_pending(self.incoming) - RECORD_ADDS, 64)
        plain = new_bytes(NULL, size)
        while True:
            count = _ssl_read(connection, text_of(plain) + used, <int> (size - used))
            if count <= 0:
                self._note(connection, count)
                break
            used += count
            if not _bio_pending(self.incoming) and not _ssl_pending(connection):
                break
            if used == size:  # several records, or one of which a part was there before
                size += RECORD_MAX
                resize(&plain, size)
        if self.state == C_OPEN and _bio_pending(self.sealer.side.out):
            self.state = C_HAS_OUTPUT
        resize(&plain, used)
        return taken(plain)

    cdef void _note(self, void* connection, int result) noexcept:
        cdef int error = _get_error(connection, result)
        if error == SSL_ERROR_WANT_READ:
            return
        self.state = C_ENDED if error == SSL_ERROR_ZERO_RETURN else C_BROKEN
        _clear_errors()  # the next call of ssl would find what is left

    def write(self, bytes data not None):
        """The records of these bytes, behind what was to be sent before; None: nothing can be written any more."""
        cdef void* connection = self.sealer.side.connection
        cdef void* out = self.sealer.side.out
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Py_ssize_t done = 0
        cdef Py_ssize_t used = 0
        cdef Py_ssize_t room = size + (size // RECORD_MAX + 1) * RECORD_ADDS + <Py_ssize_t> _bio_pending(out)
        cdef Py_ssize_t waiting
        cdef int count
        cdef PyObject* records = new_bytes(NULL, room)
        while done < size:
            count = <int> min(size - done, <Py_ssize_t> RECORD_MAX)
            count = _ssl_write(connection, PyBytes_AS_STRING(data) + done, count)
            if count <= 0:
                _clear_errors()
                Py_DECREF(records)
                return None
            done += count
            # Record by record, so that the BIO stays small.
            waiting = <Py_ssize_t> _bio_pending(out)
            if waiting > room - used:  # of a version that adds more
                room = used + waiting + size - done
                resize(&records, room)
            used += max(_bio_read(out, text_of(records) + used, <int> waiting), 0)
        resize(&records, used)
        return taken(records)

    def take_output(self):
        """What TLS itself has to say."""
        cdef void* out = self.sealer.side.out
        cdef Py_ssize_t size = <Py_ssize_t> _bio_pending(out)
        cdef PyObject* output = new_bytes(NULL, size)
        resize(&output, max(_bio_read(out, text_of(output), <int> size), 0) if size else 0)
        return taken(output)

    def goodbye(self):
        """The last that is written. The client's own goodbye is not waited for."""
        if _shutdown(self.sealer.side.connection) < 0:
            _clear_errors()
        return self.take_output()


def build_records(Sealer sealer not None):
    """For a connection whose handshake is done; None where OpenSSL's functions are hidden."""
    cdef Records records
    if _ssl_read == NULL:
        return None
    records = Records()
    records.sealer = sealer
    records.incoming = _get_in(sealer.side.connection)
    return records if records.incoming != NULL else None
