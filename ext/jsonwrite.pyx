# cython: language_level=3
"""JSON written as Go writes it. Contract: _kernels/jsonwrite.pyi.

encode(value)                Go's number forms, any depth
encode_stored(object)        the same in the order in which objects are stored
keep_text(value)             a value that will be written often is written from its text
integers_for_floats(value)   what writing and reading makes of floats

Both walk with an explicit stack: the API accepts values nested 10,000 deep.
Source of the forms: encoding/json encode.go.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Next, PyDict_SetItem
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from libc.string cimport memchr, memcpy, strlen

from quarterdeck._kernels.decimal cimport DECIMAL_BYTES_MAX, write_decimal_before
from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.jsonplain cimport qd_copy_plain

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyLong_CheckExact(object value)
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1
    object PyLong_FromLongLong(long long value)
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    char *PyOS_double_to_string(double value, char format, int precision, int flags, int *kind) except NULL

cdef struct Frame:
    PyObject *container
    Py_ssize_t position
    Entries entries  # of a dict


cdef object repair(object text):
    """The text, without the lone surrogates that no decoder of ours lets in."""
    cdef Py_ssize_t size = 0
    try:
        PyUnicode_AsUTF8AndSize(text, &size)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


class TooLong(Exception):
    """Leaves this module as None."""


@cython.final
cdef class Writer:
    cdef char *buffer
    cdef Py_ssize_t used
    cdef Py_ssize_t capacity
    cdef Py_ssize_t bytes_max  # 0: no limit
    cdef bint drops_signs  # of zeros
    cdef Frame *stack  # the containers that are open
    cdef Py_ssize_t depth_room

    def __cinit__(self):
        self.capacity = 4096
        self.depth_room = 64
        self.buffer = <char *>PyMem_Malloc(self.capacity)
        self.stack = <Frame *>PyMem_Malloc(self.depth_room * sizeof(Frame))
        if self.buffer == NULL or self.stack == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.buffer)
        PyMem_Free(self.stack)

    cdef int deepen(self) except -1:
        cdef Frame *grown = <Frame *>PyMem_Realloc(self.stack, self.depth_room * 2 * sizeof(Frame))
        if grown == NULL:
            raise MemoryError
        self.stack = grown
        self.depth_room *= 2
        return 0

    cdef bytes take(self):
        return PyBytes_FromStringAndSize(self.buffer, self.used)

    cdef inline int reserve(self, Py_ssize_t more) except -1:
        cdef Py_ssize_t wanted = self.used + more
        cdef char *grown
        if wanted <= self.capacity:
            return 0
        if self.bytes_max and self.used > self.bytes_max:
            raise TooLong
        wanted = max(wanted, self.capacity * 2)
        grown = <char *>PyMem_Realloc(self.buffer, wanted)
        if grown == NULL:
            raise MemoryError
        self.buffer = grown
        self.capacity = wanted
        return 0

    cdef int put(self, const char *text, Py_ssize_t size) except -1:
        self.reserve(size)
        memcpy(self.buffer + self.used, text, size)
        self.used += size
        return 0

    cdef inline int put_byte(self, char c) except -1:
        self.reserve(1)
        self.buffer[self.used] = c
        self.used += 1
        return 0

    cdef int put_string(self, object text) except -1:
        cdef Py_ssize_t size = 0
        cdef const unsigned char *source
        cdef unsigned char *out
        cdef Py_ssize_t plain
        if PyUnicode_CheckExact(text) and PyUnicode_IS_COMPACT_ASCII(text):
            source = <const unsigned char *>PyUnicode_DATA(text)
            size = PyUnicode_GET_LENGTH(text)
        else:
            text = repair(text)
            source = <const unsigned char *>PyUnicode_AsUTF8AndSize(text, &size)
        self.reserve(size + 2)
        out = <unsigned char *>self.buffer + self.used
        out[0] = 34
        plain = qd_copy_plain(out + 1, source, size)
        self.used += plain + 1
        if plain < size:
            self.put_escaped(source + plain, size - plain)
        return self.put_byte(34)

    cdef int put_escaped(self, const unsigned char *source, Py_ssize_t size) except -1:
        cdef unsigned char *out
        cdef Py_ssize_t plain
        self.reserve(size * 6)  # each byte may take six
        out = <unsigned char *>self.buffer + self.used
        while True:
            plain = qd_copy_plain(out, source, size)
            out += plain
            if plain == size:
                break
            out += put_escape(out, source[plain])
            source += plain + 1
            size -= plain + 1
        self.used = <char *>out - self.buffer
        return 0

    cdef int put_float(self, double value) except -1:
        """The shortest digits; an exponent below 1e-6 and from 1e21 (encoding/json's floatEncoder)."""
        if value == 0 and self.drops_signs:
            return self.put(b"0", 1)
        cdef char *text = PyOS_double_to_string(value, b"r", 0, 0, NULL)
        cdef Py_ssize_t size = strlen(text)
        try:
            if memchr(text, b"n", size) != NULL:  # nan, inf
                raise ValueError("JSON has no form for this number")
            if memchr(text, b"e", size) == NULL:
                return self.put(text, size)
            restyled = restyle_exponent(text[:size].decode("ascii"))
            return self.put(PyBytes_AS_STRING(restyled), PyBytes_GET_SIZE(restyled))
        finally:
            PyMem_Free(text)

    cdef int put_scalar(self, object value) except -1:
        cdef char digits[DECIMAL_BYTES_MAX]
        cdef int overflow = 0
        cdef long long number
        cdef char *begin
        if value is None:
            return self.put(b"null", 4)
        if value is True:
            return self.put(b"true", 4)
        if value is False:
            return self.put(b"false", 5)
        if PyLong_CheckExact(value):
            number = PyLong_AsLongLongAndOverflow(value, &overflow)
            if overflow:
                text = str(value).encode("ascii")
                return self.put(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
            begin = write_decimal_before(digits + DECIMAL_BYTES_MAX, number)
            return self.put(begin, digits + DECIMAL_BYTES_MAX - begin)
        if PyFloat_CheckExact(value):
            return self.put_float(PyFloat_AS_DOUBLE(value))
        if isinstance(value, str):
            return self.put_string(value)
        raise TypeError(f"no JSON value: {type(value).__name__}")


cdef bytes restyle_exponent(str text):
    """Python's `1e+16` and `1.5e-07` as Go writes them: `10000000000000000`, `1.5e-7`."""
    mantissa, _, exponent_text = text.partition("e")
    exponent = int(exponent_text)
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if -6 <= exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}".encode()
    if 0 <= exponent < 21:
        whole = digits[: exponent + 1].ljust(exponent + 1, "0")
        fraction = digits[exponent + 1 :]
        return (f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}").encode()
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent)}".encode()


cdef int put_escape(unsigned char *out, unsigned char c) noexcept:
    cdef const char *short_forms = "btn_fr"
    out[0] = 92
    if c == 34 or c == 92:
        out[1] = c
        return 2
    if 8 <= c <= 13 and c != 11:
        out[1] = short_forms[c - 8]
        return 2
    out[1] = 117
    out[2] = 48
    out[3] = 48
    out[4] = 48 + (c >> 4)
    out[5] = 48 + (c & 15) if (c & 15) < 10 else 87 + (c & 15)
    return 6


def encode(object root):
    """`root` as JSON without spaces, members in the order of the dict."""
    cdef Writer writer = Writer.__new__(Writer)
    write_value(writer, root)
    return writer.take()


def encode_stored(dict obj not None, Py_ssize_t bytes_max=0, bint is_untyped=False):
    """apiVersion, kind and metadata first, no resourceVersion in the metadata; see jsonwrite.pyi."""
    cdef Writer writer = Writer.__new__(Writer)
    writer.bytes_max = bytes_max
    writer.drops_signs = is_untyped
    try:
        write_stored(writer, obj)
    except TooLong:
        return None
    return None if bytes_max and writer.used > bytes_max else writer.take()


cdef int write_stored(Writer writer, dict obj) except -1:
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t pos = 0
    cdef bint first = True
    metadata = obj.get("metadata") or {}
    writer.put(b'{"apiVersion":', 14)
    write_value(writer, obj.get("apiVersion", ""))
    writer.put(b',"kind":', 8)
    write_value(writer, obj.get("kind", ""))
    writer.put(b',"metadata":{', 13)
    if not PyDict_CheckExact(metadata):
        raise TypeError("metadata is no object")
    while PyDict_Next(metadata, &pos, &key, &value):
        give_way()
        if <object>key == "resourceVersion":
            continue
        if not first:
            writer.put_byte(44)
        first = False
        writer.put_string(<object>key)
        writer.put_byte(58)
        write_value(writer, <object>value)
    writer.put_byte(125)
    pos = 0
    while PyDict_Next(obj, &pos, &key, &value):
        give_way()
        if <object>key == "apiVersion" or <object>key == "kind" or <object>key == "metadata":
            continue
        writer.put_byte(44)
        writer.put_string(<object>key)
        writer.put_byte(58)
        write_value(writer, <object>value)
    writer.put_byte(125)
    return 0


cdef enum:
    KEPT_MAX = 64            # a power of two
    KEPT_BYTES_MAX = 16384   # of each

# Values and their texts, by the places of the values in memory. The list holds both.
cdef PyObject *kept_values[KEPT_MAX]
cdef PyObject *kept_texts[KEPT_MAX]
cdef list kept = [None] * KEPT_MAX


cdef inline size_t slot_of(PyObject *value) noexcept:
    return (<size_t> value >> 6) & (KEPT_MAX - 1)


def keep_text(dict value not None, bytes text not None):
    cdef size_t slot = slot_of(<PyObject *> value)
    if PyBytes_GET_SIZE(text) > KEPT_BYTES_MAX:
        return
    kept_values[slot] = NULL
    kept[slot] = (value, text)
    kept_texts[slot] = <PyObject *> text
    kept_values[slot] = <PyObject *> value


cdef int write_value(Writer writer, object root) except -1:
    cdef Py_ssize_t depth = -1
    cdef size_t slot
    cdef PyObject *key = NULL
    cdef PyObject *child = <PyObject *>root
    cdef Frame *top
    cdef bint is_dict, first
    while True:
        if PyUnicode_CheckExact(<object>child):
            writer.put_string(<object>child)
        elif kept_values[slot_of(child)] == child:
            slot = slot_of(child)
            writer.put(PyBytes_AS_STRING(<object>kept_texts[slot]), PyBytes_GET_SIZE(<object>kept_texts[slot]))
        elif PyDict_CheckExact(<object>child) or PyList_CheckExact(<object>child):
            depth += 1
            if depth == writer.depth_room:
                writer.deepen()
            top = writer.stack + depth
            top.container = child
            top.position = 0
            if PyDict_CheckExact(<object>child):
                top.entries = entries_of(child)
                writer.put_byte(123)
            else:
                writer.put_byte(91)
        else:
            writer.put_scalar(<object>child)
        # Find the next value to write, closing what is at its end.
        while depth >= 0:
            give_way()
            top = writer.stack + depth
            is_dict = PyDict_CheckExact(<object>top.container)
            if is_dict:
                first = top.position == 0
                if next_entry(top.container, &top.entries, &top.position, &key, &child):
                    if not first:
                        writer.put_byte(44)
                    writer.put_string(<object>key)
                    writer.put_byte(58)
                    break
            elif top.position < PyList_GET_SIZE(<object>top.container):
                if top.position:
                    writer.put_byte(44)
                child = PyList_GET_ITEM(<object>top.container, top.position)
                top.position += 1
                break
            writer.put_byte(125 if is_dict else 93)
            depth -= 1
        else:
            return 0


cdef object integer_for(object value):
    """The int64 that the text of a float reads as, None if it reads as a float again."""
    cdef double number = PyFloat_AS_DOUBLE(value)
    if -9007199254740992.0 <= number <= 9007199254740992.0:
        if number == <double><long long>number:
            return PyLong_FromLongLong(<long long>number)
        return None
    if not -9223372036854775808.0 <= number < 9223372036854775808.0:
        return None
    # The text has the shortest digits and then zeros: 2**60 reads as 1152921504606847000.
    text = repr(value)
    integer = int(restyle_exponent(text)) if "e" in text else int(text.removesuffix(".0"))
    return integer if -0x8000000000000000 <= integer <= 0x7FFFFFFFFFFFFFFF else None


def integers_for_floats(object root):
    """What a value is after it was written as JSON and read again: floats without a fraction are integers.

    Containers are changed in place.
    """
    cdef list pending
    cdef object container
    cdef object made
    cdef PyObject *key
    cdef PyObject *child
    cdef Py_ssize_t position
    if PyFloat_CheckExact(root):
        made = integer_for(root)
        return root if made is None else made
    pending = [root]
    while pending:
        container = pending.pop()
        position = 0
        if PyDict_CheckExact(container):
            while PyDict_Next(container, &position, &key, &child):
                give_way()
                if PyFloat_CheckExact(<object>child):
                    made = integer_for(<object>child)
                    if made is not None:
                        PyDict_SetItem(container, <object>key, made)
                elif PyDict_CheckExact(<object>child) or PyList_CheckExact(<object>child):
                    pending.append(<object>child)
        elif PyList_CheckExact(container):
            for position in range(PyList_GET_SIZE(container)):
                give_way()
                child = PyList_GET_ITEM(container, position)
                if PyFloat_CheckExact(<object>child):
                    made = integer_for(<object>child)
                    if made is not None:
                        (<list>container)[position] = made
                elif PyDict_CheckExact(<object>child) or PyList_CheckExact(<object>child):
                    pending.append(<object>child)
    return root
