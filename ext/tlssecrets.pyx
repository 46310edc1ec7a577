# cython: language_level=3
"""The secrets of a connection of TLS 1.3, as OpenSSL tells them while hands are shaken.

Contract: _kernels/tlssecrets.pyi, and the .pxd for kernels. OpenSSL tells them to a function that is meant for logs
of keys, in lines of text; they are kept with its connection, which wipes them out when it ends, and are told to nobody
but the kernel that reads and writes the connection's records (tls13.pyx).
"""

from libc.stdlib cimport calloc, free
from libc.string cimport strchr, strncmp

from quarterdeck._kernels.openssl cimport find_context, open_library
from quarterdeck._kernels.tlscipher cimport SECRET_MAX

cdef extern from "<dlfcn.h>" nogil:
    void* dlsym(void* handle, const char* name)

cdef enum:
    INDEX_OF_CONNECTIONS = 0  # CRYPTO_EX_INDEX_SSL

ctypedef void (*Note)(const void* connection, const char* line) noexcept nogil
ctypedef void (*SetNote)(void* context, Note note) noexcept nogil
ctypedef void (*Forget)(void* parent, void* data, void* all, int index, long number, void* argument) noexcept nogil
ctypedef int (*NewIndex)(int kind, long number, void* argument, void* new, void* copy, Forget forget) noexcept nogil
ctypedef int (*SetData)(const void* connection, int index, void* data) noexcept nogil
ctypedef void* (*GetData)(const void* connection, int index) noexcept nogil
ctypedef void (*Cleanse)(void* data, size_t size) noexcept nogil

# Found by `prepare`; all or none.
cdef int _index = -1
cdef SetNote _set_note = NULL
cdef SetData _set_data = NULL
cdef GetData _get_data = NULL
cdef Cleanse _cleanse = NULL


def prepare(context, library, unsigned long long options):
    """Have the secrets of a context's connections kept. Arguments and answer are those of `openssl.prepare_server`."""
    cdef void* handle = open_library(library)
    cdef void* inner = find_context(context, handle, options)
    if inner == NULL or not _find_functions(handle):
        return False
    _set_note(inner, _note)
    return True


cdef bint _find_functions(void* handle) noexcept:
    global _index, _set_note, _set_data, _get_data, _cleanse
    cdef NewIndex new_index = <NewIndex> dlsym(handle, b"CRYPTO_get_ex_new_index")
    cdef SetNote set_note = <SetNote> dlsym(handle, b"SSL_CTX_set_keylog_callback")
    cdef SetData set_data = <SetData> dlsym(handle, b"SSL_set_ex_data")
    cdef GetData get_data = <GetData> dlsym(handle, b"SSL_get_ex_data")
    cdef Cleanse cleanse = <Cleanse> dlsym(handle, b"OPENSSL_cleanse")
    if _index >= 0:
        return True
    if new_index == NULL or set_note == NULL or set_data == NULL or get_data == NULL or cleanse == NULL:
        return False
    _set_note, _set_data, _get_data, _cleanse = set_note, set_data, get_data, cleanse
    _index = new_index(INDEX_OF_CONNECTIONS, 0, NULL, NULL, NULL, _forget)
    return _index >= 0


cdef void _forget(void* parent, void* data, void* all, int index, long number, void* argument) noexcept nogil:
    """A connection ends."""
    if data != NULL:
        _cleanse(data, sizeof(Secrets))
        free(data)


cdef Secrets* find_secrets(const void* connection) noexcept nogil:
    """NULL: none have been told."""
    return NULL if _index < 0 else <Secrets*> _get_data(connection, _index)


cdef void _note(const void* connection, const char* line) noexcept nogil:
    """A line of the format of logs of keys: what it is, the client's random number, the secret, both in hexadecimal."""
    cdef Secrets* secrets
    cdef bint is_clients = not strncmp(line, b"CLIENT_TRAFFIC_SECRET_0 ", 24)
    if not is_clients and strncmp(line, b"SERVER_TRAFFIC_SECRET_0 ", 24):
        return
    secrets = find_secrets(connection)
    if secrets == NULL:
        secrets = <Secrets*> calloc(1, sizeof(Secrets))
        if secrets == NULL:
            return
        if not _set_data(connection, _index, secrets):
            free(secrets)
            return
    if is_clients:
        secrets.client_size = _read_secret(line + 24, secrets.client)
    else:
        secrets.server_size = _read_secret(line + 24, secrets.server)


cdef int _read_secret(const char* text, unsigned char* target) noexcept nogil:
    """What stands behind the next blank; 0: it cannot be read."""
    cdef const char* place = strchr(text, c' ')
    cdef int size = 0
    cdef int high, low
    if place == NULL:
        return 0
    place += 1
    while place[0]:
        high, low = _digit(place[0]), _digit(place[1])
        if high < 0 or low < 0 or size == SECRET_MAX:
            return 0
        target[size] = <unsigned char> (high * 16 + low)
        size += 1
        place += 2
    return size


cdef int _digit(char text) noexcept nogil:
    if c'0' <= text <= c'9':
        return text - c'0'
    if c'a' <= text <= c'f':
        return text - c'a' + 10
    if c'A' <= text <= c'F':
        return text - c'A' + 10
    return -1
