"""Calls, literals and the macros' loops of CEL as nodes.

A call is paid before it is made wherever its cost can be told from the arguments, so that nothing runs long past the
limit. Source: cel-go's interpreter/interpretable.go, parser/macro.go and ext/, apiserver's pkg/cel/library/cost.go.
"""

cimport cython
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.math cimport ceil

from quarterdeck._kernels.celeval cimport Frame, Lazy, Node, check, no_such_key, quarter, tenth
from quarterdeck._kernels.celkeys cimport go_type, show_key
from quarterdeck._kernels.celvalue cimport (
    MISSING,
    NO_SUCH_OVERLOAD,
    UINT,
    CelErr,
    Duration,
    ListValue,
    Optional,
    Reader,
    Timestamp,
    list_items,
    map_get,
    map_keys,
    panic,
    read,
    size_of,
    type_name,
)

cdef extern from *:
    """
    #define qd_mul_cost(a, b, r) __builtin_mul_overflow(a, b, r)
    """
    bint qd_mul_cost(long long, long long, long long*) nogil

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

# Values that have the first of a list's methods (Add), so that Go misses the second one.
cdef frozenset ADDED = frozenset((str, bytes, int, float, UINT, Duration, Timestamp))

COSTS = {
    "one": C_ONE, "string": C_STRING, "string_twice": C_STRING_TWICE, "join": C_JOIN, "traverse": C_TRAVERSE,
    "regex": C_REGEX, "sets": C_SETS, "sets_twice": C_SETS_TWICE, "list_out": C_LIST_OUT,
    "compare_all": C_COMPARE_ALL, "compare_keys": C_COMPARE_KEYS, "flatten": C_FLATTEN, "zero": C_ZERO,
    "range": C_RANGE,
}


cdef long long mul_cost(long long a, long long b) noexcept:
    cdef long long out = 0
    if qd_mul_cost(a, b, &out):
        return 1 << 62
    return out


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


# Upstream's cost trackers of some functions take their arguments for what they should be, errors too.
cdef int no_list(object value) except -1:
    method = "Contains" if type(value) in ADDED else "Add"
    panic(f"interface conversion: {go_type(value)} is not traits.Lister: missing method {method}")
    return 0


cdef long long call_cost(int cost, tuple args, object result, object function) except -1:
    cdef long long a
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
        compared = args[0] if cost == C_COMPARE_ALL else args[1]
        items = list_items(compared)
        if items is None:
            no_list(compared)
        if not items:
            return 11
        a = len(items)
        if type(items[0]) is str or type(items[0]) is bytes:
            return 11 + <long long>(<double>mul_cost(a, a) * (2.0 + 0.1))
        return 11 + 2 * mul_cost(a, a)
    if cost == C_FLATTEN:
        if len(args) == 2:
            if type(args[1]) is not int:
                panic(f"interface conversion: ref.Val is {go_type(args[1])}, not types.Int")
            return 11 + max(-(1 << 61), min(args[1] * (<object>size_of(args[0])), 1 << 61))
        return 11 + size_of(args[0])
    if cost == C_RANGE:
        return 11 + max(0, min(args[0], 1 << 61))
    return function(args, result)


@cython.final
@cython.no_gc
cdef class Call(Node):
    """Any other function: `function(*args)` gives a value or a CelErr. Not called when an argument is an error, nor
    when one is of no type in its guard: then the value is `misfit(arguments)`."""

    cdef object function
    cdef tuple args
    cdef tuple guards
    cdef object misfit
    cdef int cost
    cdef object cost_function
    cdef bint stops  # no argument is computed after one that is an error, and then the call costs nothing

    def __cinit__(self, function, tuple args, cost, tuple guards, misfit, bint stops=False):
        self.stops = stops or len(args) > 2
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
        if self.stops:
            given = []
            for i in range(count):
                given.append((<Node>PyTuple_GET_ITEM(self.args, i)).ev(f))
                if type(given[i]) is CelErr and i < count - 1:
                    return given[i]
            values = tuple(given)
        elif count == 1:
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
            f.cost += 12 if self.cost == C_RANGE else call_cost(self.cost, values, error, self.cost_function)
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
                    return CelErr(f"cannot initialize optional list element from non-optional value {show_key(value)}")
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
                    shown = show_key(value)
                    return CelErr(f"cannot initialize optional entry '{show_key(key)}' from non-optional value {shown}")
                value = (<Optional>value).value if (<Optional>value).present else MISSING
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
            return left  # an error, or a value that is not optional: it is there
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
        cdef object of_map = None, found
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
                if self.slot2 >= 0:
                    return CelErr(f"unsupported comprehension range type: {go_type(source)}")
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
                    found = map_get(of_map, current)
                    slots[self.slot2] = no_such_key(current) if found is MISSING else found
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
        if self.macro == TRANSFORM_MAP and type(accu) is CelErr:
            f.cost += 1
            return accu
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
            return CelErr(f"no such overload: cel.@mapInsert(map, {type_name(value)})")
        for key in keys:
            accu = self.insert(accu, key, map_get(value, key))
            if type(accu) is CelErr:
                break
        return accu
