"""One pattern, matched by RE2 at first and by an automaton once it is in use. Contract: _kernels/pattern.pyi and .pxd.

A call of RE2 costs more than a microsecond before it looks at the text, an automaton a nanosecond or two a byte; but
building one costs as much as hundreds of calls, so it waits until the pattern has been used that often. The automaton
knows ASCII only: other texts stay with RE2.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DATA, PyUnicode_GET_LENGTH
from libc.stdint cimport uint16_t

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)


cdef class Matcher:
    def __init__(self, str text not None, compile_pattern, build_table, anchor, Py_ssize_t uses_before_table):
        self.text = text
        self.compile_pattern = compile_pattern
        self.build_table = build_table
        self.anchor = anchor
        self.match = False
        self.uses_before_table = uses_before_table

    cpdef bint search(self, str text) except -1:
        cdef const unsigned char* data
        cdef const unsigned char* classes
        cdef const uint16_t* moves
        cdef const unsigned char* end
        cdef Py_ssize_t state = self.first
        if self.classes is None or not PyUnicode_IS_ASCII(text):
            return self.search_slowly(text)
        data = <const unsigned char*>PyUnicode_DATA(text)
        classes = <const unsigned char*>PyBytes_AS_STRING(self.classes)
        moves = <const uint16_t*>PyBytes_AS_STRING(self.moves)
        end = data + PyUnicode_GET_LENGTH(text)
        while data < end:
            state = moves[state + classes[data[0]]]
            data += 1
            if state <= self.matched:
                return state == self.matched
        return PyBytes_AS_STRING(self.ends)[state // self.class_count]

    cdef bint search_slowly(self, str text) except -1:
        cdef const char* data
        cdef Py_ssize_t size = 0
        cdef object encoded, spans, table
        self.uses += 1
        if self.uses == self.uses_before_table:
            table = self.build_table(self.text)
            if table is not None:
                # `classes` last: it is what tells that the automaton is there.
                classes, self.class_count, self.moves, self.ends = table
                self.matched, self.first = self.class_count, 2 * self.class_count
                self.classes = classes
        if self.match is False:
            self.match = self.compile_pattern(self.text)
        if self.match is None:
            return False
        try:
            data = PyUnicode_AsUTF8AndSize(text, &size)
            encoded = PyBytes_FromStringAndSize(data, size)
        except UnicodeEncodeError:  # a lone surrogate
            encoded = text.encode("utf-8", "surrogatepass")
            size = PyBytes_GET_SIZE(encoded)
        spans = self.match(self.anchor, encoded, 0, size)
        return spans[0][0] >= 0
