# cython: language_level=3
"""For long steps in a thread beside the event loop: to pause, to free trees in pieces, and to give memory back.
Contract: _kernels/longsteps.pyi."""

from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way, sort_giving_way

# So many members or items are freed at once.
cdef enum:
    SMALL_MAX = 64

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PySet_CheckExact(object value)
    bint PyTuple_Check(object value)
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
        /* Else free blocks are joined all at once, in whichever thread asks for a large one next: for up to 30 ms. */
        mallopt(M_MXFAST, 0);
    }
    static void qd_trim_heap(void) { malloc_trim(0); }
    #else
    static void qd_keep_heap_small(void) {}
    static void qd_trim_heap(void) {}
    #endif
    """
    void qd_keep_heap_small() noexcept
    void qd_trim_heap() noexcept nogil


cdef extern from *:
    """
    #ifndef Py_GIL_DISABLED
    /* Python's allocator frees what it did not allocate by the C library's free: so a block may come from either. All
       of this is called with the interpreter's lock held. */
    static const PyMemAllocatorDomain qd_domains[] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
    static PyMemAllocatorEx qd_python[2];
    static int qd_is_allowed = 0;
    static int qd_open_count = 0; /* calls of `run`, in all threads */
    static __thread int qd_depth = 0;

    static void *qd_malloc(void *python, size_t size) {
        PyMemAllocatorEx *other = (PyMemAllocatorEx *)python;
        return qd_depth ? PyMem_RawMalloc(size) : other->malloc(other->ctx, size);
    }
    static void *qd_calloc(void *python, size_t count, size_t size) {
        PyMemAllocatorEx *other = (PyMemAllocatorEx *)python;
        return qd_depth ? PyMem_RawCalloc(count, size) : other->calloc(other->ctx, count, size);
    }
    static void *qd_realloc(void *python, void *block, size_t size) {
        PyMemAllocatorEx *other = (PyMemAllocatorEx *)python;
        return block == NULL ? qd_malloc(python, size) : other->realloc(other->ctx, block, size);
    }
    static void qd_free(void *python, void *block) {
        PyMemAllocatorEx *other = (PyMemAllocatorEx *)python;
        other->free(other->ctx, block);
    }
    static void qd_allow(void) {
        for (int i = 0; i < 2; i++) PyMem_GetAllocator(qd_domains[i], &qd_python[i]);
        qd_is_allowed = 1;
    }
    /* Replace the allocator where it is `old`: somebody else's, of tracemalloc for instance, stays. */
    static void qd_replace(void *(*old)(void *, size_t), int i, PyMemAllocatorEx *by) {
        PyMemAllocatorEx now;
        PyMem_GetAllocator(qd_domains[i], &now);
        if (now.malloc == old) PyMem_SetAllocator(qd_domains[i], by);
    }
    static void qd_begin(void) {
        qd_depth++;
        if (!qd_is_allowed || qd_open_count++) return;
        for (int i = 0; i < 2; i++) {
            PyMemAllocatorEx ours = {&qd_python[i], qd_malloc, qd_calloc, qd_realloc, qd_free};
            qd_replace(qd_python[i].malloc, i, &ours);
        }
    }
    static void qd_end(void) {
        qd_depth--;
        if (!qd_is_allowed || --qd_open_count) return;
        for (int i = 0; i < 2; i++) qd_replace(qd_malloc, i, &qd_python[i]);
    }
    #else
    static void qd_allow(void) {}
    static void qd_begin(void) {}
    static void qd_end(void) {}
    #endif
    """
    void qd_allow() noexcept
    void qd_begin() noexcept
    void qd_end() noexcept


def keep_heap_small() -> None:
    """Large blocks go back to the system as soon as they are free, and threads share two heaps."""
    qd_keep_heap_small()


def trim_heap() -> None:
    """Give back what is free, without the interpreter's lock."""
    with nogil:
        qd_trim_heap()


def take_memory_apart() -> None:
    """Let `run` take memory from the C library."""
    qd_allow()


def run(step):
    """What `step()` returns."""
    qd_begin()
    try:
        return step()
    finally:
        qd_end()


def pause() -> None:
    """`give_way`, for a long loop in Python that is compiled: it gives up the lock nowhere by itself."""
    give_way()


def sort(values) -> list:
    """All of an iterable, sorted in pieces."""
    return sort_giving_way(list(values))


def take_used(list values not None):
    """The dicts, lists and sets that somebody else holds as well; they are taken out of `values`."""
    cdef list used = []
    cdef list rest = []
    cdef object value
    cdef bint is_used
    for value in values:
        # one reference is the list's, one is `value`
        is_used = PyDict_CheckExact(value) or PyList_CheckExact(value) or PySet_CheckExact(value)
        if is_used and Py_REFCNT(value) > 2:
            used.append(value)
        else:
            rest.append(value)
    value = None
    values[:] = rest
    return used


cdef bint is_leaf(object value):
    return not (PyDict_CheckExact(value) or PyList_CheckExact(value) or PySet_CheckExact(value) or PyTuple_Check(value))


cdef bint is_small(object container):
    """Whether it takes as long to free it as to look into it: it holds little, and no tree."""
    cdef PyObject *name = NULL
    cdef PyObject *child = NULL
    cdef Py_ssize_t pos = 0
    cdef Entries entries
    cdef Py_ssize_t position
    if PyDict_CheckExact(container):
        if len(<dict>container) > SMALL_MAX:
            return False
        entries = entries_of(<PyObject *>container)
        while next_entry(<PyObject *>container, &entries, &pos, &name, &child):
            if not is_leaf(<object>child):
                return False
        return True
    if PyList_CheckExact(container):
        if len(<list>container) > SMALL_MAX:
            return False
        for position in range(len(<list>container)):
            if not is_leaf(<object>PyList_GET_ITEM(container, position)):
                return False
        return True
    return False


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
        if PyTuple_Check(child) and Py_REFCNT(child) == 1:
            child = list(<tuple>child)
        if is_leaf(child) or Py_REFCNT(child) > 1 or is_small(child):
            continue
        if PyDict_CheckExact(child) and len(<dict>child) <= SMALL_MAX:
            child = list((<dict>child).values())  # an item of a list takes less than one of a dict
        open_.append(container)
        container = child
