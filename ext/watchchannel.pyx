"""Channels of watches: the frames of a selection in one form, and who has still to get which of them.

For watch.pyx, which tells of the whole and of the invariants.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from quarterdeck._kernels.watchobject cimport Selection

cdef enum:
    RING_START = 8

cdef int64_t _channels_alive = 0
cdef int64_t _watchers_alive = 0


def count_alive():
    """How many of the kernel's objects exist: what tests compare before and after."""
    return {"channels": _channels_alive, "watchers": _watchers_alive}


@cython.final
cdef class Watcher:
    """One client's place in a channel. Held until `Hub.release`; then the hub sends to it.

    `owner` is whoever opened it; `end_reason` is set when the hub ended it.
    """

    def __cinit__(self):
        global _watchers_alive
        _watchers_alive += 1
        self.index = -1
        self.fd = -1
        self.state = HELD

    def __dealloc__(self):
        global _watchers_alive
        _watchers_alive -= 1

    @property
    def is_live(self):
        return self.state == LIVE

    @property
    def is_direct(self):
        """The hub has a socket to send to."""
        return self.fd >= 0

    @property
    def is_open(self):
        return self.channel is not None

    @property
    def lag(self):
        """How many frames it has still to get."""
        if self.channel is None:
            return 0
        return self.channel.head - self.cursor + (1 if self.private is not None else 0)

    @property
    def lag_bytes(self):
        """The sizes of those."""
        if self.channel is None:
            return 0
        return (
            self.channel.bytes_to(self.channel.head)
            - self.channel.bytes_to(self.cursor)
            + (len(self.private) if self.private is not None else 0)
        )

    @property
    def taken(self):
        """How many frames it has got."""
        return self.cursor - self.joined - (1 if self.private is not None else 0)

    @property
    def needs_header(self):
        """The next event has to be the form's first."""
        return self.wants_header

    @property
    def form(self):
        return None if self.channel is None else self.channel.form


@cython.final
cdef class Group:
    """Watchers of one selection. `homes` tells where it stands in the index: (terms, term, outer terms, outer term),
    the last two None where the terms are no part of other terms."""

    def __cinit__(self, Selection selection):
        self.selection = selection
        self.channels = []
        self.homes = []


@cython.final
cdef class Channel:
    """The frames of one selection in one form, and who has still to get which of them."""

    def __cinit__(self, Group group, form, bint has_header):
        global _channels_alive
        _channels_alive += 1
        self.group = group
        self.form = form
        self.has_header = has_header
        self.members = []
        self.newcomers = []
        self.frames = [None] * RING_START
        self.mask = RING_START - 1
        self.ends = <uint64_t *>malloc(RING_START * sizeof(uint64_t))
        if self.ends == NULL:
            raise MemoryError

    def __dealloc__(self):
        global _channels_alive
        _channels_alive -= 1
        free(self.ends)

    cdef uint64_t bytes_to(self, uint64_t number) noexcept:
        """The sizes of all frames before `number` (tail ≤ number ≤ head)."""
        return self.bytes_before if number == self.tail else self.ends[(number - 1) & self.mask]

    cdef void trim(self) noexcept:
        """Let go of the frames that every member has got."""
        cdef uint64_t lowest = self.head
        cdef Py_ssize_t i
        for i in range(len(self.members)):
            if (<Watcher>self.members[i]).cursor < lowest:
                lowest = (<Watcher>self.members[i]).cursor
        self.trim_to(lowest)

    cdef void trim_to(self, uint64_t number) noexcept:
        if number == self.tail:
            return
        self.bytes_before = self.bytes_to(number)
        while self.tail < number:
            self.frames[self.tail & self.mask] = None
            self.tail += 1
        if self.join_start < self.tail:
            self.join_data = None
        if self.chunk_start < self.tail:
            self.chunk_data = None

    cdef int grow(self) except -1:
        cdef uint64_t size = (self.mask + 1) * 2
        cdef uint64_t n
        cdef uint64_t *ends = <uint64_t *>malloc(size * sizeof(uint64_t))
        if ends == NULL:
            raise MemoryError
        frames = [None] * size
        n = self.tail
        while n < self.head:
            frames[n & (size - 1)] = self.frames[n & self.mask]
            ends[n & (size - 1)] = self.ends[n & self.mask]
            n += 1
        free(self.ends)
        self.ends = ends
        self.frames = frames
        self.mask = size - 1
        return 0

    cdef bytes join(self, uint64_t start, uint64_t end):
        """The frames [start, end) as one; remembered for the next member that stands at the same place."""
        cdef bytes data
        cdef uint64_t n
        cdef char *target
        if end == start + 1:
            return <bytes>self.frames[start & self.mask]
        if self.join_data is not None and self.join_start == start and self.join_end == end:
            return self.join_data
        data = PyBytes_FromStringAndSize(NULL, self.bytes_to(end) - self.bytes_to(start))
        target = PyBytes_AS_STRING(data)
        n = start
        while n < end:
            frame = <bytes>self.frames[n & self.mask]
            memcpy(target, PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame))
            target += PyBytes_GET_SIZE(frame)
            n += 1
        self.join_start, self.join_end, self.join_data = start, end, data
        return data

    cdef bytes join_chunks(self, uint64_t start, uint64_t end):
        """The frames [start, end), each as one HTTP/1.1 chunk; remembered as `join` does."""
        cdef bytes data, frame
        cdef uint64_t n
        cdef Py_ssize_t size = 0
        cdef char *target
        if self.chunk_data is not None and self.chunk_start == start and self.chunk_end == end:
            return self.chunk_data
        n = start
        while n < end:
            size += chunk_size(PyBytes_GET_SIZE(<bytes>self.frames[n & self.mask]))
            n += 1
        data = PyBytes_FromStringAndSize(NULL, size)
        target = PyBytes_AS_STRING(data)
        n = start
        while n < end:
            frame = <bytes>self.frames[n & self.mask]
            target = put_chunk(target, PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame))
            n += 1
        self.chunk_start, self.chunk_end, self.chunk_data = start, end, data
        return data

    cdef bytes take_next(self, Watcher watcher, uint64_t bytes_max):
        """What a member is to be sent next, as its connection needs it; None: it has everything."""
        cdef uint64_t start = watcher.cursor
        cdef uint64_t end
        cdef bytes data
        if watcher.private is not None:
            data, watcher.private = watcher.private, None
            self.pass_leaves = self.pass_leaves or start < self.head
            return data if watcher.outlet is not None else frame_chunk(data)
        if start == self.head:
            return None
        end = self.reach(start, bytes_max)
        watcher.cursor = end
        self.pass_leaves = self.pass_leaves or end < self.head
        return self.join(start, end) if watcher.outlet is not None else self.join_chunks(start, end)

    cdef uint64_t reach(self, uint64_t start, uint64_t bytes_max) noexcept:
        """The largest end ≤ head such that [start, end) is one frame or no more than bytes_max."""
        cdef uint64_t end = self.head
        cdef uint64_t limit = self.bytes_to(start) + bytes_max
        cdef uint64_t low, middle
        if self.ends[(end - 1) & self.mask] <= limit:
            return end
        low = start + 1
        while low < end:  # the first end that is too far
            middle = (low + end) // 2
            if self.ends[middle & self.mask] <= limit:
                low = middle + 1
            else:
                end = middle
        return low

    cdef void remove(self, Watcher watcher) noexcept:
        """Take a member out without disturbing the pass under way: those before `place` have been looked at."""
        cdef Py_ssize_t at = watcher.index
        cdef Py_ssize_t last = len(self.members) - 1
        if at < self.place:
            self.place -= 1
            self.put(at, <Watcher>self.members[self.place])
            at = self.place
        if at != last:
            self.put(at, <Watcher>self.members[last])
        self.members.pop()
        if watcher.wants_header and watcher in self.newcomers:
            self.newcomers.remove(watcher)
        watcher.index = -1
        watcher.channel = None
        watcher.private = None

    cdef void put(self, Py_ssize_t at, Watcher watcher) noexcept:
        self.members[at] = watcher
        watcher.index = at


cdef Py_ssize_t chunk_size(Py_ssize_t size) noexcept nogil:
    """How many bytes a chunk of `size` bytes takes (RFC 9112, 7.1)."""
    cdef Py_ssize_t digits = 1
    cdef Py_ssize_t rest = size >> 4
    while rest:
        digits += 1
        rest >>= 4
    return digits + 2 + size + 2


cdef char *put_chunk(char *target, const char *data, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i = chunk_size(size) - size - 4
    cdef Py_ssize_t digits = i
    cdef Py_ssize_t rest = size
    cdef Py_ssize_t digit
    while i:
        i -= 1
        digit = rest & 15
        target[i] = <char> (c'0' + digit if digit < 10 else c'a' + digit - 10)
        rest >>= 4
    target += digits
    target[0] = c'\r'
    target[1] = c'\n'
    memcpy(target + 2, data, size)
    target += 2 + size
    target[0] = c'\r'
    target[1] = c'\n'
    return target + 2


cdef bytes frame_chunk(bytes frame):
    """A frame as one HTTP/1.1 chunk."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(frame)
    cdef bytes data = PyBytes_FromStringAndSize(NULL, chunk_size(size))
    put_chunk(PyBytes_AS_STRING(data), PyBytes_AS_STRING(frame), size)
    return data
