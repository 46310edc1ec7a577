"""The objects of the watch cache: entries, changes, selections.

No I/O, no clock, no import but of kernels and zlib. The fan-out (watch.pyx) reads these from C; the cache makes them.
"""

from zlib import decompress

cimport cython
from libc.stdint cimport int64_t

from quarterdeck._kernels.objectbytes cimport splice_revision

# Operators of label requirements.
IN = 0
NOT_IN = 1
EXISTS = 2
NOT_EXISTS = 3
GREATER = 4
LESS = 5

cdef enum:
    C_IN = 0
    C_NOT_IN = 1
    C_EXISTS = 2
    C_NOT_EXISTS = 3
    C_GREATER = 4
    C_MANY = 8  # from here on requirements are found by the object's labels
cdef int64_t _entries_alive = 0
cdef int64_t _changes_alive = 0


def count_alive():
    """How many of these objects exist: what tests compare before and after."""
    return {"entries": _entries_alive, "changes": _changes_alive}


# --- the objects of the cache ----------------------------------------------------------------------------------------

@cython.final
@cython.no_gc
cdef class Entry:
    """One object at one revision. Immutable but for what is derived from it later, and for how its bytes are held.

    `path` is "namespace/name", or "name" for a cluster-scoped object. `labels` and `fields` are None until somebody
    asks (see `Hub.decode`). No reference leads from an entry back to itself, so the collector need not look at the
    hundred thousands of them; whoever keeps an encoding under a form sees to it that the form holds no entries.
    """

    def __cinit__(self, str path not None, str namespace not None, bytes data not None, int64_t revision,
                  int64_t create_revision, labels=None, fields=None):
        global _entries_alive
        _entries_alive += 1
        self.path = path
        self.namespace = namespace
        self._held = data
        self.revision = revision
        self.create_revision = create_revision
        self.labels = labels
        self.fields = fields

    def __dealloc__(self):
        global _entries_alive
        _entries_alive -= 1

    @property
    def data(self):
        """The stored bytes with their revision: made anew each time where they are held packed."""
        if self._unpacked:
            return decompress(self._held, bufsize=self._unpacked)
        return self._held

    @property
    def held_bytes(self):
        """How many bytes are held for the data."""
        return len(self._held)

    @property
    def name(self):
        return self.path[len(self.namespace) + 1:] if self.namespace else self.path

    def encoding(self, form):
        """The bytes kept under `form`, or None."""
        if self._form is form:
            return self._form_data
        return None if self._encodings is None else self._encodings.get(form)

    def keep_encoding(self, form, bytes data not None):
        if self._form is None or self._form is form:
            self._form, self._form_data = form, data
            return
        if self._encodings is None:
            self._encodings = {}
        self._encodings[form] = data

    def forget_encodings(self, frozenset forms not None):
        """Let go of what is kept under these forms, and under those that are made from them (their `base`)."""
        if self._form is not None and _is_of(self._form, forms):
            self._form = self._form_data = None
        if self._encodings is not None:
            self._encodings = {form: data for form, data in self._encodings.items() if not _is_of(form, forms)} or None


@cython.final
@cython.no_gc
cdef class Change:
    """One write: `old` is None for a creation, `entry` is None for a deletion. `at_s`: the caller's clock then."""

    def __cinit__(self, Entry entry, Entry old, int64_t revision, double at_s=0):
        global _changes_alive
        _changes_alive += 1
        if entry is None and old is None:
            raise ValueError("a change of nothing")
        self.entry = entry
        self.old = old
        self.revision = revision
        self.at_s = at_s

    def __dealloc__(self):
        global _changes_alive
        _changes_alive -= 1

    @property
    def tombstone(self):
        """The old object with this change's revision, for watchers that lose sight of it. Kept unless it is packed."""
        cdef Entry old = self.old
        if self._tombstone is not None:
            return self._tombstone
        if old is None:
            raise ValueError("a creation leaves no tombstone")
        old_data = old.data
        made = Entry(old.path, old.namespace, splice_revision(old_data, self.revision) or old_data, self.revision,
                     old.create_revision, old.labels, old.fields)
        self._tombstone = None if old._unpacked else made
        return made

    def hold_packed(self, bytes packed not None):
        """Hold the old object's data as what zlib packed it into."""
        if self.old is None or self.old._unpacked:
            raise ValueError("there is nothing to pack")
        self.old._unpacked = len(self.old._held)
        self.old._held = packed
        self._tombstone = None


# --- selections ------------------------------------------------------------------------------------------------------

cdef tuple _parse_int64(str text):
    """(True, value) where Go's strconv.ParseInt(text, 10, 64) succeeds, else (False, 0)."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or len(digits) > 19 or not digits.isascii() or not digits.isdigit():
        return False, 0
    value = int(text)
    return (True, value) if -(1 << 63) <= value < (1 << 63) else (False, 0)


@cython.final
cdef class Selection:
    """What a list or a watch asks for: a namespace ("" for all), a name, requirements on labels and on fields.

    `labels`: (key, operator, values) each; `fields`: (key, is_negated, value) each, where metadata.name and
    metadata.namespace are answered from the path; a negated one may name a frozenset of values. All of them must hold.

    An object is judged in a time that grows with its own labels or with the requirements, whichever are fewer.
    """

    def __cinit__(self, str namespace not None="", str name not None="", tuple labels not None=(),
                  tuple fields not None=()):
        self.namespace = namespace
        self.name = name
        self.labels = labels
        self.fields = fields
        self.path = f"{namespace}/{name}" if namespace and name else None
        self.is_everything = not (namespace or name or labels or fields)
        if len(labels) > C_MANY:
            self._by_label = {}
            for requirement in labels:
                self._by_label.setdefault(requirement[0], []).append(requirement)
            self._wanted_keys = len({each[0] for each in labels if each[1] not in (C_NOT_IN, C_NOT_EXISTS)})

    @property
    def key(self):
        """What two selections of the same objects have in common."""
        return self.namespace, self.name, self.labels, self.fields

    cdef bint matches(self, object decode, Entry entry) except -1:
        if self.is_everything:
            return True
        if self.path is not None:
            if entry.path != self.path:
                return False
        elif (self.namespace and entry.namespace != self.namespace) or (self.name and entry.name != self.name):
            return False
        if not self.labels and not self.fields:
            return True
        if entry.labels is None:
            decode_entry(decode, entry)
        if self._by_label is not None:
            if not self._match_many(entry.labels):
                return False
        elif not _match_labels(self.labels, entry.labels):
            return False
        return _match_fields(self.fields, entry)

    cdef bint _match_many(self, dict labels) except -1:
        cdef Py_ssize_t met = 0
        if len(labels) < self._wanted_keys:
            return False
        for key in labels:
            requirements = self._by_label.get(key)
            if requirements is not None:
                if not _match_labels(tuple(requirements), labels):
                    return False
                # C_NOT_EXISTS would not have matched.
                met += any(requirement[1] != C_NOT_IN for requirement in requirements)
        return met == self._wanted_keys


cdef bint _match_labels(tuple requirements, dict labels) except -1:
    cdef tuple requirement
    cdef long operator
    for requirement in requirements:
        operator = requirement[1]
        value = labels.get(requirement[0])
        if operator == C_IN:
            if value is None or value not in requirement[2]:
                return False
        elif operator == C_NOT_IN:
            if value is not None and value in requirement[2]:
                return False
        elif operator == C_EXISTS or operator == C_NOT_EXISTS:
            if (value is None) == (operator == C_EXISTS):
                return False
        else:
            if value is None:
                return False
            is_number, number = _parse_int64(value)
            bounds = [_parse_int64(bound) for bound in requirement[2]]
            if not is_number or len(bounds) != 1 or not bounds[0][0]:
                return False
            if not (number > bounds[0][1] if operator == C_GREATER else number < bounds[0][1]):
                return False
    return True


cdef bint _match_fields(tuple requirements, Entry entry) except -1:
    cdef tuple requirement
    cdef str key
    for requirement in requirements:
        key = requirement[0]
        if key == "metadata.name":
            value = entry.name
        elif key == "metadata.namespace":
            value = entry.namespace
        else:
            value = (<dict>entry.fields).get(key, "")  # an absent field compares as empty
        if type(requirement[2]) is frozenset:
            if value in requirement[2]:
                return False
        elif (value == requirement[2]) == bool(requirement[1]):
            return False
    return True


cdef int decode_entry(object decode, Entry entry) except -1:
    """Have an entry's labels and fields found."""
    decode(entry)
    if type(entry.labels) is not dict or type(entry.fields) is not dict:
        raise TypeError("decode must set the labels and the fields to dicts")
    return 0


# --- lists -----------------------------------------------------------------------------------------------------------

def select(decode, Selection selection not None, list entries not None):
    """Those of `entries` that match, in their order. `decode(entry)` sets the labels and fields of an entry."""
    cdef Entry entry
    cdef list chosen = []
    for entry in entries:
        if selection.matches(decode, entry):
            chosen.append(entry)
    return chosen


def matches(decode, Selection selection not None, Entry entry not None):
    return selection.matches(decode, entry)


cdef bint _is_of(form, frozenset forms) except -1:
    while form is not None:
        if form in forms:
            return True
        form = getattr(form, "base", None)
    return False


def gather_data(list entries not None):
    """The stored bytes of the entries: what a list in the storage version joins."""
    cdef Entry entry
    return [entry.data if entry._unpacked else entry._held for entry in entries]
