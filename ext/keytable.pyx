# cython: language_level=3
"""The newest revision of each key of a store: a hash table whose records and keys are no objects of Python.

    slots     index of a record + 1, or 0; open addressing, the next free one counts
    records   without gaps: the last one moves to where one is removed

Contract: _kernels/keytable.pyi.
"""

cimport cython
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy

cdef enum:
    ROOM_MIN = 16
    SLOTS_MIN = 32


cdef inline uint32_t hash_of(str key) except? 0:
    """Python's own, which nobody from outside can foresee."""
    cdef uint64_t whole = <uint64_t><Py_ssize_t>hash(key)
    return <uint32_t>(whole ^ (whole >> 32))


@cython.final
cdef class KeyTable:
    def __cinit__(self):
        self.room = ROOM_MIN
        self.mask = SLOTS_MIN - 1
        self.records = <Record *>malloc(self.room * sizeof(Record))
        self.slots = <uint32_t *>calloc(SLOTS_MIN, sizeof(uint32_t))
        if self.records == NULL or self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef uint32_t index
        for index in range(self.count):
            free(self.records[index].key)
        free(self.records)
        free(self.slots)

    def __len__(self):
        return self.count

    def __contains__(self, str key not None):
        return self.find(key) != NULL

    def get(self, str key not None):
        cdef Record *record = self.find(key)
        return None if record == NULL else (record.revision, record.create_revision)

    def revision_of(self, str key not None):
        cdef Record *record = self.find(key)
        return 0 if record == NULL else record.revision

    def set(self, str key not None, int64_t revision, int64_t create_revision):
        self.put(key, revision, create_revision)

    def discard(self, str key not None):
        self.drop(key)

    def keys(self, uint32_t start=0, uint32_t stop=0xFFFFFFFF):
        cdef uint32_t index
        return [
            PyUnicode_DecodeUTF8(self.records[index].key, self.records[index].size, NULL)
            for index in range(start, min(stop, self.count))
        ]

    cdef Record *find(self, str key) except? NULL:
        cdef uint32_t slot
        if not self.seek(key, &slot):
            return NULL
        return &self.records[self.slots[slot] - 1]

    cdef bint seek(self, str key, uint32_t *slot) except -1:
        """Whether the key is there; its slot."""
        cdef Py_ssize_t size
        cdef const char *text
        try:
            text = PyUnicode_AsUTF8AndSize(key, &size)
        except UnicodeEncodeError:
            return False
        slot[0] = self.slot_of(text, <uint32_t>size, hash_of(key))
        return self.slots[slot[0]] != 0

    cdef uint32_t slot_of(self, const char *text, uint32_t size, uint32_t hashed) noexcept:
        """The key's slot, or the free one that would be."""
        cdef uint32_t slot = hashed & self.mask
        cdef Record *record
        while self.slots[slot] != 0:
            record = &self.records[self.slots[slot] - 1]
            if record.hash == hashed and record.size == size and memcmp(record.key, text, size) == 0:
                break
            slot = (slot + 1) & self.mask
        return slot

    cdef int put(self, str key, int64_t revision, int64_t create_revision) except -1:
        cdef Py_ssize_t size
        cdef const char *text = PyUnicode_AsUTF8AndSize(key, &size)
        cdef uint32_t hashed = hash_of(key)
        cdef uint32_t slot
        cdef Record *record
        if self.count == self.room:
            self.resize(self.room + (self.room >> 1))
        slot = self.slot_of(text, <uint32_t>size, hashed)
        if self.slots[slot] == 0:
            record = &self.records[self.count]
            record.key = <char *>malloc(size or 1)
            if record.key == NULL:
                raise MemoryError
            memcpy(record.key, text, size)
            record.size = <uint32_t>size
            record.hash = hashed
            self.count += 1
            self.slots[slot] = self.count
        record = &self.records[self.slots[slot] - 1]
        record.revision = revision
        record.create_revision = create_revision
        return 0

    cdef int drop(self, str key) except -1:
        cdef uint32_t slot, index, last
        if not self.seek(key, &slot):
            return 0
        index = self.slots[slot] - 1
        last = self.count - 1
        free(self.records[index].key)
        self.clear(slot)
        if index != last:
            self.records[index] = self.records[last]
            slot = self.records[index].hash & self.mask
            while self.slots[slot] != last + 1:
                slot = (slot + 1) & self.mask
            self.slots[slot] = index + 1
        self.count = last
        if self.room > 4 * ROOM_MIN and self.count < self.room >> 2:
            self.resize(self.room >> 1)
        return 0

    cdef void clear(self, uint32_t hole) noexcept:
        """Free a slot, and move up whom a search would not find beyond it."""
        cdef uint32_t slot = hole
        cdef uint32_t home
        while True:
            slot = (slot + 1) & self.mask
            if self.slots[slot] == 0:
                break
            home = self.records[self.slots[slot] - 1].hash & self.mask
            if ((slot - home) & self.mask) >= ((slot - hole) & self.mask):
                self.slots[hole] = self.slots[slot]
                hole = slot
        self.slots[hole] = 0

    cdef int resize(self, uint32_t room) except -1:
        """Make room for so many records, which is not less than there are."""
        cdef uint32_t slots = SLOTS_MIN
        cdef uint32_t *fresh
        cdef Record *records
        while slots < room + (room >> 1):  # beyond two thirds searches get long
            slots <<= 1
        fresh = <uint32_t *>calloc(slots, sizeof(uint32_t))
        if fresh == NULL:
            raise MemoryError
        records = <Record *>realloc(self.records, room * sizeof(Record))
        if records == NULL:
            free(fresh)
            raise MemoryError
        free(self.slots)
        self.records, self.room = records, room
        self.slots, self.mask = fresh, slots - 1
        self.fill_slots()
        return 0

    cdef void fill_slots(self) noexcept:
        cdef uint32_t index, slot
        for index in range(self.count):
            slot = self.records[index].hash & self.mask
            while self.slots[slot] != 0:
                slot = (slot + 1) & self.mask
            self.slots[slot] = index + 1
