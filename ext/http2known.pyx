"""The fields of heads that a connection has sent before, as text. For http2.pyx.

A client sends nearly the same head again and again, and HPACK sends what is in its table as a number: libnghttp2 then
gives the same two buffers each time. What was made of them is kept beside them, so that a field costs a look at two
addresses instead of two texts. The buffers are held, so that no other field can come to lie there.

Source: RFC 7541, 2.3.2 (the dynamic table).
"""

cimport cython
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeLatin1
from libc.stdint cimport uint8_t

from quarterdeck._kernels.nghttp2 cimport (
    NGHTTP2_NV_FLAG_NO_INDEX,
    nghttp2_rcbuf,
    nghttp2_rcbuf_decref,
    nghttp2_rcbuf_get_buf,
    nghttp2_rcbuf_incref,
    nghttp2_vec,
)

cdef enum:
    # So much a slot may hold; tokens are about as long as that at most.
    C_BYTES_MAX = 2048


@cython.final
cdef class Field:
    """One of a head. `octets`: of its name and value."""


@cython.final
cdef class KnownFields:
    def __cinit__(self):
        cdef int i
        for i in range(KNOWN_SLOTS):
            self.slots[i].name = self.slots[i].value = NULL
        self.fields = [None] * KNOWN_SLOTS

    def __dealloc__(self):
        cdef int i
        for i in range(KNOWN_SLOTS):
            if self.slots[i].name != NULL:
                nghttp2_rcbuf_decref(self.slots[i].name)
                nghttp2_rcbuf_decref(self.slots[i].value)

    cdef Field read(self, nghttp2_rcbuf* name, nghttp2_rcbuf* value, uint8_t flags):
        """What two buffers hold. What is marked as a secret of one request is not kept.

        Fields come in the order of the head before: the next one is looked for behind the last one that was found."""
        cdef int _
        cdef unsigned int at = self.expected
        cdef Field field
        for _ in range(KNOWN_SLOTS):
            at &= KNOWN_SLOTS - 1
            if self.slots[at].name == name and self.slots[at].value == value:
                self.expected = at + 1
                return <Field> self.fields[at]
            at += 1
        field = build_field(nghttp2_rcbuf_get_buf(name), nghttp2_rcbuf_get_buf(value))
        if field.octets <= C_BYTES_MAX and not flags & NGHTTP2_NV_FLAG_NO_INDEX:
            self._keep(field, name, value)
        return field

    cdef int _keep(self, Field field, nghttp2_rcbuf* name, nghttp2_rcbuf* value) except -1:
        """In the place of the one that has been kept longest."""
        cdef Slot* slot = &self.slots[self.oldest]
        nghttp2_rcbuf_incref(name)
        nghttp2_rcbuf_incref(value)
        if slot.name != NULL:
            nghttp2_rcbuf_decref(slot.name)
            nghttp2_rcbuf_decref(slot.value)
        slot.name = name
        slot.value = value
        self.fields[self.oldest] = field
        self.oldest = (self.oldest + 1) & (KNOWN_SLOTS - 1)
        self.expected = self.oldest
        return 0


cdef decode_value(const char* text, Py_ssize_t size):
    """Without blanks around it, as HTTP/1.1 reads it."""
    while size and text[size - 1] in (c' ', c'\t'):
        size -= 1
    while size and text[0] in (c' ', c'\t'):
        text += 1
        size -= 1
    return PyUnicode_DecodeLatin1(text, size, NULL)


cdef Field build_field(nghttp2_vec name, nghttp2_vec value):
    cdef Field field = Field()
    field.value = decode_value(<const char*> value.base, value.len)
    field.name = PyUnicode_DecodeASCII(<const char*> name.base, name.len, "replace")
    field.octets = name.len + value.len
    if field.name == ":method":
        field.kind = F_METHOD
    elif field.name == ":path":
        field.kind = F_PATH
    elif field.name == ":authority":
        field.kind = F_AUTHORITY
    elif field.name.startswith(":"):
        field.kind = F_OTHER
    return field
