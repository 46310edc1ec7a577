"""What Python's ssl module does not offer: four settings of contexts, and writing without the interpreter.

- A client's certificate is asked for and taken as it comes: whether it is any good is judged after the handshake, so
  that a bad one ends as a proper answer instead of a dead connection (Go: tls.RequestClientCert).
- The buffers of a connection are given back while nothing is being read or written: 34 KB less for each idle one.
- A client's context sends the certificates that it was given, as Go does: left alone, OpenSSL adds those authorities
  that it finds among the trusted ones, and the server has to read them all.
- A context may offer several groups (curves) for the exchange of keys, not just one, and prefers the ciphers of TLS 1.3
  in an order of its own.
- A Sealer encrypts what one connection sends, called from other kernels: an event for thousands of watchers must not
  pass through several Python objects for each of them.

The functions are looked up in the OpenSSL that Python's own `_ssl` module is linked to, so nothing is linked here. The
SSL_CTX is the first member of `_ssl._SSLContext` (it has been since Python 2.7.9); that it is what is expected is
checked against what Python says of the same context before anything is changed. In the same way the SSL is the second
member of `_ssl._SSLSocket`, between the socket and the context (since Python 3.6); it is believed only where that
context is the one that was prepared.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int mode)
    void* dlsym(void* handle, const char* name)
    int RTLD_LAZY
    int RTLD_NOLOAD

cdef enum:
    SSL_VERIFY_PEER = 1
    SSL_CTRL_MODE = 33
    SSL_CTRL_SET_GROUPS_LIST = 92  # what the macro SSL_CTX_set1_groups_list stands for
    SSL_MODE_NO_AUTO_CHAIN = 8
    SSL_MODE_RELEASE_BUFFERS = 16

ctypedef int (*VerifyCallback)(void* store, void* argument) noexcept nogil
ctypedef void (*SetVerifyCallback)(void* context, VerifyCallback callback, void* argument) noexcept nogil
ctypedef int (*GetVerifyMode)(const void* context) noexcept nogil
ctypedef uint64_t (*GetOptions)(const void* context) noexcept nogil
ctypedef long (*Control)(void* context, int command, long value, void* pointer) noexcept nogil

ctypedef int (*SetText)(void* context, const char* text) noexcept nogil

ctypedef int (*Write)(void* connection, const void* data, int size) noexcept nogil
ctypedef int (*Read)(void* bio, void* data, int size) noexcept nogil
ctypedef void* (*GetPointer)(const void* connection) noexcept nogil
ctypedef void (*ClearErrors)() noexcept nogil

cdef struct ContextObject:
    PyObject head
    void* context

cdef struct ConnectionObject:
    PyObject head
    PyObject* socket
    void* connection
    PyObject* context

# Found by prepare_server; all or none.
cdef Write _write = NULL
cdef Read _read = NULL
cdef GetPointer _get_out = NULL
cdef GetPointer _get_context = NULL
cdef ClearErrors _clear_errors = NULL

cdef enum:
    C_RECORD = 16384       # what one TLS record takes
    C_RECORD_ADDS = 256    # and adds at the most
    C_SCRATCH_KEPT = 64 * 1024


cdef int accept_any(void* store, void* argument) noexcept nogil:
    return 1


def prepare_server(context, library, unsigned long long options):
    """Apply both settings to an `ssl.SSLContext` whose verify_mode is CERT_OPTIONAL and whose options are `options`.

    `library` is the file of the `_ssl` module, or None where it is built into the interpreter. False: OpenSSL's
    functions cannot be reached from here (they are hidden in a static build), nothing was changed.
    """
    cdef void* handle = open_library(library)
    cdef void* inner = _find_inner(context, handle, options)
    if inner == NULL:
        return False
    cdef SetVerifyCallback set_callback = <SetVerifyCallback> dlsym(handle, b"SSL_CTX_set_cert_verify_callback")
    cdef GetVerifyMode get_mode = <GetVerifyMode> dlsym(handle, b"SSL_CTX_get_verify_mode")
    cdef Control control = <Control> dlsym(handle, b"SSL_CTX_ctrl")
    if set_callback == NULL or get_mode == NULL or control == NULL or get_mode(inner) != SSL_VERIFY_PEER:
        return False
    _find_writing(handle)
    set_callback(inner, accept_any, NULL)
    control(inner, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL)
    return True


def send_loaded_chain(context, library, unsigned long long options):
    """Let a client's `ssl.SSLContext` send no other certificates than `load_cert_chain` has given it. The arguments and
    the answer are those of `prepare_server`."""
    cdef void* handle = open_library(library)
    cdef void* inner = _find_inner(context, handle, options)
    cdef Control control
    if inner == NULL:
        return False
    control = <Control> dlsym(handle, b"SSL_CTX_ctrl")
    if control == NULL:
        return False
    control(inner, SSL_CTRL_MODE, SSL_MODE_NO_AUTO_CHAIN, NULL)
    return True


def set_groups(context, library, unsigned long long options, names):
    """Let an `ssl.SSLContext` offer these groups alone: OpenSSL's names, separated by colons. `library` and `options`
    are those of `prepare_server`. False: OpenSSL cannot be reached, or does not have all of them; nothing was changed.
    """
    cdef bytes text = names.encode("ascii")
    cdef void* handle = open_library(library)
    cdef void* inner = _find_inner(context, handle, options)
    cdef Control control
    cdef ClearErrors clear_errors
    if inner == NULL:
        return False
    control = <Control> dlsym(handle, b"SSL_CTX_ctrl")
    clear_errors = <ClearErrors> dlsym(handle, b"ERR_clear_error")
    if control == NULL or clear_errors == NULL:
        return False
    if control(inner, SSL_CTRL_SET_GROUPS_LIST, 0, <char*> text) != 1:
        clear_errors()  # the next call of ssl would find what is left
        return False
    return True


def set_suites(context, library, unsigned long long options, names):
    """Let an `ssl.SSLContext` use these ciphers of TLS 1.3 alone, the best first. Arguments and answer are those of
    `set_groups`."""
    cdef bytes text = names.encode("ascii")
    cdef void* handle = open_library(library)
    cdef void* inner = _find_inner(context, handle, options)
    cdef SetText set_text
    cdef ClearErrors clear_errors
    if inner == NULL:
        return False
    set_text = <SetText> dlsym(handle, b"SSL_CTX_set_ciphersuites")
    clear_errors = <ClearErrors> dlsym(handle, b"ERR_clear_error")
    if set_text == NULL or clear_errors == NULL:
        return False
    if set_text(inner, <char*> text) != 1:
        clear_errors()
        return False
    return True


cdef void* open_library(library) except? NULL:
    """OpenSSL as the library has it; NULL where it is not loaded."""
    cdef bytes path = b"" if library is None else library.encode()
    cdef const char* name = NULL
    if library is not None:
        name = path
    return dlopen(name, RTLD_LAZY | RTLD_NOLOAD)


cdef void* _find_inner(context, void* handle, uint64_t options) except? NULL:
    """The SSL_CTX of a context, believed only where its options are those that Python tells of it."""
    if not any([kind.__module__ == "_ssl" and kind.__name__ == "_SSLContext" for kind in type(context).__mro__]):
        raise TypeError("an SSLContext expected")
    if handle == NULL:
        return NULL
    cdef GetOptions get_options = <GetOptions> dlsym(handle, b"SSL_CTX_get_options")
    cdef void* inner = (<ContextObject*> <PyObject*> context).context
    if get_options == NULL or get_options(inner) != options:
        return NULL
    return inner


cdef void _find_writing(void* handle) noexcept:
    global _write, _read, _get_out, _get_context, _clear_errors
    cdef Write write = <Write> dlsym(handle, b"SSL_write")
    cdef Read read = <Read> dlsym(handle, b"BIO_read")
    cdef GetPointer get_out = <GetPointer> dlsym(handle, b"SSL_get_wbio")
    cdef GetPointer get_context = <GetPointer> dlsym(handle, b"SSL_get_SSL_CTX")
    cdef ClearErrors clear_errors = <ClearErrors> dlsym(handle, b"ERR_clear_error")
    if write != NULL and read != NULL and get_out != NULL and get_context != NULL and clear_errors != NULL:
        _write, _read, _get_out, _get_context, _clear_errors = write, read, get_out, get_context, clear_errors


@cython.final
cdef class Sealer:
    """The sending side of one connection over a memory BIO; it keeps the connection alive, not its socket.

    `seal` puts the records of plain bytes into a Scratch; whoever called it sends them before anything else of this
    connection. What the socket does not take is kept as the `rest`, and goes first.
    """

    def __dealloc__(self):
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
    cdef Py_ssize_t done = 0
    cdef Py_ssize_t used = 0
    cdef int count
    if not reserve(scratch, size + (size // C_RECORD + 2) * C_RECORD_ADDS):
        return -1
    while done < size:
        count = _write(side.connection, data + done, <int> min(size - done, C_RECORD))
        if count <= 0:
            _clear_errors()
            return -1
        done += count
        while True:  # also what was waiting in the BIO, if there was anything
            if used == scratch.size and not reserve(scratch, used + C_RECORD):
                return -1
            count = _read(side.out, scratch.data + used, <int> (scratch.size - used))
            if count <= 0:
                break
            used += count
    return used


cdef bint keep_rest(Side* side, const char* data, Py_ssize_t size) noexcept nogil:
    """Remember what was sealed and not sent. False: there is no memory."""
    cdef char* rest = <char*> realloc(side.rest, side.rest_size + size)
    if rest == NULL:
        return False
    memcpy(rest + side.rest_size, data, size)
    side.rest = rest
    side.rest_size += size
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
    """For an `ssl.SSLObject`'s inner object, of a context that was prepared, after its handshake. None where OpenSSL
    cannot be reached or the object is not what is expected: such a connection is written through Python."""
    cdef ConnectionObject* raw
    cdef Sealer sealer
    if _write == NULL or type(connection).__module__ != "_ssl" or type(connection).__name__ != "_SSLSocket":
        return None
    raw = <ConnectionObject*> <PyObject*> connection
    if raw.context != <PyObject*> context or raw.connection == NULL:
        return None
    if _get_context(raw.connection) != (<ContextObject*> raw.context).context:
        return None
    sealer = Sealer()
    sealer.owner = connection
    sealer.side.connection = raw.connection
    sealer.side.out = _get_out(raw.connection)
    return sealer if sealer.side.out != NULL else None
