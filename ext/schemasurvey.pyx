# cython: language_level=3
"""One look at a whole schema of a definition. Contract: _kernels/schemasurvey.pyi.

A schema is passed over in no particular order, with a stack of its own: it may be nested as deep as JSON may. What is
said of one schema hangs on where it stands, which its place tells in bits.
"""

cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLong
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    Py_ssize_t PyDict_GET_SIZE(object value)

# Where a schema stands.
cdef enum:
    AT_ROOT = 1
    IN_JUNCTOR = 2     # within allOf, anyOf, oneOf or not
    FIRST_OF_ALL = 4   # the first of an allOf that is not itself within a junctor
    IN_ADDITIONAL = 8  # within additionalProperties
    IN_META = 16       # the metadata, kind or apiVersion of the root, or within

cdef enum:
    PLAIN = 1
    TOLD         # must not be said within a junctor, unless it is empty or false
    TYPE
    FORMAT
    PATTERN
    DEFAULT
    PROPERTIES
    ITEMS
    ADDITIONAL
    NOT
    ALL_OF
    ANY_OF
    ONE_OF
    MERGES       # how lists and maps merge: must not be said within a junctor
    MERGE_KEYS
    RULES
    PRESERVE
    INT_OR_STRING
    ODD_IF_TRUE

# What is not listed is not supported, or odd enough to be looked at again.
cdef dict KEYWORDS = {
    **dict.fromkeys((
        "enum", "required", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
        "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "multipleOf", "example", "externalDocs",
    ), PLAIN),
    **dict.fromkeys(("title", "description", "nullable"), TOLD),
    **dict.fromkeys(("x-kubernetes-list-type", "x-kubernetes-map-type"), MERGES),
    **dict.fromkeys(("uniqueItems", "x-kubernetes-embedded-resource"), ODD_IF_TRUE),
    "type": TYPE, "format": FORMAT, "pattern": PATTERN, "default": DEFAULT, "properties": PROPERTIES, "items": ITEMS,
    "additionalProperties": ADDITIONAL, "not": NOT, "allOf": ALL_OF, "anyOf": ANY_OF, "oneOf": ONE_OF,
    "x-kubernetes-list-map-keys": MERGE_KEYS, "x-kubernetes-validations": RULES,
    "x-kubernetes-preserve-unknown-fields": PRESERVE, "x-kubernetes-int-or-string": INT_OR_STRING,
}
cdef frozenset TYPES = frozenset(("array", "boolean", "integer", "number", "object", "string"))
cdef frozenset OF_META = frozenset(("metadata", "kind", "apiVersion"))

cdef struct Place:
    PyObject *schema
    uint8_t bits


cdef bint is_only_type(object clause, str kind):
    return PyDict_CheckExact(clause) and PyDict_GET_SIZE(clause) == 1 and (<dict>clause).get("type") == kind


cdef bint is_int_or_string(object clauses):
    return (
        PyList_GET_SIZE(clauses) == 2
        and is_only_type((<list>clauses)[0], "integer")
        and is_only_type((<list>clauses)[1], "string")
    )


@cython.final
cdef class Survey:
    cdef readonly bint is_ordinary
    cdef readonly bint has_rules
    cdef readonly set formats
    cdef readonly set patterns
    cdef readonly list merging
    cdef readonly list defaults
    cdef Place *pending
    cdef Py_ssize_t count
    cdef Py_ssize_t room

    def __init__(self, dict root not None):
        cdef Place place
        self.is_ordinary = True
        self.has_rules = False
        self.formats = set()
        self.patterns = set()
        self.merging = []
        self.defaults = []
        self.push(root, AT_ROOT)
        while self.count:
            self.count -= 1
            place = self.pending[self.count]
            self.look(<dict>place.schema, place.bits)

    def __dealloc__(self):
        PyMem_Free(self.pending)

    cdef int push(self, object schema, uint8_t bits) except -1:
        """Of what is no schema nothing is told."""
        cdef Place *grown
        if not PyDict_CheckExact(schema):
            self.is_ordinary = False
            return 0
        if self.count == self.room:
            grown = <Place *>PyMem_Realloc(self.pending, max(self.room * 2, 64) * sizeof(Place))
            if grown == NULL:
                raise MemoryError
            self.pending = grown
            self.room = max(self.room * 2, 64)
        self.pending[self.count].schema = <PyObject *>schema
        self.pending[self.count].bits = bits
        self.count += 1
        return 0

    cdef int push_properties(self, object properties, uint8_t bits) except -1:
        cdef PyObject *name = NULL
        cdef PyObject *child = NULL
        cdef Py_ssize_t pos = 0
        cdef Entries entries
        cdef uint8_t below = bits & ~(AT_ROOT | FIRST_OF_ALL)
        if not PyDict_CheckExact(properties):
            self.is_ordinary = False
            return 0
        if bits & IN_JUNCTOR and "metadata" in <dict>properties:
            self.is_ordinary = False
        entries = entries_of(<PyObject *>properties)
        while next_entry(<PyObject *>properties, &entries, &pos, &name, &child):
            if bits & AT_ROOT and <object>name in OF_META:
                self.push(<object>child, below | IN_META)
            else:
                self.push(<object>child, below)
        return 0

    cdef int push_clauses(self, object clauses, int keyword, uint8_t bits) except -1:
        """What an allOf, anyOf or oneOf holds; the two usual ways to say that something is an integer or a text are
        passed over."""
        cdef uint8_t below = (bits & ~(AT_ROOT | FIRST_OF_ALL)) | IN_JUNCTOR
        cdef Py_ssize_t position
        if not PyList_CheckExact(clauses) or bits & AT_ROOT:
            self.is_ordinary = False  # of those at the root it is asked whether the fields are there that they name
        if not PyList_CheckExact(clauses):
            return 0
        if keyword == ANY_OF and (not bits & IN_JUNCTOR or bits & FIRST_OF_ALL) and is_int_or_string(clauses):
            return 0
        for position in range(PyList_GET_SIZE(clauses)):
            if keyword == ALL_OF and position == 0 and not bits & IN_JUNCTOR:
                self.push(<object>PyList_GET_ITEM(clauses, position), below | FIRST_OF_ALL)
            else:
                self.push(<object>PyList_GET_ITEM(clauses, position), below)
        return 0

    cdef int look(self, dict schema, uint8_t bits) except -1:
        cdef PyObject *name = NULL
        cdef PyObject *member = NULL
        cdef PyObject *known
        cdef object value
        cdef Py_ssize_t pos = 0
        cdef Entries entries = entries_of(<PyObject *>schema)
        cdef int keyword
        cdef bint is_nested = bits & IN_JUNCTOR
        cdef uint8_t below = bits & ~(AT_ROOT | FIRST_OF_ALL)
        cdef bint is_odd = False
        cdef bint is_merging = False
        cdef object kind = ""
        cdef object format_ = None
        cdef bint has_items = False
        cdef bint preserves = False
        cdef bint is_either = False
        cdef bint has_properties = False
        cdef bint is_closed = False  # what is not among its properties is none, or has a schema of its own
        give_way()
        while next_entry(<PyObject *>schema, &entries, &pos, &name, &member):
            known = PyDict_GetItem(KEYWORDS, <object>name)
            value = <object>member
            if known == NULL or value is None:
                is_odd = True
                continue
            keyword = PyLong_AsLong(<object>known)
            if keyword == PLAIN:
                pass
            elif keyword == TYPE:
                kind = value
            elif keyword == FORMAT:
                format_ = value
            elif keyword == TOLD:
                if is_nested and value:
                    is_odd = True
            elif keyword == PROPERTIES:
                has_properties = bool(value)
                self.push_properties(value, bits)
            elif keyword == ITEMS:
                has_items = PyDict_CheckExact(value)
                self.push(value, below)
            elif keyword == ADDITIONAL:
                if value is True:
                    is_odd = is_odd or is_nested
                else:
                    is_closed = True
                    if value is not False:
                        is_odd = is_odd or is_nested
                        self.push(value, below | IN_ADDITIONAL)
            elif keyword == DEFAULT:
                if is_nested or bits & IN_META:
                    is_odd = True
                elif not bits & IN_ADDITIONAL:
                    self.defaults.append(schema)
            elif keyword == PATTERN:
                if PyUnicode_CheckExact(value):
                    if value:
                        self.patterns.add(value)
                else:
                    is_odd = True
            elif keyword == MERGES:
                is_merging = True
                is_odd = is_odd or is_nested
            elif keyword == MERGE_KEYS:
                is_merging = True
                if is_nested and value:
                    is_odd = True
            elif keyword == RULES:
                if value:
                    self.has_rules = True
                    is_merging = True
                    is_odd = is_odd or is_nested
            elif keyword == PRESERVE:
                preserves = bool(value)
                is_odd = is_odd or is_nested or not preserves
            elif keyword == INT_OR_STRING:
                is_either = bool(value)
                is_odd = is_odd or (is_nested and is_either)
            elif keyword == ODD_IF_TRUE:
                if value:
                    is_odd = True
            elif keyword == NOT:
                is_odd = is_odd or bits & AT_ROOT  # as push_clauses has it
                self.push(value, below | IN_JUNCTOR)
            else:
                self.push_clauses(value, keyword, bits)
        if not PyUnicode_CheckExact(kind) or (kind and (is_nested or kind not in TYPES)):
            is_odd = True
        elif not (kind or is_nested or preserves or is_either) or (not has_items and kind == "array"):
            is_odd = True
        if format_ is not None and not PyUnicode_CheckExact(format_):
            is_odd = True
        elif format_ and not is_odd:
            self.formats.add((kind, format_))
        if (is_either and preserves) or (is_closed and has_properties):
            is_odd = True
        if is_odd:
            self.is_ordinary = False
        if is_merging:
            self.merging.append(schema)
        return 0
