"""HTTP/1.x on the byte level: chunked bodies, of requests and of responses."""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memcpy

from quarterdeck._kernels.octets cimport hex_digit, is_token_octet, is_value_octet

ctypedef const unsigned char* Bytes

# What ChunkedBody.feed returns besides an offset. (Within this module the names below are C's.)
CHUNK_MALFORMED = -1
CHUNK_TOO_LARGE = -2

cdef enum:
    E_MALFORMED = -1
    E_TOO_LARGE = -2

cdef enum State:
    SIZE          # the digits of a chunk's size
    EXTENSION     # what follows the digits, up to CR
    SIZE_LF
    DATA
    DATA_CR
    DATA_LF
    TRAILER       # at the beginning of a trailer line or of the empty line at the end
    TRAILER_LINE
    TRAILER_LF
    LAST_LF
    DONE
    FAILED


cdef class ChunkedBody:
    """Takes a chunked body apart (RFC 9112, 7.1). Strict: lines end in CRLF. Extensions and trailers are dropped.

    Two bounds: `body_max` on the data, and on everything else the allowance that net/http gives (16 bytes a chunk and
    twice its data, 16 KiB in all beyond that).
    """
    cdef State state
    cdef long long chunk_left
    cdef long long body_max
    cdef long long excess
    cdef int digits
    cdef bytearray body

    def __cinit__(self, long long body_max):
        self.state = SIZE
        self.body_max = body_max
        self.body = bytearray()
        self.chunk_left = 0
        self.excess = 0
        self.digits = 0

    @property
    def is_done(self):
        return self.state == DONE

    def take(self):
        """The body so far; the object forgets it."""
        cdef bytes whole = bytes(self.body)
        self.body = bytearray()
        return whole

    def feed(self, bytes data, Py_ssize_t start):
        """Read on from `start`. The offset behind what was read (short of the end only when the body is done), or
        CHUNK_MALFORMED or CHUNK_TOO_LARGE."""
        cdef Bytes buffer = <Bytes> PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Py_ssize_t i = start
        cdef Py_ssize_t length, used
        cdef unsigned char octet
        if start < 0 or start > size:
            raise ValueError("start lies outside of the data")
        if self.state == FAILED:
            return E_MALFORMED
        while i < size and self.state != DONE:
            if self.state == DATA:
                length = size - i
                if length > self.chunk_left:
                    length = <Py_ssize_t> self.chunk_left
                used = PyByteArray_GET_SIZE(self.body)
                PyByteArray_Resize(self.body, used + length)
                memcpy(PyByteArray_AS_STRING(self.body) + used, buffer + i, length)
                i += length
                self.chunk_left -= length
                if self.chunk_left == 0:
                    self.state = DATA_CR
                continue
            octet = buffer[i]
            i += 1
            self.excess += 1
            if self.excess > 16384 + 32:
                self.state = FAILED
                return E_MALFORMED
            if self.state == SIZE:
                if hex_digit(octet) >= 0:
                    self.digits += 1
                    if self.digits > 15:
                        self.state = FAILED
                        return E_MALFORMED
                    self.chunk_left = self.chunk_left * 16 + hex_digit(octet)
                    continue
                if self.digits == 0:
                    self.state = FAILED
                elif octet == c'\r':
                    self.state = SIZE_LF
                elif octet == c';' or octet == c' ' or octet == c'\t':
                    self.state = EXTENSION
                else:
                    self.state = FAILED
            elif self.state == EXTENSION:
                if octet == c'\r':
                    self.state = SIZE_LF
                elif not is_value_octet(octet):
                    self.state = FAILED
            elif self.state == SIZE_LF:
                if octet != c'\n':
                    self.state = FAILED
                elif self.chunk_left == 0:
                    self.state = TRAILER
                else:
                    if PyByteArray_GET_SIZE(self.body) + self.chunk_left > self.body_max:
                        self.state = FAILED
                        return E_TOO_LARGE
                    self.excess -= 16 + 2 * self.chunk_left
                    if self.excess < 0:
                        self.excess = 0
                    self.state = DATA
            elif self.state == DATA_CR:
                self.state = DATA_LF if octet == c'\r' else FAILED
            elif self.state == DATA_LF:
                self.state = SIZE if octet == c'\n' else FAILED
                self.digits = 0
                self.chunk_left = 0
            elif self.state == TRAILER:
                if octet == c'\r':
                    self.state = LAST_LF
                else:
                    self.state = TRAILER_LINE if is_token_octet(octet) else FAILED
            elif self.state == TRAILER_LINE:
                if octet == c'\r':
                    self.state = TRAILER_LF
                elif not is_value_octet(octet):
                    self.state = FAILED
            elif self.state == TRAILER_LF:
                self.state = TRAILER if octet == c'\n' else FAILED
            elif self.state == LAST_LF:
                self.state = DONE if octet == c'\n' else FAILED
            if self.state == FAILED:
                return E_MALFORMED
        return i
