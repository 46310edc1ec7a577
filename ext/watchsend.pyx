"""Sending to the sockets of watchers, many at once and without the interpreter's lock. For watch.pyx."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.errno cimport EINTR, errno

from quarterdeck._kernels.openssl cimport Scratch, keep_rest, seal
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


cdef void send_all(Sending *batch, Py_ssize_t count, Scratch *scratch) noexcept nogil:
    cdef Py_ssize_t i
    cdef Sending *sending
    for i in range(count):
        sending = &batch[i]
        if sending.side != NULL:
            _send_sealed(sending, scratch)
        else:
            sending.sent = _send(sending.fd, sending.data, sending.size)
            sending.is_short = sending.sent != sending.size


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
