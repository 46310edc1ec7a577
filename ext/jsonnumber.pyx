# cython: language_level=3
"""The numbers of JSON, as what they are: integers where int64 holds them, else float64. For jsondecode.pyx."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject

cdef extern from "Python.h":
    object PyLong_FromLongLong(long long value)
    double PyOS_string_to_double(const char *text, char **end, PyObject *overflow) except? -1.0


cdef object read_number(const unsigned char *text, Py_ssize_t size, bint is_integer):
    """Of a literal whose syntax has been checked; infinite where float64 does not hold it."""
    cdef Py_ssize_t offset
    cdef bint is_negative = text[0] == 45
    cdef unsigned long long magnitude = 0
    cdef object literal
    if is_integer and size - is_negative <= 19:
        for offset in range(is_negative, size):
            magnitude = magnitude * 10 + (text[offset] - 48)
        if magnitude < 0x8000000000000000ULL + is_negative:
            return PyLong_FromLongLong(<long long>(0 - magnitude if is_negative else magnitude))
    literal = PyBytes_FromStringAndSize(<const char *>text, size)
    try:
        return PyOS_string_to_double(PyBytes_AS_STRING(literal), NULL, <PyObject *>OverflowError)
    except OverflowError:
        return float("-inf") if is_negative else float("inf")
