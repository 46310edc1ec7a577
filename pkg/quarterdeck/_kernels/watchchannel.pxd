cimport cython
from libc.stdint cimport uint64_t

from quarterdeck._kernels.tlssealer cimport Sealer
from quarterdeck._kernels.outlet cimport Outlet
from quarterdeck._kernels.watchobject cimport Selection

# The states of a watcher: it waits for its release, is sent to, or was given up.
cdef enum:
    HELD = 0
    LIVE = 1
    ENDED = 2

cdef class Channel

@cython.final
cdef class Watcher:
    cdef Channel channel
    cdef Py_ssize_t index
    cdef uint64_t cursor
    cdef uint64_t joined        # the cursor that it began with
    cdef int fd
    cdef Sealer sealer          # where the connection is encrypted
    cdef Outlet outlet          # where there is no socket of its own, but a stream among others
    cdef int state
    cdef bytes private          # the first event with its header, before what the channel has (forms with a header)
    cdef bint wants_header
    cdef public object owner
    cdef readonly str end_reason

@cython.final
cdef class Group:
    cdef Selection selection
    cdef list channels
    cdef list homes
    cdef uint64_t stamp

@cython.final
cdef class Channel:
    cdef Group group
    cdef object form
    cdef bint has_header
    cdef list members
    cdef list newcomers           # of a form with a header: who has not got an event yet
    cdef list frames              # a ring: frame number n is at n & mask
    cdef uint64_t *ends           # at n & mask: the sizes of the frames up to n, n included
    cdef uint64_t mask
    cdef uint64_t head
    cdef uint64_t tail
    cdef uint64_t bytes_before    # sizes of the frames before tail
    cdef uint64_t flushed         # head when the last pass began that has ended
    cdef bint is_queued
    cdef Py_ssize_t place         # of the pass under way: the next member to look at
    cdef uint64_t pass_head
    cdef bint pass_leaves         # a member has still to get something that was there when it was looked at
    cdef uint64_t join_start      # the last join, shared by members that stand at the same place
    cdef uint64_t join_end
    cdef bytes join_data
    cdef uint64_t chunk_start     # the same, as chunks
    cdef uint64_t chunk_end
    cdef bytes chunk_data
    cdef uint64_t bytes_to(self, uint64_t number) noexcept
    cdef void trim(self) noexcept
    cdef void trim_to(self, uint64_t number) noexcept
    cdef int grow(self) except -1
    cdef bytes join(self, uint64_t start, uint64_t end)
    cdef bytes join_chunks(self, uint64_t start, uint64_t end)
    cdef bytes take_next(self, Watcher watcher, uint64_t bytes_max)
    cdef uint64_t reach(self, uint64_t start, uint64_t bytes_max) noexcept
    cdef void remove(self, Watcher watcher) noexcept
    cdef void put(self, Py_ssize_t at, Watcher watcher) noexcept

cdef bytes frame_chunk(bytes frame)
