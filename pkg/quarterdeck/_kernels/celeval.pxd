cdef class Frame:
    cdef list slots
    cdef long long cost
    cdef long long limit
    cdef long long yield_at

cdef class Node:
    cdef object ev(self, Frame f)

cdef class Lazy:
    cdef Node node
    cdef object force(self, Frame f, int slot)

cdef object no_such_key(object key)
cdef object resolve(object cur, tuple quals, Frame f, bint test)
cdef int check(Frame f) except -1
cdef long long tenth(long long size) noexcept
cdef long long quarter(long long size) noexcept
