"""What Python's ssl module does not offer: settings of contexts, and a way to what OpenSSL knows of a connection.

- A client's certificate is asked for and taken as it comes: whether it is any good is judged after the handshake, so
  that a bad one ends as a proper answer instead of a dead connection (Go: tls.RequestClientCert).
- The buffers of a connection are given back while nothing is being read or written: 34 KB less for each idle one.
- A client's context sends the certificates that it was given, as Go does: left alone, OpenSSL adds those authorities
  that it finds among the trusted ones, and the server has to read them all.
- A context may offer several groups (curves) for the exchange of keys, not just one, and prefers the ciphers of TLS 1.3
  in an order of its own.
- A server tells which authorities' certificates it takes, while it goes on judging them itself.

The functions are looked up in the OpenSSL that Python's own `_ssl` module is linked to, so nothing is linked here. The
SSL_CTX is the first member of `_ssl._SSLContext` (it has been since Python 2.7.9); that it is what is expected is
checked against what Python says of the same context before anything is changed. In the same way the SSL is the second
member of `_ssl._SSLSocket`, between the socket and the context (since Python 3.6); it is believed only where that
context is the one that was prepared (`find_connection`).
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
    SSL_CTRL_SET_GROUPS_LIST = 92  # what the macro SSL_CTX_set1_groups_list stands for
    SSL_MODE_NO_AUTO_CHAIN = 8
    SSL_MODE_RELEASE_BUFFERS = 16

ctypedef int (*VerifyCallback)(void* store, void* argument) noexcept nogil
ctypedef void (*SetVerifyCallback)(void* context, VerifyCallback callback, void* argument) noexcept nogil
ctypedef int (*GetVerifyMode)(const void* context) noexcept nogil
ctypedef uint64_t (*GetOptions)(const void* context) noexcept nogil
ctypedef long (*Control)(void* context, int command, long value, void* pointer) noexcept nogil

ctypedef int (*SetText)(void* context, const char* text) noexcept nogil

ctypedef void* (*GetPointer)(const void* connection) noexcept nogil
ctypedef void (*ClearErrors)() noexcept nogil

ctypedef void* (*ReadCertificate)(void** target, const unsigned char** data, long size) noexcept nogil
ctypedef void (*FreeCertificate)(void* certificate) noexcept nogil
ctypedef int (*AddAuthority)(void* context, const void* certificate) noexcept nogil

cdef struct ContextObject:
    PyObject head
    void* context

cdef struct ConnectionObject:
    PyObject head
    PyObject* socket
    void* connection
    PyObject* context

cdef GetPointer _get_context = NULL  # found by prepare_server


cdef int accept_any(void* store, void* argument) noexcept nogil:
    return 1


def prepare_server(context, library, unsigned long long options):
    """Apply both settings to an `ssl.SSLContext` whose verify_mode is CERT_OPTIONAL and whose options are `options`.

    `library` is the file of the `_ssl` module, or None where it is built into the interpreter. False: OpenSSL's
    functions cannot be reached from here (they are hidden in a static build), nothing was changed.
    """
    global _get_context
    cdef void* handle = open_library(library)
    cdef void* inner = find_context(context, handle, options)
    if inner == NULL:
        return False
    cdef SetVerifyCallback set_callback = <SetVerifyCallback> dlsym(handle, b"SSL_CTX_set_cert_verify_callback")
    cdef GetVerifyMode get_mode = <GetVerifyMode> dlsym(handle, b"SSL_CTX_get_verify_mode")
    cdef Control control = <Control> dlsym(handle, b"SSL_CTX_ctrl")
    if set_callback == NULL or get_mode == NULL or control == NULL or get_mode(inner) != SSL_VERIFY_PEER:
        return False
    _get_context = <GetPointer> dlsym(handle, b"SSL_get_SSL_CTX")
    set_callback(inner, accept_any, NULL)
    control(inner, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL)
    return True


def send_loaded_chain(context, library, unsigned long long options):
    """Let a client's `ssl.SSLContext` send no other certificates than `load_cert_chain` has given it. The arguments and
    the answer are those of `prepare_server`."""
    cdef void* handle = open_library(library)
    cdef void* inner = find_context(context, handle, options)
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
    cdef void* inner = find_context(context, handle, options)
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
    cdef void* inner = find_context(context, handle, options)
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


def name_authorities(context, library, unsigned long long options, list certificates):
    """Let a server's `ssl.SSLContext` name the subjects of these certificates, in DER, where it asks for a client's.
    What OpenSSL cannot read is passed over. The other arguments and the answer are those of `prepare_server`."""
    cdef void* handle = open_library(library)
    cdef void* inner = find_context(context, handle, options)
    cdef void* read
    cdef const unsigned char* at
    cdef bytes certificate
    if inner == NULL:
        return False
    cdef ReadCertificate read_certificate = <ReadCertificate> dlsym(handle, b"d2i_X509")
    cdef FreeCertificate free_certificate = <FreeCertificate> dlsym(handle, b"X509_free")
    cdef AddAuthority add_authority = <AddAuthority> dlsym(handle, b"SSL_CTX_add_client_CA")
    cdef ClearErrors clear_errors = <ClearErrors> dlsym(handle, b"ERR_clear_error")
    if read_certificate == NULL or free_certificate == NULL or add_authority == NULL or clear_errors == NULL:
        return False
    for certificate in certificates:
        at = certificate
        read = read_certificate(NULL, &at, len(certificate))
        if read != NULL:
            add_authority(inner, read)
            free_certificate(read)
    clear_errors()  # the next call of ssl would find what is left
    return True


cdef void* open_library(library) except? NULL:
    """OpenSSL as the library has it; NULL where it is not loaded."""
    cdef bytes path = b"" if library is None else library.encode()
    cdef const char* name = NULL
    if library is not None:
        name = path
    return dlopen(name, RTLD_LAZY | RTLD_NOLOAD)


cdef void* find_function(void* handle, const char* name) except NULL:
    """A function of the library that `open_library` gave. LookupError: it is hidden, or nothing was given."""
    cdef void* found = dlsym(handle, name) if handle != NULL else NULL
    if found == NULL:
        raise LookupError(name)
    return found


cdef void* find_context(context, void* handle, uint64_t options) except? NULL:
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


cdef void* find_connection(connection, context) noexcept:
    """The SSL of an `ssl.SSLObject`'s inner object, of a context that was prepared; NULL where it is not what is
    expected."""
    cdef ConnectionObject* raw
    if _get_context == NULL or type(connection).__module__ != "_ssl" or type(connection).__name__ != "_SSLSocket":
        return NULL
    raw = <ConnectionObject*> <PyObject*> connection
    if raw.context != <PyObject*> context or raw.connection == NULL:
        return NULL
    if _get_context(raw.connection) != (<ContextObject*> raw.context).context:
        return NULL
    return raw.connection
