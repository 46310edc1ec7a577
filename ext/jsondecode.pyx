# cython: language_level=3
"""Go's decoder of JSON: its error texts, depth limit, repair of bad text, duplicate keys.

Contract: _kernels/jsondecode.pyi.

It walks with an explicit stack: the API accepts values nested 10,000 deep.
Source of the semantics: encoding/json scanner.go and decode.go; sigs.k8s.io/json kubernetes_patch.go.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Contains
from libc.math cimport isinf
from libc.stdint cimport uint64_t
from libc.string cimport strlen

from quarterdeck._kernels.asciitext cimport ascii_text
from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.jsonplain cimport qd_plain_length
from quarterdeck._kernels.jsonnumber cimport read_number
from quarterdeck._kernels.jsontext cimport ascii_key, unquote
from quarterdeck._kernels.octets cimport hex_digit

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char *text, Py_ssize_t size, const char *errors)

cdef enum:
    # What may come next, as Go's scanner names its steps.
    EXPECT_VALUE = 0
    EXPECT_VALUE_OR_END = 1  # after [
    EXPECT_KEY = 2  # after , in an object
    EXPECT_KEY_OR_END = 3  # after {
    EXPECT_COLON = 4
    AFTER_VALUE = 5

cdef enum:
    DUPLICATES_MAX = 100  # upstream reports no more
    # Differs from upstream: one duplicate's path may be as long as the body; all of them together are bounded.
    DUPLICATE_CHARS_MAX = 262144


cdef object syntax_error(const unsigned char *text, Py_ssize_t size, Py_ssize_t position, str context):
    """(byte, context): the byte that does not fit; at the end of the text Go's scanner sees a blank."""
    if position < size:
        return (text[position], context)
    return (32, context)


cdef bint is_space(unsigned char c) noexcept:
    return c == 32 or c == 9 or c == 10 or c == 13


cdef object ESCAPE_CONTEXT = "in string escape code"
cdef object HEX_CONTEXT = "in \\u hexadecimal character escape"


@cython.final
cdef class Decoder:
    """One decoding. `error` is None, a (byte, context) pair, or a text."""

    cdef const unsigned char *text
    cdef Py_ssize_t size
    cdef Py_ssize_t position
    cdef object error
    cdef object number_error  # the first number that no float64 holds; a syntax error anywhere goes before it
    cdef list containers  # the open containers, outermost first
    cdef list places  # for each open container: the current key, or None in a list
    cdef list nodes  # for each open container: its path node, -1 until it is needed
    cdef dict node_ids  # (node of the parent, key or index) -> node
    cdef set reported  # (node of the object, key) of the duplicates seen
    cdef list duplicates
    cdef Py_ssize_t duplicate_chars
    cdef bint reports  # duplicates; without it, it only notes that there are any
    cdef bint has_duplicates

    cdef object parse_string(self, bint is_key):
        """The string that begins at the position (a quote). On an error sets self.error."""
        cdef const unsigned char *text = self.text
        cdef Py_ssize_t start = self.position + 1
        cdef Py_ssize_t position = start
        cdef Py_ssize_t size = self.size
        cdef bint is_escaped = False
        cdef uint64_t beyond_ascii = 0
        cdef unsigned char c
        cdef int _digit
        while True:
            position += qd_plain_length(text + position, size - position, &beyond_ascii)
            if position >= size:
                self.position = size
                self.error = "unexpected end of JSON input"
                return None
            c = text[position]
            if c == 34:
                break
            if c != 92:
                self.error = syntax_error(text, size, position, "in string literal")
                return None
            is_escaped = True
            position += 1
            c = text[position] if position < size else 32
            if c == 117:
                for _digit in range(4):
                    position += 1
                    if position >= size or hex_digit(text[position]) < 0:
                        self.error = syntax_error(text, size, position, HEX_CONTEXT)
                        return None
            elif c not in (34, 47, 92, 98, 102, 110, 114, 116):
                self.error = syntax_error(text, size, position, ESCAPE_CONTEXT)
                return None
            position += 1
        self.position = position + 1
        if is_escaped:
            return unquote(text + start, position - start)
        if not beyond_ascii and is_key:
            return ascii_key(text + start, position - start)
        if not beyond_ascii:
            return ascii_text(text + start, position - start)
        try:
            return PyUnicode_DecodeUTF8(<const char *>text + start, position - start, NULL)
        except UnicodeDecodeError:
            return unquote(text + start, position - start)

    cdef object parse_literal(self, const char *word, object value):
        cdef Py_ssize_t offset
        for offset in range(1, <Py_ssize_t>strlen(word)):
            self.position += 1
            if self.position >= self.size or self.text[self.position] != <unsigned char>word[offset]:
                context = f"in literal {word.decode()} (expecting {chr(word[offset])!r})"
                self.error = syntax_error(self.text, self.size, self.position, context)
                return None
        self.position += 1
        return value

    cdef unsigned char peek(self) noexcept:
        """The byte at the position; a blank at the end."""
        return self.text[self.position] if self.position < self.size else 32

    cdef void skip_digits(self) noexcept:
        while 48 <= self.peek() <= 57:
            self.position += 1

    cdef object number_syntax_error(self, str context):
        self.error = syntax_error(self.text, self.size, self.position, context)
        return None

    cdef object parse_number(self):
        cdef Py_ssize_t start = self.position
        cdef bint is_integer = True
        if self.peek() == 45:
            self.position += 1
        if self.peek() == 48:
            self.position += 1
        elif 49 <= self.peek() <= 57:
            self.skip_digits()
        else:
            return self.number_syntax_error("in numeric literal")
        if self.peek() == 46:
            is_integer = False
            self.position += 1
            if not 48 <= self.peek() <= 57:
                return self.number_syntax_error("after decimal point in numeric literal")
            self.skip_digits()
        if self.peek() == 101 or self.peek() == 69:
            is_integer = False
            self.position += 1
            if self.peek() == 43 or self.peek() == 45:
                self.position += 1
            if not 48 <= self.peek() <= 57:
                return self.number_syntax_error("in exponent of numeric literal")
            self.skip_digits()
        return self.convert_number(start, is_integer)

    cdef object convert_number(self, Py_ssize_t start, bint is_integer):
        cdef Py_ssize_t size = self.position - start
        cdef object number = read_number(self.text + start, size, is_integer)
        if self.number_error is None and type(number) is float and isinf(<double>number):
            self.number_error = PyBytes_FromStringAndSize(<const char *>self.text + start, size).decode()
        return number

    cdef Py_ssize_t node_of(self, Py_ssize_t depth) except -2:
        """The path node of the container at `depth`: equal for equal paths, without building their texts."""
        cdef Py_ssize_t known = depth
        cdef Py_ssize_t node
        while known > 0 and <Py_ssize_t>self.nodes[known] < 0:
            known -= 1
        if known == 0:
            self.nodes[0] = 0
        node = self.nodes[known]
        while known < depth:
            place = self.places[known]
            if place is None:
                place = len(<list>self.containers[known])
            node = self.node_ids.setdefault((node, place), len(self.node_ids) + 1)
            known += 1
            self.nodes[known] = node
        return node

    cdef object note_duplicate(self, Py_ssize_t depth, str key):
        """Remember the path of a key that its object holds already, each path once."""
        cdef Py_ssize_t level
        if len(self.duplicates) >= DUPLICATES_MAX or self.duplicate_chars > DUPLICATE_CHARS_MAX:
            return None
        mark = (self.node_of(depth), key)
        if mark in self.reported:
            return None
        self.reported.add(mark)
        parts = []
        for level in range(depth):
            place = self.places[level]
            if place is None:
                parts.append(f"[{len(<list>self.containers[level])}]")
            else:
                parts.append("." + place if parts else place)
        parts.append("." + key if parts else key)
        path = "".join(parts)
        self.duplicate_chars += len(path)
        if path not in self.duplicates:
            self.duplicates.append(path)
        return None

    cdef object run(self, Py_ssize_t depth_max):
        cdef int expect = EXPECT_VALUE
        cdef Py_ssize_t depth = -1  # of the innermost open container
        cdef bint in_object = False
        cdef unsigned char c
        cdef object value = None
        cdef object key
        cdef object parent = None
        cdef Py_ssize_t size
        while True:
            give_way()
            while self.position < self.size and is_space(self.text[self.position]):
                self.position += 1
            if self.position >= self.size:
                if depth >= 0 or expect != AFTER_VALUE:
                    self.error = "unexpected end of JSON input"
                return value
            c = self.text[self.position]
            if expect == AFTER_VALUE:
                if depth < 0:
                    self.error = (c, "after top-level value")
                    return None
                if in_object:
                    if c == 44:
                        expect = EXPECT_KEY
                        self.position += 1
                        continue
                    if c != 125:
                        self.error = (c, "after object key:value pair")
                        return None
                else:
                    if c == 44:
                        expect = EXPECT_VALUE
                        self.position += 1
                        continue
                    if c != 93:
                        self.error = (c, "after array element")
                        return None
                # falls through to the closing of the container
            elif expect == EXPECT_COLON:
                if c != 58:
                    self.error = (c, "after object key")
                    return None
                self.position += 1
                expect = EXPECT_VALUE
                continue
            elif expect == EXPECT_KEY or (expect == EXPECT_KEY_OR_END and c != 125):
                if c != 34:
                    self.error = (c, "looking for beginning of object key string")
                    return None
                key = self.parse_string(True)
                if self.error is not None:
                    return None
                if self.reports and PyDict_Contains(parent, key):
                    self.note_duplicate(depth, key)
                self.places[depth] = key
                expect = EXPECT_COLON
                if self.position >= self.size or self.text[self.position] != 58:
                    continue
                self.position += 1
                expect = EXPECT_VALUE
                continue
            if expect == AFTER_VALUE or (expect == EXPECT_KEY_OR_END) or (expect == EXPECT_VALUE_OR_END and c == 93):
                self.position += 1
                value = self.containers.pop()
                self.places.pop()
                self.nodes.pop()
                depth -= 1
                if depth >= 0:
                    parent = self.containers[depth]
                    in_object = self.places[depth] is not None
            elif c == 123 or c == 91:
                if depth + 1 >= depth_max:
                    self.error = (c, "exceeded max depth")
                    return None
                self.position += 1
                depth += 1
                in_object = c == 123
                parent = {} if in_object else []
                self.containers.append(parent)
                self.places.append("" if in_object else None)
                self.nodes.append(-1)
                expect = EXPECT_KEY_OR_END if in_object else EXPECT_VALUE_OR_END
                continue
            else:
                value = self.parse_scalar(c)
                if self.error is not None:
                    return None
            expect = AFTER_VALUE
            if depth >= 0:
                if in_object:
                    size = len(<dict>parent)
                    (<dict>parent)[self.places[depth]] = value
                    if len(<dict>parent) == size and not self.reports:
                        self.has_duplicates = True
                        return None
                else:
                    (<list>parent).append(value)

    cdef object parse_scalar(self, unsigned char c):
        if c == 34:
            return self.parse_string(False)
        if c == 45 or 48 <= c <= 57:
            return self.parse_number()
        if c == 116:
            return self.parse_literal(b"true", True)
        if c == 102:
            return self.parse_literal(b"false", False)
        if c == 110:
            return self.parse_literal(b"null", None)
        self.error = (c, "looking for beginning of value")
        return None


cdef Decoder begin(bytes data, bint reports):
    cdef Decoder decoder = Decoder.__new__(Decoder)
    decoder.text = <const unsigned char *>PyBytes_AS_STRING(data)
    decoder.size = PyBytes_GET_SIZE(data)
    decoder.position = 0
    decoder.containers = []
    decoder.places = []
    decoder.nodes = []
    decoder.node_ids = {}
    decoder.reported = set()
    decoder.duplicates = []
    decoder.reports = reports
    return decoder


def decode(bytes data not None, Py_ssize_t depth_max):
    """(value, duplicates, error, bad_number); see the contract."""
    cdef Decoder decoder = begin(data, False)
    value = decoder.run(depth_max)
    if decoder.has_duplicates:  # few have any: who has is read again, with a look at each key before its value
        value = None
        decoder = begin(data, True)
        value = decoder.run(depth_max)
    if decoder.error is not None:
        return None, [], decoder.error, None
    return value, decoder.duplicates, None, decoder.number_error
