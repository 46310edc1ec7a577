"""Compiles structural schemas into flat programs. Contract: pkg/quarterdeck/_kernels/schema.pyi and .pxd.

A schema is listed from the root down (parents before children) without recursion, then built from the end of that
list, so that a node's children exist before it. A node that says the same as an earlier one, children included, is
that one. Nothing of the schema that does not bear on objects (descriptions, examples, rules) is kept.
"""

from cpython.dict cimport PyDict_Next
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject_Hash
from cpython.ref cimport PyObject
from sys import intern as intern_text

from libc.math cimport fabs, isfinite, isnan, round
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint32_t
from libc.string cimport memset

cdef enum:
    K_TYPE = 1
    K_FORMAT
    K_NULLABLE
    K_PROPERTIES
    K_ADDITIONAL
    K_ITEMS
    K_REQUIRED
    K_ENUM
    K_PATTERN
    K_MIN_LENGTH
    K_MAX_LENGTH
    K_MIN_ITEMS
    K_MAX_ITEMS
    K_MIN_PROPERTIES
    K_MAX_PROPERTIES
    K_MINIMUM
    K_MAXIMUM
    K_EXCLUSIVE_MINIMUM
    K_EXCLUSIVE_MAXIMUM
    K_MULTIPLE_OF
    K_UNIQUE_ITEMS
    K_ALL_OF
    K_ANY_OF
    K_ONE_OF
    K_NOT
    K_DEFAULT
    K_PRESERVE
    K_EMBEDDED
    K_INT_OR_STRING
    K_LIST_TYPE
    K_LIST_MAP_KEYS

cdef dict KEYWORDS = {
    "type": K_TYPE, "format": K_FORMAT, "nullable": K_NULLABLE, "properties": K_PROPERTIES,
    "additionalProperties": K_ADDITIONAL, "items": K_ITEMS, "required": K_REQUIRED, "enum": K_ENUM,
    "pattern": K_PATTERN, "minLength": K_MIN_LENGTH, "maxLength": K_MAX_LENGTH, "minItems": K_MIN_ITEMS,
    "maxItems": K_MAX_ITEMS, "minProperties": K_MIN_PROPERTIES, "maxProperties": K_MAX_PROPERTIES,
    "minimum": K_MINIMUM, "maximum": K_MAXIMUM, "exclusiveMinimum": K_EXCLUSIVE_MINIMUM,
    "exclusiveMaximum": K_EXCLUSIVE_MAXIMUM, "multipleOf": K_MULTIPLE_OF, "uniqueItems": K_UNIQUE_ITEMS,
    "allOf": K_ALL_OF, "anyOf": K_ANY_OF, "oneOf": K_ONE_OF, "not": K_NOT, "default": K_DEFAULT,
    "x-kubernetes-preserve-unknown-fields": K_PRESERVE, "x-kubernetes-embedded-resource": K_EMBEDDED,
    "x-kubernetes-int-or-string": K_INT_OR_STRING, "x-kubernetes-list-type": K_LIST_TYPE,
    "x-kubernetes-list-map-keys": K_LIST_MAP_KEYS,
}
cdef dict TYPES = {
    "object": T_OBJECT, "array": T_ARRAY, "string": T_STRING, "integer": T_INTEGER, "number": T_NUMBER,
    "boolean": T_BOOLEAN,
}
cdef dict LIST_TYPES = {"set": LIST_SET, "map": LIST_MAP, "atomic": LIST_ATOMIC}
cdef double FLOAT32_LIMIT = 3.4028235677973366e38  # from here on a number no longer rounds to a float32
cdef double JSON_SAFE_MAX = 9007199254740991.0


cdef bint is_json_integer(double value) noexcept:
    """go-openapi's test: a relative error of 1e-9 passes."""
    cdef double rounded
    if not isfinite(value) or fabs(value) > JSON_SAFE_MAX:
        return False
    rounded = round(value)
    return value == rounded or fabs(value - rounded) < 1e-9 * fabs(rounded)


cdef int64_t to_int64(double value) noexcept:
    """Go's conversion on amd64: what does not fit gives the smallest integer."""
    if isnan(value) or value < -9223372036854775808.0 or value >= 9223372036854775808.0:
        return INT64_MIN
    return <int64_t>value


cdef bint is_bound_usable(double value, uint32_t flags) noexcept:
    """Whether a bound is a number of the schema's own type."""
    if flags & T_ANY == T_INTEGER:
        if value != <double>to_int64(value):
            return False
        return fabs(value) < 9223372036854775808.0 and not (
            flags & INT32 and not (-2147483648.0 <= value <= 2147483647.0)
        )
    return not (flags & FLOAT32) or fabs(value) < FLOAT32_LIMIT


cdef class Program:
    def __cinit__(self):
        self.root = -1

    def __init__(self, dict root not None, format_of, matcher_of, typed_key, json_text):
        self.owns_memory = True
        self.refs = []
        self.typed_key = typed_key
        self.json_text = json_text
        self.root = Compiler(self, format_of, matcher_of).compile(root)

    def __dealloc__(self):
        # Not `self.owner is None`: the garbage collector may have cleared every reference before.
        if self.owns_memory:
            PyMem_Free(self.nodes)
            PyMem_Free(self.rules)
            PyMem_Free(self.slots)
            PyMem_Free(self.defaults)
            PyMem_Free(self.clauses)

    def child(self, str name not None):
        cdef Node* node = &self.nodes[self.root]
        cdef int32_t found = -1
        cdef Program made
        if node.slots_mask >= 0:
            found = find_slot(self.slots + node.slots, node.slots_mask, <PyObject*>name)
        if found < 0:
            return None
        found >>= SLOT_SHIFT
        made = Program.__new__(Program)
        made.owner = self
        made.nodes, made.rules, made.slots = self.nodes, self.rules, self.slots
        made.defaults, made.clauses = self.defaults, self.clauses
        made.has_embedded, made.has_list_types = self.has_embedded, self.has_list_types
        made.refs, made.typed_key, made.json_text = self.refs, self.typed_key, self.json_text
        made.root = found
        return made

    @property
    def node_count(self):
        return self.nodes_count

    @property
    def memory_bytes(self):
        cdef Py_ssize_t total = self.nodes_count * sizeof(Node) + self.rules_count * sizeof(Rules)
        total += self.slots_count * sizeof(Slot) + self.defaults_count * sizeof(DefaultSlot)
        total += self.clauses_count * sizeof(int32_t)
        return total + self.__sizeof__() + self.refs.__sizeof__()


cdef class Compiler:
    """What is needed only while compiling."""

    cdef Program program
    cdef object format_of, matcher_of
    cdef list order       # schemas, parents before children
    cdef dict built       # id of a schema -> its node
    cdef dict known_nodes, known_rules, known_refs
    cdef set known_names
    cdef Py_ssize_t nodes_room, rules_room, slots_room, defaults_room, clauses_room

    def __init__(self, Program program, format_of, matcher_of):
        self.program = program
        self.format_of = format_of
        self.matcher_of = matcher_of
        self.order = []
        self.built = {}
        self.known_nodes, self.known_rules, self.known_refs = {}, {}, {}
        self.known_names = set()

    cdef int32_t compile(self, dict root) except -1:
        cdef Py_ssize_t i
        cdef dict schema
        cdef Program p = self.program
        self.list_schemas(root)
        for i in range(len(self.order) - 1, -1, -1):
            schema = self.order[i]
            self.built[<size_t><PyObject*>schema] = self.build(schema)
        p.nodes = <Node*>self.shrink(p.nodes, p.nodes_count, sizeof(Node))
        p.rules = <Rules*>self.shrink(p.rules, p.rules_count, sizeof(Rules))
        p.slots = <Slot*>self.shrink(p.slots, p.slots_count, sizeof(Slot))
        return self.built[<size_t><PyObject*>root]

    cdef void* shrink(self, void* memory, Py_ssize_t count, size_t size) noexcept:
        cdef void* smaller = PyMem_Realloc(memory, count * size) if count else NULL
        return smaller if smaller is not NULL else memory

    cdef int list_schemas(self, dict root) except -1:
        """A schema that is met twice (the decoder may share equal values) moves behind its later parent."""
        cdef list stack = [root]
        cdef dict schema
        cdef object child
        while stack:
            schema = stack.pop()
            self.order.append(schema)
            for name in ("allOf", "anyOf", "oneOf"):
                child = schema.get(name)
                if child:
                    stack.extend(child)
            for name in ("not", "items", "additionalProperties"):
                child = schema.get(name)
                if type(child) is dict:
                    stack.append(child)
            child = schema.get("properties")
            if child:
                stack.extend((<dict>child).values())
        return 0

    # --- one node ---------------------------------------------------------------------------------

    cdef int32_t build(self, dict schema) except -1:
        cdef Node node
        cdef Rules rules
        cdef bint has_rules = False
        cdef dict properties = None
        cdef PyObject* key
        cdef PyObject* value
        cdef Py_ssize_t pos = 0
        cdef object code, item
        cdef object format_name = None, map_keys = None
        cdef dict clauses = None
        cdef int keyword
        already = self.built.get(<size_t><PyObject*>schema)
        if already is not None:
            return already
        memset(&node, 0, sizeof(Node))
        memset(&rules, 0, sizeof(Rules))
        node.rules = node.items = node.default = node.extra = node.slots_mask = -1
        node.more = MORE_ABSENT
        rules.pattern = rules.checker = rules.enumeration = rules.required = rules.required_others = -1
        rules.length_min = rules.items_min = rules.properties_min = -1
        rules.length_max = rules.items_max = rules.properties_max = INT64_MAX
        while PyDict_Next(schema, &pos, &key, &value):
            code = KEYWORDS.get(<object>key)
            item = <object>value
            if code is None or item is None:
                continue
            keyword = code
            if keyword == K_TYPE:
                if item:
                    node.flags |= <uint32_t>TYPES.get(item, T_OTHER)
            elif keyword == K_FORMAT:
                format_name = item
            elif keyword == K_PROPERTIES:
                properties = item
            elif keyword == K_ITEMS:
                if type(item) is dict:
                    node.items = self.node_of(item)
            elif keyword == K_ADDITIONAL:
                node.more = self.node_of(item) if type(item) is dict else MORE_TRUE if item else MORE_FALSE
            elif keyword == K_NULLABLE:
                node.flags |= NULLABLE if item else 0
            elif keyword == K_PRESERVE:
                node.flags |= PRESERVE if item else 0
            elif keyword == K_EMBEDDED:
                node.flags |= EMBEDDED if item else 0
            elif keyword == K_INT_OR_STRING:
                pass
            elif keyword == K_LIST_TYPE:
                node.flags |= <uint32_t>LIST_TYPES.get(item, 0)
            elif keyword == K_LIST_MAP_KEYS:
                map_keys = tuple(item)
            elif keyword == K_DEFAULT:
                node.default = self.ref(("default", self.program.typed_key(item)), item)
            elif keyword in (K_ALL_OF, K_ANY_OF, K_ONE_OF, K_NOT):
                if item or keyword == K_NOT:
                    clauses = clauses or {}
                    clauses[keyword] = [item] if keyword == K_NOT else item
                    has_rules = True
            elif self.read_rule(&rules, keyword, item):
                has_rules = True
        if schema.get("x-kubernetes-int-or-string") is True:
            node.flags = (node.flags & ~<uint32_t>T_ANY) | T_INTEGER | T_STRING
        if format_name:
            has_rules = self.read_format(&node, &rules, schema, format_name) or has_rules
        if map_keys is not None or format_name and node.flags & FORMAT:
            item = (map_keys or (), format_name if node.flags & FORMAT else "")
            node.extra = self.ref(("extra", item), item)
        self.check_bounds(&node, &rules)
        self.check_required(&rules, properties or {})
        if has_rules:
            node.rules = self.rules_of(&rules, clauses)
        return self.intern(&node, properties)

    cdef int32_t node_of(self, object schema) except -1:
        return self.built[<size_t><PyObject*>schema]

    cdef int32_t ref(self, object key, object value) except -1:
        """The place of a value among the program's references; equal ones share it."""
        cdef object found = self.known_refs.get(key)
        if found is None:
            found = len(self.program.refs)
            self.known_refs[key] = found
            self.program.refs.append(value)
        return found

    cdef bint read_rule(self, Rules* rules, int keyword, object item) except -1:
        """Whether the keyword restricts anything."""
        if keyword == K_REQUIRED:
            if not item:
                return False
            rules.required = self.ref(("required", tuple(item)), tuple(item))
        elif keyword == K_ENUM:
            if not item:
                return False
            rules.enumeration = self.ref(("enum", self.program.typed_key(item)), self.enumeration(item))
        elif keyword == K_PATTERN:
            if not item:
                return False
            rules.pattern = self.ref(("pattern", item), self.matcher_of(item))
        elif keyword == K_MIN_LENGTH:
            rules.length_min = item
        elif keyword == K_MAX_LENGTH:
            rules.length_max = item
        elif keyword == K_MIN_ITEMS:
            rules.items_min = item
        elif keyword == K_MAX_ITEMS:
            rules.items_max = item
        elif keyword == K_MIN_PROPERTIES:
            rules.properties_min = item
        elif keyword == K_MAX_PROPERTIES:
            rules.properties_max = item
        elif keyword == K_MINIMUM:
            rules.minimum = item
            rules.present |= R_MINIMUM
        elif keyword == K_MAXIMUM:
            rules.maximum = item
            rules.present |= R_MAXIMUM
        elif keyword == K_MULTIPLE_OF:
            rules.multiple_of = item
            rules.present |= R_MULTIPLE
        elif not item:
            return False
        elif keyword == K_EXCLUSIVE_MINIMUM:
            rules.present |= R_MINIMUM_EXCLUSIVE
        elif keyword == K_EXCLUSIVE_MAXIMUM:
            rules.present |= R_MAXIMUM_EXCLUSIVE
        elif keyword == K_UNIQUE_ITEMS:
            rules.present |= R_UNIQUE
        return True

    cdef tuple enumeration(self, list allowed):
        """(the values as given, strings, integers, floats, booleans, compound values' keys), the last five as sets."""
        compound = [v for v in allowed if type(v) is dict or type(v) is list]
        return (
            allowed,
            frozenset([v for v in allowed if type(v) is str]),
            frozenset([v for v in allowed if type(v) is int]),
            frozenset([v for v in allowed if type(v) is float]),
            frozenset([v for v in allowed if type(v) is bool]),
            frozenset([self.program.typed_key(v) for v in compound]),
        )

    cdef bint read_format(self, Node* node, Rules* rules, dict schema, object name) except -1:
        """Whether the format's text has to be checked; formats unknown to the type are as if absent."""
        cdef object known
        cdef uint32_t types = node.flags & T_ANY
        if types == (T_INTEGER | T_STRING):
            known = self.format_of("", name)
        else:
            known = self.format_of(schema.get("type") or "", name)
        if known is None:
            return False
        node.flags |= FORMAT
        if types == T_INTEGER:
            node.flags |= INT32 if name == "int32" else 0
        elif types == T_NUMBER:
            node.flags |= FLOAT32 if name == "float" else 0
        if known[1] is None:
            return False
        if known[0] == "datetime":
            rules.present |= R_DATE_TIME
        rules.checker = self.ref(("checker", known[0]), known[1])
        return True

    cdef void check_bounds(self, Node* node, Rules* rules) noexcept:
        if rules.present & R_MULTIPLE and not is_bound_usable(rules.multiple_of, node.flags):
            rules.present |= R_MULTIPLE_BAD
        if rules.present & R_MINIMUM and not is_bound_usable(rules.minimum, node.flags):
            rules.present |= R_MINIMUM_BAD
        if rules.present & R_MAXIMUM and not is_bound_usable(rules.maximum, node.flags):
            rules.present |= R_MAXIMUM_BAD

    cdef int check_required(self, Rules* rules, dict properties) except -1:
        """Required properties are counted while an object is gone through; other names have to be looked up."""
        cdef tuple others
        if rules.required < 0:
            return 0
        names = self.program.refs[rules.required]
        others = tuple([name for name in names if name not in properties])
        rules.required_count = len(set(names)) - len(set(others))
        if others:
            rules.required_others = self.ref(("required", others), others)
        return 0

    cdef bint is_implied(self, Rules* rules, tuple children) noexcept:
        """`anyOf: [{type: integer}, {type: string}]`, which stands in most schemas of x-kubernetes-int-or-string."""
        cdef int first, second
        if rules.any_count != 2 or len(children) != 2:
            return False
        first, second = plain_kind(&self.program.nodes[children[0]]), plain_kind(&self.program.nodes[children[1]])
        return first + second == PLAIN_INTEGER + PLAIN_STRING and first * second == PLAIN_INTEGER * PLAIN_STRING

    cdef int32_t rules_of(self, Rules* rules, dict clauses) except -1:
        cdef Program p = self.program
        cdef tuple children = ()
        cdef Py_ssize_t i
        if clauses is not None:
            any_of, one_of = clauses.get(K_ANY_OF, ()), clauses.get(K_ONE_OF, ())
            all_of, not_of = clauses.get(K_ALL_OF, ()), clauses.get(K_NOT, ())
            rules.any_count, rules.one_count = len(any_of), len(one_of)
            rules.all_count, rules.not_count = len(all_of), len(not_of)
            children = tuple([self.node_of(c) for group in (any_of, one_of, all_of, not_of) for c in group])
        if rules.required_others >= 0 or rules.properties_min >= 0 or rules.properties_max != INT64_MAX:
            rules.present |= R_DICT
        if rules.length_min >= 0 or rules.length_max != INT64_MAX or rules.pattern >= 0 or rules.checker >= 0:
            rules.present |= R_TEXT
        if rules.enumeration >= 0:
            rules.present |= R_ENUM
        if children:
            rules.present |= R_CLAUSES
            if self.is_implied(rules, children):
                rules.present |= R_IMPLIED
        key = (<bytes>(<char*>rules)[:sizeof(Rules)], children)
        found = self.known_rules.get(key)
        if found is not None:
            return found
        rules.clauses = p.clauses_count
        if children:
            p.clauses = <int32_t*>self.grow(
                p.clauses, p.clauses_count, len(children), &self.clauses_room, sizeof(int32_t)
            )
            for i in range(len(children)):
                p.clauses[p.clauses_count + i] = children[i]
            p.clauses_count += len(children)
        p.rules = <Rules*>self.grow(p.rules, p.rules_count, 1, &self.rules_room, sizeof(Rules))
        p.rules[p.rules_count] = rules[0]
        self.known_rules[key] = p.rules_count
        p.rules_count += 1
        return p.rules_count - 1

    # --- interning --------------------------------------------------------------------------------

    cdef int32_t intern(self, Node* node, dict properties) except -1:
        """The node that says this: an earlier one if there is one, else it is added."""
        cdef Program p = self.program
        cdef object key = <bytes>(<char*>node)[:sizeof(Node)]
        cdef list children = None
        if properties:
            children = [self.node_of(child) for child in properties.values()]
            key = (key, tuple(properties), tuple(children))
        found = self.known_nodes.get(key)
        if found is not None:
            return found
        if properties:
            required = p.refs[p.rules[node.rules].required] if self.has_required(node) else ()
            self.add_properties(node, properties, children, frozenset(required))
        if node.default >= 0 and type(p.refs[node.default]) in (dict, list):
            # The kernel that walks by the program completes it with the defaults of what is within, which other
            # nodes with the same text do not share.
            p.refs.append(p.refs[node.default])
            node.default = len(p.refs) - 1
        self.mark_descent(node, children)
        p.has_embedded = p.has_embedded or node.flags & EMBEDDED != 0
        p.has_list_types = p.has_list_types or node.flags & (LIST_SET | LIST_MAP) != 0
        p.nodes = <Node*>self.grow(p.nodes, p.nodes_count, 1, &self.nodes_room, sizeof(Node))
        p.nodes[p.nodes_count] = node[0]
        self.known_nodes[key] = p.nodes_count
        p.nodes_count += 1
        return p.nodes_count - 1

    cdef bint has_required(self, Node* node) noexcept:
        return node.rules >= 0 and self.program.rules[node.rules].required >= 0

    cdef int add_properties(self, Node* node, dict properties, list children, frozenset required) except -1:
        cdef Program p = self.program
        cdef Py_ssize_t size = 2, at, i = 0, count = len(children)
        cdef Slot* slots
        cdef int32_t child
        cdef Py_ssize_t defaults_first = p.defaults_count
        while size < count * 2:  # at most half full, so that most names are found at once
            size *= 2
        p.slots = <Slot*>self.grow(p.slots, p.slots_count, size, &self.slots_room, sizeof(Slot))
        slots = p.slots + p.slots_count
        memset(slots, 0, size * sizeof(Slot))
        for name in properties:
            child = children[i]
            i += 1
            # One text for all programs: names repeat from schema to schema.
            name = intern_text(name)
            if name not in self.known_names:
                self.known_names.add(name)
                p.refs.append(name)
            at = PyObject_Hash(name) & (size - 1)
            while slots[at].key is not NULL:
                at = (at + 1) & (size - 1)
            slots[at].key = <PyObject*>name
            slots[at].child = child << SLOT_SHIFT | plain_kind(&p.nodes[child]) << PLAIN_SHIFT
            if name in required:
                slots[at].child |= SLOT_REQUIRED
            slots[at].hashed = <uint32_t>PyObject_Hash(name)
            if name.isascii():
                slots[at].data, slots[at].size = <const char*>text_data(<PyObject*>name), <uint32_t>len(name)
            if p.nodes[child].default >= 0:
                p.defaults = <DefaultSlot*>self.grow(
                    p.defaults, p.defaults_count, 1, &self.defaults_room, sizeof(DefaultSlot)
                )
                p.defaults[p.defaults_count].key = <PyObject*>name
                p.defaults[p.defaults_count].value = p.nodes[child].default
                p.defaults_count += 1
        node.slots, node.slots_mask = p.slots_count, size - 1
        node.defaults, node.defaults_count = defaults_first, p.defaults_count - defaults_first
        p.slots_count += size
        return 0

    cdef int mark_descent(self, Node* node, list children) except -1:
        """Marks whether the values within have anything to be checked, so that validation can pass them by."""
        cdef Program p = self.program
        cdef int32_t child
        if node.more == MORE_FALSE or node.more >= 0 and self.is_checked(&p.nodes[node.more]):
            node.flags |= DESCEND_DICT
        if self.has_required(node):
            node.flags |= DESCEND_DICT
        if node.items >= 0 and self.is_checked(&p.nodes[node.items]):
            node.flags |= DESCEND_LIST
        if node.flags & (LIST_SET | LIST_MAP):
            node.flags |= DESCEND_LIST | LISTS_WITHIN
        if node.more >= 0:
            node.flags |= p.nodes[node.more].flags & LISTS_WITHIN
        if node.items >= 0:
            node.flags |= p.nodes[node.items].flags & LISTS_WITHIN
        for child in children or ():
            node.flags |= p.nodes[child].flags & LISTS_WITHIN
            if self.is_checked(&p.nodes[child]):
                node.flags |= DESCEND_DICT
        return 0

    cdef bint is_checked(self, Node* node) noexcept:
        return node.flags & (T_ANY | FORMAT | DESCEND_DICT | DESCEND_LIST) != 0 or node.rules >= 0

    cdef void* grow(self, void* memory, Py_ssize_t used, Py_ssize_t more, Py_ssize_t* room, size_t size) except NULL:
        """Memory with room for `more` entries after the `used` ones."""
        cdef Py_ssize_t wanted
        cdef void* larger
        if used + more <= room[0]:
            return memory
        wanted = max(used + more, used + used // 2 + 8)
        larger = PyMem_Realloc(memory, wanted * size)
        if larger is NULL:
            raise MemoryError
        room[0] = wanted
        return larger
