"""Sending to the sockets of watchers, many at once and without the interpreter's lock. For watch.pyx.

What is to be encrypted is shared with threads on other cores, as far as there is much of it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.errno cimport EINTR, errno

from quarterdeck._kernels.tlssealer cimport Scratch, keep_rest, seal, trim
from quarterdeck._kernels.threadpool cimport QD_HELPERS_MAX, qd_other_cores, qd_run
from quarterdeck._kernels.watchchannel cimport Watcher

cdef extern from "<sys/socket.h>" nogil:
    ssize_t c_send "send"(int fd, const void *data, size_t size, int flags)
    int MSG_DONTWAIT
    int MSG_NOSIGNAL


cdef void prepare(Sending *sending, Watcher watcher, int fd, bytes data) noexcept:
    sending.fd = fd
    sending.side = &watcher.sealer.side if watcher.sealer is not None else NULL
    sending.data = PyBytes_AS_STRING(data)
    sending.size = PyBytes_GET_SIZE(data)


cdef ssize_t _send(int fd, const char *data, Py_ssize_t size) noexcept nogil:
    cdef ssize_t sent = c_send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
    if sent < 0 and errno == EINTR:
        sent = c_send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
    return sent


cdef enum:
    SHARE_MIN = 32         # sends, some 250 us, for which a thread is woken

cdef Scratch[QD_HELPERS_MAX] _scratches  # of the threads
cdef int _width = 0


cdef int _count_threads() noexcept nogil:
    """How many may send at once."""
    global _width
    if not _width:
        _width = 1 + qd_other_cores()
    return _width


cdef void send_all(Sending *batch, Py_ssize_t count, Scratch *scratch) noexcept nogil:
    """No two of a batch are of one connection. What is plain is sent by the caller alone: two threads at it took 1.2
    times less time over the loopback interface, and 1.1 times more CPU."""
    cdef Py_ssize_t helpers = 0
    if count >= 2 * SHARE_MIN and batch[0].side != NULL:
        helpers = min(count // SHARE_MIN, _count_threads()) - 1
    qd_run(_send_some, batch, count, scratch, <int> helpers, <char *> _scratches, sizeof(Scratch))


cdef void _send_some(void *items, Py_ssize_t begin, Py_ssize_t end, void *own) noexcept nogil:
    cdef Scratch *scratch = <Scratch *> own
    cdef Sending *sending
    cdef Py_ssize_t i
    for i in range(begin, end):
        sending = &(<Sending *> items)[i]
        if sending.side != NULL:
            _send_sealed(sending, scratch)
        else:
            sending.sent = _send(sending.fd, sending.data, sending.size)
            sending.is_short = sending.sent != sending.size
    if begin == end:  # a thread has no more to do; the caller's own is the hub's to trim
        trim(scratch)


cdef void _send_sealed(Sending *sending, Scratch *scratch) noexcept nogil:
    """What the socket does not take of the records stays with the sealer: the data itself counts as sent."""
    cdef Py_ssize_t size = seal(sending.side, sending.data, sending.size, scratch)
    cdef ssize_t sent
    sending.sent = -1
    sending.is_short = True
    if size >= 0:
        sent = _send(sending.fd, scratch.data, size)
        if sent == size or keep_rest(sending.side, scratch.data + max(sent, 0), size - max(sent, 0)):
            sending.sent = sending.size
            sending.is_short = sent != size


cdef bytes unsent(Sending *sending, bytes data):
    return data if sending.sent <= 0 else data[sending.sent:]
