cimport cython
from libc.stdint cimport uint8_t

from quarterdeck._kernels.nghttp2 cimport nghttp2_rcbuf

cdef enum:
    KNOWN_SLOTS = 32
    # What a field of a request's head is.
    F_HEADER = 0
    F_METHOD = 1
    F_PATH = 2
    F_AUTHORITY = 3
    F_OTHER = 4       # a pseudo-header that says nothing here

cdef struct Slot:
    nghttp2_rcbuf* name
    nghttp2_rcbuf* value

@cython.final
cdef class Field:
    cdef int kind
    cdef str name             # in lower case, of an F_HEADER
    cdef str value
    cdef Py_ssize_t octets

@cython.final
cdef class KnownFields:
    cdef Slot slots[KNOWN_SLOTS]
    cdef list fields           # beside the slots
    cdef unsigned int oldest   # the slot that is taken next
    cdef unsigned int expected # where the next field of a head is likely to be
    cdef Field read(self, nghttp2_rcbuf* name, nghttp2_rcbuf* value, uint8_t flags)
    cdef int _keep(self, Field field, nghttp2_rcbuf* name, nghttp2_rcbuf* value) except -1
