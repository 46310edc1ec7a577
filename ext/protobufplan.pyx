# cython: language_level=3
"""How protobuftext finds and writes the fields of a message. Contract: _kernels/protobufplan.pyi."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t

from quarterdeck._kernels.protobufobject cimport Field, Message, zero_of

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


class Unusual(Exception):
    pass


cdef int refuse() except -1:
    raise Unusual


@cython.final
cdef class Plan:
    """Declared in protobufplan.pxd."""

    def __cinit__(self, Message message):
        cdef Slot *slot
        cdef Field field
        cdef unsigned int place
        if len(message.fields) > FIELDS_MAX:
            refuse()
        self.has_fit = message.fit is not None
        self.slots = <Slot *>PyMem_Malloc(max(len(message.fields), 1) * sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError
        self.kept = []
        for field in message.fields:
            zero = zero_of(field)
            self.kept += (field, zero)
            slot = self.slots + self.count
            slot.name = PyUnicode_AsUTF8AndSize(field.name, &slot.name_size)
            slot.zero, slot.zero_size = PyBytes_AS_STRING(zero), PyBytes_GET_SIZE(zero)
            slot.number, slot.kind, slot.shape = field.number, field.kind, field.shape
            slot.field, slot.plan = <PyObject *>field, NULL
            self.count += 1
            place = place_of(<const unsigned char *>slot.name, slot.name_size)
            while self.places[place]:
                place = (place + 1) % PLACES
            self.places[place] = <uint8_t>self.count

    def __dealloc__(self):
        PyMem_Free(self.slots)


cdef Plan plan_of(Message message):
    if message.plan is None:
        message.plan = Plan(message)
    return message.plan


cdef Plan plan_within(Plan outer, Slot *slot):
    cdef Plan plan
    if slot.plan == NULL:
        plan = plan_of((<Field>slot.field).target)
        outer.kept.append(plan)
        slot.plan = <PyObject *>plan
    return <Plan>slot.plan
