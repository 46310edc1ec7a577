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
from libc.math cimport ceil

from quarterdeck._kernels.celkeys cimport asks_for_texts, is_qualifier, qualifier_fault, show_key
from quarterdeck._kernels.celnative cimport native, open_again
from quarterdeck._kernels.celvalue cimport (
    DYN_READER,
    MISSING,
    NO_SUCH_OVERLOAD,
    PANIC,
    UINT,
    CelErr,
    ListValue,
    MapValue,
    ObjectValue,
    Optional,
    Reader,
    find_member,
    map_get,
    read,
    read_present,
    type_name,
)

cdef enum:
    K_OBJECT = 5
    K_MAP = 6
    K_LIST = 7
    YIELD_COST = 20_000  # about a millisecond between two releases of the interpreter lock

    Q_FIELD = 0  # a constant string
    Q_CONST = 1  # another constant
    Q_NODE = 2  # a computed key or index


class CostLimitExceeded(Exception):
    """The evaluation was stopped: it cost more than it may. Its argument is what it had cost by then."""


cdef object OPTIONAL_NONE = Optional(None, False)
cdef object INT64_MAX = (1 << 63) - 1


@cython.final
@cython.freelist(8)
cdef class Frame:
    """One evaluation: the variables and what it has cost."""


cdef int check(Frame f) except -1:
    if f.cost > f.limit:
        raise CostLimitExceeded(f.cost)
    if f.cost > f.yield_at:
        f.yield_at = f.cost + YIELD_COST
        with nogil:
            pass
    return 0


cdef long long tenth(long long size) noexcept:
    return <long long>ceil(<double>size * 0.1)


cdef long long quarter(long long size) noexcept:
    return <long long>ceil(<double>size * 0.25)


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
    return CelErr(f"no such key: {show_key(key)}")


cdef object index_list(object value, object key):
    """An element; CelErr or MISSING (out of bounds)."""
    cdef Py_ssize_t size, at
    given = key
    if type(key) is float:
        if not -9.223372036854775808e18 < key < 9.223372036854775808e18 or key != int(key):
            return CelErr(f"unsupported index value {show_key(key)} in list")
        key = int(key)
    elif type(key) is UINT:
        if key > INT64_MAX:
            return CelErr(f"unsupported index value {key} in list")
        key = int(key)
    elif type(key) is not int:
        return CelErr(f"unsupported index type '{type_name(key)}' in list")
    if type(value) is list:
        size = PyList_GET_SIZE(value)
        if 0 <= key < size:
            at = key
            return <object>PyList_GET_ITEM(value, at)
        return MISSING
    size = PyList_GET_SIZE((<ListValue>value).raw)
    if 0 <= key < size:
        if key is not given and (<ListValue>value).reader is not DYN_READER:  # what schemas describe wants integers
            return CelErr(f"unsupported index: {show_key(given)}")
        at = key
        return read(<object>PyList_GET_ITEM((<ListValue>value).raw, at), (<ListValue>value).reader.element())
    return MISSING


cdef bint is_at(object container, object key) noexcept:
    """Whether a key is a place in a list, though what stands there cannot be read."""
    if type(container) is not list and type(container) is not ListValue:
        return False
    if type(key) is float:
        return -9.223372036854775808e18 < key < 9.223372036854775808e18 and key == int(key)
    return type(key) is int or (type(key) is UINT and key <= INT64_MAX)


cdef object select(object value, object key):
    """value[key] as any container has it; MISSING where nothing is there, CelErr where it makes no sense."""
    t = type(value)
    if t is list or t is ListValue:
        return index_list(value, key)
    if t is CelErr:
        return value
    return map_get(value, key)


cdef object resolve(object cur, tuple quals, Frame f, bint test):
    """Follows a path. Containers met on the way are not wrapped: `raw` and `reader` say where it is. Only the optional
    that it starts at is opened: one on the way has no members."""
    cdef Py_ssize_t i, count = PyTuple_GET_SIZE(quals)
    cdef Qual q
    cdef Reader reader = None
    cdef PyObject* found
    cdef tuple field
    cdef bint optional = False
    cdef int kind
    cdef object key
    cdef object container = None
    key = None
    if type(cur) is Optional:
        if not (<Optional>cur).present:
            return False if test else cur
        optional = True
        # What schemas describe is from here on as it was sent: names are not escaped, times are texts, null is a value.
        cur = native(cur)
    for i in range(count):
        q = <Qual>PyTuple_GET_ITEM(quals, i)
        if q.optional:
            optional = True
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
                else:  # a rule that does not know what it looks into may write a name as it is
                    key = find_member(ObjectValue(cur, reader), q.key)
                    if key is not MISSING:
                        cur, reader = key, None
                        continue
                if found is NULL or <object>found is None:
                    if optional:
                        f.cost -= 1
                        return False if test else OPTIONAL_NONE
                    if test and i == count - 1:
                        return False
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
            if type(key) is CelErr or not is_qualifier(key):
                f.cost -= optional
                return key if type(key) is CelErr else CelErr(qualifier_fault(key))
        if reader is not None:
            cur = read(cur, reader)
            reader = None
        if type(cur) is CelErr:
            return cur
        container = cur
        cur = select(container, key)
        if type(cur) is CelErr and (cur is not NO_SUCH_OVERLOAD or asks_for_texts(container)):
            if not is_at(container, key):
                f.cost -= optional
                return cur
        if cur is MISSING or cur is NO_SUCH_OVERLOAD:  # what has no members has not this one (null, numbers, texts)
            if optional:
                f.cost -= 1
                return False if test else OPTIONAL_NONE
            if test and i == count - 1:
                return False
            if type(container) is list or type(container) is ListValue:
                return CelErr(f"index out of bounds: {show_key(key)}")
            return no_such_key(key)
    if test:
        if type(cur) is CelErr:
            return cur
        return True
    if reader is not None:
        cur = read_present(cur, reader)
    if optional and (type(cur) is not CelErr or is_at(container, key)):
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
        if field is NULL:
            f.cost -= 1
            return resolve(ObjectValue(<object>at, <Reader>schema), quals[i:], f, False)
        found = PyDict_GetItem(<object>at, <object>PyTuple_GET_ITEM(<object>field, 0))
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
            return open_again(<Optional>start) if type(start) is Optional else start
        if type(start) is CelErr:
            return start
        return resolve(start, self.quals, f, self.test)


@cython.final
cdef class Lazy:
    """A macro's binding, computed when it is first named."""

    def __cinit__(self, Node node):
        self.node = node

    cdef object force(self, Frame f, int slot):
        value = self.node.ev(f)
        f.slots[slot] = value
        return value


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
        value; raises CostLimitExceeded. No operator absorbs the error that a panic becomes."""
        cdef Frame f = Frame.__new__(Frame)
        f.slots = values if len(values) == self.slots else values + [None] * (self.slots - len(values))
        f.cost, f.limit, f.yield_at = 0, cost_limit, YIELD_COST
        try:
            result = self.root.ev(f)
        except PANIC as error:
            result = CelErr(f"internal error: {error}")
        if f.cost > f.limit:
            raise CostLimitExceeded(f.cost)
        return result, f.cost


def hold(tuple programs, list values, long long cost_limit):
    """What all cost where each gives true; -2 - cost where one is false after those; -1 where that cannot be told."""
    cdef Frame f = Frame.__new__(Frame)
    cdef Program program
    f.cost, f.limit, f.yield_at = 0, cost_limit, YIELD_COST
    for program in programs:
        f.slots = values if len(values) == program.slots else values + [None] * (program.slots - len(values))
        try:
            result = program.root.ev(f)
        except (CostLimitExceeded, PANIC, RecursionError):
            return -1
        if f.cost > cost_limit or type(result) is not bool:
            return -1
        if result is False:
            return -2 - f.cost
    return f.cost
