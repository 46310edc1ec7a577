# cython: language_level=3
"""The values at one place of a JSON text, and the text without them, found without decoding anything.

Contract: _kernels/jsoncut.pyi.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memcmp

from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.jsonplain cimport qd_plain_length


@cython.final
cdef class Cutter:
    """`ends`: where each value that was found begins and ends."""

    cdef const unsigned char *text
    cdef Py_ssize_t size
    cdef Py_ssize_t position
    cdef list ends

    cdef int expect(self, unsigned char c) except -1:
        if self.position >= self.size or self.text[self.position] != c:
            raise ValueError(f"no {chr(c)!r} at {self.position}")
        self.position += 1
        return 0

    cdef bint comes(self, unsigned char c) noexcept:
        """Whether it is next; then it is passed."""
        if self.position < self.size and self.text[self.position] == c:
            self.position += 1
            return True
        return False

    cdef int pass_string(self) except -1:
        cdef uint64_t beyond_ascii = 0
        self.expect(34)
        while True:
            self.position += qd_plain_length(self.text + self.position, self.size - self.position, &beyond_ascii)
            if not self.comes(92):
                return self.expect(34)
            if self.position >= self.size:
                raise ValueError("a string has no end")
            self.position += 1

    cdef int pass_value(self) except -1:
        cdef Py_ssize_t depth = 0
        cdef Py_ssize_t begin = self.position
        cdef unsigned char c
        while self.position < self.size:
            c = self.text[self.position]
            if c == 34:
                give_way()
                self.pass_string()
            elif c == 123 or c == 91:
                depth += 1
                self.position += 1
            elif c == 125 or c == 93:
                if depth == 0:
                    return 0
                depth -= 1
                self.position += 1
            elif c == 44 and depth == 0:
                return 0
            else:
                self.position += 1
                continue
            if depth == 0:
                return 0
        return 0 if depth == 0 and self.position > begin else self.expect(125)

    cdef int find_value(self) except -1:
        cdef Py_ssize_t begin = self.position
        self.pass_value()
        self.ends.append((begin, self.position))
        return 0

    cdef int walk(self, tuple path, Py_ssize_t step) except -1:
        """The value at the position, which `path[step:]` leads on from."""
        if step == len(path):
            return self.find_value()
        if self.comes(123):
            return self.walk_members(path, step)
        if path[step] is None and self.comes(91):
            return self.walk_items(path, step)
        return self.pass_value()

    cdef int walk_members(self, tuple path, Py_ssize_t step) except -1:
        cdef bytes wanted = path[step]
        cdef Py_ssize_t start
        if self.comes(125):
            return 0
        while True:
            start = self.position + 1
            self.pass_string()
            self.expect(58)
            if (
                wanted is not None
                and self.position - start - 2 == PyBytes_GET_SIZE(wanted)
                and memcmp(self.text + start, PyBytes_AS_STRING(wanted), PyBytes_GET_SIZE(wanted)) == 0
            ):
                self.walk(path, step + 1)
            else:
                self.pass_value()
            if not self.comes(44):
                return self.expect(125)

    cdef int walk_items(self, tuple path, Py_ssize_t step) except -1:
        if self.comes(93):
            return 0
        while True:
            self.walk(path, step + 1)
            if not self.comes(44):
                return self.expect(93)


cdef list find(bytes data, tuple path):
    cdef Cutter cutter = Cutter.__new__(Cutter)
    cutter.text = <const unsigned char *>PyBytes_AS_STRING(data)
    cutter.size = PyBytes_GET_SIZE(data)
    cutter.ends = []
    cutter.walk(path, 0)
    if cutter.position != cutter.size:
        raise ValueError(f"the value ends at {cutter.position} of {cutter.size} bytes")
    return cutter.ends


def values(bytes data not None, tuple path not None):
    """See the contract."""
    return [data[begin:end] for begin, end in find(data, path)]


def without(bytes data not None, tuple path not None):
    """See the contract."""
    cdef Py_ssize_t kept = 0
    cdef list pieces = []
    for begin, end in find(data, path):
        pieces.append(data[kept:begin])
        kept = end
    pieces.append(data[kept:])
    return b"null".join(pieces)
