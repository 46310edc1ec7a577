"""What a JSON text holds, on its way into protobuf. Inlined where it is used."""

from cpython.mem cimport PyMem_Realloc
from libc.stdint cimport int32_t, int64_t

from quarterdeck._kernels.jsontape cimport V_NUMBER, V_TEXT, Tape, Value
from quarterdeck._kernels.octets cimport hex_digit
from quarterdeck._kernels.protobufback cimport Back, close_back, put_back, room_for, written
from quarterdeck._kernels.protobufplan cimport refuse

# What is being written: the text's values, what is written of them so far, and values that are still to be written.
cdef struct Work:
    Tape tape
    Back out
    int32_t *waiting
    Py_ssize_t waiting_count
    Py_ssize_t waiting_room


cdef inline int wait_for(Work *work, Py_ssize_t value) except -1:
    cdef int32_t *grown
    if work.waiting_count == work.waiting_room:
        grown = <int32_t *>PyMem_Realloc(work.waiting, (work.waiting_room * 2 + 64) * sizeof(int32_t))
        if grown == NULL:
            raise MemoryError
        work.waiting = grown
        work.waiting_room = work.waiting_room * 2 + 64
    work.waiting[work.waiting_count] = <int32_t>value
    work.waiting_count += 1
    return 0


cdef inline Value *value_at(Work *work, Py_ssize_t at) noexcept:
    return work.tape.values + at


cdef inline int64_t integer_of(Work *work, const Value *value) noexcept:
    """Of eighteen digits at most; 0 of what is no number."""
    cdef const unsigned char *text = work.tape.text + value.begin
    cdef const unsigned char *end = work.tape.text + value.end
    cdef bint is_negative = text[0] == c'-'
    cdef int64_t number = 0
    if value.kind != V_NUMBER:
        return 0
    if is_negative:
        text += 1
    while text < end:
        number = number * 10 + (text[0] - c'0')
        text += 1
    return -number if is_negative else number


cdef inline int write_text(Work *work, const Value *value) except -1:
    """A text without its escapes."""
    cdef const unsigned char *text = work.tape.text + value.begin
    cdef const unsigned char *end = work.tape.text + value.end
    if not value.has_escapes:
        return put_back(&work.out, <const char *>text, end - text)
    unescape(<unsigned char *>room_for(&work.out, unescape(NULL, text, end)), text, end)
    return 0


cdef inline Py_ssize_t unescape(unsigned char *place, const unsigned char *text, const unsigned char *end) noexcept:
    """How many bytes it makes; at NULL they are only counted."""
    cdef const char *short_escapes = b"\x08   \x0c       \x0a   \x0d \x09"  # of `\\b` to `\\t`
    cdef Py_ssize_t count = 0
    cdef unsigned char byte
    while text < end:
        byte = text[0]
        text += 1
        if byte == c'\\':
            byte = text[0]
            text += 1
            if byte == c'u':
                byte = <unsigned char>(hex_digit(text[2]) << 4 | hex_digit(text[3]))
                text += 4
            elif byte >= c'b':
                byte = short_escapes[byte - c'b']
        if place != NULL:
            place[count] = byte
        count += 1
    return count


cdef inline int write_strings(Work *work, const Value *value) except -1:
    cdef Py_ssize_t first = work.waiting_count
    cdef Py_ssize_t child = value - work.tape.values + 1
    cdef Py_ssize_t start
    while child < <Py_ssize_t>value.next:
        if value_at(work, child).kind != V_TEXT:
            refuse()
        wait_for(work, child)
        child = value_at(work, child).next
    while work.waiting_count > first:
        work.waiting_count -= 1
        start = written(&work.out)
        write_text(work, value_at(work, work.waiting[work.waiting_count]))
        close_back(&work.out, 1, start)
    return 0
