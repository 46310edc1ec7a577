"""The common way of an object through its schema in one crossing. Contract: pkg/quarterdeck/_kernels/schema_engine.pyi.

Nearly all objects are good, have no unknown field and metadata that needs no decoding: what is said of them is an empty
list, and it is said here. Everything else is left to the subclass in Python.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.ref cimport PyObject

from quarterdeck._kernels.plainmeta cimport is_plain
from quarterdeck._kernels.schema cimport Program
from quarterdeck._kernels.schema_check cimport is_good
from quarterdeck._kernels.schema_walk cimport walk_object

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* value)

cdef str METADATA = "metadata"
cdef list spare = []


cdef class EngineBase:
    cdef public Program compiled
    cdef public bint is_resource_root

    cdef Program compiled_now(self):
        return self.program if self.compiled is None else self.compiled

    # Without binding, methods are called as those of built-in types are: without a tuple, a dict, a Python frame.
    @cython.binding(False)
    def validate(self, obj, old=None):
        cdef Program program = self.compiled
        if program is not None and not program.has_embedded and is_good(program, <PyObject*>obj):
            return nothing()
        return self.find_errors(obj, old)

    @cython.binding(False)
    def prune_and_default(self, dict obj not None, *, bint report_unknown):
        cdef tuple found
        cdef list unknown
        found = walk_object(self.compiled_now(), obj, self.is_resource_root, True, report_unknown)
        if not found[1] and not found[2] and (not self.is_resource_root or has_plain_meta(obj)):
            return nothing()
        unknown = self.coerce(obj, found[1], found[2])
        return unknown if report_unknown else []

    @cython.binding(False)
    def default(self, dict obj not None):
        cdef tuple found = walk_object(self.compiled_now(), obj, self.is_resource_root, True, False)
        return self.coerce_leniently(found[2]) or found[0] if found[2] else found[0]

    @cython.binding(False)
    def default_applied(self, dict obj not None):
        cdef tuple found = walk_object(self.compiled_now(), obj, self.is_resource_root, True, False, True)
        if not found[2] and METADATA in obj and has_plain_meta(obj):
            return found[0], False
        return found[0] or self.holds_more(found[2]), self.settle(obj)


cdef list nothing():
    """An empty list: the last one where nobody holds it any more (as zip() does with its tuples), else a new one.
    Making one takes a tenth of the time that validating a small object does."""
    global spare
    if Py_REFCNT(<PyObject*>spare) != 1 or len(spare):
        spare = []
    return spare


cdef bint has_plain_meta(dict obj) except -1:
    cdef PyObject* meta = PyDict_GetItem(obj, METADATA)
    return meta is NULL or is_plain(<object>meta)
