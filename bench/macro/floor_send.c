/* The floors of fan-out: one send(2) of the same bytes to each of many sockets, and nothing else; and the same with the
   bytes encrypted for each of them by OpenSSL, whose functions are handed in: those that Python's ssl uses. */
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

typedef int (*ssl_write)(void *connection, const void *data, int size);
typedef int (*bio_read)(void *bio, void *data, int size);

#define RECORD 16384
#define SEALED 20000

static size_t seal(void *connection, void *out, const char *data, size_t size, char *sealed, ssl_write write, bio_read read)
{
    size_t used = 0;
    for (size_t done = 0; done < size;) {
        int count = write(connection, data + done, size - done < RECORD ? (int)(size - done) : RECORD);
        if (count <= 0)
            return 0;
        done += (size_t)count;
        while ((count = read(out, sealed + used, SEALED)) > 0)
            used += (size_t)count;
    }
    return used;
}

/* `connections`: the SSL of each socket; `outs`: its memory BIO. `sealed` has room for all records of the data. */
long seal_and_send_to_all(const int *sockets, void *const *connections, void *const *outs, long count, const char *data,
                          size_t size, char *sealed, ssl_write write, bio_read read)
{
    long complete = 0;
    for (long i = 0; i < count; i++) {
        size_t used = seal(connections[i], outs[i], data, size, sealed, write, read);
        if (used)
            complete += send_to_all(&sockets[i], 1, sealed, used);
    }
    return complete;
}
