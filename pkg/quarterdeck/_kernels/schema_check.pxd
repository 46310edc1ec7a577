# The checks of single values, shared with the kernel that words what failed.

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from quarterdeck._kernels.schema cimport Node, Program, Rules

cdef enum:
    PASSED = 1
    FAILED = 0

cdef bint is_good(Program program, PyObject* value) except -1
cdef bint is_type_good(Node* node, PyObject* value) except -1
cdef bint is_enumerated(Program program, Rules* rules, PyObject* value) except -1
cdef bint does_pattern_match(Program program, Rules* rules, object text) except -1
cdef bint is_format_good(Program program, Rules* rules, object text) except -1
cdef bint is_list_type_good(Program program, Node* node, list value) except -1
