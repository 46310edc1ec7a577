# cython: language_level=3
"""Stored JSON written as protobuf without reading it: as protobufobject writes the object of the text, byte for byte.

The text is taken apart once; then messages take their members from it in the order of their numbers, most texts as
they stand there. Contract: _kernels/protobuftext.pyi.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memset

from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.jsontape cimport (
    V_LIST,
    V_NULL,
    V_NUMBER,
    V_OBJECT,
    V_SETS,
    V_TEXT,
    V_TRUE,
    Value,
    drop_tape,
    read_tape,
)
from quarterdeck._kernels.protobufback cimport (
    Back,
    begin_back,
    close_back,
    drop_back,
    put_back,
    put_number,
    take_back,
    written,
)
from quarterdeck._kernels.protobufcursor cimport WIRE_FIXED64, WIRE_VARINT
from quarterdeck._kernels.protobuffields cimport (
    K_BOOL,
    K_BYTES,
    K_DOUBLE,
    K_INT,
    K_MESSAGE,
    K_STRING,
    S_INLINE,
    S_LIST,
    S_MAP,
)
from quarterdeck._kernels.protobufobject cimport (
    K_INT_OR_STRING,
    K_JSON,
    K_QUANTITY,
    K_STRINGS,
    K_TIME,
    Field,
    Message,
)
from quarterdeck._kernels.protobufplan cimport FIELDS_MAX, Plan, Slot, find_slot, plan_of, plan_within, refuse
from quarterdeck._kernels.protobuftime cimport read_rfc3339
from quarterdeck._kernels.protobufwork cimport Work, integer_of, value_at, wait_for, write_strings, write_text

from quarterdeck._kernels.protobufplan import Unusual

cdef enum:
    DEPTH_MAX = 100


# A map's entry, whose value comes after its name.
cdef struct Entry:
    const unsigned char *name
    Py_ssize_t size
    int32_t value


cdef int write_message(Work *work, Py_ssize_t at, Plan plan, int depth) except -1:
    """The inside of a message of an object; at -1 it is one that holds nothing."""
    cdef int32_t found[FIELDS_MAX]
    cdef Slot *slot
    cdef Py_ssize_t child, end, start
    cdef Value *name
    cdef int i
    give_way()
    if depth == 0 or (plan.has_fit and at >= 0):
        refuse()
    memset(found, 0xFF, plan.count * sizeof(int32_t))
    if at >= 0:
        child, end = at + 1, value_at(work, at).next
        while child < end:
            name = value_at(work, child)
            i = find_slot(plan, work.tape.text + name.begin, name.end - name.begin)
            child += 1
            if i >= 0:
                if found[i] >= 0:
                    refuse()
                if value_at(work, child).kind != V_NULL:
                    found[i] = <int32_t>child
            child = value_at(work, child).next
    for i in range(plan.count):
        slot = plan.slots + i
        if slot.shape == S_INLINE:
            start = written(&work.out)
            write_message(work, at, plan_within(plan, slot), depth - 1)
            close_back(&work.out, slot.number, start)
        elif found[i] < 0:
            if slot.zero_size:
                put_back(&work.out, slot.zero, slot.zero_size)
        elif slot.shape == S_LIST:
            write_list(work, found[i], plan, slot, depth)
        elif slot.shape == S_MAP:
            write_map(work, found[i], plan, slot, depth)
        else:
            write_value(work, slot.number, found[i], plan, slot, depth)
    return 0


cdef int write_list(Work *work, Py_ssize_t at, Plan plan, Slot *slot, int depth) except -1:
    cdef Py_ssize_t first = work.waiting_count
    cdef Py_ssize_t child = at + 1
    cdef Py_ssize_t end = value_at(work, at).next
    if value_at(work, at).kind != V_LIST:
        return 0
    while child < end:
        wait_for(work, child)
        child = value_at(work, child).next
    while work.waiting_count > first:
        work.waiting_count -= 1
        write_value(work, slot.number, work.waiting[work.waiting_count], plan, slot, depth)
    return 0


cdef int compare_entries(const void *one, const void *other) noexcept nogil:
    """Last ones first, as texts are compared, since UTF-8 keeps the order of characters."""
    cdef const Entry *left = <const Entry *>one
    cdef const Entry *right = <const Entry *>other
    cdef int order = memcmp(left.name, right.name, min(left.size, right.size))
    if order:
        return -order
    return (right.size > left.size) - (right.size < left.size)


cdef int write_map(Work *work, Py_ssize_t at, Plan plan, Slot *slot, int depth) except -1:
    cdef Py_ssize_t child = at + 1
    cdef Py_ssize_t end = value_at(work, at).next
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t i, start, name_start
    cdef Entry *entries
    cdef Value *name
    if value_at(work, at).kind == V_SETS:
        refuse()
    if value_at(work, at).kind != V_OBJECT:
        return 0
    entries = <Entry *>PyMem_Malloc((end - at) * sizeof(Entry))
    if entries == NULL:
        raise MemoryError
    try:
        while child < end:
            name = value_at(work, child)
            if name.has_escapes:
                refuse()
            entries[count].name = work.tape.text + name.begin
            entries[count].size = name.end - name.begin
            entries[count].value = <int32_t>(child + 1)
            count += 1
            child = value_at(work, child + 1).next
        qsort(entries, count, sizeof(Entry), compare_entries)
        for i in range(count):
            if i and compare_entries(&entries[i - 1], &entries[i]) == 0:
                refuse()
            give_way()
            start = written(&work.out)
            write_value(work, 2, entries[i].value, plan, slot, depth)
            name_start = written(&work.out)
            put_back(&work.out, <const char *>entries[i].name, entries[i].size)
            close_back(&work.out, 1, name_start)
            close_back(&work.out, slot.number, start)
    finally:
        PyMem_Free(entries)
    return 0


cdef int write_value(Work *work, uint64_t number, Py_ssize_t at, Plan plan, Slot *slot, int depth) except -1:
    """Null is the zero value of the type; so is what is of another type."""
    cdef Value *value = value_at(work, at)
    cdef Back *out = &work.out
    cdef Py_ssize_t start = written(out)
    cdef int kind = slot.kind
    cdef double real
    cdef Plan within
    if value.kind == V_SETS and kind != K_JSON:
        refuse()
    if kind == K_STRING:
        if value.kind == V_TEXT:
            write_text(work, value)
        return close_back(out, number, start)
    if kind == K_BOOL:
        put_number(out, value.kind == V_TRUE)
        return put_number(out, number << 3 | WIRE_VARINT)
    if kind == K_INT:
        put_number(out, <uint64_t>integer_of(work, value))
        return put_number(out, number << 3 | WIRE_VARINT)
    if kind == K_DOUBLE:
        real = <double>integer_of(work, value)
        put_back(out, <const char *>&real, 8)  # little-endian, as the machines that this is built for
        return put_number(out, number << 3 | WIRE_FIXED64)
    if kind == K_BYTES and value.kind == V_NULL:
        return 0  # a slice that is nil
    if kind == K_MESSAGE:
        within = plan_within(plan, slot)
        if within.has_fit and value.kind != V_NULL:  # JSON shows some as what is no object: true, a list
            refuse()
        write_message(work, at if value.kind == V_OBJECT else -1, within, depth - 1)
    else:
        write_own(work, value, slot)
    return close_back(out, number, start)


cdef int write_own(Work *work, const Value *value, const Slot *slot) except -1:
    """The inside of a message of a value that JSON shows in a form of its own."""
    cdef Back *out = &work.out
    cdef Py_ssize_t start = written(out)
    cdef int kind = slot.kind
    cdef int64_t seconds = 0
    cdef const char *text = <const char *>work.tape.text + value.begin
    cdef bytes made
    if kind == K_JSON:
        if value.kind == V_NULL:
            return 0
        if value.kind == V_TEXT:
            put_back(out, text - 1, value.end - value.begin + 2)
        else:
            put_back(out, text, value.end - value.begin)
        return close_back(out, 1, start)
    if kind == K_QUANTITY and (value.kind == V_TEXT or value.kind == V_NUMBER):
        write_text(work, value)
        return close_back(out, 1, start)
    if kind == K_INT_OR_STRING and (value.kind == V_TEXT or value.kind == V_NUMBER):
        if value.kind == V_TEXT:
            write_text(work, value)
        close_back(out, 3, start)
        put_number(out, <uint64_t>integer_of(work, value))
        put_number(out, 2 << 3 | WIRE_VARINT)
        put_number(out, value.kind == V_TEXT)
        return put_number(out, 1 << 3 | WIRE_VARINT)
    if kind == K_STRINGS and value.kind == V_LIST:
        return write_strings(work, value)
    if kind == K_TIME and value.kind == V_TEXT and read_rfc3339(text, value.end - value.begin, &seconds):
        put_number(out, 0)
        put_number(out, 2 << 3 | WIRE_VARINT)
        put_number(out, <uint64_t>seconds)
        return put_number(out, 1 << 3 | WIRE_VARINT)
    if value.kind != V_NULL and (value.kind != V_TEXT or value.has_escapes):
        refuse()
    made = (<Field>slot.field).target(
        None if value.kind == V_NULL else PyUnicode_DecodeUTF8(text, value.end - value.begin, NULL)
    )
    return put_back(out, PyBytes_AS_STRING(made), PyBytes_GET_SIZE(made))


def encode(bytes data not None, Message message not None):
    cdef Work work
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    memset(&work, 0, sizeof(Work))
    try:
        if not read_tape(&work.tape, text, PyBytes_GET_SIZE(data)):
            return None
        begin_back(&work.out, PyBytes_GET_SIZE(data) + 512)
        write_message(&work, 0, plan_of(message), DEPTH_MAX)
        return take_back(&work.out)
    except Unusual:
        return None
    finally:
        drop_tape(&work.tape)
        drop_back(&work.out)
        PyMem_Free(work.waiting)
