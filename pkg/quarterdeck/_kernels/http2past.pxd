cimport cython
from libc.stdint cimport int32_t

@cython.final
cdef class Past:
    cdef int32_t newest        # the highest id that the client has used
    cdef dict unfinished       # ids of closed streams that the client had not ended
    cdef bint open(self, int32_t stream_id) except -1
    cdef int begin(self, int32_t stream_id) except -1
    cdef int leave_open(self, int32_t stream_id) except -1
    cdef bint is_ended_by_client(self, int32_t stream_id) except -1
