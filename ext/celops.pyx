"""The operators of CEL as nodes: logic, comparison, arithmetic, membership, size, tests of strings.

Each has a fast way for the plain Python types and a general one after it. Integers are int64 with overflow as an error;
division and modulus cut towards zero. Source: cel-go's interpreter/interpretable.go and common/types.
"""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow

from quarterdeck._kernels.celeval cimport Frame, Node, check, quarter, tenth
from quarterdeck._kernels.celcompare cimport equality_fault, equals
from quarterdeck._kernels.celkeys cimport go_value
from quarterdeck._kernels.cellists cimport add_lists, list_contains, of_literals
from quarterdeck._kernels.celorder cimport compare
from quarterdeck._kernels.celvalue cimport (
    NO_SUCH_OVERLOAD,
    UINT,
    CelErr,
    Duration,
    ListValue,
    MapLiteral,
    MapValue,
    ObjectValue,
    Timestamp,
    TypeValue,
    compared_size,
    map_get,
    map_key,
    MISSING,
    need_hashable,
    size_of,
    type_name,
)
from quarterdeck._kernels.pattern cimport Matcher

cdef extern from *:
    """
    #define qd_add(a, b, r) __builtin_add_overflow(a, b, r)
    #define qd_sub(a, b, r) __builtin_sub_overflow(a, b, r)
    #define qd_mul(a, b, r) __builtin_mul_overflow(a, b, r)
    """
    bint qd_add(long long, long long, long long*) nogil
    bint qd_sub(long long, long long, long long*) nogil
    bint qd_mul(long long, long long, long long*) nogil

cdef object INT_OVERFLOW = CelErr("integer overflow")
cdef object UINT_OVERFLOW = CelErr("unsigned integer overflow")
cdef object DIVISION_BY_ZERO = CelErr("division by zero")
cdef object MODULUS_BY_ZERO = CelErr("modulus by zero")
cdef object TIMESTAMP_OVERFLOW = CelErr("timestamp overflow")
cdef object UINT_MAX = (1 << 64) - 1
cdef object INT_MIN = -(1 << 63)
cdef object INT_MAX = (1 << 63) - 1


@cython.final
@cython.no_gc
cdef class And(Node):
    cdef Node left, right

    def __cinit__(self, Node left, Node right):
        self.left = left
        self.right = right

    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        if left is False:
            return False
        right = self.right.ev(f)
        if left is True and right is True:
            return True
        if right is False:
            return False
        if left is not True:
            return left if type(left) is CelErr else NO_SUCH_OVERLOAD
        return right if type(right) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Or(Node):
    cdef Node left, right

    def __cinit__(self, Node left, Node right):
        self.left = left
        self.right = right

    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        if left is True:
            return True
        right = self.right.ev(f)
        if left is False and right is False:
            return False
        if right is True:
            return True
        if left is not False:
            return left if type(left) is CelErr else NO_SUCH_OVERLOAD
        return right if type(right) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Cond(Node):
    cdef Node test, yes, no

    def __cinit__(self, Node test, Node yes, Node no):
        self.test = test
        self.yes = yes
        self.no = no

    cdef object ev(self, Frame f):
        value = self.test.ev(f)
        if value is True:
            return self.yes.ev(f)
        if value is False:
            return self.no.ev(f)
        return value if type(value) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Not(Node):
    cdef Node operand

    def __cinit__(self, Node operand):
        self.operand = operand

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        f.cost += 1
        if value is True:
            return False
        if value is False:
            return True
        return value if type(value) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Equal(Node):
    cdef Node left, right
    cdef bint negate, with_literals  # the right side is a list in which the expression writes lists or maps

    def __cinit__(self, Node left, Node right, bint negate, bint with_literals=False):
        self.left = left
        self.right = right
        self.negate = negate
        self.with_literals = with_literals

    cdef object ev(self, Frame f):
        cdef long long size
        left = self.left.ev(f)
        right = self.right.ev(f)
        t = type(left)
        if t is int and type(right) is int:
            f.cost += 1
            return (left == right) != self.negate
        size = min(compared_size(left), compared_size(right))
        if not self.negate and t is not str and hasattr(left, "cel_unit_equality"):
            size = 1
        f.cost += tenth(size)
        if t is CelErr:
            return left
        if type(right) is CelErr:
            return right
        if self.with_literals and type(left) is ListValue:
            right = of_literals(right, None)
        if equals(left, right):
            return not self.negate
        if self.negate:
            return True
        fault = None if t is str else equality_fault(left, right)
        return False if fault is None else fault


# Codes of Compare and Arith.
cdef enum:
    LT = 0
    LE = 1
    GT = 2
    GE = 3
    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    MOD = 4


cpdef bint is_ordered(object value) noexcept:
    """Whether values of its type are smaller and greater."""
    t = type(value)
    return (
        t is str or t is int or t is float or t is bool or t is UINT or t is bytes or t is Timestamp or t is Duration
    )


@cython.final
@cython.no_gc
cdef class Compare(Node):
    cdef Node left, right
    cdef int op
    cdef bint by_size

    def __cinit__(self, int op, Node left, Node right, bint by_size):
        self.op = op
        self.left = left
        self.right = right
        self.by_size = by_size

    cdef object ev(self, Frame f):
        cdef long long a, b
        cdef int order
        cdef int out_of_range = 0
        left = self.left.ev(f)
        right = self.right.ev(f)
        if type(left) is int and type(right) is int:
            f.cost += 1
            a = PyLong_AsLongLongAndOverflow(left, &out_of_range)
            if out_of_range == 0:
                b = PyLong_AsLongLongAndOverflow(right, &out_of_range)
            if out_of_range == 0:
                if self.op == LT:
                    return a < b
                if self.op == LE:
                    return a <= b
                if self.op == GT:
                    return a > b
                return a >= b
        elif self.by_size:
            a = size_of(left)
            b = size_of(right)
            f.cost += tenth(a if a < b else b)
        else:
            f.cost += 1
        if type(left) is CelErr:
            return left
        if type(right) is CelErr:
            return right
        result = compare(left, right)
        if type(result) is CelErr:
            return result if result is not NO_SUCH_OVERLOAD or is_ordered(left) else CelErr(
                "no such overload: " + ("_<_", "_<=_", "_>_", "_>=_")[self.op]
            )
        order = result
        if self.op == LT:
            return order < 0
        if self.op == LE:
            return order <= 0
        if self.op == GT:
            return order > 0
        return order >= 0


cdef object int_arith(int op, long long a, long long b):
    cdef long long out = 0
    if op == ADD:
        return INT_OVERFLOW if qd_add(a, b, &out) else out
    if op == SUB:
        return INT_OVERFLOW if qd_sub(a, b, &out) else out
    if op == MUL:
        return INT_OVERFLOW if qd_mul(a, b, &out) else out
    if b == 0:
        return DIVISION_BY_ZERO if op == DIV else MODULUS_BY_ZERO
    if b == -1:
        if a == INT_MIN:
            return INT_OVERFLOW
        return -a if op == DIV else 0
    return a // b if op == DIV else a % b


cdef object double_arith(int op, double a, double b):
    if op == ADD:
        return a + b
    if op == SUB:
        return a - b
    if op == MUL:
        return a * b
    return a / b


cpdef bint receives(object value):
    t = type(value)
    return t is str or t is Timestamp or t is Duration


cdef object misfit_of(int op, object left):
    """The operator is named where the left operand's type has no such operation and is no receiver."""
    t = type(left)
    if t is int or t is UINT or receives(left):
        return NO_SUCH_OVERLOAD
    if (t is float and op != MOD) or (op == ADD and (t is bytes or t is list or t is ListValue)):
        return NO_SUCH_OVERLOAD
    return CelErr("no such overload: " + ("_+_", "_-_", "_*_", "_/_", "_%_")[op])


cdef object uint_arith(int op, object a, object b):
    if op == ADD:
        out = int(a) + int(b)
    elif op == SUB:
        out = int(a) - int(b)
    elif op == MUL:
        out = int(a) * int(b)
    elif b == 0:
        return DIVISION_BY_ZERO if op == DIV else MODULUS_BY_ZERO
    else:
        out = int(a) // int(b) if op == DIV else int(a) % int(b)
    return UINT_OVERFLOW if out < 0 or out > UINT_MAX else UINT(out)


cdef object shift(Timestamp ts, object ns):
    """ts + ns nanoseconds."""
    total = (<object>ts.seconds) * 1_000_000_000 + ts.nanos + ns
    return timestamp_of(total, ts.offset_s)


def timestamp_of(total_ns, int offset_s):
    seconds, nanos = divmod(total_ns, 1_000_000_000)
    if seconds < -62135596800 or seconds > 253402300799:
        return TIMESTAMP_OVERFLOW
    return Timestamp(seconds, nanos, offset_s)


cdef object other_arith(int op, object a, object b):
    cdef long long out = 0
    if op == ADD:
        if type(a) is Duration and type(b) is Duration:
            return INT_OVERFLOW if qd_add((<Duration>a).ns, (<Duration>b).ns, &out) else Duration(out)
        if type(a) is Timestamp and type(b) is Duration:
            return shift(<Timestamp>a, (<Duration>b).ns)
        if type(a) is Duration and type(b) is Timestamp:
            return shift(<Timestamp>b, (<Duration>a).ns)
        if type(a) is bytes and type(b) is bytes:
            return a + b
        if (type(a) is list or type(a) is ListValue) and (type(b) is list or type(b) is ListValue):
            return add_lists(a, b)
    elif op == SUB:
        if type(a) is Duration and type(b) is Duration:
            return INT_OVERFLOW if qd_sub((<Duration>a).ns, (<Duration>b).ns, &out) else Duration(out)
        if type(a) is Timestamp and type(b) is Duration:
            return shift(<Timestamp>a, -(<object>(<Duration>b).ns))
        if type(a) is Timestamp and type(b) is Timestamp:
            ns = ((<object>(<Timestamp>a).seconds) - (<Timestamp>b).seconds) * 1_000_000_000
            ns += (<Timestamp>a).nanos - (<Timestamp>b).nanos
            return Duration(ns) if INT_MIN <= ns <= INT_MAX else INT_OVERFLOW
    return NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Arith(Node):
    cdef Node left, right
    cdef int op
    cdef bint by_size, with_literals  # as of Equal

    def __cinit__(self, int op, Node left, Node right, bint by_size, bint with_literals=False):
        self.op = op
        self.left = left
        self.right = right
        self.by_size = by_size
        self.with_literals = with_literals

    cdef object ev(self, Frame f):
        cdef long long a, b
        cdef int out_of_range = 0
        left = self.left.ev(f)
        right = self.right.ev(f)
        if self.with_literals and type(left) is ListValue:
            right = of_literals(right, (<ListValue>left).reader)
        if self.by_size:
            f.cost += tenth(size_of(left) + size_of(right))
        else:
            f.cost += 1
        if type(left) is int and type(right) is int:
            a = PyLong_AsLongLongAndOverflow(left, &out_of_range)
            if out_of_range == 0:
                b = PyLong_AsLongLongAndOverflow(right, &out_of_range)
            return INT_OVERFLOW if out_of_range != 0 else int_arith(self.op, a, b)
        if type(left) is str and type(right) is str and self.op == ADD:
            check(f)
            return left + right
        if type(left) is float and type(right) is float and self.op != MOD:
            return double_arith(self.op, left, right)
        if type(left) is CelErr:
            return left
        if type(right) is CelErr:
            return right
        if type(left) is UINT and type(right) is UINT:
            return uint_arith(self.op, left, right)
        result = other_arith(self.op, left, right)
        return misfit_of(self.op, left) if result is NO_SUCH_OVERLOAD else result


@cython.final
@cython.no_gc
cdef class Negate(Node):
    cdef Node operand

    def __cinit__(self, Node operand):
        self.operand = operand

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        f.cost += 1
        if type(value) is int:
            return INT_OVERFLOW if value == INT_MIN else -value
        if type(value) is float:
            return -value
        if type(value) is CelErr:
            return value
        if type(value) is Duration:
            return INT_OVERFLOW if (<Duration>value).ns == INT_MIN else Duration(-(<Duration>value).ns)
        return NO_SUCH_OVERLOAD if type(value) is bool or receives(value) else CelErr("no such overload: -_")


@cython.final
@cython.no_gc
cdef class InList(Node):
    cdef Node left, right
    cdef bint by_size, is_made  # made by the expression: a map of Go's, in which not every value can be a key

    def __cinit__(self, Node left, Node right, bint by_size, bint is_made):
        self.left = left
        self.right = right
        self.by_size = by_size
        self.is_made = is_made

    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        right = self.right.ev(f)
        f.cost += size_of(right) if self.by_size else 1
        if type(left) is CelErr:
            return left
        if type(right) is CelErr:
            return right
        check(f)
        if type(right) is ListValue or type(right) is list:
            return list_contains(right, left)
        if self.is_made and right and type(right) is dict:
            need_hashable(left)
        found = map_get(right, left)
        return found if type(found) is CelErr else found is not MISSING  # what cannot be read is an error, as upstream


@cython.final
@cython.no_gc
cdef class InConstants(Node):
    """Membership in a list of constants, which costs nothing. Doubles are looked up among what the numbers are as
    doubles, others among the numbers themselves."""

    cdef Node operand
    cdef frozenset members
    cdef frozenset doubles

    def __cinit__(self, Node operand, list constants not None):
        self.operand = operand
        self.members = frozenset([map_key(each) if type(each) is bool else each for each in constants])
        numbers = [each for each in constants if type(each) is not bool and isinstance(each, (int, float))]
        self.doubles = frozenset([float(each) for each in numbers])

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        t = type(value)
        if t is str or t is int or t is UINT:
            return value in self.members
        if t is float:
            return value in self.doubles
        if t is bool:
            return map_key(value) in self.members
        if t is CelErr:
            return value
        need_hashable(value)
        return False


@cython.final
@cython.no_gc
cdef class Size(Node):
    cdef Node operand

    def __cinit__(self, Node operand):
        self.operand = operand

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        f.cost += 1
        t = type(value)
        if t is str or t is list or t is dict or t is ListValue or t is MapValue or t is ObjectValue or t is bytes:
            return size_of(value)
        if t is CelErr:
            return value
        if t is MapLiteral:
            return size_of(value)
        return NO_SUCH_OVERLOAD if receives(value) else CelErr("no such overload: size")


@cython.final
@cython.no_gc
cdef class StringTest(Node):
    """startsWith, endsWith and contains (0, 1, 2)."""

    cdef Node left, right
    cdef int op

    def __cinit__(self, int op, Node left, Node right):
        self.op = op
        self.left = left
        self.right = right

    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        right = self.right.ev(f)
        if self.op == 2:
            f.cost += tenth(size_of(left)) * tenth(size_of(right))
        else:
            f.cost += tenth(size_of(left))
        if type(left) is str and type(right) is str:
            if self.op == 0:
                return (<str>left).startswith(right)
            if self.op == 1:
                return (<str>left).endswith(right)
            check(f)
            return right in <str>left
        if type(left) is CelErr:
            return left
        return right if type(right) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class Matches(Node):
    """A constant pattern. The text is Go's own value of the operand."""

    cdef Node operand
    cdef Matcher matcher
    cdef long long pattern_cost

    def __cinit__(self, Node operand, Matcher matcher not None, long long pattern_size):
        self.operand = operand
        self.matcher = matcher
        self.pattern_cost = quarter(pattern_size)

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        if type(value) is CelErr:
            return value
        f.cost += tenth(1 + size_of(value)) * self.pattern_cost
        if type(value) is str:
            check(f)
            return self.matcher.search(value)
        text = go_value(value)
        return self.matcher.search(text) if type(text) is str else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class TypeOf(Node):
    cdef Node operand

    def __cinit__(self, Node operand):
        self.operand = operand

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        f.cost += 1
        return value if type(value) is CelErr else TypeValue(type_name(value))
