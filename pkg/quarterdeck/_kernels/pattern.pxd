# One pattern, matched by RE2 at first and by an automaton once it is in use.

cdef class Matcher:
    cdef readonly str text
    cdef object compile_pattern
    cdef object build_table
    cdef object anchor
    cdef object match         # RE2's Match; False: not compiled yet; None: the pattern is none
    cdef bytes classes        # None: no automaton
    cdef bytes moves
    cdef bytes ends
    cdef Py_ssize_t class_count
    cdef Py_ssize_t matched   # the two states that are told apart while matching, as offsets into moves
    cdef Py_ssize_t first
    cdef Py_ssize_t uses
    cdef Py_ssize_t uses_before_table
    cpdef bint search(self, str text) except -1
    cdef bint search_slowly(self, str text) except -1
