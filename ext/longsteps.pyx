# cython: language_level=3
"""For long steps in a thread beside the event loop: to pause, and to free trees in pieces. Contract:
_kernels/longsteps.pyi."""

from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PySet_CheckExact(object value)
    Py_ssize_t Py_REFCNT(object value)


def pause() -> None:
    """`give_way`, for a long loop in Python that is compiled: it gives up the lock nowhere by itself."""
    give_way()


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
