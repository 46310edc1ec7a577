cdef enum:
    # What the last reading of a connection has found.
    C_OPEN = 0
    C_ENDED = 1
    C_BROKEN = 2
    C_HAS_OUTPUT = 3
