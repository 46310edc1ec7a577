# The compiled form of a schema, shared by the kernels that run it. Everything is an index into a flat array, so that
# a program is a handful of allocations whatever the schema; equal subtrees are one node.
#
# Invariants: 1. child indices are smaller than their parent's; 2. every PyObject* is owned by `refs`;
# 3. a program never changes once it is in use, so that it may be run from several threads.

from cpython.object cimport PyObject_Hash
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcmp

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* memcmp() for the few bytes of a name, without a call. */
    static inline int qd_same_bytes(const char *a, const char *b, size_t size) {
        uint64_t x, y;
        uint32_t v, w;
        size_t at;
        if (size >= 8) {
            for (at = 0; at + 8 <= size; at += 8) {
                memcpy(&x, a + at, 8);
                memcpy(&y, b + at, 8);
                if (x != y) return 0;
            }
            memcpy(&x, a + size - 8, 8);
            memcpy(&y, b + size - 8, 8);
            return x == y;
        }
        if (size >= 4) {
            memcpy(&v, a, 4);
            memcpy(&w, b, 4);
            if (v != w) return 0;
            memcpy(&v, a + size - 4, 4);
            memcpy(&w, b + size - 4, 4);
            return v == w;
        }
        for (at = 0; at < size; at++)
            if (a[at] != b[at]) return 0;
        return 1;
    }

    /* Whether a text is these ASCII characters. */
    static inline int qd_is_ascii_text(PyObject *text, const char *data, size_t size) {
        return PyUnicode_IS_COMPACT_ASCII(text) && (size_t)((PyASCIIObject *)text)->length == size
            && qd_same_bytes(data, (const char *)((PyASCIIObject *)text + 1), size);
    }
    """
    bint is_ascii_text "qd_is_ascii_text"(PyObject* text, const char* data, size_t size) noexcept

cdef extern from "Python.h":
    ctypedef struct PyASCIIObject:
        Py_hash_t hash
    # With plain pointers, so that texts that are only looked at are not counted as held.
    Py_ssize_t text_length "PyUnicode_GET_LENGTH"(PyObject* text)
    int text_kind "PyUnicode_KIND"(PyObject* text)
    void* text_data "PyUnicode_DATA"(PyObject* text)

cdef enum:
    # types asked for
    T_OBJECT = 1
    T_ARRAY = 2
    T_STRING = 4
    T_INTEGER = 8
    T_NUMBER = 16
    T_BOOLEAN = 32
    T_OTHER = 64          # a type that no value has
    T_ANY = 127           # mask of the types
    NULLABLE = 1 << 7
    PRESERVE = 1 << 8     # x-kubernetes-preserve-unknown-fields
    EMBEDDED = 1 << 9     # x-kubernetes-embedded-resource
    LIST_SET = 1 << 10
    LIST_MAP = 1 << 11
    LIST_ATOMIC = 1 << 12
    FORMAT = 1 << 13      # a format that the type knows
    INT32 = 1 << 14
    FLOAT32 = 1 << 15
    DESCEND_DICT = 1 << 16  # an object's fields have something to be checked
    DESCEND_LIST = 1 << 17
    LISTS_WITHIN = 1 << 18  # a list of type set or map, here or further in

    # what additionalProperties says where it holds no schema
    MORE_ABSENT = -1
    MORE_TRUE = -2
    MORE_FALSE = -3

    # Slot.child: the node stands above SLOT_SHIFT
    SLOT_REQUIRED = 1
    SLOT_SHIFT = 4
    # Which values a node takes without looking any further, and what Slot.child says of it
    PLAIN_NONE = 0
    PLAIN_STRING = 1
    PLAIN_INTEGER = 2
    PLAIN_BOOLEAN = 3
    PLAIN_OBJECT = 4
    PLAIN_ARRAY = 5
    PLAIN_SHIFT = 1
    PLAIN_MASK = 7

    # Rules.present
    R_MULTIPLE = 1
    R_MINIMUM = 2
    R_MAXIMUM = 4
    R_MINIMUM_EXCLUSIVE = 8
    R_MAXIMUM_EXCLUSIVE = 16
    R_MULTIPLE_BAD = 32   # the factor is not of the schema's own type: every number is refused
    R_MINIMUM_BAD = 64
    R_MAXIMUM_BAD = 128
    R_UNIQUE = 256
    R_DATE_TIME = 512     # the checker is that of date-time
    R_DICT = 1024         # something is restricted of objects, enum and combinators apart
    R_TEXT = 2048         # …of texts
    R_ENUM = 4096
    R_CLAUSES = 8192      # there are combinators
    R_IMPLIED = 16384     # …which take every text and integer
    R_COMMON = R_ENUM | R_CLAUSES

cdef struct Slot:         # of a node's open-addressing table of properties
    PyObject* key         # NULL: free
    const char* data      # the key's characters where all are ASCII, else NULL
    int32_t child         # SLOT_REQUIRED for a required property, the child's PLAIN_*, its node; -1: nothing is found
    uint32_t hashed       # the key's hash, cut
    uint32_t size         # of data

cdef struct DefaultSlot:
    PyObject* key
    int32_t value         # into refs

cdef struct Rules:
    double multiple_of
    double minimum
    double maximum
    int64_t length_min    # -1: absent, as are the other least numbers
    int64_t length_max    # INT64_MAX: absent, as are the other greatest numbers, of which a negative one forbids all
    int64_t items_min
    int64_t items_max
    int64_t properties_min
    int64_t properties_max
    uint32_t present
    int32_t pattern       # into refs, as are checker, enumeration and required; -1: absent
    int32_t checker
    int32_t enumeration
    int32_t required      # names; those that are no properties are in required_others
    int32_t required_others
    int32_t required_count  # how many of the properties are required
    int32_t clauses       # into Program.clauses: anyOf, oneOf, allOf, not, one after the other
    int32_t any_count
    int32_t one_count
    int32_t all_count
    int32_t not_count

cdef struct Node:
    uint32_t flags
    int32_t rules         # into Program.rules; -1: none
    int32_t items
    int32_t more          # additionalProperties: a node, or MORE_*
    int32_t slots
    int32_t slots_mask    # -1: no properties
    int32_t defaults      # into Program.defaults: the properties that have one
    int32_t defaults_count
    int32_t default       # into refs; -1: none
    int32_t extra         # into refs: the list-map keys, and the format's name; -1: neither

cdef class Program:
    cdef Node* nodes
    cdef Rules* rules
    cdef Slot* slots
    cdef DefaultSlot* defaults
    cdef int32_t* clauses
    cdef Py_ssize_t nodes_count
    cdef Py_ssize_t rules_count
    cdef Py_ssize_t slots_count
    cdef Py_ssize_t defaults_count
    cdef Py_ssize_t clauses_count
    cdef int32_t root
    cdef readonly bint has_embedded
    cdef readonly bint has_list_types
    cdef public bint preserves  # nothing is pruned by it
    cdef readonly list refs
    cdef object typed_key     # value -> what two values share only if Go's DeepEqual holds
    cdef object json_text     # value -> its JSON as Go writes it
    cdef Program owner        # whose memory this program shares, and keeps alive
    cdef bint owns_memory



cdef inline int32_t find_slot(const Slot* slots, Py_ssize_t mask, PyObject* key) except -2:
    """`Slot.child` under the key in a node's table. Inline: it runs once for every field of an object."""
    cdef Py_hash_t hashed = (<PyASCIIObject*>key).hash
    cdef const Slot* slot
    cdef Py_ssize_t at, length
    if hashed == -1:
        hashed = PyObject_Hash(<object>key)
    at = hashed & mask
    slot = &slots[at]
    while slot.key is not NULL:
        if slot.key is key:
            return slot.child
        if slot.hashed == <uint32_t>hashed:
            if slot.data is not NULL:
                if is_ascii_text(key, slot.data, slot.size):
                    return slot.child
                at = (at + 1) & mask
                slot = &slots[at]
                continue
            length = text_length(key)
            if text_length(slot.key) == length and text_kind(slot.key) == text_kind(key):
                if memcmp(text_data(slot.key), text_data(key), length * text_kind(key)) == 0:
                    return slot.child
        at = (at + 1) & mask
        slot = &slots[at]
    return -1

cdef inline int plain_kind(const Node* node) noexcept:
    """PLAIN_* of a node."""
    if node.rules >= 0 or node.flags & (DESCEND_DICT | DESCEND_LIST | INT32):
        return PLAIN_NONE
    if node.flags & T_ANY == T_STRING:
        return PLAIN_STRING
    if node.flags & T_ANY == T_INTEGER:
        return PLAIN_INTEGER
    if node.flags & T_ANY == T_BOOLEAN:
        return PLAIN_BOOLEAN
    if node.flags & T_ANY == T_OBJECT:
        return PLAIN_OBJECT
    return PLAIN_ARRAY if node.flags & T_ANY == T_ARRAY else PLAIN_NONE

cdef bint is_json_integer(double value) noexcept
cdef int64_t to_int64(double value) noexcept
