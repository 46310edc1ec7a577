"""Equality of decoded JSON as Go's reflect.DeepEqual has it: an integer never equals a float."""

from quarterdeck._kernels.giveway cimport give_way


cdef bint is_same_scalar(object a, object b) except -1:
    return type(a) is type(b) and a == b


cdef bint may_be_equal(object a, object b) except -1:
    """Equal as far as can be told without looking inside."""
    if type(a) is not type(b):
        return False
    if type(a) is dict or type(a) is list:
        return len(a) == len(b)
    return a == b


cpdef bint deep_equal(a, b) except -1:
    cdef list stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if not may_be_equal(a, b):
            return False
        if type(a) is dict:
            for key, value in (<dict>a).items():
                give_way()
                if key not in <dict>b:
                    return False
                stack.append((value, (<dict>b)[key]))
        elif type(a) is list:
            stack.extend(zip(a, b))
    return True
