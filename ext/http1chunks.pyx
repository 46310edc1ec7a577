"""HTTP/1.x on the byte level: chunked bodies, of requests and of responses."""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr, memcpy

from quarterdeck._kernels.octets cimport (
    Bytes, hex_digit, is_token_octet, is_value_octet, stop_of_text
)

# What ChunkedBody.feed returns besides an offset. (Within this module the names below are C's.)
CHUNK_MALFORMED = -1
CHUNK_TOO_LARGE = -2
CHUNK_LINE_BARE_LF = -3
CHUNK_LINE_CR = -4
CHUNK_LINE_TOO_LONG = -5
CHUNK_LENGTH_EMPTY = -6
CHUNK_LENGTH_INVALID = -7
CHUNK_LENGTH_TOO_LARGE = -8
CHUNK_EXCESS = -9

cdef enum:
    E_MALFORMED = -1
    E_TOO_LARGE = -2
    E_LINE_BARE_LF = -3
    E_LINE_CR = -4
    E_LINE_TOO_LONG = -5
    E_LENGTH_EMPTY = -6
    E_LENGTH_INVALID = -7
    E_LENGTH_TOO_LARGE = -8
    E_EXCESS = -9

cdef enum:
    LINE_BYTES_MAX = 4096
    EXCESS_BYTES_MAX = 16384
    LENGTH_DIGITS_MAX = 15  # 16 are 64 bits, more than any body may have

cdef enum State:
    LINE          # a chunk's size, up to the line's end
    DATA
    DATA_CR
    DATA_LF
    NO_DATA_CR    # net/http looks at both octets behind the data before it tells
    TRAILER       # at the beginning of a trailer line or of the empty line at the end
    TRAILER_NAME
    TRAILER_LINE
    TRAILER_LF
    LAST_LF
    DONE
    FAILED


cdef long long read_length(Bytes p, Bytes stop) noexcept nogil:
    """The size that a line [p, stop) gives, without its CRLF, or a code."""
    cdef Bytes found = <Bytes> memchr(p, c';', stop - p) if p < stop else NULL
    cdef Bytes begin = p
    cdef long long length = 0
    stop = stop_of_text(p, stop)
    if found != NULL and found < stop:
        stop = found
    if p == stop:
        return E_LENGTH_EMPTY
    while p < stop:
        if hex_digit(p[0]) < 0:
            return E_LENGTH_INVALID
        if p - begin == LENGTH_DIGITS_MAX + 1:
            return E_LENGTH_TOO_LARGE
        if p - begin < LENGTH_DIGITS_MAX:
            length = length * 16 + hex_digit(p[0])
        p += 1
    return E_TOO_LARGE if p - begin > LENGTH_DIGITS_MAX else length


cdef class ChunkedBody:
    """Takes a chunked body apart (RFC 9112, 7.1), as strictly as Go's net/http: lines end in CRLF. Extensions and
    trailers are dropped.

    Two bounds: `body_max` on the data, and on everything else the allowance that net/http gives (16 bytes a chunk and
    twice its data, 16 KiB in all beyond that; 4 KiB a line).
    """
    cdef State state
    cdef long long chunk_left
    cdef long long body_max
    cdef long long excess
    cdef int failure
    cdef bytearray line  # what has come of a chunk's first line
    cdef bytearray body

    def __cinit__(self, long long body_max):
        self.state = LINE
        self.body_max = body_max
        self.line = bytearray()
        self.body = bytearray()
        self.chunk_left = 0
        self.excess = 0

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
        a code: why it is not read any further."""
        cdef Bytes buffer = <Bytes> PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Py_ssize_t i = start
        cdef Py_ssize_t length
        if start < 0 or start > size:
            raise ValueError("start lies outside of the data")
        while i < size and self.state != DONE and self.state != FAILED:
            if self.state == DATA:
                length = size - i
                if length > self.chunk_left:
                    length = <Py_ssize_t> self.chunk_left
                append(self.body, buffer + i, length)
                i += length
                self.chunk_left -= length
                if self.chunk_left == 0:
                    self.state = DATA_CR
            elif self.state == LINE:
                i += self._read_line(buffer + i, size - i)
            else:
                self._step(buffer[i])
                i += 1
        return self.failure if self.state == FAILED else i

    cdef Py_ssize_t _read_line(self, Bytes p, Py_ssize_t size) except -1:
        """More of a chunk's first line; how many octets belong to it."""
        cdef Bytes newline = <Bytes> memchr(p, c'\n', size)
        cdef Py_ssize_t taken = newline - p + 1 if newline != NULL else size
        append(self.line, p, taken)
        if PyByteArray_GET_SIZE(self.line) >= LINE_BYTES_MAX:
            self._fail(E_LINE_TOO_LONG)
        elif newline != NULL:
            self._begin_chunk()
        return taken

    cdef int _begin_chunk(self) except -1:
        """The line is there, up to its line feed."""
        cdef Bytes line = <Bytes> PyByteArray_AS_STRING(self.line)
        cdef Py_ssize_t size = PyByteArray_GET_SIZE(self.line)
        cdef Bytes found = <Bytes> memchr(line, c'\r', size)
        cdef long long length
        if found == NULL:
            return self._fail(E_LINE_BARE_LF)
        if found - line != size - 2:
            return self._fail(E_LINE_CR)
        length = read_length(line, line + size - 2)
        PyByteArray_Resize(self.line, 0)
        if length < 0:
            return self._fail(<int> length)
        if PyByteArray_GET_SIZE(self.body) + length > self.body_max:
            return self._fail(E_TOO_LARGE)
        self.excess = max(self.excess + size - 16 - 2 * length, 0)
        if self.excess > EXCESS_BYTES_MAX:
            return self._fail(E_EXCESS)
        self.chunk_left = length
        self.state = DATA if length else TRAILER
        if not length:
            self.excess = 0
        return 0

    cdef int _step(self, unsigned char octet) except -1:
        """An octet behind a chunk's data, or behind the last chunk."""
        if self.state == DATA_CR:
            self.state = DATA_LF if octet == c'\r' else NO_DATA_CR
        elif self.state == NO_DATA_CR:
            return self._fail(E_MALFORMED)
        elif self.state == DATA_LF:
            if octet != c'\n':
                return self._fail(E_MALFORMED)
            self.state = LINE
        elif self.state == TRAILER:
            if octet == c'\r':
                self.state = LAST_LF
            elif is_token_octet(octet):
                self.state = TRAILER_NAME
            else:
                return self._fail(E_MALFORMED)
        elif self.state == TRAILER_NAME:
            self.excess += 1
            if octet == c':':
                self.state = TRAILER_LINE
            elif not is_token_octet(octet) or self.excess > EXCESS_BYTES_MAX:
                return self._fail(E_MALFORMED)
        elif self.state == TRAILER_LINE:
            self.excess += 1
            if octet == c'\r':
                self.state = TRAILER_LF
            elif not is_value_octet(octet) or self.excess > EXCESS_BYTES_MAX:
                return self._fail(E_MALFORMED)
        elif octet != c'\n':
            return self._fail(E_MALFORMED)
        else:
            self.state = TRAILER if self.state == TRAILER_LF else DONE
        return 0

    cdef int _fail(self, int failure) except -1:
        self.failure = failure
        self.state = FAILED
        return 0


cdef int append(bytearray buffer, Bytes data, Py_ssize_t size) except -1:
    cdef Py_ssize_t used = PyByteArray_GET_SIZE(buffer)
    PyByteArray_Resize(buffer, used + size)
    memcpy(PyByteArray_AS_STRING(buffer) + used, data, size)
    return 0
