"""The fields of a message as they are found by their names in a text, and written. Body: ext/protobufplan.pyx."""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

from quarterdeck._kernels.protobufobject cimport Message

cdef enum:
    FIELDS_MAX = 120
    PLACES = 256


# A field as it is looked for and written; texts and objects are the plan's.
cdef struct Slot:
    const char *name
    Py_ssize_t name_size
    const char *zero          # what is written where it is not there
    Py_ssize_t zero_size
    uint64_t number
    int kind
    int shape
    PyObject *field
    PyObject *plan            # that of the field's message, once it was asked for


@cython.final
cdef class Plan:
    """The fields of a message, `count` of them by falling number; `places` finds one by its name."""

    cdef Slot *slots
    cdef int count
    cdef bint has_fit
    cdef list kept
    cdef uint8_t places[PLACES]  # 0: none


cdef Plan plan_of(Message message)
cdef Plan plan_within(Plan outer, Slot *slot)
cdef int refuse() except -1


cdef inline unsigned int place_of(const unsigned char *name, Py_ssize_t size) noexcept:
    if size == 0:
        return 0
    return (<unsigned int>size * 7 + name[0] * 5 + name[size >> 1] * 31 + name[size - 1] * 3) % PLACES


cdef inline int find_slot(Plan plan, const unsigned char *name, Py_ssize_t size) noexcept:
    """-1: there is none of that name."""
    cdef unsigned int place = place_of(name, size)
    cdef Slot *slot
    while plan.places[place]:
        slot = plan.slots + plan.places[place] - 1
        if slot.name_size == size and memcmp(slot.name, name, size) == 0:
            return plan.places[place] - 1
        place = (place + 1) % PLACES
    return -1
