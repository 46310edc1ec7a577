"""Tells what is wrong with one value, without what is below it.

For schema_findings.pyx, which goes through a whole object.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint32_t

from quarterdeck._kernels.pattern cimport Matcher
from quarterdeck._kernels.schema cimport (
    FLOAT32, FORMAT, INT32, NULLABLE, Node, R_MAXIMUM, R_MAXIMUM_BAD, R_MAXIMUM_EXCLUSIVE, R_MINIMUM, R_MINIMUM_BAD,
    R_MINIMUM_EXCLUSIVE, R_MULTIPLE, R_MULTIPLE_BAD, R_UNIQUE, Rules, T_ANY, T_ARRAY, T_BOOLEAN, T_INTEGER, T_NUMBER,
    T_OBJECT, T_STRING, is_json_integer, to_int64
)
from quarterdeck._kernels.schema_check cimport does_pattern_match, is_enumerated, is_format_good, is_type_good

cdef double FLOAT32_LIMIT = 3.4028235677973366e38
cdef tuple INTEGER_FORMATS = ("int32", "int64")
cdef tuple NUMBER_FORMATS = ("float", "double")


cdef class Findings:
    """What has been found so far, and the checks that add to it."""

    cdef int add(self, int code, str path, object value, object limit) except -1:
        """Beyond the limits only what decides about a clause is noted: that it failed at all."""
        if self.is_full() and len(self.findings) > self.floor:
            return 0
        self.path_chars += len(path)
        self.findings.append((code, path, value, limit))
        return 0

    cdef bint is_full(self) noexcept:
        return len(self.findings) >= self.findings_max or self.path_chars >= self.path_chars_max

    cdef int64_t check_null(self, Node* node, str path) except -1:
        if node.flags & T_ANY and not node.flags & NULLABLE:
            self.add(TYPE, path, "null", types_shown(node.flags))
            return 0
        return 1

    cdef int64_t check_type(self, Node* node, object value, str path) except -1:
        """How many matches the type is worth."""
        cdef str actual, actual_format, form
        if not node.flags & (T_ANY | FORMAT):
            return 0
        if is_type_good(node, <PyObject*>value):
            return 2
        actual, actual_format = go_type(value)
        form = self.program.refs[node.extra][1] if node.flags & FORMAT else ""
        if form and form != actual_format and type(value) is not str and type(value) is not list:
            self.add(TYPE, path, actual_format, form)
        else:
            self.add(TYPE, path, actual, types_shown(node.flags))
        return 1

    cdef int64_t check_text_or_number(self, Node* node, object value, str path) except -1:
        cdef Rules* rules = &self.program.rules[node.rules] if node.rules >= 0 else NULL
        if type(value) is str:
            if rules is NULL:
                return 1
            self.check_text(rules, value, path)
            if rules.checker < 0:
                return 1
            if not is_format_good(self.program, rules, value):
                self.add(FORMAT_BAD, path, value, self.program.refs[node.extra][1])
            return 2
        if type(value) is int or type(value) is float:
            self.check_number(node, rules, value, path)
            return 2
        return 0

    cdef int check_text(self, Rules* rules, str value, str path) except -1:
        """The first of the three that fails is the one that is reported."""
        if len(value) > rules.length_max:
            self.add(TOO_LONG, path, value, rules.length_max)
        elif len(value) < rules.length_min:
            self.add(TOO_SHORT, path, value, rules.length_min)
        elif rules.pattern >= 0 and not does_pattern_match(self.program, rules, value):
            self.add(PATTERN, path, value, (<Matcher>self.program.refs[rules.pattern]).text)
        return 0

    cdef int check_enum(self, int32_t index, object value, str path) except -1:
        cdef Node* node = &self.program.nodes[index]
        cdef Rules* rules
        if node.rules >= 0:
            rules = &self.program.rules[node.rules]
            if rules.enumeration >= 0 and not is_enumerated(self.program, rules, <PyObject*>value):
                self.add(ENUM, path, value, self.program.refs[rules.enumeration][0])
        return 0

    # --- numbers ----------------------------------------------------------------------------------

    cdef int check_number(self, Node* node, Rules* rules, object value, str path) except -1:
        cdef object as_given = value
        if not is_number_in_range(node.flags, value):
            self.add_range(node, "Checked", path)
        if rules is NULL:
            return 0
        if rules.present & R_MULTIPLE:
            if rules.present & R_MULTIPLE_BAD:
                self.add_range(node, "MultipleOf", path)
            as_given = float(value) if rules.present & R_MULTIPLE_BAD else value
            self.check_multiple(rules.multiple_of, as_given, path)
        if rules.present & R_MINIMUM:
            if rules.present & R_MINIMUM_BAD:
                self.add_range(node, "Minimum boundary", path)
            as_given = float(value) if rules.present & R_MINIMUM_BAD else value
            self.check_minimum(rules, as_given, path)
        if rules.present & R_MAXIMUM:
            if rules.present & R_MAXIMUM_BAD:
                self.add_range(node, "Maximum boundary", path)
            as_given = float(value) if rules.present & R_MAXIMUM_BAD else value
            self.check_maximum(rules, as_given, path)
        return 0

    cdef int add_range(self, Node* node, str what, str path) except -1:
        cdef uint32_t types = node.flags & T_ANY
        cdef str form = self.program.refs[node.extra][1] if node.flags & FORMAT else ""
        if form not in (INTEGER_FORMATS if types == T_INTEGER else NUMBER_FORMATS if types == T_NUMBER else ()):
            form = ""
        cdef str name = "" if types == (T_INTEGER | T_STRING) else types_shown(types)
        return self.add(RANGE, path, what, (name, form))

    cdef int check_multiple(self, double factor, object value, str path) except -1:
        cdef object shown = to_int64(factor) if type(value) is int else factor
        if shown <= 0:
            return self.add(MULTIPLE_NOT_POSITIVE, path, shown, None)
        if type(value) is int:
            if value % shown:
                self.add(MULTIPLE_OF, path, value, shown)
        elif not is_json_integer(1 / factor * <double>value if factor < 1 else <double>value / factor):
            self.add(MULTIPLE_OF, path, value, shown)
        return 0

    cdef int check_minimum(self, Rules* rules, object value, str path) except -1:
        cdef object bound = to_int64(rules.minimum) if type(value) is int else rules.minimum
        cdef bint exclusive = rules.present & R_MINIMUM_EXCLUSIVE != 0
        if value < bound or exclusive and value == bound:
            self.add(MINIMUM_EXCLUSIVE if exclusive else MINIMUM, path, value, bound)
        return 0

    cdef int check_maximum(self, Rules* rules, object value, str path) except -1:
        cdef object bound = to_int64(rules.maximum) if type(value) is int else rules.maximum
        cdef bint exclusive = rules.present & R_MAXIMUM_EXCLUSIVE != 0
        if value > bound or exclusive and value == bound:
            self.add(MAXIMUM_EXCLUSIVE if exclusive else MAXIMUM, path, value, bound)
        return 0

    # --- lists and objects, without their members ---------------------------------------------------

    cdef int check_items(self, Node* node, list value, str path) except -1:
        cdef Rules* rules
        if node.rules < 0:
            return 0
        rules = &self.program.rules[node.rules]
        if len(value) < rules.items_min:
            self.add(MIN_ITEMS, path, len(value), rules.items_min)
        if len(value) > rules.items_max:
            self.add(MAX_ITEMS, path, len(value), rules.items_max)
        if rules.present & R_UNIQUE and len({self.program.typed_key(item) for item in value}) < len(value):
            self.add(UNIQUE_ITEMS, path, None, None)
        return 0

    cdef int check_required(self, Node* node, dict value, str path) except -1:
        if node.rules >= 0 and self.program.rules[node.rules].required >= 0:
            for name in self.program.refs[self.program.rules[node.rules].required]:
                if name not in value:
                    self.add(REQUIRED, path, name, None)
        return 0


cdef bint is_number_in_range(uint32_t flags, object value) except -1:
    cdef double number = value
    if flags & T_ANY == T_INTEGER:
        if type(value) is float and (number != <double>to_int64(number) or abs(number) >= 9223372036854775808.0):
            return False
        return not flags & INT32 or -2147483648.0 <= number <= 2147483647.0
    return not flags & FLOAT32 or abs(number) < FLOAT32_LIMIT


cdef str types_shown(uint32_t flags):
    cdef uint32_t types = flags & T_ANY
    if types == (T_INTEGER | T_STRING):
        return "integer,string"
    if types == T_OBJECT:
        return "object"
    if types == T_ARRAY:
        return "array"
    if types == T_STRING:
        return "string"
    if types == T_INTEGER:
        return "integer"
    if types == T_NUMBER:
        return "number"
    return "boolean" if types == T_BOOLEAN else ""


cdef tuple go_type(object value):
    """The JSON type, and the format that Go's own type of the value stands for."""
    if type(value) is str:
        return "string", ""
    if type(value) is bool:
        return "boolean", ""
    if type(value) is int:
        return "integer", "int64"
    if type(value) is float:
        return "number", "float64"
    return ("array" if type(value) is list else "object"), ""
