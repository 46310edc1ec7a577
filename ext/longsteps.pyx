# cython: language_level=3
"""For long steps in a thread beside the event loop: to pause, to free trees in pieces, and to give memory back.
Contract: _kernels/longsteps.pyi."""

from quarterdeck._kernels.giveway cimport give_way, sort_giving_way

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PySet_CheckExact(object value)
    Py_ssize_t Py_REFCNT(object value)


cdef extern from *:
    """
    #include <stdlib.h>
    #ifdef __GLIBC__
    #include <malloc.h>
    static void qd_keep_heap_small(void) {
        mallopt(M_MMAP_THRESHOLD, 1 << 20);
        mallopt(M_TRIM_THRESHOLD, 4 << 20);
        mallopt(M_ARENA_MAX, 2);
    }
    static void qd_trim_heap(void) { malloc_trim(0); }
    #else
    static void qd_keep_heap_small(void) {}
    static void qd_trim_heap(void) {}
    #endif
    """
    void qd_keep_heap_small() noexcept
    void qd_trim_heap() noexcept nogil


def keep_heap_small() -> None:
    """Large blocks go back to the system as soon as they are free, and threads share two heaps."""
    qd_keep_heap_small()


def trim_heap() -> None:
    """Give back what is free, without the interpreter's lock."""
    with nogil:
        qd_trim_heap()


def pause() -> None:
    """`give_way`, for a long loop in Python that is compiled: it gives up the lock nowhere by itself."""
    give_way()


def sort(values) -> list:
    """All of an iterable, sorted in pieces."""
    return sort_giving_way(list(values))


def let_go(list roots not None):
    """Empty `roots`, and free what of it nobody else holds. A tree that is freed by its last reference is freed in one
    piece, with the interpreter's lock held."""
    cdef list open_ = []  # containers that nobody else holds, from the outermost to the one that is being emptied
    cdef object container
    cdef object child = None
    container = roots
    while True:
        give_way()
        child = None
        if PyDict_CheckExact(container) and <dict>container:
            child = (<dict>container).popitem()[1]
        elif PyList_CheckExact(container) and <list>container:
            child = (<list>container).pop()
        elif PySet_CheckExact(container) and <set>container:
            (<set>container).pop()
        elif open_:
            container = open_.pop()
        else:
            return
        if (PyDict_CheckExact(child) or PyList_CheckExact(child) or PySet_CheckExact(child)) and Py_REFCNT(child) == 1:
            open_.append(container)
            container = child
