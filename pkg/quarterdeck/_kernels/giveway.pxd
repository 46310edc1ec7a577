"""Giving up the interpreter's lock in long walks, so that a large object in a thread does not stop the event loop.

A walk that holds nothing that is shared calls `give_way` once for each node: every few thousand nodes, which take less
than a millisecond, whoever waits for the lock gets it. Else it costs an increment.
"""

cdef extern from *:
    """
    static unsigned int qd_walked;
    #define QD_IS_LONG() ((++qd_walked & 0x7ff) == 0)
    """
    bint QD_IS_LONG() noexcept


cdef inline void give_way() noexcept:
    if QD_IS_LONG():
        with nogil:
            pass
