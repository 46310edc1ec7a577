"""Sealing what one connection of TLS sends, called from other kernels: an event for thousands of watchers must not pass
through several Python objects for each of them.

Contract: _kernels/tlssealer.pyi, and the .pxd for kernels. What is sealed by keys of TLS 1.3 is not seen by OpenSSL's
connection, which is gone then (tls13.pyx); the rest is written through OpenSSL's connection over a memory BIO.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from quarterdeck._kernels.openssl cimport find_connection, find_function, open_library
from quarterdeck._kernels.tlscipher cimport (
    KIND_DATA, KIND_HANDSHAKE, RECORD_ADDS, RECORD_MAX, advance_keys, end_keys, seal_record
)

ctypedef int (*Write)(void* connection, const void* data, int size) noexcept nogil
ctypedef int (*Read)(void* bio, void* data, int size) noexcept nogil
ctypedef void* (*GetPointer)(const void* connection) noexcept nogil
ctypedef void (*ClearErrors)() noexcept nogil

# Found by `prepare`; all or none.
cdef Write _write = NULL
cdef Read _read = NULL
cdef GetPointer _get_out = NULL
cdef ClearErrors _clear_errors = NULL

cdef enum:
    C_OPENSSL_ADDS = 256   # the most that OpenSSL adds to a record
    C_UPDATE = 5           # a message that tells of the next generation of keys
    C_SCRATCH_KEPT = 64 * 1024


def prepare(library):
    """Find OpenSSL's functions; `library` is that of openssl.prepare_server. False: they are hidden."""
    global _write, _read, _get_out, _clear_errors
    cdef void* handle = open_library(library)
    cdef Write write
    cdef Read read
    cdef GetPointer get_out
    cdef ClearErrors clear_errors
    try:
        write, read = <Write> find_function(handle, b"SSL_write"), <Read> find_function(handle, b"BIO_read")
        get_out = <GetPointer> find_function(handle, b"SSL_get_wbio")
        clear_errors = <ClearErrors> find_function(handle, b"ERR_clear_error")
    except LookupError:
        return False
    _write, _read, _get_out, _clear_errors = write, read, get_out, clear_errors
    return True


@cython.final
cdef class Sealer:
    """The sending side of one connection; it keeps what it seals with alive, not the socket.

    `seal` puts the records of plain bytes into a Scratch; whoever called it sends them before anything else of this
    connection. What the socket does not take is kept as the `rest`, and goes first.
    """

    def __dealloc__(self):
        end_keys(&self.side.keys)
        free(self.side.rest)

    @property
    def has_rest(self):
        return self.side.rest_size > 0

    def take_rest(self):
        """What was sealed and not sent."""
        if not self.side.rest_size:
            return b""
        taken = PyBytes_FromStringAndSize(self.side.rest, self.side.rest_size)
        free(self.side.rest)
        self.side.rest = NULL
        self.side.rest_size = 0
        return taken


cdef Py_ssize_t seal(Side* side, const char* data, Py_ssize_t size, Scratch* scratch) noexcept nogil:
    """The size of the records, which are in the scratch; -1: the connection cannot be written to any more."""
    if not side.has_keys:
        return _seal_by_openssl(side, data, size, scratch)
    if not reserve(scratch, sealed_max(size)):
        return -1
    return seal_by_keys(side, data, size, scratch.data)


cdef Py_ssize_t sealed_max(Py_ssize_t size) noexcept nogil:
    """The room that `seal_by_keys` needs: also for two messages of its own, of keys that are used up and of those that
    were asked for."""
    return size + (size // RECORD_MAX + 1) * RECORD_ADDS + 2 * (C_UPDATE + RECORD_ADDS)


cdef Py_ssize_t sealed_size(Side* side, Py_ssize_t size) noexcept nogil:
    """As `sealed_max`, of these keys as they are: mostly it is what will be used, to the byte."""
    cdef Py_ssize_t records = (size + RECORD_MAX - 1) // RECORD_MAX
    if side.owes_update or side.keys.sequence + <unsigned long long> records > side.records_max:
        return sealed_max(size)
    return size + records * RECORD_ADDS


cdef Py_ssize_t seal_by_keys(Side* side, const char* data, Py_ssize_t size, char* target) noexcept nogil:
    """The size of the records; -1 as above."""
    cdef Py_ssize_t done = 0
    cdef Py_ssize_t used = 0
    cdef Py_ssize_t piece, count
    while done < size:
        if side.keys.context == NULL:
            return -1
        if side.owes_update or side.keys.sequence >= side.records_max:
            count = _change_keys(side, target + used)
            if count < 0:
                return -1
            used += count
        piece = min(size - done, <Py_ssize_t> RECORD_MAX)
        count = seal_record(&side.keys, KIND_DATA, data + done, piece, target + used)
        if count < 0:
            end_keys(&side.keys)
            return -1
        used += count
        done += piece
    return used


cdef Py_ssize_t _change_keys(Side* side, char* target) noexcept nogil:
    """Tell the client of the next generation of keys, and use it (RFC 8446, 4.6.3)."""
    cdef const char* message = b"\x18\x00\x00\x01\x00"
    cdef Py_ssize_t count = seal_record(&side.keys, KIND_HANDSHAKE, message, C_UPDATE, target)
    side.owes_update = False
    if count < 0 or not advance_keys(&side.keys):
        end_keys(&side.keys)
        return -1
    return count


cdef Py_ssize_t _seal_by_openssl(Side* side, const char* data, Py_ssize_t size, Scratch* scratch) noexcept nogil:
    cdef Py_ssize_t done = 0
    cdef Py_ssize_t used = 0
    cdef int count
    if not reserve(scratch, size + (size // RECORD_MAX + 2) * C_OPENSSL_ADDS):
        return -1
    while done < size:
        count = _write(side.connection, data + done, <int> min(size - done, <Py_ssize_t> RECORD_MAX))
        if count <= 0:
            _clear_errors()
            return -1
        done += count
        while True:  # also what was waiting in the BIO, if there was anything
            if used == scratch.size and not reserve(scratch, used + RECORD_MAX):
                return -1
            count = _read(side.out, scratch.data + used, <int> (scratch.size - used))
            if count <= 0:
                break
            used += count
    return used


cdef bint keep_rest(Side* side, const char* data, Py_ssize_t size) noexcept nogil:
    """Remember what was sealed and not sent. False: there is no memory."""
    return append(&side.rest, &side.rest_size, data, size)


cdef bint append(char** kept, Py_ssize_t* kept_size, const char* data, Py_ssize_t size) noexcept nogil:
    """Put bytes behind those that are kept. False: there is no memory, and all is as it was."""
    cdef char* room = <char*> realloc(kept[0], kept_size[0] + size)
    if room == NULL:
        return False
    memcpy(room + kept_size[0], data, size)
    kept[0] = room
    kept_size[0] += size
    return True


cdef bint reserve(Scratch* scratch, Py_ssize_t size) noexcept nogil:
    cdef char* data
    if scratch.size >= size:
        return True
    data = <char*> realloc(scratch.data, size)
    if data == NULL:
        return False
    scratch.data = data
    scratch.size = size
    return True


cdef void trim(Scratch* scratch) noexcept nogil:
    """Nothing is to be sent for now: what large frames have made of it is given back."""
    if scratch.size > C_SCRATCH_KEPT:
        free(scratch.data)
        scratch.data = NULL
        scratch.size = 0


def build_sealer(connection, context):
    """By OpenSSL, for an `ssl.SSLObject`'s inner object, of a context that was prepared, after its handshake. None
    where OpenSSL cannot be reached or the object is not what is expected: such a connection is written through Python.
    """
    cdef Sealer sealer
    cdef void* inner = find_connection(connection, context)
    if inner == NULL or _write == NULL:
        return None
    sealer = Sealer()
    sealer.owner = connection
    sealer.side.connection = inner
    sealer.side.out = _get_out(inner)
    return sealer if sealer.side.out != NULL else None
