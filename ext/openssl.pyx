"""Two settings of an SSL context that Python's ssl module does not offer.

- A client's certificate is asked for and taken as it comes: whether it is any good is judged after the handshake, so
  that a bad one ends as a proper answer instead of a dead connection (Go: tls.RequestClientCert).
- The buffers of a connection are given back while nothing is being read or written: 34 KB less for each idle one.

The functions are looked up in the OpenSSL that Python's own `_ssl` module is linked to, so nothing is linked here. The
SSL_CTX is the first member of `_ssl._SSLContext` (it has been since Python 2.7.9); that it is what is expected is
checked against what Python says of the same context before anything is changed.
"""

from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int mode)
    void* dlsym(void* handle, const char* name)
    int RTLD_LAZY
    int RTLD_NOLOAD

cdef enum:
    SSL_VERIFY_PEER = 1
    SSL_CTRL_MODE = 33
    SSL_MODE_RELEASE_BUFFERS = 16

ctypedef int (*VerifyCallback)(void* store, void* argument) noexcept nogil
ctypedef void (*SetVerifyCallback)(void* context, VerifyCallback callback, void* argument) noexcept nogil
ctypedef int (*GetVerifyMode)(const void* context) noexcept nogil
ctypedef uint64_t (*GetOptions)(const void* context) noexcept nogil
ctypedef long (*Control)(void* context, int command, long value, void* pointer) noexcept nogil

cdef struct ContextObject:
    PyObject head
    void* context


cdef int accept_any(void* store, void* argument) noexcept nogil:
    return 1


def prepare_server(context, library, unsigned long long options):
    """Apply both settings to an `ssl.SSLContext` whose verify_mode is CERT_OPTIONAL and whose options are `options`.

    `library` is the file of the `_ssl` module, or None where it is built into the interpreter. False: OpenSSL's
    functions cannot be reached from here (they are hidden in a static build), nothing was changed.
    """
    if not any([kind.__module__ == "_ssl" and kind.__name__ == "_SSLContext" for kind in type(context).__mro__]):
        raise TypeError("an SSLContext expected")
    cdef bytes path = b"" if library is None else library.encode()
    cdef const char* name = NULL
    if library is not None:
        name = path
    cdef void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)
    if handle == NULL:
        return False
    cdef SetVerifyCallback set_callback = <SetVerifyCallback> dlsym(handle, b"SSL_CTX_set_cert_verify_callback")
    cdef GetVerifyMode get_mode = <GetVerifyMode> dlsym(handle, b"SSL_CTX_get_verify_mode")
    cdef GetOptions get_options = <GetOptions> dlsym(handle, b"SSL_CTX_get_options")
    cdef Control control = <Control> dlsym(handle, b"SSL_CTX_ctrl")
    if set_callback == NULL or get_mode == NULL or get_options == NULL or control == NULL:
        return False
    cdef void* inner = (<ContextObject*> <PyObject*> context).context
    if get_mode(inner) != SSL_VERIFY_PEER or get_options(inner) != options:
        return False
    set_callback(inner, accept_any, NULL)
    control(inner, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL)
    return True
