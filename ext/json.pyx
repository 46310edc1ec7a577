# cython: language_level=3
"""JSON with the semantics of sigs.k8s.io/json, where orjson's differ. Contract: _kernels/json.pyi.

is_exact(data, value)   proves that a tree that orjson made from `data` is what Go would have made
decode(data, …)         Go's decoder: its error texts, depth limit, repair of bad text, duplicate keys
copy(value), equal(…)   for values of any depth

All walk with an explicit stack: the API accepts values nested 10,000 deep.
Source of the semantics: encoding/json scanner.go and decode.go; sigs.k8s.io/json kubernetes_patch.go.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Contains, PyDict_Next, PyDict_SetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.string cimport memchr, memcpy, strlen

from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyLong_CheckExact(object value)
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1
    object PyLong_FromLongLong(long long value)
    object PyUnicode_DecodeUTF8(const char *text, Py_ssize_t size, const char *errors)
    double PyOS_string_to_double(const char *text, char **end, PyObject *overflow) except? -1.0
    Py_ssize_t PyDict_Size(object value) except -1
    PyObject *PyDict_GetItemWithError(object value, object key) except? NULL

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__) && !defined(__clang__)
    #define QD_VECTORIZE __attribute__((optimize("O3")))
    #else
    #define QD_VECTORIZE
    #endif

    /* How often `wanted` occurs. Blocks of 255 keep the partial sums in bytes, which lets the compiler use vectors. */
    static QD_VECTORIZE size_t qd_count(const unsigned char *text, size_t size, unsigned char wanted)
    {
        size_t total = 0;
        while (size) {
            size_t block = size < 4080 ? size : 4080;
            size_t i = 0;
            unsigned char lanes[16] = {0};
            for (; i + 16 <= block; i += 16)
                for (int lane = 0; lane < 16; lane++)
                    lanes[lane] += text[i + lane] == wanted;
            for (int lane = 0; lane < 16; lane++)
                total += lanes[lane];
            for (; i < block; i++)
                total += text[i] == wanted;
            text += block;
            size -= block;
        }
        return total;
    }

    """
    size_t qd_count(const unsigned char *text, size_t size, unsigned char wanted) noexcept nogil


# ---- is_exact -------------------------------------------------------------------------------------------------

cdef enum:
    WALK_DEPTH_MAX = 1100  # more than orjson's own limit of 1,024: what it accepted fits

cdef struct Frame:
    PyObject *container
    Py_ssize_t position


cdef Py_ssize_t count_strings(object root) except -2:
    """How many strings (keys and values) the tree holds; -1 if an integer is outside int64 or the tree too deep."""
    cdef Frame stack[WALK_DEPTH_MAX]
    cdef int depth = 0
    cdef int overflow = 0
    cdef Py_ssize_t total = 0
    cdef PyObject *key
    cdef PyObject *child
    cdef Frame *top
    if PyUnicode_CheckExact(root):
        return 1
    if PyLong_CheckExact(root):
        PyLong_AsLongLongAndOverflow(root, &overflow)
        return -1 if overflow else 0
    if not PyDict_CheckExact(root) and not PyList_CheckExact(root):
        return 0
    stack[0].container = <PyObject *>root
    stack[0].position = 0
    if PyDict_CheckExact(root):
        total = PyDict_Size(root)
    while depth >= 0:
        give_way()
        top = &stack[depth]
        if PyDict_CheckExact(<object>top.container):
            if not PyDict_Next(<object>top.container, &top.position, &key, &child):
                depth -= 1
                continue
        else:
            if top.position >= PyList_GET_SIZE(<object>top.container):
                depth -= 1
                continue
            child = PyList_GET_ITEM(<object>top.container, top.position)
            top.position += 1
        if PyUnicode_CheckExact(<object>child):
            total += 1
        elif PyLong_CheckExact(<object>child):
            PyLong_AsLongLongAndOverflow(<object>child, &overflow)
            if overflow:
                return -1
        elif PyDict_CheckExact(<object>child) or PyList_CheckExact(<object>child):
            depth += 1
            if depth == WALK_DEPTH_MAX:
                return -1
            stack[depth].container = child
            stack[depth].position = 0
            if PyDict_CheckExact(<object>child):
                total += PyDict_Size(<object>child)
    return total


def is_exact(bytes data not None, object value):
    """Whether `value`, which a decoder that keeps the last of duplicate keys made from the valid JSON `data`, lost
    nothing: no duplicate keys, no integer outside int64.

    Why counting is a proof: every string of the text has exactly two unescaped quotes, and every key and text value
    of the tree was one string of the text. A duplicate key drops at least its own string.
    """
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t quotes = qd_count(text, size, b'"')
    cdef const unsigned char *end = text + size
    cdef const unsigned char *escape = text
    while escape < end:
        escape = <const unsigned char *>memchr(escape, b'\\', end - escape)
        if escape == NULL:
            break
        if escape + 1 < end and escape[1] == b'"':
            quotes -= 1
        escape += 2
    return quotes == 2 * count_strings(value)


# ---- decode ---------------------------------------------------------------------------------------------------

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


cdef int hex_digit(unsigned char c) noexcept:
    if 48 <= c <= 57:
        return c - 48
    if 97 <= c <= 102:
        return c - 87
    if 65 <= c <= 70:
        return c - 55
    return -1


cdef int put_utf8(unsigned char *out, unsigned int code) noexcept:
    if code < 0x80:
        out[0] = <unsigned char>code
        return 1
    if code < 0x800:
        out[0] = 0xC0 | (code >> 6)
        out[1] = 0x80 | (code & 0x3F)
        return 2
    if code < 0x10000:
        out[0] = 0xE0 | (code >> 12)
        out[1] = 0x80 | ((code >> 6) & 0x3F)
        out[2] = 0x80 | (code & 0x3F)
        return 3
    out[0] = 0xF0 | (code >> 18)
    out[1] = 0x80 | ((code >> 12) & 0x3F)
    out[2] = 0x80 | ((code >> 6) & 0x3F)
    out[3] = 0x80 | (code & 0x3F)
    return 4


cdef int utf8_length(const unsigned char *text, Py_ssize_t size) noexcept:
    """Bytes of the well-formed character at `text`, 0 if it is none (Go's utf8.DecodeRune then takes one byte)."""
    cdef unsigned char first = text[0]
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4:
        return 0
    if size < 2 or (text[1] & 0xC0) != 0x80:
        return 0
    if first < 0xE0:
        return 2
    if first < 0xF0:
        if (first == 0xE0 and text[1] < 0xA0) or (first == 0xED and text[1] > 0x9F):
            return 0
        return 3 if size >= 3 and (text[2] & 0xC0) == 0x80 else 0
    if (first == 0xF0 and text[1] < 0x90) or (first == 0xF4 and text[1] > 0x8F):
        return 0
    return 4 if size >= 4 and (text[2] & 0xC0) == 0x80 and (text[3] & 0xC0) == 0x80 else 0


cdef unsigned int four_digits(const unsigned char *text) noexcept:
    return (hex_digit(text[0]) << 12) | (hex_digit(text[1]) << 8) | (hex_digit(text[2]) << 4) | hex_digit(text[3])


cdef object unquote(const unsigned char *text, Py_ssize_t size):
    """The text between two quotes, whose syntax has been checked. Bad UTF-8 and lone surrogates become U+FFFD."""
    cdef unsigned char *out = <unsigned char *>PyMem_Malloc(size * 3 + 4)  # one bad byte becomes three
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t used = 0
    cdef unsigned int code, low
    cdef int length
    cdef unsigned char c
    if out == NULL:
        raise MemoryError
    try:
        while position < size:
            c = text[position]
            if c != 92:
                length = utf8_length(text + position, size - position)
                if length == 0:
                    used += put_utf8(out + used, 0xFFFD)
                    position += 1
                else:
                    memcpy(out + used, text + position, length)
                    used += length
                    position += length
                continue
            c = text[position + 1]
            position += 2
            if c == 117:  # u
                code = four_digits(text + position)
                position += 4
                if 0xD800 <= code < 0xE000:
                    low = 0
                    if code < 0xDC00 and position + 6 <= size and text[position] == 92 and text[position + 1] == 117:
                        low = four_digits(text + position + 2)
                    if 0xDC00 <= low < 0xE000:
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                        position += 6
                    else:
                        code = 0xFFFD
                used += put_utf8(out + used, code)
                continue
            if c == 98:
                c = 8
            elif c == 102:
                c = 12
            elif c == 110:
                c = 10
            elif c == 114:
                c = 13
            elif c == 116:
                c = 9
            out[used] = c
            used += 1
        return PyUnicode_DecodeUTF8(<const char *>out, used, NULL)
    finally:
        PyMem_Free(out)


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

    cdef object parse_string(self):
        """The string that begins at the position (a quote). On an error sets self.error."""
        cdef const unsigned char *text = self.text
        cdef Py_ssize_t start = self.position + 1
        cdef Py_ssize_t position = start
        cdef Py_ssize_t size = self.size
        cdef bint is_escaped = False
        cdef unsigned char c
        cdef int _digit
        while True:
            while position < size and text[position] >= 32 and text[position] != 34 and text[position] != 92:
                position += 1
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
        cdef Py_ssize_t length = self.position - start
        cdef Py_ssize_t offset = start
        cdef bint is_negative
        cdef unsigned long long magnitude = 0
        cdef object literal
        if is_integer and length <= 20:
            is_negative = self.text[start] == 45
            if is_negative:
                offset += 1
            if self.position - offset <= 19:
                while offset < self.position:
                    magnitude = magnitude * 10 + (self.text[offset] - 48)
                    offset += 1
                if magnitude < 0x8000000000000000ULL + is_negative:
                    return PyLong_FromLongLong(<long long>(0 - magnitude if is_negative else magnitude))
        literal = PyBytes_FromStringAndSize(<const char *>self.text + start, length)
        try:
            return PyOS_string_to_double(PyBytes_AS_STRING(literal), NULL, <PyObject *>OverflowError)
        except OverflowError:
            if self.number_error is None:
                self.number_error = (<bytes>literal).decode()
            return float("-inf") if (<bytes>literal).startswith(b"-") else float("inf")

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
                key = self.parse_string()
                if self.error is not None:
                    return None
                if PyDict_Contains(parent, key):
                    self.note_duplicate(depth, key)
                self.places[depth] = key
                expect = EXPECT_COLON
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
                    (<dict>parent)[self.places[depth]] = value
                else:
                    (<list>parent).append(value)

    cdef object parse_scalar(self, unsigned char c):
        if c == 34:
            return self.parse_string()
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


def decode(bytes data not None, Py_ssize_t depth_max):
    """(value, duplicates, error, bad_number); see the contract."""
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
    value = decoder.run(depth_max)
    if decoder.error is not None:
        return None, [], decoder.error, None
    return value, decoder.duplicates, None, decoder.number_error


# ---- copy and equal -------------------------------------------------------------------------------------------

cdef object shallow_copy(object value):
    """A copy of a container, None for anything else."""
    if PyDict_CheckExact(value):
        return (<dict>value).copy()
    if PyList_CheckExact(value):
        return (<list>value)[:]
    return None


def copy(object root):
    """A deep copy of the dicts and lists; scalars are shared."""
    cdef list pending = []  # copies whose children are still the original's
    cdef object top = shallow_copy(root)
    cdef object made
    cdef object container
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t position
    if top is None:
        return root
    pending.append(top)
    while pending:
        container = pending.pop()
        position = 0
        if PyDict_CheckExact(container):
            # Replacing the value of a key that exists is the one change that PyDict_Next allows.
            while PyDict_Next(container, &position, &key, &child):
                give_way()
                made = shallow_copy(<object>child)
                if made is not None:
                    PyDict_SetItem(container, <object>key, made)
                    pending.append(made)
        else:
            for position in range(PyList_GET_SIZE(container)):
                give_way()
                made = shallow_copy(<object>PyList_GET_ITEM(container, position))
                if made is not None:
                    (<list>container)[position] = made
                    pending.append(made)
    return top


cdef int compare_leaves(object left, object right) except -2:
    """1 if they are the same, 0 if they differ, -1 if both are dicts or lists, into which one has to look."""
    if left is right:
        return 1
    if type(left) is not type(right):
        return 0
    if PyUnicode_CheckExact(left):
        if PyUnicode_GET_LENGTH(left) != PyUnicode_GET_LENGTH(right):
            return 0
    elif PyDict_CheckExact(left):
        return -1 if PyDict_Size(left) == PyDict_Size(right) else 0
    elif PyList_CheckExact(left):
        return -1 if PyList_GET_SIZE(left) == PyList_GET_SIZE(right) else 0
    return left == right


def equal(object left, object right):
    """Whether two values are the same JSON: types count (1, 1.0 and true differ), the order of members does not.

    What has no depth is compared before anything is descended into: most differences are found there."""
    cdef list pending
    cdef PyObject *key
    cdef PyObject *child
    cdef PyObject *other
    cdef Py_ssize_t position
    cdef int found = compare_leaves(left, right)
    if found != -1:
        return found == 1
    pending = [left, right]
    while pending:
        right = pending.pop()
        left = pending.pop()
        if PyDict_CheckExact(left):
            position = 0
            while PyDict_Next(left, &position, &key, &child):
                give_way()
                other = PyDict_GetItemWithError(right, <object>key)
                if other == NULL:
                    return False
                found = compare_leaves(<object>child, <object>other)
                if found == 0:
                    return False
                if found == -1:
                    pending.append(<object>child)
                    pending.append(<object>other)
        else:
            for position in range(PyList_GET_SIZE(left)):
                give_way()
                child = PyList_GET_ITEM(left, position)
                other = PyList_GET_ITEM(right, position)
                found = compare_leaves(<object>child, <object>other)
                if found == 0:
                    return False
                if found == -1:
                    pending.append(<object>child)
                    pending.append(<object>other)
    return True
