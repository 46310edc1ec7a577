"""A loop without the interpreter's lock that several threads share: its caller, and as many as there are other cores.

For one kernel module, whose threads they are: they begin with the first loop that is long enough, take no part in
anything of Python, and end with the process. The caller takes part and returns when all is done; a thread that wakes too
late has nothing left to do. Where threads cannot be had, or another caller is at it, the caller does all by itself.
"""

cdef extern from *:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE  /* for the cores that the process may use; Python's headers define it, too */
    #endif
    #include <pthread.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdint.h>

    #define QD_HELPERS_MAX 15
    #define QD_STACK_BYTES (512 * 1024)
    #define QD_TAKEN_AT_ONCE 8

    typedef void (*qd_step)(void *items, Py_ssize_t from, Py_ssize_t to, void *own);

    static pthread_mutex_t qd_user = PTHREAD_MUTEX_INITIALIZER;   /* one loop at a time */
    static pthread_mutex_t qd_lock = PTHREAD_MUTEX_INITIALIZER;   /* of what follows */
    static pthread_cond_t qd_begun = PTHREAD_COND_INITIALIZER;
    static pthread_cond_t qd_over = PTHREAD_COND_INITIALIZER;
    static int qd_helpers = 0;   /* threads that there are */
    static int qd_seats = 0;     /* how many more may take part in the loop that runs */
    static int qd_busy = 0;      /* how many of them do */
    static qd_step qd_what;
    static void *qd_items;
    static Py_ssize_t qd_count;
    static Py_ssize_t qd_next;   /* atomic */

    static void qd_share(void *own) {
        for (;;) {
            Py_ssize_t from = __atomic_fetch_add(&qd_next, QD_TAKEN_AT_ONCE, __ATOMIC_RELAXED);
            if (from >= qd_count) return;
            qd_what(qd_items, from, from + QD_TAKEN_AT_ONCE < qd_count ? from + QD_TAKEN_AT_ONCE : qd_count, own);
        }
    }

    /* `own` is each thread's: what the loop's step keeps between two calls. An empty range tells the step that a thread
       has no more to do. */
    static void *qd_help(void *own) {
        pthread_mutex_lock(&qd_lock);
        for (;;) {
            while (!qd_seats) pthread_cond_wait(&qd_begun, &qd_lock);
            qd_seats--;
            qd_busy++;
            pthread_mutex_unlock(&qd_lock);
            qd_share(own);
            qd_what(qd_items, qd_count, qd_count, own);
            pthread_mutex_lock(&qd_lock);
            if (!--qd_busy) pthread_cond_signal(&qd_over);
        }
        return NULL;
    }

    static int qd_other_cores(void) {
        cpu_set_t cores;
        int others = sched_getaffinity(0, sizeof cores, &cores) ? 0 : CPU_COUNT(&cores) - 1;
        return others < QD_HELPERS_MAX ? others : QD_HELPERS_MAX;
    }

    /* Threads up to `wanted`, each with one of `owns`, which lie `size` bytes apart. */
    static void qd_start_helpers(int wanted, char *owns, size_t size) {
        pthread_attr_t how;
        pthread_t thread;
        sigset_t all, before;
        if (qd_helpers >= wanted || pthread_attr_init(&how)) return;
        pthread_attr_setstacksize(&how, QD_STACK_BYTES);
        pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
        sigfillset(&all);  /* signals are for the interpreter's own threads */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        while (qd_helpers < wanted && !pthread_create(&thread, &how, qd_help, owns + qd_helpers * size)) qd_helpers++;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&how);
    }

    static void qd_run(qd_step what, void *items, Py_ssize_t count, void *own, int wanted, char *owns, size_t size) {
        if (wanted < 1 || pthread_mutex_trylock(&qd_user)) {
            what(items, 0, count, own);
            return;
        }
        qd_start_helpers(wanted, owns, size);
        pthread_mutex_lock(&qd_lock);
        qd_what = what;
        qd_items = items;
        qd_count = count;
        __atomic_store_n(&qd_next, 0, __ATOMIC_RELAXED);
        qd_seats = wanted < qd_helpers ? wanted : qd_helpers;
        for (int seat = 0; seat < qd_seats; seat++) pthread_cond_signal(&qd_begun);
        pthread_mutex_unlock(&qd_lock);
        qd_share(own);
        pthread_mutex_lock(&qd_lock);
        qd_seats = 0;
        while (qd_busy) pthread_cond_wait(&qd_over, &qd_lock);
        pthread_mutex_unlock(&qd_lock);
        pthread_mutex_unlock(&qd_user);
    }
    """
    enum:
        QD_HELPERS_MAX
    ctypedef void (*qd_step)(void *items, Py_ssize_t begin, Py_ssize_t end, void *own) noexcept nogil
    int qd_other_cores() noexcept nogil
    void qd_run(
        qd_step what, void *items, Py_ssize_t count, void *own, int wanted, char *owns, size_t size
    ) noexcept nogil
