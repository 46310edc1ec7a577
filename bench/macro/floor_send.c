/* The floor of fan-out: one send(2) of the same bytes to each of many sockets, and nothing else. */
#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

/* Returns how many sends were complete. */
long send_to_all(const int *sockets, long count, const char *data, size_t size)
{
    long complete = 0;
    for (long i = 0; i < count; i++) {
        ssize_t sent;
        do
            sent = send(sockets[i], data, size, MSG_NOSIGNAL);
        while (sent < 0 && errno == EAGAIN);
        if (sent == (ssize_t)size)
            complete++;
    }
    return complete;
}
