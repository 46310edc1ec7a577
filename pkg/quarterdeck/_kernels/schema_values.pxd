# The checks of one value, shared with the kernel that goes through an object.

from libc.stdint cimport int32_t, int64_t

from quarterdeck._kernels.schema cimport Node, Program, Rules

cdef enum:  # quarterdeck.schema.findings has the same numbers
    TYPE = 1
    FORMAT_BAD = 2
    REQUIRED = 3
    ENUM = 4
    TOO_LONG = 5
    TOO_SHORT = 6
    PATTERN = 7
    MULTIPLE_OF = 8
    MULTIPLE_NOT_POSITIVE = 9
    MAXIMUM = 10
    MAXIMUM_EXCLUSIVE = 11
    MINIMUM = 12
    MINIMUM_EXCLUSIVE = 13
    RANGE = 14
    MAX_ITEMS = 15
    MIN_ITEMS = 16
    UNIQUE_ITEMS = 17
    MAX_PROPERTIES = 18
    MIN_PROPERTIES = 19
    FORBIDDEN_PROPERTY = 20
    ANY_OF = 21
    ONE_OF = 22
    ALL_OF = 23
    NOT = 24

cdef class Findings:
    cdef Program program
    cdef list findings
    cdef Py_ssize_t findings_max
    cdef Py_ssize_t path_chars_max
    cdef Py_ssize_t path_chars
    cdef Py_ssize_t floor     # where the findings of the innermost clause under way begin

    cdef int add(self, int code, str path, object value, object limit) except -1
    cdef bint is_full(self) noexcept
    cdef int64_t check_null(self, Node* node, str path) except -1
    cdef int64_t check_type(self, Node* node, object value, str path) except -1
    cdef int64_t check_text_or_number(self, Node* node, object value, str path) except -1
    cdef int check_text(self, Rules* rules, str value, str path) except -1
    cdef int check_enum(self, int32_t index, object value, str path) except -1
    cdef int check_number(self, Node* node, Rules* rules, object value, str path) except -1
    cdef int add_range(self, Node* node, str what, str path) except -1
    cdef int check_multiple(self, double factor, object value, str path) except -1
    cdef int check_minimum(self, Rules* rules, object value, str path) except -1
    cdef int check_maximum(self, Rules* rules, object value, str path) except -1
    cdef int check_items(self, Node* node, list value, str path) except -1
    cdef int check_required(self, Node* node, dict value, str path) except -1
