"""Giving up the interpreter's lock in long walks, so that a large object in a thread does not stop the event loop.

A walk that holds nothing that is shared calls `give_way` once for each node. Beside the main thread it rests for some
50 µs once a millisecond, without the lock. To let go of the lock and take it again at once would not do: who waits for
it is woken, and finds it taken, for as long as the walk lasts. Else it costs an increment, and beside the main thread a
look at the clock for each 64 nodes.
"""

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>
    #include <unistd.h>
    #include <sys/syscall.h>

    #define QD_WORK_NS 1000000
    #define QD_REST_NS 50000

    static __thread unsigned int qd_walked;
    static __thread int64_t qd_rested_ns;
    #define QD_IS_LONG() ((++qd_walked & 0x3f) == 0)

    static int64_t qd_now_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }

    /* The main thread is the event loop's: nobody gains by its rest. The system is asked once for each thread. */
    static int qd_is_main_thread(void) {
        static __thread enum { UNKNOWN, MAIN, OTHER } thread;
        if (thread == UNKNOWN) thread = (pid_t)syscall(SYS_gettid) == getpid() ? MAIN : OTHER;
        return thread == MAIN;
    }

    static int qd_is_rest_due(void) {
        return !qd_is_main_thread() && qd_now_ns() - qd_rested_ns > QD_WORK_NS;
    }

    static void qd_rest(void) {
        struct timespec rest = {0, QD_REST_NS};
        nanosleep(&rest, NULL);
    }

    static void qd_begin_work(void) {
        qd_rested_ns = qd_now_ns();
    }
    """
    bint QD_IS_LONG() noexcept
    bint qd_is_rest_due() noexcept
    void qd_rest() noexcept nogil
    void qd_begin_work() noexcept


cdef inline void give_way() noexcept:
    if QD_IS_LONG() and qd_is_rest_due():
        with nogil:
            qd_rest()
        qd_begin_work()


cdef inline void give_way_now() noexcept:
    """`give_way` after something that takes as long as 64 nodes or more."""
    if qd_is_rest_due():
        with nogil:
            qd_rest()
        qd_begin_work()


cdef inline int drop_list(list values) except -1:
    """Empty a list of what nobody else holds: to free 100,000 tuples at once takes 10 ms."""
    cdef Py_ssize_t left = len(values)
    while left > 0:
        left = max(left - 256, 0)
        del values[left:]
        give_way_now()
    return 0


cdef inline int drop_dict(dict values) except -1:
    """The same of a dict; what frees quickly is left to who holds it."""
    while len(values) > 512:
        values.popitem()
        give_way()
    return 0


cdef inline int drop_set(set values) except -1:
    """The same of a set."""
    while len(values) > 512:
        values.pop()
        give_way()
    return 0


cdef inline list merge_sorted(list left, list right):
    """All values of two sorted lists, in order; of equal ones the left first."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t j = 0
    cdef list merged = []
    while i < len(left) and j < len(right):
        give_way()
        if right[j] < left[i]:
            merged.append(right[j])
            j += 1
        else:
            merged.append(left[i])
            i += 1
    merged += left[i:]
    merged += right[j:]
    return merged


cdef inline list sort_giving_way(list values):
    """The values sorted, in pieces: to sort 100,000 at once takes up to 200 ms."""
    cdef list parts = []
    cdef list merged
    cdef list part
    cdef Py_ssize_t begin
    if len(values) <= 1024:
        values.sort()
        return values
    for begin in range(0, len(values), 1024):
        part = values[begin : begin + 1024]
        part.sort()
        parts.append(part)
        give_way_now()
    while len(parts) > 1:
        merged = [merge_sorted(parts[begin], parts[begin + 1]) for begin in range(0, len(parts) - 1, 2)]
        if len(parts) % 2:
            merged.append(parts[len(parts) - 1])
        parts = merged
    return parts[0]
