# cython: language_level=3
"""Rows of the database as a start reads them: checksums compared, keys noted, a list of rows at a time.

Contract: _kernels/storedrows.pyi. What the rows are: storage/sqlite/format.py.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem
from cpython.long cimport PyLong_AsLongLong, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_SIZE, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_CheckExact
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from quarterdeck._kernels.keytable cimport KeyTable, Record

cdef extern from "Python.h":
    object PyType_GenericAlloc(type type, Py_ssize_t items)

cdef enum:
    HEAD_BYTES = 32
    # From here on others may have the interpreter meanwhile.
    LONG_BYTES = 65536
    HEAD_COLUMNS = 6
    ROW_COLUMNS = 7

# --- CRC-32, eight bytes at a time -----------------------------------------------------------------------------------

cdef uint32_t[8][256] _table


cdef void _make_table() noexcept:
    cdef uint32_t number, value
    cdef int _bit, place
    for number in range(256):
        value = number
        for _bit in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        _table[0][number] = value
    for number in range(256):
        for place in range(1, 8):
            value = _table[place - 1][number]
            _table[place][number] = (value >> 8) ^ _table[0][value & 255]


_make_table()


cdef uint32_t _crc(const uint8_t *data, Py_ssize_t size, uint32_t start) noexcept nogil:
    cdef uint32_t value = ~start
    while size >= 8:
        value ^= data[0] | (<uint32_t>data[1] << 8) | (<uint32_t>data[2] << 16) | (<uint32_t>data[3] << 24)
        value = (
            _table[7][value & 255]
            ^ _table[6][(value >> 8) & 255]
            ^ _table[5][(value >> 16) & 255]
            ^ _table[4][value >> 24]
            ^ _table[3][data[4]]
            ^ _table[2][data[5]]
            ^ _table[1][data[6]]
            ^ _table[0][data[7]]
        )
        data += 8
        size -= 8
    while size > 0:
        value = (value >> 8) ^ _table[0][(value ^ data[0]) & 255]
        data += 1
        size -= 1
    return ~value


cdef uint32_t _crc_of(bytes data, uint32_t start):
    cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    if size < LONG_BYTES:
        return _crc(text, size, start)
    with nogil:
        start = _crc(text, size, start)
    return start


def crc32(bytes data not None, uint32_t start):
    return _crc_of(data, start)


# --- heads -----------------------------------------------------------------------------------------------------------

cdef void _write_number(uint8_t *target, int64_t number) noexcept:
    cdef uint64_t rest = <uint64_t>number
    cdef int place
    for place in range(8):
        target[place] = rest & 255
        rest >>= 8


cdef uint32_t _head_sum(
    int64_t revision, str key, int64_t create_revision, int64_t previous_revision, int64_t length
) except? 0:
    cdef uint8_t[HEAD_BYTES] numbers
    cdef Py_ssize_t size
    cdef const char *text = PyUnicode_AsUTF8AndSize(key, &size)
    _write_number(numbers, revision)
    _write_number(numbers + 8, create_revision)
    _write_number(numbers + 16, previous_revision)
    _write_number(numbers + 24, length)
    return _crc(<const uint8_t *>text, size, _crc(numbers, HEAD_BYTES, 0))


def head_sum(
    int64_t revision, str key not None, int64_t create_revision, int64_t previous_revision, int64_t length
):
    return _head_sum(revision, key, create_revision, previous_revision, length)


cdef struct Head:
    int64_t revision
    int64_t create_revision
    int64_t previous_revision
    int64_t expected
    int64_t length


cdef bint _is_sound(tuple row, Head *head, object length) except -1:
    """Whether the first five columns are as they were written, of a value of this length (None: a tombstone). A damaged
    record can hold any type in any column."""
    cdef object key = row[1]
    if not (
        PyUnicode_CheckExact(key)
        and PyLong_CheckExact(row[0])
        and PyLong_CheckExact(row[2])
        and PyLong_CheckExact(row[3])
        and PyLong_CheckExact(row[4])
        and (length is None or PyLong_CheckExact(length))
    ):
        return False
    head.revision = PyLong_AsLongLong(row[0])
    head.create_revision = PyLong_AsLongLong(row[2])
    head.previous_revision = PyLong_AsLongLong(row[3])
    head.expected = PyLong_AsLongLong(row[4])
    head.length = -1 if length is None else PyLong_AsLongLong(length)
    return head.expected == _head_sum(
        head.revision, <str>key, head.create_revision, head.previous_revision, head.length
    )


@cython.final
cdef class Heads:
    cdef readonly KeyTable current
    cdef readonly int64_t newest
    cdef readonly Py_ssize_t old_rows
    cdef readonly Py_ssize_t new_rows
    cdef int64_t pruned

    def __init__(self, int64_t pruned, int64_t newest):
        self.current = KeyTable()
        self.pruned = pruned
        self.newest = newest

    def take(self, list heads not None, Py_ssize_t start):
        cdef Head head
        cdef tuple row
        cdef Py_ssize_t at
        for at in range(start, len(heads)):
            row = <tuple?>heads[at]
            if PyTuple_GET_SIZE(row) != HEAD_COLUMNS:
                raise ValueError("no head")
            if not _is_sound(row, &head, row[5]):
                return at
            if head.length < 0:
                self.current.drop(<str>row[1])
            else:
                self.current.put(<str>row[1], head.revision, head.create_revision)
            self.count(head.revision)
        return len(heads)

    cpdef count(self, int64_t revision):
        if revision <= self.pruned:
            self.old_rows += 1
            return
        self.new_rows += 1
        self.newest = max(self.newest, revision)


# --- whole rows ------------------------------------------------------------------------------------------------------

cdef bint _is_whole(tuple row, Head *head) except -1:
    """Whether all is as it was written."""
    cdef object value = row[6]
    if value is not None and not PyBytes_CheckExact(value):
        return False
    if not _is_sound(row, head, None if value is None else PyBytes_GET_SIZE(value)):
        return False
    if value is None:
        return True
    return PyLong_CheckExact(row[5]) and row[5] == _crc_of(<bytes>value, <uint32_t>head.expected)


cdef bint _lives(tuple row, KeyTable current, dict earlier) except -1:
    cdef PyObject *known
    cdef Record *record
    if not (PyUnicode_CheckExact(row[1]) and PyLong_CheckExact(row[0])):
        return False
    known = PyDict_GetItem(earlier, row[1]) if earlier else NULL
    if known != NULL:
        return row[0] == <object>known
    record = current.find(<str>row[1])
    return record != NULL and record.revision == PyLong_AsLongLong(row[0])


cdef object _build(type item, object key, object value, object revision, object create_revision):
    """As `tuple.__new__` does, without the arguments' tuple."""
    cdef object built = PyType_GenericAlloc(item, 4)
    Py_INCREF(key)
    PyTuple_SET_ITEM(built, 0, key)
    Py_INCREF(value)
    PyTuple_SET_ITEM(built, 1, value)
    Py_INCREF(revision)
    PyTuple_SET_ITEM(built, 2, revision)
    Py_INCREF(create_revision)
    PyTuple_SET_ITEM(built, 3, create_revision)
    return built


def living(list rows not None, KeyTable current not None, dict earlier not None, type item not None):
    cdef list items = [], faulty = []
    cdef Head head
    cdef tuple row
    if not issubclass(item, tuple):
        raise TypeError("items have to be tuples")
    for row in rows:
        if PyTuple_GET_SIZE(row) != ROW_COLUMNS:
            raise ValueError("no row")
        if not _lives(row, current, earlier):
            continue
        if _is_whole(row, &head):
            items.append(_build(item, row[1], b"" if row[6] is None else row[6], row[0], row[2]))
        else:
            faulty.append(row)
    return items, faulty
