"""Compiled CEL: a tree of nodes that compute over decoded JSON and count cost as they go.

A node is built once when an expression compiles and is never changed; `Program.run` evaluates it with values for the
environment's variables. Costs are Kubernetes' own, step by step (cel-go's interpreter/runtimecost.go and apiserver's
pkg/cel/library/cost.go), so that limits strike exactly where upstream's do. Cost only rises, so it is compared with the
limit in loops, after calls and at the end: the outcome is the same as after every step. Recursion is as deep as the
expression, which the parser bounds.

Loops let go of the interpreter lock from time to time, so that a long evaluation in a worker thread stops nobody.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.math cimport ceil, fmod

from quarterdeck._kernels.celvalue cimport (
    MISSING,
    NO_SUCH_OVERLOAD,
    UINT,
    CelErr,
    Duration,
    ListValue,
    MapLiteral,
    MapValue,
    ObjectValue,
    Optional,
    Reader,
    Timestamp,
    TypeValue,
    compare,
    equals,
    list_items,
    map_get,
    map_key,
    map_keys,
    read,
    read_present,
    size_of,
    type_name,
)

cdef extern from *:
    """
    #define qd_add(a, b, r) __builtin_add_overflow(a, b, r)
    #define qd_sub(a, b, r) __builtin_sub_overflow(a, b, r)
    #define qd_mul(a, b, r) __builtin_mul_overflow(a, b, r)
    """
    bint qd_add(long long, long long, long long*) nogil
    bint qd_sub(long long, long long, long long*) nogil
    bint qd_mul(long long, long long, long long*) nogil

cdef enum:
    K_OBJECT = 5
    K_MAP = 6
    K_LIST = 7
    YIELD_COST = 20_000  # about a millisecond between two releases of the interpreter lock

    Q_FIELD = 0  # a constant string
    Q_CONST = 1  # another constant
    Q_NODE = 2  # a computed key or index

# How a call is paid (the numbers are Call's `cost`).
cdef enum:
    C_ONE = 0
    C_STRING = 1  # a tenth of the first argument's size
    C_STRING_TWICE = 2
    C_JOIN = 3  # a fifth of the result's size
    C_TRAVERSE = 4  # the first argument, walked to its leaves
    C_REGEX = 5  # string by pattern
    C_SETS = 6  # the product of both sizes
    C_SETS_TWICE = 7
    C_LIST_OUT = 8  # a new list: its size and the allocation
    C_COMPARE_ALL = 9  # every element with every other
    C_COMPARE_KEYS = 10  # the same for the second argument
    C_FLATTEN = 11
    C_FUNCTION = 16  # a Python function of (arguments, result)
    C_ZERO = 17
    C_RANGE = 18  # a list as long as the number says

COSTS = {
    "one": C_ONE, "string": C_STRING, "string_twice": C_STRING_TWICE, "join": C_JOIN, "traverse": C_TRAVERSE,
    "regex": C_REGEX, "sets": C_SETS, "sets_twice": C_SETS_TWICE, "list_out": C_LIST_OUT,
    "compare_all": C_COMPARE_ALL, "compare_keys": C_COMPARE_KEYS, "flatten": C_FLATTEN, "zero": C_ZERO,
    "range": C_RANGE,
}


class CostLimitExceeded(Exception):
    """The evaluation was stopped: it cost more than it may."""


cdef object INT_OVERFLOW = CelErr("integer overflow")
cdef object UINT_OVERFLOW = CelErr("unsigned integer overflow")
cdef object DIVISION_BY_ZERO = CelErr("division by zero")
cdef object MODULUS_BY_ZERO = CelErr("modulus by zero")
cdef object DURATION_OVERFLOW = CelErr("duration overflow")
cdef object TIMESTAMP_OVERFLOW = CelErr("timestamp overflow")
cdef object OPTIONAL_NONE = Optional(None, False)
cdef object UINT_MAX = (1 << 64) - 1
cdef object INT_MIN = -(1 << 63)
cdef object INT_MAX = (1 << 63) - 1


@cython.final
@cython.freelist(8)
cdef class Frame:
    """One evaluation: the variables and what it has cost."""

    cdef list slots
    cdef long long cost
    cdef long long limit
    cdef long long yield_at


cdef int check(Frame f) except -1:
    if f.cost > f.limit:
        raise CostLimitExceeded
    if f.cost > f.yield_at:
        f.yield_at = f.cost + YIELD_COST
        with nogil:
            pass
    return 0


cdef long long tenth(long long size) noexcept:
    return <long long>ceil(<double>size * 0.1)


cdef long long quarter(long long size) noexcept:
    return <long long>ceil(<double>size * 0.25)


cdef long long mul_cost(long long a, long long b) noexcept:
    cdef long long out = 0
    if qd_mul(a, b, &out):
        return 1 << 62
    return out


@cython.no_gc
cdef class Node:
    cdef object ev(self, Frame f):
        raise NotImplementedError


@cython.final
@cython.no_gc
cdef class Const(Node):
    cdef readonly object value

    def __cinit__(self, value):
        self.value = value

    cdef object ev(self, Frame f):
        return self.value


@cython.final
@cython.no_gc
cdef class Qual:
    """One step of a path: `.name`, `[key]`, `.?name`, `[?key]`."""

    cdef int kind
    cdef object key
    cdef Node node
    cdef bint optional

    def __cinit__(self, key, Node node=None, bint optional=False):
        self.key = key
        self.node = node
        self.optional = optional
        self.kind = Q_NODE if node is not None else (Q_FIELD if type(key) is str else Q_CONST)


cdef object no_such_key(object key):
    if type(key) is bool:
        key = "true" if key else "false"
    elif type(key) is float:
        key = repr(key).removesuffix(".0")
    return CelErr(f"no such key: {key}")


cdef object index_list(object value, object key):
    """An element; CelErr or MISSING (out of bounds)."""
    cdef Py_ssize_t size, at
    if type(key) is float:
        if key != key or key - key != 0 or key != int(key):
            return CelErr(f"unsupported index value {show_double(key)} in list")
        key = int(key)
    if type(key) is not int and type(key) is not UINT:
        return CelErr(f"unsupported index type '{type_name(key)}' in list")
    if type(value) is list:
        size = PyList_GET_SIZE(value)
        if 0 <= key < size:
            at = key
            return <object>PyList_GET_ITEM(value, at)
        return MISSING
    size = PyList_GET_SIZE((<ListValue>value).raw)
    if 0 <= key < size:
        at = key
        return read(<object>PyList_GET_ITEM((<ListValue>value).raw, at), (<ListValue>value).reader.element())
    return MISSING


cdef str show_double(object value):
    return repr(value).removesuffix(".0")


cdef object select(object value, object key):
    """value[key] as any container has it; MISSING where nothing is there, CelErr where it makes no sense."""
    t = type(value)
    if t is list or t is ListValue:
        return index_list(value, key)
    if t is CelErr:
        return value
    return map_get(value, key)


cdef object resolve(object cur, tuple quals, Frame f, bint test):
    """Follows a path. Containers met on the way are not wrapped: `raw` and `reader` say where it is."""
    cdef Py_ssize_t i, count = PyTuple_GET_SIZE(quals)
    cdef Qual q
    cdef Reader reader = None
    cdef PyObject* found
    cdef tuple field
    cdef bint optional = False
    cdef int kind
    cdef object key
    if type(cur) is Optional:
        if not (<Optional>cur).present:
            return False if test else cur
        optional = True
        cur = (<Optional>cur).value
    for i in range(count):
        q = <Qual>PyTuple_GET_ITEM(quals, i)
        if q.optional:
            optional = True
        if type(cur) is Optional and reader is None:
            if not (<Optional>cur).present:
                return False if test else OPTIONAL_NONE
            optional = True
            cur = (<Optional>cur).value
        f.cost += 1
        if q.kind == Q_FIELD:
            if reader is None:
                if type(cur) is ObjectValue:
                    reader = (<ObjectValue>cur).reader
                    cur = (<ObjectValue>cur).raw
                elif type(cur) is MapValue:
                    reader = (<MapValue>cur).reader
                    cur = (<MapValue>cur).raw
            if reader is not None and reader.kind == K_OBJECT:
                found = PyDict_GetItem(reader.field_map(), q.key)
                if found is not NULL:
                    field = <tuple>found
                    found = PyDict_GetItem(cur, field[0])
                if found is NULL or <object>found is None:
                    if test and i == count - 1:
                        return False
                    if optional:
                        f.cost -= 1
                        return False if test else OPTIONAL_NONE
                    return no_such_key(q.key)
                reader = <Reader>field[1]
                cur = <object>found
                kind = reader.kind
                if K_OBJECT <= kind <= K_LIST:
                    if (type(cur) is not list) if kind == K_LIST else (type(cur) is not dict):
                        cur = read_present(cur, reader)
                        reader = None
                else:
                    cur = read_present(cur, reader)
                    reader = None
                continue
            key = q.key
        elif q.kind == Q_CONST:
            key = q.key
        else:
            key = q.node.ev(f)
            if type(key) is CelErr:
                return key
        if reader is not None:
            cur = read(cur, reader)
            reader = None
        if type(cur) is CelErr:
            return cur
        container = cur
        cur = select(container, key)
        if cur is MISSING:
            if test and i == count - 1:
                return False
            if optional:
                f.cost -= 1
                return False if test else OPTIONAL_NONE
            if type(container) is list or type(container) is ListValue:
                return CelErr(f"index out of bounds: {show_double(key) if type(key) is float else key}")
            return no_such_key(key)
        if cur is NO_SUCH_OVERLOAD and test:
            return False
        if type(cur) is CelErr and cur is NO_SUCH_OVERLOAD:
            return cur
    if test:
        if type(cur) is CelErr:
            return cur
        if type(cur) is Optional:
            return (<Optional>cur).present
        return True
    if reader is not None:
        cur = read_present(cur, reader)
    if optional and type(cur) is not CelErr:
        return Optional(cur)
    return cur


cdef object walk_fields(object raw, Reader reader, tuple quals, Frame f):
    """resolve() for a path of nothing but names that starts at an object: the common case, without allocation."""
    cdef Py_ssize_t i, last = PyTuple_GET_SIZE(quals) - 1
    cdef PyObject* found
    cdef PyObject* field
    cdef PyObject* at = <PyObject*>raw
    cdef PyObject* schema = <PyObject*>reader
    cdef int kind
    for i in range(last + 1):
        f.cost += 1
        field = PyDict_GetItem((<Reader>schema).field_map(), (<Qual>PyTuple_GET_ITEM(quals, i)).key)
        found = NULL if field is NULL else PyDict_GetItem(<object>at, <object>PyTuple_GET_ITEM(<object>field, 0))
        if found is NULL or <object>found is None:
            return no_such_key((<Qual>PyTuple_GET_ITEM(quals, i)).key)
        at = found
        schema = PyTuple_GET_ITEM(<object>field, 1)
        if i == last:
            break
        kind = (<Reader>schema).kind
        if kind != K_OBJECT or type(<object>at) is not dict:
            # Something else than an object on the way: the general walk goes on from here.
            return resolve(read_present(<object>at, <Reader>schema), quals[i + 1:], f, False)
    return read_present(<object>at, <Reader>schema)


@cython.final
@cython.no_gc
cdef class Var(Node):
    """A variable and the path after it. `own` is what naming it costs: 0 as a branch of `?:` or a computed index."""

    cdef int slot
    cdef readonly tuple quals
    cdef int own
    cdef bint test
    cdef bint plain
    cdef str name

    def __cinit__(self, int slot, str name, tuple quals, int own, bint test):
        self.slot = slot
        self.name = name
        self.quals = quals
        self.own = own
        self.test = test
        self.plain = not test
        for qual in quals:
            if (<Qual>qual).kind != Q_FIELD or (<Qual>qual).optional:
                self.plain = False

    cdef object ev(self, Frame f):
        cdef object start = <object>PyList_GET_ITEM(f.slots, self.slot)
        f.cost += self.own
        if type(start) is ObjectValue and self.plain:
            if PyTuple_GET_SIZE(self.quals) == 0:
                return start
            return walk_fields((<ObjectValue>start).raw, (<ObjectValue>start).reader, self.quals, f)
        if start is MISSING:
            return CelErr(f"no such attribute(s): {self.name}")
        if type(start) is Lazy:
            start = (<Lazy>start).force(f, self.slot)
        if PyTuple_GET_SIZE(self.quals) == 0:
            return start
        if type(start) is CelErr:
            return start
        return resolve(start, self.quals, f, self.test)


@cython.final
cdef class Lazy:
    """A macro's binding, computed when it is first named."""

    cdef Node node

    def __cinit__(self, Node node):
        self.node = node

    cdef object force(self, Frame f, int slot):
        value = self.node.ev(f)
        f.slots[slot] = value
        return value


@cython.final
@cython.no_gc
cdef class Path(Node):
    """A path after any other expression."""

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
    cdef bint negate

    def __cinit__(self, Node left, Node right, bint negate):
        self.left = left
        self.right = right
        self.negate = negate

    cdef object ev(self, Frame f):
        cdef long long a, b
        left = self.left.ev(f)
        right = self.right.ev(f)
        t = type(left)
        if t is int and type(right) is int:
            f.cost += 1
            a = left
            b = right
            return (a == b) != self.negate
        a = size_of(left)
        b = size_of(right)
        if a > b:
            a = b
        if not self.negate and t is not str and hasattr(left, "cel_unit_equality"):
            a = 1
        f.cost += tenth(a)
        if t is CelErr:
            return left
        if type(right) is CelErr:
            return right
        return equals(left, right) != self.negate


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


cdef bint ordered(object value):
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
        left = self.left.ev(f)
        right = self.right.ev(f)
        if type(left) is int and type(right) is int:
            f.cost += 1
            a = left
            b = right
            if self.op == LT:
                return a < b
            if self.op == LE:
                return a <= b
            if self.op == GT:
                return a > b
            return a >= b
        if self.by_size:
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
            return result if result is not NO_SUCH_OVERLOAD or ordered(left) else CelErr(
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
    if op == DIV:
        return a / b
    return NO_SUCH_OVERLOAD


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
            return DURATION_OVERFLOW if qd_add((<Duration>a).ns, (<Duration>b).ns, &out) else Duration(out)
        if type(a) is Timestamp and type(b) is Duration:
            return shift(<Timestamp>a, (<Duration>b).ns)
        if type(a) is Duration and type(b) is Timestamp:
            return shift(<Timestamp>b, (<Duration>a).ns)
        if type(a) is bytes and type(b) is bytes:
            return a + b
        if (type(a) is list or type(a) is ListValue) and (type(b) is list or type(b) is ListValue):
            return ADD_LISTS(a, b)
    elif op == SUB:
        if type(a) is Duration and type(b) is Duration:
            return DURATION_OVERFLOW if qd_sub((<Duration>a).ns, (<Duration>b).ns, &out) else Duration(out)
        if type(a) is Timestamp and type(b) is Duration:
            return shift(<Timestamp>a, -(<object>(<Duration>b).ns))
        if type(a) is Timestamp and type(b) is Timestamp:
            ns = ((<object>(<Timestamp>a).seconds) - (<Timestamp>b).seconds) * 1_000_000_000
            ns += (<Timestamp>a).nanos - (<Timestamp>b).nanos
            return Duration(ns) if INT_MIN <= ns <= INT_MAX else DURATION_OVERFLOW
    return NO_SUCH_OVERLOAD


cdef object ADD_LISTS = None


def set_add_lists(function):
    """celvalue.add_lists, handed in by the package since kernels import nothing at run time."""
    global ADD_LISTS
    ADD_LISTS = function


@cython.final
@cython.no_gc
cdef class Arith(Node):
    cdef Node left, right
    cdef int op
    cdef bint by_size

    def __cinit__(self, int op, Node left, Node right, bint by_size):
        self.op = op
        self.left = left
        self.right = right
        self.by_size = by_size

    @cython.cdivision(False)
    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        right = self.right.ev(f)
        if self.by_size:
            f.cost += tenth(size_of(left) + size_of(right))
        else:
            f.cost += 1
        if type(left) is int and type(right) is int:
            return int_arith(self.op, left, right)
        if type(left) is str and type(right) is str and self.op == ADD:
            check(f)
            return left + right
        if type(left) is float and type(right) is float:
            return double_arith(self.op, left, right)
        if type(left) is CelErr:
            return left
        if type(right) is CelErr:
            return right
        if type(left) is UINT and type(right) is UINT:
            return uint_arith(self.op, left, right)
        result = other_arith(self.op, left, right)
        if result is NO_SUCH_OVERLOAD and (left is None or type(left) is bool or map_keys(left) is not None):
            return CelErr("no such overload: " + ("_+_", "_-_", "_*_", "_/_", "_%_")[self.op])
        return result


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
        return value if type(value) is CelErr else NO_SUCH_OVERLOAD


@cython.final
@cython.no_gc
cdef class InList(Node):
    cdef Node left, right
    cdef bint by_size

    def __cinit__(self, Node left, Node right, bint by_size):
        self.left = left
        self.right = right
        self.by_size = by_size

    cdef object ev(self, Frame f):
        cdef ListValue view
        cdef Reader elem
        left = self.left.ev(f)
        right = self.right.ev(f)
        f.cost += size_of(right) if self.by_size else 1
        if type(left) is CelErr:
            return left
        if type(right) is CelErr:
            return right
        check(f)
        if type(right) is ListValue:
            view = <ListValue>right
            elem = view.reader.element()
            for raw in view.raw:
                if equals(read(raw, elem), left):
                    return True
            return False
        if type(right) is list:
            for item in <list>right:
                if equals(item, left):
                    return True
            return False
        found = map_get(right, left)
        if found is NO_SUCH_OVERLOAD:
            return NO_SUCH_OVERLOAD if map_keys(right) is None else False
        return found is not MISSING


@cython.final
@cython.no_gc
cdef class InConstants(Node):
    """Membership in a list of constants, which costs nothing."""

    cdef Node operand
    cdef frozenset members

    def __cinit__(self, Node operand, frozenset members):
        self.operand = operand
        self.members = members

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        if type(value) is str:
            return value in self.members
        if type(value) is CelErr:
            return value
        key = map_key(value)
        return (key if key is not None else value) in self.members if _hashable(value) else False


cdef bint _hashable(object value):
    t = type(value)
    return t is int or t is float or t is bool or t is UINT or t is bytes or value is None


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
        return CelErr("no such overload: size")


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
    """A constant pattern; `search(unanchored, bytes, 0, length)` is RE2's own compiled object."""

    cdef Node operand
    cdef object search, unanchored
    cdef long long pattern_cost

    def __cinit__(self, Node operand, search, unanchored, long long pattern_size):
        self.operand = operand
        self.search = search
        self.unanchored = unanchored
        self.pattern_cost = quarter(pattern_size)

    cdef object ev(self, Frame f):
        value = self.operand.ev(f)
        f.cost += tenth(1 + size_of(value)) * self.pattern_cost
        if type(value) is str:
            check(f)
            text = (<str>value).encode("utf-8", "surrogatepass")
            return (<object>(<list>self.search(self.unanchored, text, 0, len(<bytes>text)))[0])[0] != -1
        return value if type(value) is CelErr else NO_SUCH_OVERLOAD


cdef long long leaves_cost(object value) except -1:
    """What walking a value to its leaves costs (apiserver's traversalCost)."""
    cdef long long total = 0
    cdef list stack = [value]
    while stack:
        item = stack.pop()
        t = type(item)
        if t is str:
            total += <long long>(<double>len((<str>item).encode("utf-8", "surrogatepass")) * 0.1)
        elif t is bytes:
            total += <long long>(<double>len(item) * 0.1)
        else:
            children = list_items(item)
            if children is not None:
                stack.extend(children)
                continue
            keys = map_keys(item)
            if keys is None:
                total += 1
                continue
            for key in keys:
                stack.append(key)
                stack.append(map_get(item, key))
    return total


cdef long long call_cost(int cost, tuple args, object result, object function) except -1:
    cdef long long a, b
    if cost == C_ONE:
        return 1
    if cost == C_ZERO:
        return 0
    if cost == C_STRING:
        return tenth(size_of(args[0]))
    if cost == C_STRING_TWICE:
        return <long long>ceil(<double>size_of(args[0]) * 2 * 0.1)
    if cost == C_JOIN:
        return <long long>ceil(<double>size_of(result) * 2 * 0.1)
    if cost == C_TRAVERSE:
        return leaves_cost(args[0])
    if cost == C_REGEX:
        return tenth(1 + size_of(args[0])) * quarter(size_of(args[1]))
    if cost == C_SETS or cost == C_SETS_TWICE:
        return 1 + mul_cost(size_of(args[0]), size_of(args[1])) * (1 if cost == C_SETS else 2)
    if cost == C_LIST_OUT:
        return 11 + size_of(result)
    if cost == C_COMPARE_ALL or cost == C_COMPARE_KEYS:
        items = list_items(args[0] if cost == C_COMPARE_ALL else args[1])
        if not items:
            return 11
        a = len(items)
        if type(items[0]) is str or type(items[0]) is bytes:
            return 11 + <long long>(<double>mul_cost(a, a) * (2.0 + 0.1))
        return 11 + 2 * mul_cost(a, a)
    if cost == C_FLATTEN:
        if len(args) == 2 and type(args[1]) is int:
            return 11 + max(-(1 << 61), min(args[1] * (<object>size_of(args[0])), 1 << 61))
        return 11 + size_of(args[0])
    if cost == C_RANGE:
        return 11 + (args[0] if 0 <= args[0] <= 10_000_000 else 0)
    return function(args, result)


@cython.final
@cython.no_gc
cdef class Call(Node):
    """Any other function: `function(*args)` gives a value or a CelErr. Not called when an argument is an error, nor when
    one is of no type in its guard: then the value is `misfit(arguments)`."""

    cdef object function
    cdef tuple args
    cdef tuple guards
    cdef object misfit
    cdef int cost
    cdef object cost_function

    def __cinit__(self, function, tuple args, cost, tuple guards, misfit):
        self.function = function
        self.args = args
        self.guards = guards
        self.misfit = misfit
        if callable(cost):
            self.cost = C_FUNCTION
            self.cost_function = cost
        else:
            self.cost = COSTS[cost]

    cdef object ev(self, Frame f):
        cdef Py_ssize_t count = PyTuple_GET_SIZE(self.args)
        cdef tuple values
        cdef object error = None
        cdef Py_ssize_t i
        if count == 1:
            values = ((<Node>PyTuple_GET_ITEM(self.args, 0)).ev(f),)
        elif count == 2:
            values = ((<Node>PyTuple_GET_ITEM(self.args, 0)).ev(f), (<Node>PyTuple_GET_ITEM(self.args, 1)).ev(f))
        else:
            values = tuple([(<Node>node).ev(f) for node in self.args])
        for value in values:
            if type(value) is CelErr:
                error = value
                break
        if error is None and self.guards is not None:
            for i in range(count):
                guard = <object>PyTuple_GET_ITEM(self.guards, i)
                if guard is not None and type(<object>PyTuple_GET_ITEM(values, i)) not in guard:
                    error = self.misfit(values)
                    break
        if error is not None:
            f.cost += 1 if self.cost == C_FUNCTION or self.cost == C_RANGE else call_cost(self.cost, values, error, None)
            check(f)
            return error
        # What can be told beforehand is checked beforehand, so that no call runs long past the limit.
        if self.cost == C_JOIN or self.cost == C_LIST_OUT:
            result = self.function(*values)
            f.cost += call_cost(self.cost, values, result, None)
            check(f)
            return result
        f.cost += call_cost(self.cost, values, None, self.cost_function)
        check(f)
        return self.function(*values)


@cython.final
@cython.no_gc
cdef class MakeList(Node):
    cdef tuple items
    cdef frozenset optionals

    def __cinit__(self, tuple items, frozenset optionals):
        self.items = items
        self.optionals = optionals

    cdef object ev(self, Frame f):
        cdef list out = []
        cdef Py_ssize_t i
        f.cost += 10
        for i in range(PyTuple_GET_SIZE(self.items)):
            value = (<Node>PyTuple_GET_ITEM(self.items, i)).ev(f)
            if type(value) is CelErr:
                return value
            if self.optionals and i in self.optionals:
                if type(value) is not Optional:
                    return CelErr(f"cannot initialize optional list element from non-optional value {value}")
                if not (<Optional>value).present:
                    continue
                value = (<Optional>value).value
            out.append(value)
        return out


@cython.final
@cython.no_gc
cdef class MakeMap(Node):
    cdef tuple keys, values
    cdef frozenset optionals
    cdef object build

    def __cinit__(self, tuple keys, tuple values, frozenset optionals, build):
        self.keys = keys
        self.values = values
        self.optionals = optionals
        self.build = build

    cdef object ev(self, Frame f):
        cdef list keys = [], values = []
        cdef Py_ssize_t i
        f.cost += 30
        for i in range(PyTuple_GET_SIZE(self.keys)):
            key = (<Node>PyTuple_GET_ITEM(self.keys, i)).ev(f)
            if type(key) is CelErr:
                return key
            value = (<Node>PyTuple_GET_ITEM(self.values, i)).ev(f)
            if type(value) is CelErr:
                return value
            if self.optionals and i in self.optionals:
                if type(value) is not Optional:
                    return CelErr(f"cannot initialize optional entry '{key}' from non-optional value {value}")
                if not (<Optional>value).present:
                    continue
                value = (<Optional>value).value
            keys.append(key)
            values.append(value)
        return self.build(keys, values)


@cython.final
@cython.no_gc
cdef class OrElse(Node):
    """optional.or(optional) and optional.orValue(value): the right side is computed only where it is needed."""

    cdef Node left, right
    cdef bint unwrap

    def __cinit__(self, Node left, Node right, bint unwrap):
        self.left = left
        self.right = right
        self.unwrap = unwrap

    cdef object ev(self, Frame f):
        left = self.left.ev(f)
        if type(left) is not Optional:
            return left if type(left) is CelErr else NO_SUCH_OVERLOAD
        if (<Optional>left).present:
            return (<Optional>left).value if self.unwrap else left
        return self.right.ev(f)


@cython.final
@cython.no_gc
cdef class Bind(Node):
    """A variable for `body`, computed when it is first named."""

    cdef int slot
    cdef Node value, body

    def __cinit__(self, int slot, Node value, Node body):
        self.slot = slot
        self.value = value
        self.body = body

    cdef object ev(self, Frame f):
        f.slots[self.slot] = Lazy(self.value)
        result = self.body.ev(f)
        f.slots[self.slot] = None
        return result


# The macros' loops. What a turn costs besides the given expressions follows from their expansions:
#   all:    cond = accu (1) + not_strictly_false (1); step = accu (1)
#   exists: cond = accu + ! + not_strictly_false (3); step = accu (1)
#   exists_one: a hit is accu + 1 (2)
#   map: accu + [x] = accu (1) + list (10) + call (1)
#   filter: a hit is accu + [item]: the same and the item (1)
#   transformMap: accu (1) + key (1) + call (1); transformMapEntry: accu (1) + call (1)
# and at the end the result: accu (1), for exists_one accu == 1 (2).
cdef enum:
    ALL = 0
    EXISTS = 1
    EXISTS_ONE = 2
    MAP = 3
    TRANSFORM_MAP = 4
    TRANSFORM_ENTRY = 5

LOOPS = {
    "all": ALL, "exists": EXISTS, "exists_one": EXISTS_ONE, "map": MAP,
    "transform_map": TRANSFORM_MAP, "transform_entry": TRANSFORM_ENTRY,
}


@cython.final
@cython.no_gc
cdef class Loop(Node):
    """`source.macro(v, test, item)`; `slot2` is -1 for macros of one variable. `item_cost` is what the expansion adds
    for each produced item."""

    cdef Node source, test, item
    cdef int macro, slot, slot2
    cdef long long item_cost
    cdef object insert

    def __cinit__(self, str macro, Node source, int slot, int slot2, Node test, Node item, long long item_cost, insert):
        self.macro = LOOPS[macro]
        self.source = source
        self.slot = slot
        self.slot2 = slot2
        self.test = test
        self.item = item
        self.item_cost = item_cost
        self.insert = insert

    cdef object ev(self, Frame f):
        cdef object source = self.source.ev(f)
        cdef list items
        cdef Reader elem = None
        cdef object of_map = None
        cdef object accu
        cdef object current
        cdef Py_ssize_t i
        cdef list slots = f.slots
        if type(source) is CelErr:
            return source
        if type(source) is ListValue:
            items = (<ListValue>source).raw
            elem = (<ListValue>source).reader.element()
        elif type(source) is list:
            items = <list>source
        else:
            keys = map_keys(source)
            if keys is None:
                return CelErr(f"got '{go_type(source)}', expected iterable type")
            items = keys
            of_map = source
        if self.macro == ALL:
            accu = True
        elif self.macro == EXISTS:
            accu = False
        elif self.macro == EXISTS_ONE:
            accu = 0
        elif self.macro == MAP:
            accu = []
        else:
            accu = {}
        for i in range(PyList_GET_SIZE(items)):
            current = <object>PyList_GET_ITEM(items, i)
            if elem is not None:
                current = read(current, elem)
            if self.slot2 >= 0:
                if of_map is None:
                    slots[self.slot] = i
                    slots[self.slot2] = current
                else:
                    slots[self.slot] = current
                    slots[self.slot2] = map_get(of_map, current)
            else:
                slots[self.slot] = current
            if self.macro == ALL:
                f.cost += 2
                if accu is False:
                    break
                f.cost += 1
                hit = self.test.ev(f)
                if hit is not True:
                    if hit is False:
                        accu = False
                    elif accu is True:
                        accu = hit if type(hit) is CelErr else NO_SUCH_OVERLOAD
            elif self.macro == EXISTS:
                f.cost += 3
                if accu is True:
                    break
                f.cost += 1
                hit = self.test.ev(f)
                if hit is not False:
                    if hit is True:
                        accu = True
                    elif accu is False:
                        accu = hit if type(hit) is CelErr else NO_SUCH_OVERLOAD
            else:
                accu = self.collect(f, accu)
            if f.cost > f.limit or f.cost > f.yield_at:
                check(f)
        slots[self.slot] = None
        if self.slot2 >= 0:
            slots[self.slot2] = None
        if self.macro == EXISTS_ONE:
            f.cost += 2
            return accu if type(accu) is CelErr else accu == 1
        f.cost += 1
        return accu

    cdef object collect(self, Frame f, object accu):
        """One turn of the macros that gather: the new accumulator."""
        if self.test is not None:
            hit = self.test.ev(f)
            if hit is False:
                return accu
            if hit is not True:
                return hit if type(hit) is CelErr else NO_SUCH_OVERLOAD
        f.cost += self.item_cost
        if self.macro == EXISTS_ONE:
            return accu if type(accu) is CelErr else accu + 1
        value = self.item.ev(f)
        if type(accu) is CelErr:
            return accu
        if type(value) is CelErr:
            return value
        if self.macro == MAP:
            (<list>accu).append(value)
            return accu
        if self.macro == TRANSFORM_MAP:
            return self.insert(accu, f.slots[self.slot], value)
        keys = map_keys(value)
        if keys is None:
            return NO_SUCH_OVERLOAD
        for key in keys:
            accu = self.insert(accu, key, map_get(value, key))
            if type(accu) is CelErr:
                break
        return accu


cdef str go_type(object value):
    return "types." + {
        "string": "String", "int": "Int", "uint": "Uint", "double": "Double", "bool": "Bool", "bytes": "Bytes",
        "null_type": "Null", "google.protobuf.Duration": "Duration", "google.protobuf.Timestamp": "Timestamp",
    }.get(type_name(value), "Val")


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


@cython.final
cdef class Program:
    """An expression ready to run. `slots` counts the environment's variables and the loops'."""

    cdef Node root
    cdef readonly int slots

    def __cinit__(self, Node root, int slots):
        self.root = root
        self.slots = slots

    def run(self, list values, long long cost_limit):
        """(value or CelErr, cost). `values` holds the environment's variables in order, MISSING where one has no
        value; raises CostLimitExceeded."""
        cdef Frame f = Frame.__new__(Frame)
        cdef Py_ssize_t have = PyList_GET_SIZE(values)
        f.slots = values if have == self.slots else values + [None] * (self.slots - have)
        f.cost = 0
        f.limit = cost_limit
        f.yield_at = YIELD_COST
        result = self.root.ev(f)
        if f.cost > f.limit:
            raise CostLimitExceeded
        return result, f.cost

