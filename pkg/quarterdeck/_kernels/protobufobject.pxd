"""The tables of protobufobject, for the kernel that writes texts by them. Body: ext/protobufobject.pyx."""

cimport cython
from libc.stdint cimport uint64_t

cdef enum:
    K_OWN = 7
    # as K_OWN here; protobuftext writes them without asking their target
    K_TIME = 8
    K_QUANTITY = 9
    K_INT_OR_STRING = 10
    K_JSON = 11
    K_STRINGS = 12


@cython.final
cdef class Field:
    cdef uint64_t number
    cdef str name
    cdef int kind
    cdef int shape
    cdef object target


@cython.final
cdef class Message:
    cdef list fields          # by falling number
    cdef object fit
    cdef object plan          # protobuftext's, once it was asked for the message


cdef bytes zero_of(Field field)
