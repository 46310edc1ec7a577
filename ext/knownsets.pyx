# cython: language_level=3
"""Reading stored objects whose sets of fields have been read before. Contract: _kernels/knownsets.pyi.

Of a stored object of 1.6 KB half is text that tells who owns what, and reading that takes half of the time: it is dicts
in dicts. Objects that are written alike have the same texts there. So the texts of some sets are kept beside the sets.
Where one of them stands in an object, it is left out before the object is read, and the set is put in its place; it is
never changed (fieldset.pyx), so objects may share it. It is written from its text, too (jsonwrite.keep_text).

What is kept has a bound. A text is kept when its set has been read in full and is written as that very text again.
Where others come all the time, few are kept.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcmp, memcpy

from quarterdeck._kernels.jsonwrite import encode, keep_text

cdef extern from "<string.h>" nogil:
    void *memmem(const void *haystack, size_t size, const void *needle, size_t needle_size)
    void *memchr(const void *text, int c, size_t size)

cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)

cdef enum:
    ENTRIES_MAX = 8          # of an object, that are looked at
    BUCKETS = 16             # a power of two
    WAYS = 4
    HEAD_BYTES = 48          # of a text, that choose its bucket
    TEXT_BYTES_MIN = 96      # what is shorter is read as fast
    TEXT_BYTES_MAX = 16384
    MISSES_MAX = 32          # in a row: then those of every eighth object are kept
    MISSES_STEP = 8

cdef list _texts = [None] * (BUCKETS * WAYS)
cdef list _sets = [None] * (BUCKETS * WAYS)
cdef int _turns[BUCKETS]     # which of a bucket is replaced next
cdef int _misses = 0

cdef struct Found:
    Py_ssize_t begin
    Py_ssize_t end
    int known                # its place among those that are kept; or one of these

cdef enum:
    UNKNOWN = -1
    SHORT = -2


cdef int _bucket_of(const char *text) noexcept:
    cdef unsigned int mixed = 0
    cdef int i
    for i in range(0, HEAD_BYTES, 3):
        mixed = mixed * 31 + <unsigned char> text[i]
    return <int> ((mixed ^ mixed >> 7) & (BUCKETS - 1))


cdef int _find_known(const char *text, Py_ssize_t room) noexcept:
    """The kept one that begins here: a value is at its end where its text is."""
    cdef int place
    cdef Py_ssize_t size
    if room < TEXT_BYTES_MIN:
        return UNKNOWN
    place = _bucket_of(text) * WAYS
    for place in range(place, place + WAYS):
        if _texts[place] is not None:
            size = PyBytes_GET_SIZE(_texts[place])
            if size <= room and not memcmp(PyBytes_AS_STRING(_texts[place]), text, size):
                return place
    return UNKNOWN


cdef Py_ssize_t _end_of(const char *text, Py_ssize_t size, Py_ssize_t size_max) noexcept:
    """Behind the object that begins here; -1: it has none, or is too large."""
    cdef Py_ssize_t depth = 0
    cdef Py_ssize_t i = 0
    cdef bint is_text = False
    cdef char c
    while i < size and i < size_max:
        c = text[i]
        i += 1
        if is_text:
            if c == c'\\':
                i += 1
            elif c == c'"':
                is_text = False
        elif c == c'"':
            is_text = True
        elif c == c'{':
            depth += 1
        elif c == c'}':
            depth -= 1
            if not depth:
                return i
    return -1


cdef int _find_sets(const char *text, Py_ssize_t size, Found *found, bint learns) noexcept:
    """The sets of an object's entries, in order. How many; 0: nobody owns anything; -1: they are too many, others than
    this server writes, or not known, and none are to be kept."""
    cdef const char *end = text + size
    cdef const char *at = <const char *> memchr(text + 1, c'{', size - 1) if size > 0 else NULL
    cdef int count = 0
    cdef Py_ssize_t inner
    # The first object within a stored one is its metadata.
    if at == NULL or at - text < 12 or memcmp(at - 11, b'"metadata":', 11):
        return 0
    at = <const char *> memmem(at, end - at, b'"managedFields":[{', 18)
    if at == NULL:
        return 0
    while count < ENTRIES_MAX:
        at = <const char *> memmem(at, end - at, b'"fieldsV1":{', 12)
        if at == NULL:
            return -1
        at += 11
        found[count].begin = at - text
        found[count].known = _find_known(at, end - at)
        if found[count].known >= 0:
            inner = PyBytes_GET_SIZE(_texts[found[count].known])
        else:
            inner = _end_of(at, end - at, TEXT_BYTES_MAX if learns else TEXT_BYTES_MIN)
            if inner < 0:
                return -1
            if inner < TEXT_BYTES_MIN:
                found[count].known = SHORT
        at += inner
        found[count].end = at - text
        count += 1
        # Behind a set its entry ends, but for the subresource.
        if at < end and at[0] == c',':
            at = <const char *> memchr(at, c'}', end - at)
        if at == NULL or end - at < 2 or at[0] != c'}':
            return -1
        if at[1] == c']':
            return count
        at += 1
    return -1


def load(bytes data not None, loads):
    global _misses
    cdef Found found[ENTRIES_MAX]
    cdef const char *text = PyBytes_AS_STRING(data)
    cdef int count = _find_sets(text, PyBytes_GET_SIZE(data), found, _misses <= MISSES_MAX or not _misses % MISSES_STEP)
    cdef int known = 0
    cdef int unknown = 0
    cdef int i
    for i in range(count):
        known += found[i].known >= 0
        unknown += found[i].known == UNKNOWN
    if count < 0 or unknown:
        _misses = _misses + 1 if _misses < 1 << 30 else MISSES_MAX
    elif known:
        _misses = 0
    if not known and not unknown:
        return loads(data)
    obj = loads(_without(data, found, count) if known else data)
    entries = _entries_of(obj, found, count)
    if entries is None:  # what looked like it stands elsewhere
        return loads(data) if known else obj
    for i in range(count):
        if found[i].known >= 0:
            found[i].known = _find_known(text + found[i].begin, found[i].end - found[i].begin)
            if found[i].known < 0:  # who read something else meanwhile has had its place
                return loads(data)
            entries[i]["fieldsV1"] = _sets[found[i].known]
        elif found[i].known == UNKNOWN:
            _keep(data[found[i].begin:found[i].end], entries[i]["fieldsV1"])
    return obj


cdef bytes _without(bytes data, Found *found, int count):
    """The data, with an empty object in the place of each known set."""
    cdef const char *text = PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t begin = 0
    cdef bytes made
    cdef char *out
    cdef int i
    for i in range(count):
        if found[i].known >= 0:
            size -= found[i].end - found[i].begin - 2
    made = PyBytes_FromStringAndSize(NULL, size)
    out = PyBytes_AS_STRING(made)
    for i in range(count):
        if found[i].known >= 0:
            memcpy(out, text + begin, found[i].begin - begin)
            out += found[i].begin - begin
            out[0] = c'{'
            out[1] = c'}'
            out += 2
            begin = found[i].end
    memcpy(out, text + begin, PyBytes_GET_SIZE(data) - begin)
    return made


cdef list _entries_of(object obj, Found *found, int count):
    """metadata.managedFields, if it has as many entries, with sets where they were found; else None."""
    cdef int i
    metadata = (<dict> obj).get("metadata") if PyDict_CheckExact(obj) else None
    entries = (<dict> metadata).get("managedFields") if PyDict_CheckExact(metadata) else None
    if not PyList_CheckExact(entries) or len(<list> entries) != count:
        return None
    for i in range(count):
        entry = (<list> entries)[i]
        fields = (<dict> entry).get("fieldsV1") if PyDict_CheckExact(entry) else None
        if not PyDict_CheckExact(fields) or (found[i].known >= 0 and fields):
            return None
    return <list> entries


cdef int _keep(bytes text, dict fields) except -1:
    cdef int bucket, place
    if encode(fields) != text:
        return 0
    bucket = _bucket_of(PyBytes_AS_STRING(text))
    place = bucket * WAYS + _turns[bucket]
    _turns[bucket] = (_turns[bucket] + 1) % WAYS
    _texts[place] = text
    _sets[place] = fields
    keep_text(fields, text)
    return 0


def forget():
    global _misses
    cdef int place
    _misses = 0
    for place in range(BUCKETS * WAYS):
        _texts[place] = _sets[place] = None
