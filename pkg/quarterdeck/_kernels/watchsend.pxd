from quarterdeck._kernels.tlssealer cimport Scratch, Side
from quarterdeck._kernels.watchchannel cimport Watcher

cdef struct Sending:
    int fd
    Side *side         # of the watcher's sealer, which outlives the send; NULL: the data goes out as it is
    const char *data
    Py_ssize_t size
    Py_ssize_t sent    # of the data; -1: not possible
    bint is_short      # the socket has not taken everything


cdef void prepare(Sending *sending, Watcher watcher, int fd, bytes data) noexcept
cdef void send_all(Sending *batch, Py_ssize_t count, Scratch *scratch) noexcept nogil
cdef bytes unsent(Sending *sending, bytes data)
