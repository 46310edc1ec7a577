# cython: language_level=3
"""Records of TLS 1.3: sealed and opened with AES-GCM by OpenSSL's ciphers, past OpenSSL's connection.

Contract: _kernels/tlscipher.pyi, and the .pxd for kernels. What a connection of OpenSSL adds to encrypting a record of
1.9 KB (its buffers, its state, three copies) takes twice as long as encrypting it. RFC 8446: 5.2 and 5.3 are records
and their nonces, 7.1 to 7.3 how keys are made of a secret, 7.2 how the next ones are.

The ciphers are looked up in the OpenSSL that Python's own `_ssl` module is linked to.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from quarterdeck._kernels.openssl cimport find_function, open_library

cdef extern from "<dlfcn.h>" nogil:
    void* dlsym(void* handle, const char* name)

cdef enum:
    CTRL_GET_TAG = 0x10
    CTRL_SET_TAG = 0x11
    KEY_MAX = 32
    LABEL_MAX = 16             # of those that are used here

ctypedef void* (*New)() noexcept nogil
ctypedef void (*Free)(void* context) noexcept nogil
ctypedef int (*Init)(
    void* context, const void* cipher, void* engine, const unsigned char* key, const unsigned char* iv
) noexcept nogil
ctypedef int (*Update)(void* context, char* target, int* done, const char* data, int size) noexcept nogil
ctypedef int (*Final)(void* context, char* target, int* done) noexcept nogil
ctypedef int (*Control)(void* context, int command, int value, void* pointer) noexcept nogil
ctypedef const void* (*Find)() noexcept nogil
ctypedef const void* (*Fetch)(void* library, const char* name, const char* properties) noexcept nogil
ctypedef unsigned char* (*Hmac)(
    const void* digest, const void* key, int key_size, const unsigned char* data, size_t size, unsigned char* result,
    unsigned int* result_size
) noexcept nogil
ctypedef void (*Cleanse)(void* data, size_t size) noexcept nogil
ctypedef void (*ClearErrors)() noexcept nogil

cdef struct Functions:
    New new
    Free free
    Init seal_init
    Update seal_update
    Final seal_final
    Init open_init
    Update open_update
    Final open_final
    Control control
    Hmac hmac
    Cleanse cleanse
    ClearErrors clear_errors

# Found by `prepare`; all or none.
cdef Functions _ssl
cdef const void* _ciphers[2]
cdef const void* _digests[2]
cdef bint _is_ready = False


def prepare(library):
    """Find OpenSSL's functions; `library` is that of openssl.prepare_server. False: they are hidden."""
    global _ssl, _is_ready
    cdef void* handle = open_library(library)
    cdef Functions found
    if _is_ready and handle != NULL:
        return True
    try:
        found.new = <New> find_function(handle, b"EVP_CIPHER_CTX_new")
        found.free = <Free> find_function(handle, b"EVP_CIPHER_CTX_free")
        found.seal_init = <Init> find_function(handle, b"EVP_EncryptInit_ex")
        found.seal_update = <Update> find_function(handle, b"EVP_EncryptUpdate")
        found.seal_final = <Final> find_function(handle, b"EVP_EncryptFinal_ex")
        found.open_init = <Init> find_function(handle, b"EVP_DecryptInit_ex")
        found.open_update = <Update> find_function(handle, b"EVP_DecryptUpdate")
        found.open_final = <Final> find_function(handle, b"EVP_DecryptFinal_ex")
        found.control = <Control> find_function(handle, b"EVP_CIPHER_CTX_ctrl")
        found.hmac = <Hmac> find_function(handle, b"HMAC")
        found.cleanse = <Cleanse> find_function(handle, b"OPENSSL_cleanse")
        found.clear_errors = <ClearErrors> find_function(handle, b"ERR_clear_error")
        _digests[<int> AES_128] = (<Find> find_function(handle, b"EVP_sha256"))()
        _digests[<int> AES_256] = (<Find> find_function(handle, b"EVP_sha384"))()
        _ciphers[<int> AES_128] = _find_cipher(handle, b"AES-128-GCM", b"EVP_aes_128_gcm")
        _ciphers[<int> AES_256] = _find_cipher(handle, b"AES-256-GCM", b"EVP_aes_256_gcm")
    except LookupError:
        return False
    _ssl = found
    _is_ready = True
    return True


cdef const void* _find_cipher(void* handle, const char* name, const char* older) except NULL:
    """Since OpenSSL 3.0 a cipher that is fetched once need not be looked up for each connection."""
    cdef void* fetch = dlsym(handle, b"EVP_CIPHER_fetch")
    cdef const void* found
    if fetch != NULL:
        found = (<Fetch> fetch)(NULL, name, NULL)
    else:
        found = (<Find> find_function(handle, older))()
    if found == NULL:
        raise LookupError(name)
    return found


cdef bint can_do() noexcept nogil:
    return _is_ready


cdef int secret_size_of(Suite suite) noexcept nogil:
    return 32 if suite == AES_128 else 48


cdef int _key_size_of(Suite suite) noexcept nogil:
    return 16 if suite == AES_128 else 32


cdef bint _expand(
    Suite suite, const unsigned char* secret, const char* label, int label_size, unsigned char* target, int size
) noexcept nogil:
    """HKDF-Expand-Label (RFC 8446, 7.1) without a context, of no more than one block of the digest."""
    cdef unsigned char info[4 + 6 + LABEL_MAX + 1]
    cdef unsigned char block[64]
    cdef unsigned int made = 0
    info[0] = 0
    info[1] = <unsigned char> size
    info[2] = <unsigned char> (6 + label_size)
    memcpy(info + 3, b"tls13 ", 6)
    memcpy(info + 9, label, label_size)
    info[9 + label_size] = 0   # the context's size
    info[10 + label_size] = 1  # the number of the block
    if _ssl.hmac(
        _digests[<int> suite], secret, secret_size_of(suite), info, 11 + label_size, block, &made
    ) == NULL or <int> made < size:
        return False
    memcpy(target, block, size)
    _ssl.cleanse(block, sizeof(block))
    return True


cdef bint _set_keys(Keys* keys, bint is_sealing, const void* cipher) noexcept nogil:
    """The keys that follow from the secret; `cipher` NULL: the one that the context has."""
    cdef unsigned char key[KEY_MAX]
    cdef bint done
    cdef Init init = _ssl.seal_init if is_sealing else _ssl.open_init
    done = (
        _expand(keys.suite, keys.secret, b"key", 3, key, _key_size_of(keys.suite))
        and _expand(keys.suite, keys.secret, b"iv", 2, keys.iv, IV_SIZE)
        and init(keys.context, cipher, NULL, key, NULL) == 1
    )
    _ssl.cleanse(key, sizeof(key))
    keys.sequence = 0
    return done


cdef bint begin_keys(Keys* keys, Suite suite, const unsigned char* secret, bint is_sealing) noexcept nogil:
    """False: there is no memory, or OpenSSL does not do it; there is nothing to be ended then."""
    keys.context = _ssl.new()
    if keys.context == NULL:
        return False
    keys.suite = suite
    keys.is_sealing = is_sealing
    memcpy(keys.secret, secret, secret_size_of(suite))
    if _set_keys(keys, is_sealing, _ciphers[<int> suite]):
        return True
    end_keys(keys)
    return False


cdef bint advance_keys(Keys* keys) noexcept nogil:
    """The next generation's. False: the keys cannot be used any more."""
    cdef unsigned char following[SECRET_MAX]
    cdef int size = secret_size_of(keys.suite)
    cdef bint done = _expand(keys.suite, keys.secret, b"traffic upd", 11, following, size)
    memcpy(keys.secret, following, size)
    _ssl.cleanse(following, sizeof(following))
    return done and _set_keys(keys, keys.is_sealing, NULL)


cdef void end_keys(Keys* keys) noexcept nogil:
    if keys.context != NULL:
        _ssl.free(keys.context)
        _ssl.cleanse(keys, sizeof(Keys))
        keys.context = NULL


cdef void _nonce(Keys* keys, unsigned char* target) noexcept nogil:
    cdef uint64_t rest = keys.sequence
    cdef int place = IV_SIZE
    memcpy(target, keys.iv, IV_SIZE)
    while rest:
        place -= 1
        target[place] ^= <unsigned char> (rest & 255)
        rest >>= 8


cdef Py_ssize_t seal_record(Keys* keys, int kind, const char* data, Py_ssize_t size, char* target) noexcept nogil:
    """One record of `size` ≤ RECORD_MAX bytes, to where `size` + RECORD_ADDS bytes have room; how many it has, -1: it
    failed. The data may not be in the target."""
    cdef unsigned char nonce[IV_SIZE]
    cdef int inner = <int> size + 1
    cdef int done = 0
    cdef char* text = target + HEADER_SIZE
    target[0] = KIND_DATA
    target[1] = 3
    target[2] = 3
    target[3] = <char> ((inner + TAG_SIZE) >> 8)
    target[4] = <char> ((inner + TAG_SIZE) & 255)
    memcpy(text, data, size)
    text[size] = <char> kind
    _nonce(keys, nonce)
    if (
        _ssl.seal_init(keys.context, NULL, NULL, NULL, nonce) != 1
        or _ssl.seal_update(keys.context, NULL, &done, target, HEADER_SIZE) != 1
        or _ssl.seal_update(keys.context, text, &done, text, inner) != 1
        or _ssl.seal_final(keys.context, text + inner, &done) != 1
        or _ssl.control(keys.context, CTRL_GET_TAG, TAG_SIZE, text + inner) != 1
    ):
        _ssl.clear_errors()
        return -1
    keys.sequence += 1
    return HEADER_SIZE + inner + TAG_SIZE


cdef Py_ssize_t open_record(Keys* keys, const char* record, Py_ssize_t size, char* target, int* kind) noexcept nogil:
    """What a record of `size` bytes, its header among them, holds, and of which kind it is (0: of none). There is room
    for `size` - HEADER_SIZE - TAG_SIZE bytes. How many they are; -1: somebody has changed it."""
    cdef unsigned char nonce[IV_SIZE]
    cdef Py_ssize_t inner = size - HEADER_SIZE - TAG_SIZE
    cdef int done = 0
    cdef int more = 0
    cdef char rest[TAG_SIZE]
    _nonce(keys, nonce)
    if (
        _ssl.open_init(keys.context, NULL, NULL, NULL, nonce) != 1
        or _ssl.open_update(keys.context, NULL, &done, record, HEADER_SIZE) != 1
        or _ssl.open_update(keys.context, target, &done, record + HEADER_SIZE, <int> inner) != 1
        or _ssl.control(keys.context, CTRL_SET_TAG, TAG_SIZE, <char*> record + HEADER_SIZE + inner) != 1
        or _ssl.open_final(keys.context, rest, &more) != 1
    ):
        memset(target, 0, inner)  # what is not proven is not shown
        _ssl.clear_errors()
        return -1
    keys.sequence += 1
    while inner > 0 and not target[inner - 1]:  # padding
        inner -= 1
    if inner == 0:
        kind[0] = 0
        return 0
    kind[0] = <unsigned char> target[inner - 1]
    return inner - 1
