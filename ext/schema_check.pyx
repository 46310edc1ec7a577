"""Tells good objects from bad ones. Contract: pkg/quarterdeck/_kernels/schema_check.pyi and .pxd.

Almost every object is good, so this pass keeps no paths and words nothing; ext/schema_findings.pyx goes over a bad
object again and says what is wrong. One depth-first pass with an array of frames. A frame is an object or a list being
walked, or the combinators of one value, whose clauses are tried one after the other:

    anyOf (until one passes) -> oneOf (all; exactly one) -> allOf (until one fails) -> not -> the value's own children

What fails unwinds to the nearest combinators, which decide; without any, the whole object is bad.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Contains, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.ref cimport PyObject
from cpython.set cimport PySet_Contains
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_GET_LENGTH
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy

from quarterdeck._kernels.schema cimport (
    DESCEND_DICT, DESCEND_LIST, FLOAT32, FORMAT, INT32, LIST_MAP, LIST_SET, MORE_FALSE, NULLABLE, Node, Program,
    R_MAXIMUM, R_MAXIMUM_BAD, R_MAXIMUM_EXCLUSIVE, R_MINIMUM, R_MINIMUM_BAD, R_MINIMUM_EXCLUSIVE, R_MULTIPLE,
    R_MULTIPLE_BAD, R_UNIQUE, Rules, T_ANY, T_ARRAY, T_BOOLEAN, T_INTEGER, T_NUMBER, T_OBJECT, T_STRING, find_slot,
    is_json_integer, to_int64
)

cdef extern from "Python.h":
    bint PyDict_CheckExact(PyObject* value)
    bint PyList_CheckExact(PyObject* value)
    bint PyUnicode_CheckExact(PyObject* value)
    bint PyLong_CheckExact(PyObject* value)
    bint PyFloat_CheckExact(PyObject* value)
    bint PyBool_Check(PyObject* value)
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1
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

cdef double FLOAT32_LIMIT = 3.4028235677973366e38

cdef struct Frame:
    PyObject* value       # held by what holds the object
    Py_ssize_t pos
    int32_t node
    int32_t valid         # clauses of oneOf that passed
    char kind
    char phase
    char is_waiting       # a clause is being tried in the frames above


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
        return types & T_NUMBER or types & T_INTEGER and is_json_integer(PyFloat_AS_DOUBLE(<object>value))
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
        return PySet_Contains(allowed[1], <object>value)
    if PyBool_Check(value):
        return <object>value in allowed[4]
    if PyFloat_CheckExact(value):
        number = PyFloat_AS_DOUBLE(<object>value)
        return <object>value in allowed[3] or to_int64(number) in allowed[2]
    if PyLong_CheckExact(value):
        if <object>value in allowed[2] or <double><object>value in allowed[3]:
            return True
        integer = PyLong_AsLongLongAndOverflow(<object>value, &overflow)
        if overflow or integer < 0 or integer > 0x10FFFF or 0xD800 <= integer <= 0xDFFF:
            return "\ufffd" in allowed[1]
        return chr(integer) in allowed[1]
    return program.typed_key(<object>value) in allowed[5]


cdef bint does_pattern_match(Program program, Rules* rules, object text) except -1:
    cdef object match = program.matcher(rules.pattern)
    cdef const char* data
    cdef Py_ssize_t size = 0
    cdef object encoded, spans
    if match is None:
        return False
    try:
        data = PyUnicode_AsUTF8AndSize(text, &size)
        encoded = PyBytes_FromStringAndSize(data, size)
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "surrogatepass")
        size = PyBytes_GET_SIZE(encoded)
    spans = match(program.anchor, encoded, 0, size)
    return spans[0][0] >= 0


cdef bint is_format_good(Program program, Rules* rules, object text) except -1:
    return program.refs[rules.checker](text)


cdef bint is_number_good(Node* node, Rules* rules, PyObject* value) except -1:
    cdef uint32_t present
    cdef long long integer = 0
    cdef double number = 0
    cdef int overflow = 0
    cdef bint is_integer = PyLong_CheckExact(value)
    if is_integer:
        integer = PyLong_AsLongLongAndOverflow(<object>value, &overflow)
        if overflow:
            raise OverflowError("integers beyond int64 are floats in decoded JSON")
        number = <double>integer
    else:
        number = PyFloat_AS_DOUBLE(<object>value)
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
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(<object>value)
    if rules.length_max >= 0 and length > rules.length_max:
        return False
    if length < rules.length_min:
        return False
    if rules.pattern >= 0 and not does_pattern_match(program, rules, <object>value):
        return False
    return rules.checker < 0 or is_format_good(program, rules, <object>value)


cdef bint has_required(Program program, Rules* rules, dict value) except -1:
    cdef tuple required = program.refs[rules.required]
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(required)):
        if not PyDict_Contains(value, <object>PyTuple_GET_ITEM(required, i)):
            return False
    return True


cdef bint is_dict_good(Program program, Rules* rules, PyObject* value) except -1:
    cdef Py_ssize_t size
    if rules.required >= 0 and not has_required(program, rules, <dict>value):
        return False
    size = PyDict_Size(<object>value)
    return size >= rules.properties_min and (rules.properties_max < 0 or size <= rules.properties_max)


cdef bint is_list_good(Program program, Rules* rules, PyObject* value) except -1:
    cdef Py_ssize_t size = PyList_GET_SIZE(<object>value)
    if size < rules.items_min or rules.items_max >= 0 and size > rules.items_max:
        return False
    if rules.present & R_UNIQUE and size > 1:
        return len({program.typed_key(item) for item in <list>value}) == size
    return True


# --- lists of type set and map --------------------------------------------------------------------


cdef bint is_list_type_good(Program program, Node* node, list value) except -1:
    cdef tuple names
    if node.flags & LIST_SET:
        return PyList_GET_SIZE(value) < 2 or are_distinct(program, value)
    for item in value:
        if item is not None and type(item) is not dict:
            return False
    if PyList_GET_SIZE(value) < 2:
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
        if type(item) is str:
            key = item
        elif type(item) is dict or type(item) is list:
            key = (0, program.json_text(item))
        else:
            key = (type(item), item)
        seen.add(key)
    return len(seen) == PyList_GET_SIZE(values)


# --- the pass -------------------------------------------------------------------------------------


cdef class Checker:
    cdef Program program
    cdef Frame* frames
    cdef Py_ssize_t count
    cdef Py_ssize_t room
    cdef Frame local[FRAMES_LOCAL]

    def __cinit__(self):
        self.frames = self.local
        self.count, self.room = 0, FRAMES_LOCAL

    def __dealloc__(self):
        if self.frames != self.local:
            PyMem_Free(self.frames)

    cdef int push(self, PyObject* value, int32_t node, char kind) except -1:
        cdef Frame* larger
        if self.count == self.room:
            if self.frames == self.local:
                larger = <Frame*>PyMem_Malloc(2 * self.room * sizeof(Frame))
                if larger is not NULL:
                    memcpy(larger, self.local, sizeof(self.local))
            else:
                larger = <Frame*>PyMem_Realloc(self.frames, 2 * self.room * sizeof(Frame))
            if larger is NULL:
                raise MemoryError
            self.frames = larger
            self.room *= 2
        larger = &self.frames[self.count]
        larger.value, larger.pos, larger.node, larger.valid = value, 0, node, 0
        larger.kind, larger.phase, larger.is_waiting = kind, PHASE_ANY, False
        self.count += 1
        return 0

    cdef bint run(self, PyObject* value, int32_t node) except -1:
        cdef int verdict = self.enter(node, value)
        while True:
            if verdict == FAILED and not self.unwind():
                return False
            if self.count == 0:
                return True
            if self.frames[self.count - 1].kind == IN_DICT:
                verdict = self.step_dict(&self.frames[self.count - 1])
            elif self.frames[self.count - 1].kind == IN_LIST:
                verdict = self.step_list(&self.frames[self.count - 1])
            else:
                verdict = self.step_clauses(&self.frames[self.count - 1], verdict)

    cdef bint unwind(self) noexcept:
        """Back to the nearest combinators; whether there are any."""
        while self.count:
            if self.frames[self.count - 1].kind == IN_CLAUSES:
                return True
            self.count -= 1
        return False

    cdef int enter(self, int32_t index, PyObject* value) except -1:
        """Checks what can be told of the value itself; pushes a frame for the rest."""
        cdef Node* node = &self.program.nodes[index]
        cdef Rules* rules = &self.program.rules[node.rules] if node.rules >= 0 else NULL
        if value is Py_None:
            if rules is not NULL and rules.enumeration >= 0:
                return FAILED
            return node.flags & NULLABLE != 0 or node.flags & T_ANY == 0
        if not is_type_good(node, value):
            return FAILED
        if rules is not NULL:
            if rules.enumeration >= 0 and not is_enumerated(self.program, rules, value):
                return FAILED
            if PyUnicode_CheckExact(value):
                if not is_text_good(self.program, rules, value):
                    return FAILED
            elif PyDict_CheckExact(value):
                if not is_dict_good(self.program, rules, value):
                    return FAILED
            elif PyList_CheckExact(value):
                if not is_list_good(self.program, rules, value):
                    return FAILED
        if (PyLong_CheckExact(value) or PyFloat_CheckExact(value)) and not is_number_good(node, rules, value):
            return FAILED
        if rules is not NULL and rules.any_count + rules.one_count + rules.all_count + rules.not_count:
            self.push(value, index, IN_CLAUSES)
            return ENTERED
        return self.enter_children(index, node, value)

    cdef int enter_children(self, int32_t index, Node* node, PyObject* value) except -1:
        if PyDict_CheckExact(value):
            if node.flags & DESCEND_DICT and PyDict_Size(<object>value):
                self.push(value, index, IN_DICT)
                return ENTERED
        elif node.flags & DESCEND_LIST and PyList_CheckExact(value):
            if node.flags & (LIST_SET | LIST_MAP) and not is_list_type_good(self.program, node, <list>value):
                return FAILED
            if node.items >= 0:
                self.push(value, index, IN_LIST)
                return ENTERED
        return PASSED

    cdef int step_dict(self, Frame* frame) except -1:
        cdef Node* node = &self.program.nodes[frame.node]
        cdef PyObject* key
        cdef PyObject* value
        cdef int32_t child
        cdef int verdict
        while PyDict_Next(<object>frame.value, &frame.pos, &key, &value):
            child = -1
            if node.slots_mask >= 0:
                child = find_slot(self.program.slots + node.slots, node.slots_mask, key)
            if child < 0:
                child = node.more
                if child < 0:
                    if child == MORE_FALSE:
                        return FAILED
                    continue
            verdict = self.enter(child, value)
            if verdict != PASSED:
                return verdict
        self.count -= 1
        return PASSED

    cdef int step_list(self, Frame* frame) except -1:
        cdef int32_t child = self.program.nodes[frame.node].items
        cdef int verdict
        while frame.pos < PyList_GET_SIZE(<object>frame.value):
            frame.pos += 1
            verdict = self.enter(child, <PyObject*>PyList_GET_ITEM(<object>frame.value, frame.pos - 1))
            if verdict != PASSED:
                return verdict
        self.count -= 1
        return PASSED

    cdef int step_clauses(self, Frame* frame, int verdict) except -1:
        """Takes the verdict on the clause that was tried, if one was, and goes on to the next."""
        cdef Rules* rules = &self.program.rules[self.program.nodes[frame.node].rules]
        cdef int32_t* clauses = self.program.clauses + rules.clauses
        cdef int32_t node
        cdef PyObject* value = frame.value
        if frame.is_waiting:
            frame.is_waiting = False
            if not self.judge(frame, rules, verdict != FAILED):
                self.count -= 1
                return FAILED
        while frame.phase != PHASE_END:
            if frame.pos < clauses_end(rules, frame.phase):
                frame.is_waiting = True
                frame.pos += 1
                # Entering may move the frames, so that this one must not be touched again.
                return self.enter(clauses[frame.pos - 1], value)
            if frame.phase == PHASE_ANY and rules.any_count or frame.phase == PHASE_ONE and rules.one_count and frame.valid != 1:
                self.count -= 1
                return FAILED
            frame.phase += 1
        node = frame.node
        self.count -= 1
        return self.enter_children(node, &self.program.nodes[node], value)

    cdef bint judge(self, Frame* frame, Rules* rules, bint has_passed) noexcept:
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


def is_valid(Program program not None, value):
    cdef Checker checker = Checker.__new__(Checker)
    checker.program = program
    return checker.run(<PyObject*>value, program.root)
