from libc.stdint cimport int64_t, uint32_t

cdef struct Record:
    int64_t revision
    int64_t create_revision
    char *key
    uint32_t size
    uint32_t hash

cdef class KeyTable:
    cdef Record *records
    cdef uint32_t *slots
    cdef uint32_t mask
    cdef uint32_t count
    cdef uint32_t room
    cdef Record *find(self, str key) except? NULL
    cdef int put(self, str key, int64_t revision, int64_t create_revision) except -1
    cdef int drop(self, str key) except -1
    cdef bint seek(self, str key, uint32_t *slot) except -1
    cdef uint32_t slot_of(self, const char *text, uint32_t size, uint32_t hashed) noexcept
    cdef void clear(self, uint32_t hole) noexcept
    cdef int resize(self, uint32_t room) except -1
    cdef void fill_slots(self) noexcept
