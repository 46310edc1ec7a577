"""Tells good objects from bad ones. Contract: pkg/quarterdeck/_kernels/schema_check.pyi and .pxd.

Almost every object is good, so this pass keeps no paths and words nothing; ext/schema_findings.pyx goes over a bad
object again and says what is wrong. One depth-first pass with an array of frames. A frame is an object or a list being
walked, or the combinators of one value, whose clauses are tried one after the other:

    anyOf (until one passes) -> oneOf (all; exactly one) -> allOf (until one fails) -> not -> the value's own children

What fails unwinds to the nearest combinators, which decide; without any, the whole object is bad.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.ref cimport PyObject
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.pattern cimport Matcher
from quarterdeck._kernels.plainmeta cimport is_plain_time
from quarterdeck._kernels.schema cimport (
    DESCEND_DICT, DESCEND_LIST, FLOAT32, FORMAT, INT32, LIST_MAP, LIST_SET, MORE_FALSE, NULLABLE, Node, Program,
    R_MAXIMUM, R_MAXIMUM_BAD, R_MAXIMUM_EXCLUSIVE, R_MINIMUM, R_MINIMUM_BAD, R_MINIMUM_EXCLUSIVE, R_MULTIPLE,
    PLAIN_MASK, PLAIN_SHIFT, R_CLAUSES, R_COMMON, R_DATE_TIME, R_DICT, R_ENUM, R_IMPLIED,
    R_MULTIPLE_BAD, R_TEXT, R_UNIQUE, Rules, SLOT_REQUIRED,
    SLOT_SHIFT, Slot, T_ANY, T_ARRAY, T_BOOLEAN, T_INTEGER,
    T_NUMBER, T_OBJECT, T_STRING, find_slot, plain_kind,
    is_json_integer, to_int64
)

cdef extern from *:
    """
    /* Whether an integer is one of few bits, and which. */
    static inline int qd_small_integer(PyObject *value, long long *found) {
    #if PY_VERSION_HEX >= 0x030c0000
        if (!PyUnstable_Long_IsCompact((PyLongObject *)value)) return 0;
        *found = PyUnstable_Long_CompactValue((PyLongObject *)value);
    #else
        Py_ssize_t size = Py_SIZE(value);
        if (size < -1 || size > 1) return 0;
        *found = size == 0 ? 0 : size * (long long)((PyLongObject *)value)->ob_digit[0];
    #endif
        return 1;
    }
    """
    bint is_small_integer "qd_small_integer"(PyObject* value, long long* found) noexcept

cdef extern from "Python.h":
    bint PyDict_CheckExact(PyObject* value)
    bint PyList_CheckExact(PyObject* value)
    bint PyUnicode_CheckExact(PyObject* value)
    bint PyLong_CheckExact(PyObject* value)
    bint PyFloat_CheckExact(PyObject* value)
    bint PyBool_Check(PyObject* value)
    # With plain pointers, so that values that are only looked at are not counted as held.
    long long PyLong_AsLongLongAndOverflow(PyObject* value, int* overflow) except? -1
    double PyFloat_AS_DOUBLE(PyObject* value)
    int PyDict_Contains(PyObject* container, PyObject* key) except -1
    void* Py_TYPE(PyObject* value)
    Py_ssize_t PyDict_Size(PyObject* container)
    PyObject* PyList_GET_ITEM(PyObject* container, Py_ssize_t at)
    Py_ssize_t PyList_GET_SIZE(PyObject* container)
    PyObject* PyTuple_GET_ITEM(PyObject* container, Py_ssize_t at)
    Py_ssize_t PyTuple_GET_SIZE(PyObject* container)
    int PySet_Contains(PyObject* container, PyObject* value) except -1
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    PyObject* Py_None

cdef enum:
    ENTERED = 2           # a frame was pushed; the verdict comes later
    IN_DICT = 0
    IN_LIST = 1
    IN_CLAUSES = 2
    FRAMES_LOCAL = 24
    PHASE_ANY = 0
    PHASE_ONE = 1
    PHASE_ALL = 2
    PHASE_NOT = 3
    PHASE_END = 4

# By PLAIN_*; PLAIN_NONE is no value's type.
cdef void** plain_types = [
    NULL, <void*>str, <void*>int, <void*>bool, <void*>dict, <void*>list, NULL, NULL,
]
cdef double FLOAT32_LIMIT = 3.4028235677973366e38

cdef struct Frame:
    PyObject* value       # held by what holds the object
    Py_ssize_t pos
    int32_t node
    int32_t valid         # clauses of oneOf that passed; of an object, required properties that were met
    char kind
    char phase
    char is_waiting       # a clause is being tried in the frames above

cdef struct Pass:         # one run; the program is alive as long as it
    const Node* nodes
    Rules* rules
    const Slot* slots
    const int32_t* clauses
    PyObject* program
    Frame* frames
    Py_ssize_t count
    Py_ssize_t room
    Frame local[FRAMES_LOCAL]


# --- single values --------------------------------------------------------------------------------


cdef bint is_type_good(Node* node, PyObject* value) except -1:
    """Whether a value that is not null has the type asked for (with a format, texts and lists always have)."""
    cdef uint32_t types = node.flags & T_ANY
    if PyUnicode_CheckExact(value) or PyList_CheckExact(value):
        if types & (T_STRING if PyUnicode_CheckExact(value) else T_ARRAY):
            return True
        if node.flags & FORMAT:
            return not types & (T_INTEGER | T_NUMBER)
        return types == 0
    if types == 0:
        return not node.flags & FORMAT
    if PyDict_CheckExact(value):
        return types & T_OBJECT
    if PyBool_Check(value):
        return types & T_BOOLEAN
    if PyLong_CheckExact(value):
        return types & (T_INTEGER | T_NUMBER)
    if PyFloat_CheckExact(value):
        return types & T_NUMBER or types & T_INTEGER and is_json_integer(PyFloat_AS_DOUBLE(value))
    raise TypeError(f"not a JSON value: {<object>value!r}")


cdef bint is_enumerated(Program program, Rules* rules, PyObject* value) except -1:
    """Go converts the value to the type of the allowed one: numbers to each other, an integer to a character."""
    cdef tuple allowed = program.refs[rules.enumeration]
    cdef double number
    cdef long long integer
    cdef int overflow = 0
    if value is Py_None:
        return False
    if PyUnicode_CheckExact(value):
        return PySet_Contains(PyTuple_GET_ITEM(<PyObject*>allowed, 1), value)
    if PyBool_Check(value):
        return <object>value in allowed[4]
    if PyFloat_CheckExact(value):
        number = PyFloat_AS_DOUBLE(value)
        return <object>value in allowed[3] or to_int64(number) in allowed[2]
    if PyLong_CheckExact(value):
        if <object>value in allowed[2] or <double><object>value in allowed[3]:
            return True
        integer = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow or integer < 0 or integer > 0x10FFFF or 0xD800 <= integer <= 0xDFFF:
            return "\ufffd" in allowed[1]
        return chr(integer) in allowed[1]
    return program.typed_key(<object>value) in allowed[5]


cdef bint does_pattern_match(Program program, Rules* rules, object text) except -1:
    return (<Matcher>program.refs[rules.pattern]).search(text)


cdef bint is_format_good(Program program, Rules* rules, object text) except -1:
    if rules.present & R_DATE_TIME and is_plain_time(text):
        return True
    return program.refs[rules.checker](text)


cdef bint is_number_good(Node* node, Rules* rules, PyObject* value) except -1:
    cdef uint32_t present
    cdef long long integer = 0
    cdef double number = 0
    cdef int overflow = 0
    cdef bint is_integer = PyLong_CheckExact(value)
    if is_integer:
        if not is_small_integer(value, &integer):
            integer = PyLong_AsLongLongAndOverflow(value, &overflow)
            if overflow:
                raise OverflowError("integers beyond int64 are floats in decoded JSON")
        number = <double>integer
    else:
        number = PyFloat_AS_DOUBLE(value)
    if node.flags & T_ANY == T_INTEGER:
        if not is_integer:
            if number != <double>to_int64(number) or fabs(number) >= 9223372036854775808.0:
                return False
        if node.flags & INT32 and not (-2147483648.0 <= number <= 2147483647.0):
            return False
    elif node.flags & FLOAT32 and fabs(number) >= FLOAT32_LIMIT:
        return False
    if rules is NULL or not rules.present:
        return True
    present = rules.present
    if present & (R_MULTIPLE_BAD | R_MINIMUM_BAD | R_MAXIMUM_BAD):
        return False
    if present & R_MULTIPLE and not is_multiple(rules.multiple_of, is_integer, integer, number):
        return False
    if present & R_MINIMUM:
        if is_integer:
            if integer < to_int64(rules.minimum):
                return False
            if present & R_MINIMUM_EXCLUSIVE and integer == to_int64(rules.minimum):
                return False
        elif number < rules.minimum or present & R_MINIMUM_EXCLUSIVE and number == rules.minimum:
            return False
    if present & R_MAXIMUM:
        if is_integer:
            if integer > to_int64(rules.maximum):
                return False
            if present & R_MAXIMUM_EXCLUSIVE and integer == to_int64(rules.maximum):
                return False
        elif number > rules.maximum or present & R_MAXIMUM_EXCLUSIVE and number == rules.maximum:
            return False
    return True


cdef bint is_multiple(double factor, bint is_integer, long long integer, double number) noexcept:
    cdef int64_t whole = to_int64(factor)
    if is_integer:
        return whole > 0 and integer % whole == 0
    if factor <= 0:
        return False
    return is_json_integer(1 / factor * number if factor < 1 else number / factor)


cdef bint is_text_good(Program program, Rules* rules, PyObject* value) except -1:
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(value)
    if length > rules.length_max:
        return False
    if length < rules.length_min:
        return False
    if rules.pattern >= 0 and not does_pattern_match(program, rules, <object>value):
        return False
    return rules.checker < 0 or is_format_good(program, rules, <object>value)


cdef bint is_dict_good(Program program, Rules* rules, PyObject* value) except -1:
    """All but the required properties, which are counted while the object is gone through."""
    cdef Py_ssize_t i, size = PyDict_Size(value)
    cdef PyObject* names
    if size < rules.properties_min or size > rules.properties_max:
        return False
    if rules.required_others >= 0:
        names = <PyObject*>program.refs[rules.required_others]
        for i in range(PyTuple_GET_SIZE(names)):
            if not PyDict_Contains(value, PyTuple_GET_ITEM(names, i)):
                return False
    return True


cdef bint is_list_good(Program program, Rules* rules, PyObject* value) except -1:
    cdef Py_ssize_t size = PyList_GET_SIZE(value)
    if size < rules.items_min or size > rules.items_max:
        return False
    if rules.present & R_UNIQUE and size > 1:
        return len({program.typed_key(item) for item in <list>value}) == size
    return True


# --- lists of type set and map --------------------------------------------------------------------


cdef bint is_list_type_good(Program program, Node* node, list value) except -1:
    cdef tuple names
    if node.flags & LIST_SET:
        return PyList_GET_SIZE(<PyObject*>value) < 2 or are_distinct(program, value)
    for item in value:
        give_way()
        if item is not None and type(item) is not dict:
            return False
    if PyList_GET_SIZE(<PyObject*>value) < 2:
        return True
    names = program.refs[node.extra][0] if node.extra >= 0 else ()
    if len(names) == 1:
        return have_distinct_key(program, value, names[0])
    return are_distinct(program, [map_key(item, names) for item in value])


cdef bint have_distinct_key(Program program, list value, object name) except -1:
    """One key is compared as it is; elements that lack it are alike."""
    cdef list keys = []
    cdef Py_ssize_t lacking = 0
    for item in value:
        give_way()
        if item is None or name not in <dict>item:
            lacking += 1
        else:
            keys.append((<dict>item)[name])
    return lacking < 2 and are_distinct(program, keys)


cdef dict map_key(object item, tuple names):
    cdef dict made = {}
    if item is not None:
        for name in names:
            if name in <dict>item:
                made[name] = (<dict>item)[name]
    return made


cdef bint are_distinct(Program program, list values) except -1:
    """Scalars by Go's type and value, compound values by their JSON text."""
    cdef set seen = set()
    cdef object key
    for item in values:
        give_way()
        if type(item) is str:
            key = item
        elif type(item) is dict or type(item) is list:
            key = (0, program.json_text(item))
        else:
            key = (type(item), item)
        seen.add(key)
    return len(seen) == len(values)


# --- the pass -------------------------------------------------------------------------------------


cdef inline int push(Pass* run, PyObject* value, int32_t node, char kind) except -1:
    cdef Frame* frame
    if run.count == run.room:
        grow(run)
    frame = &run.frames[run.count]
    frame.value, frame.pos, frame.node, frame.valid = value, 0, node, 0
    frame.kind, frame.phase, frame.is_waiting = kind, PHASE_ANY, False
    run.count += 1
    return ENTERED


cdef int grow(Pass* run) except -1:
    cdef Frame* larger
    if run.frames == run.local:
        larger = <Frame*>PyMem_Malloc(2 * run.room * sizeof(Frame))
        if larger is not NULL:
            memcpy(larger, run.local, sizeof(run.local))
    else:
        larger = <Frame*>PyMem_Realloc(run.frames, 2 * run.room * sizeof(Frame))
    if larger is NULL:
        raise MemoryError
    run.frames = larger
    run.room *= 2
    return 0


cdef bint check(Pass* run, PyObject* value, int32_t node) except -1:
    cdef Frame* frame
    cdef int verdict = enter(run, node, value)
    while True:
        if verdict == FAILED and not unwind(run):
            return False
        if run.count == 0:
            return True
        frame = &run.frames[run.count - 1]
        if frame.kind == IN_DICT:
            verdict = step_dict(run, frame)
        elif frame.kind == IN_LIST:
            verdict = step_list(run, frame)
        else:
            verdict = step_clauses(run, frame, verdict)


cdef bint unwind(Pass* run) noexcept:
    """Back to the nearest combinators; whether there are any."""
    while run.count:
        if run.frames[run.count - 1].kind == IN_CLAUSES:
            return True
        run.count -= 1
    return False


cdef inline int enter(Pass* run, int32_t index, PyObject* value) except -1:
    """Checks what can be told of the value itself; pushes a frame for the rest. The common cases first."""
    cdef Node* node = <Node*>&run.nodes[index]
    cdef uint32_t flags = node.flags
    cdef Rules* rules
    if PyUnicode_CheckExact(value):
        if flags & T_STRING or not flags & (T_ANY | FORMAT):
            if node.rules < 0:
                return PASSED
            rules = &run.rules[node.rules]
            if not rules.present & R_CLAUSES or rules.present & R_IMPLIED:
                if rules.present & R_ENUM and not is_enumerated(<Program>run.program, rules, value):
                    return FAILED
                return not rules.present & R_TEXT or is_text_good(<Program>run.program, rules, value)
    elif PyDict_CheckExact(value):
        if flags & T_OBJECT:
            if node.rules >= 0:
                rules = &run.rules[node.rules]
                if rules.present & R_COMMON:
                    return enter_slowly(run, index, node, value)
                if rules.present & R_DICT and not is_dict_good(<Program>run.program, rules, value):
                    return FAILED
            return push(run, value, index, IN_DICT) if flags & DESCEND_DICT else PASSED
    elif PyLong_CheckExact(value):
        if flags & (T_INTEGER | T_NUMBER):
            rules = &run.rules[node.rules] if node.rules >= 0 else NULL
            if rules is NULL or not rules.present & R_COMMON or rules.present & (R_ENUM | R_IMPLIED) == R_IMPLIED:
                return is_number_good(node, rules, value)
    elif PyList_CheckExact(value):
        if flags & T_ARRAY and not flags & (LIST_SET | LIST_MAP):
            if node.rules >= 0:
                rules = &run.rules[node.rules]
                if rules.present & R_COMMON:
                    return enter_slowly(run, index, node, value)
                if not is_list_good(<Program>run.program, rules, value):
                    return FAILED
            return push(run, value, index, IN_LIST) if flags & DESCEND_LIST else PASSED
    return enter_slowly(run, index, node, value)


cdef int enter_slowly(Pass* run, int32_t index, Node* node, PyObject* value) except -1:
    cdef Rules* rules = &run.rules[node.rules] if node.rules >= 0 else NULL
    cdef Program program = <Program>run.program
    if value is Py_None:
        if rules is not NULL and rules.enumeration >= 0:
            return FAILED
        return node.flags & NULLABLE != 0 or node.flags & T_ANY == 0
    if not is_type_good(node, value):
        return FAILED
    if PyLong_CheckExact(value) or PyFloat_CheckExact(value):
        if not is_number_good(node, rules, value):
            return FAILED
    if rules is not NULL:
        if rules.enumeration >= 0 and not is_enumerated(program, rules, value):
            return FAILED
        if PyUnicode_CheckExact(value):
            if rules.present & R_TEXT and not is_text_good(program, rules, value):
                return FAILED
        elif PyDict_CheckExact(value):
            if rules.present & R_DICT and not is_dict_good(program, rules, value):
                return FAILED
        elif PyList_CheckExact(value):
            if not is_list_good(program, rules, value):
                return FAILED
        if rules.present & R_CLAUSES:
            return push(run, value, index, IN_CLAUSES)
    return enter_children(run, index, node, value)


cdef int enter_children(Pass* run, int32_t index, Node* node, PyObject* value) except -1:
    if PyDict_CheckExact(value):
        if node.flags & DESCEND_DICT:
            return push(run, value, index, IN_DICT)
    elif node.flags & DESCEND_LIST and PyList_CheckExact(value):
        if node.flags & (LIST_SET | LIST_MAP):
            if not is_list_type_good(<Program>run.program, node, <list>value):
                return FAILED
        if node.items >= 0:
            return push(run, value, index, IN_LIST)
    return PASSED


cdef int step_dict(Pass* run, Frame* frame) except -1:
    cdef const Node* node = &run.nodes[frame.node]
    cdef const Slot* slots = run.slots + node.slots
    cdef Py_ssize_t mask = node.slots_mask
    cdef Entries entries = entries_of(frame.value)
    cdef Py_ssize_t depth = run.count - 1, pos = frame.pos
    cdef PyObject* container = frame.value
    cdef int32_t valid = frame.valid, child
    cdef PyObject* key
    cdef PyObject* value
    cdef int verdict
    while next_entry(container, &entries, &pos, &key, &value):
        give_way()
        child = find_slot(slots, mask, key) if mask >= 0 else -1
        if child >= 0:
            valid += child & SLOT_REQUIRED
            if Py_TYPE(value) == plain_types[child >> PLAIN_SHIFT & PLAIN_MASK]:
                continue
            child >>= SLOT_SHIFT
        else:
            child = node.more
            if child < 0:
                if child == MORE_FALSE:
                    return FAILED
                continue
        verdict = enter(run, child, value)
        if verdict != PASSED:
            if verdict == ENTERED:  # which may have moved the frames
                run.frames[depth].pos, run.frames[depth].valid = pos, valid
            return verdict
    run.count -= 1
    return node.rules < 0 or valid == run.rules[node.rules].required_count


cdef int step_list(Pass* run, Frame* frame) except -1:
    cdef int32_t child = run.nodes[frame.node].items
    cdef void* plain_type = plain_types[plain_kind(&run.nodes[child])]
    cdef PyObject* value
    cdef int verdict
    cdef Py_ssize_t depth = run.count - 1, pos = frame.pos
    cdef PyObject* container = frame.value
    while pos < PyList_GET_SIZE(container):
        give_way()
        value = PyList_GET_ITEM(container, pos)
        pos += 1
        if Py_TYPE(value) == plain_type:
            continue
        verdict = enter(run, child, value)
        if verdict != PASSED:
            if verdict == ENTERED:
                run.frames[depth].pos = pos
            return verdict
    run.count -= 1
    return PASSED


cdef int step_clauses(Pass* run, Frame* frame, int verdict) except -1:
    """Takes the verdict on the clause that was tried, if one was, and goes on to the next."""
    cdef int32_t node = frame.node
    cdef Rules* rules = &run.rules[run.nodes[node].rules]
    cdef PyObject* value = frame.value
    if frame.is_waiting:
        frame.is_waiting = False
        if not judge(frame, rules, verdict != FAILED):
            run.count -= 1
            return FAILED
    while frame.phase != PHASE_END:
        if frame.pos < clauses_end(rules, frame.phase):
            frame.is_waiting = True
            frame.pos += 1
            # Entering may move the frames, so that this one must not be touched again.
            return enter(run, run.clauses[rules.clauses + frame.pos - 1], value)
        if frame.phase == PHASE_ANY and rules.any_count:
            run.count -= 1
            return FAILED
        if frame.phase == PHASE_ONE and rules.one_count and frame.valid != 1:
            run.count -= 1
            return FAILED
        frame.phase += 1
    run.count -= 1
    return enter_children(run, node, <Node*>&run.nodes[node], value)


cdef bint judge(Frame* frame, Rules* rules, bint has_passed) noexcept:
    """Whether the value may still be good after this clause."""
    if frame.phase == PHASE_ANY:
        if has_passed:
            frame.phase = PHASE_ONE
            frame.pos = rules.any_count
        return True
    if frame.phase == PHASE_ONE:
        frame.valid += has_passed
        return frame.valid < 2
    return has_passed if frame.phase == PHASE_ALL else not has_passed


cdef int32_t clauses_end(Rules* rules, char phase) noexcept:
    cdef int32_t end = rules.any_count
    if phase >= PHASE_ONE:
        end += rules.one_count
    if phase >= PHASE_ALL:
        end += rules.all_count
    if phase >= PHASE_NOT:
        end += rules.not_count
    return end


cdef bint is_good(Program program, PyObject* value) except -1:
    cdef Pass run
    run.nodes, run.rules, run.slots, run.clauses = program.nodes, program.rules, program.slots, program.clauses
    run.program = <PyObject*>program
    run.frames, run.count, run.room = run.local, 0, FRAMES_LOCAL
    try:
        return check(&run, value, program.root)
    finally:
        if run.frames != run.local:
            PyMem_Free(run.frames)


def is_valid(Program program not None, value):
    return is_good(program, <PyObject*>value)
