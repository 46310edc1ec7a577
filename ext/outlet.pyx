"""Where the frames of a watch go that has no socket of its own: a stream among others of one connection.

The fan-out asks it for room and hands it frames; whoever made it frames them for its protocol, sends them, and releases
the watcher again once there is room. Subclassed by other kernels, so that the fan-out knows no protocol.
"""


cdef class Outlet:
    cdef bint is_full(self) noexcept:
        """Nothing more is to be offered: who reads is behind, or gone."""
        return True

    cdef int offer(self, bytes data) except -1:
        """Takes the data, without a copy."""
        raise NotImplementedError
