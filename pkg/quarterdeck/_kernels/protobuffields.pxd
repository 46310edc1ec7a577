"""What the tables of both kernels of objects in protobuf say of a field. Their Python names are protobufobject's."""

cdef enum:
    # kinds; each kernel goes on with those that it alone knows
    K_STRING = 1
    K_BOOL = 2
    K_INT = 3
    K_DOUBLE = 4
    K_BYTES = 5
    K_MESSAGE = 6

    S_VALUE = 0
    S_POINTER = 1
    S_LIST = 2
    S_MAP = 3
    S_INLINE = 4


cdef inline int check_field(int number, int kind, int last_kind, int shape, bint has_message) except -1:
    """Raises ValueError, TypeError."""
    if not K_STRING <= kind <= last_kind or not S_VALUE <= shape <= S_INLINE or number < 1:
        raise ValueError("unknown kind, shape or number")
    if (kind == K_MESSAGE) != has_message:
        raise TypeError("messages have a target")
    if shape == S_INLINE and kind != K_MESSAGE:
        raise ValueError("only messages are inlined")
    return 0
