"""Paths that start at an expression which is no variable.

Source: cel-go's interpreter/attributes.go (relativeAttribute).
"""

cimport cython

from quarterdeck._kernels.celeval cimport Frame, Node, resolve
from quarterdeck._kernels.celnative cimport open_again
from quarterdeck._kernels.celvalue cimport CelErr, Optional


@cython.final
@cython.no_gc
cdef class Path(Node):
    """A path after any other expression. `own` is what naming that costs."""

    cdef Node operand
    cdef readonly tuple quals
    cdef int own
    cdef bint test

    def __cinit__(self, Node operand, tuple quals, int own, bint test):
        self.operand = operand
        self.quals = quals
        self.own = own
        self.test = test

    cdef object ev(self, Frame f):
        start = self.operand.ev(f)
        f.cost += self.own
        if type(start) is CelErr:
            return start
        return resolve(start, self.quals, f, self.test)


@cython.final
@cython.no_gc
cdef class Start(Node):
    """Another expression as a path without steps: what `?:` makes of a branch that is no path."""

    cdef Node operand

    def __cinit__(self, Node operand):
        self.operand = operand

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        return open_again(<Optional>value) if type(value) is Optional else value
