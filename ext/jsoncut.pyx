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

    cdef bytes data
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

    cdef bint begins(self, bytes with_) noexcept:
        """Whether this is next."""
        return (
            self.size - self.position >= PyBytes_GET_SIZE(with_)
            and memcmp(self.text + self.position, PyBytes_AS_STRING(with_), PyBytes_GET_SIZE(with_)) == 0
        )

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


# What is being read, as bits: what kind of container, and whether it stands within allOf, anyOf, oneOf or not.
cdef enum:
    SCHEMA = 1
    MAP = 2  # of schemas, by name
    LIST = 4  # of schemas
    IN_JUNCTOR = 8


@cython.final
cdef class Reader:
    """Goes through the schemas of a JSONSchemaProps, and passes over all else."""

    cdef Cutter text
    cdef bytearray open_  # what is open, from the outermost inwards
    cdef readonly bint has_rules
    cdef readonly bint has_defaults

    def __init__(self, bytes data not None):
        self.text = cutter_of(data)
        self.open_ = bytearray()
        self.enter(SCHEMA, 0)
        while len(self.open_) and not (self.has_rules and self.has_defaults):
            self.step()
        if not len(self.open_) and self.text.position != self.text.size:
            raise ValueError(f"the value ends at {self.text.position} of {self.text.size} bytes")

    cdef int step(self) except -1:
        """To the end of what is open, or a member or an item further."""
        cdef Py_ssize_t depth = len(self.open_)
        cdef unsigned char kind = self.open_[depth - 1]
        if self.text.comes(end_of(kind)):
            self.open_.pop()
        else:
            self.read_next(kind)
            if len(self.open_) > depth:
                return 0
        if len(self.open_) and not self.text.comes(44):
            self.text.expect(end_of(self.open_[len(self.open_) - 1]))
            self.text.position -= 1
        return 0

    cdef int enter(self, unsigned char kind, unsigned char outer) except -1:
        """Begin what comes, if it is such a container; it is passed over where it is something else."""
        if self.text.comes(91 if kind & LIST else 123):
            self.open_.append(kind | (outer & IN_JUNCTOR))
            return 0
        return self.text.pass_value()

    cdef int read_next(self, unsigned char kind) except -1:
        cdef const unsigned char *name
        cdef Py_ssize_t size
        if kind & LIST:
            return self.enter(SCHEMA, kind)
        name = self.text.text + self.text.position + 1
        size = -self.text.position - 2
        self.text.pass_string()
        size += self.text.position
        self.text.expect(58)
        if kind & MAP:
            return self.enter(SCHEMA, kind)
        return self.read_member(name, size, kind)

    cdef int read_member(self, const unsigned char *name, Py_ssize_t size, unsigned char kind) except -1:
        if is_text(name, size, b"properties"):
            return self.enter(MAP, kind)
        if is_text(name, size, b"items") or is_text(name, size, b"additionalProperties"):
            return self.enter(SCHEMA, kind)
        if is_text(name, size, b"not"):
            return self.enter(SCHEMA, IN_JUNCTOR)
        if is_text(name, size, b"allOf") or is_text(name, size, b"anyOf") or is_text(name, size, b"oneOf"):
            return self.enter(LIST, IN_JUNCTOR)
        if is_text(name, size, b"default"):
            self.has_defaults = self.has_defaults or not (kind & IN_JUNCTOR or self.text.begins(b"null"))
        elif is_text(name, size, b"x-kubernetes-validations"):
            self.has_rules = self.has_rules or not (self.text.begins(b"null") or self.text.begins(b"[]"))
        return self.text.pass_value()


cdef inline unsigned char end_of(unsigned char kind) noexcept:
    return 93 if kind & LIST else 125


cdef inline bint is_text(const unsigned char *name, Py_ssize_t size, bytes wanted):
    return size == PyBytes_GET_SIZE(wanted) and memcmp(name, PyBytes_AS_STRING(wanted), size) == 0


cdef Cutter cutter_of(bytes data):
    cdef Cutter cutter = Cutter.__new__(Cutter)
    cutter.text = <const unsigned char *>PyBytes_AS_STRING(data)
    cutter.size = PyBytes_GET_SIZE(data)
    cutter.data = data
    return cutter


cdef list find(bytes data, tuple path):
    cdef Cutter cutter = cutter_of(data)
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
    cdef list ends = find(data, path)
    return replaced(data, ends, [b"null"] * len(ends))


def apart(bytes data not None, tuple path not None):
    """See the contract."""
    cdef list ends = find(data, path)
    return replaced(data, ends, [b"null"] * len(ends)), [data[begin:end] for begin, end in ends]


def filled(bytes data not None, tuple path not None, list values not None):
    """See the contract."""
    cdef list ends = find(data, path)
    if len(ends) != len(values):
        raise ValueError(f"{len(values)} values for {len(ends)} places")
    return replaced(data, ends, values)


cdef bytes replaced(bytes data, list ends, list values):
    """With a value each in place of what stands between two ends."""
    cdef Py_ssize_t kept = 0
    cdef list pieces = []
    for (begin, end), value in zip(ends, values):
        pieces.append(data[kept:begin])
        pieces.append(value)
        kept = end
    pieces.append(data[kept:])
    return b"".join(pieces)


def rules_and_defaults(bytes data not None):
    """See the contract."""
    cdef Reader reader = Reader(data)
    return reader.has_rules, reader.has_defaults
