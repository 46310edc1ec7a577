"""Prunes and defaults decoded JSON by a compiled schema. Contract: pkg/quarterdeck/_kernels/schema_walk.pyi.

One depth-first pass over the object; its state is an array of frames, so that the depth of an object costs memory and
never C stack. A frame's dict keeps its keys until the frame is done (its values may change meanwhile): what is to be
dropped is noted and deleted then, and only then are missing properties defaulted. So the keys that lead down to the
current value stand in the frames, and a path is put together only where one is reported.
"""

cimport cython
from cpython.dict cimport PyDict_DelItem, PyDict_SetItem
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry
from quarterdeck._kernels.giveway cimport give_way, sort_giving_way
from quarterdeck._kernels.schema cimport (
    DefaultSlot, EMBEDDED, MORE_ABSENT, NULLABLE, PRESERVE, Node, Program, SLOT_SHIFT, find_slot
)

cdef extern from "Python.h":
    bint PyDict_CheckExact(PyObject* value)
    bint PyList_CheckExact(PyObject* value)
    bint PyUnicode_CheckExact(PyObject* value)
    bint PyLong_CheckExact(PyObject* value)
    PyObject* Py_None
    # With plain pointers, so that values that are only looked at are not counted as held.
    int PyDict_Contains(PyObject* container, PyObject* key) except -1
    PyObject* PyList_GET_ITEM(PyObject* container, Py_ssize_t at)
    Py_ssize_t PyList_GET_SIZE(PyObject* container)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)

cdef enum:
    NIL = -1              # no schema: nothing is known
    DROP = 0              # unknown fields go
    KEEP = 1              # under preserve-unknown-fields: unknown fields stay as they are
    LEAVE = 2             # nothing goes: within a resource's own apiVersion, kind and metadata, or anywhere
    BY_NAME = 0
    BY_KEY = 1
    BY_INDEX = 2
    FRAMES_LOCAL = 24

cdef struct Frame:
    PyObject* value       # the dict or list; held by what holds the object
    PyObject* key         # of the current child; held by the dict
    Py_ssize_t pos
    Py_ssize_t index
    Py_ssize_t pending    # where this frame's notes begin
    int32_t node
    char mode
    char by
    char is_list
    char is_resource

cdef struct Stack:
    Frame* frames
    Py_ssize_t count
    Py_ssize_t room
    Frame local[FRAMES_LOCAL]

cdef str API_VERSION = "apiVersion"
cdef str KIND = "kind"
cdef str METADATA = "metadata"


cdef int push(Stack* stack, PyObject* value, int32_t node, char mode, bint is_resource, Py_ssize_t pending) except -1:
    cdef Frame* frame
    cdef Frame* larger
    if stack.count == stack.room:
        if stack.frames == stack.local:
            larger = <Frame*>PyMem_Malloc(2 * stack.room * sizeof(Frame))
            if larger is not NULL:
                memcpy(larger, stack.local, sizeof(stack.local))
        else:
            larger = <Frame*>PyMem_Realloc(stack.frames, 2 * stack.room * sizeof(Frame))
        if larger is NULL:
            raise MemoryError
        stack.frames = larger
        stack.room *= 2
    frame = &stack.frames[stack.count]
    frame.value, frame.key, frame.pos, frame.index = value, NULL, 0, 0
    frame.pending, frame.node, frame.mode, frame.by = pending, node, mode, BY_NAME
    frame.is_list = PyList_CheckExact(value)
    frame.is_resource = is_resource
    stack.count += 1
    return 0


cdef str path_of(Stack* stack, bint with_brackets):
    """The path of the current child of the topmost frame."""
    cdef list parts = []
    cdef Py_ssize_t i
    cdef Frame* frame
    for i in range(stack.count):
        frame = &stack.frames[i]
        if frame.by == BY_INDEX:
            parts.append(f"[{frame.index}]")
        elif frame.by == BY_KEY and with_brackets:
            parts.append(f"[{<object>frame.key}]")
        else:
            parts.append(f".{<object>frame.key}" if parts else <object>frame.key)
    return "".join(parts)


cdef bint is_meta_field(PyObject* key) except -1:
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(key)
    if length != 10 and length != 4 and length != 8:
        return False
    return <object>key == API_VERSION or <object>key == KIND or <object>key == METADATA


@cython.freelist(2)
cdef class Walker:
    """One pass. Everything it refers to is alive as long as the object and the program are."""

    cdef Program program
    cdef Stack stack
    cdef Py_ssize_t noted     # how many keys are pending
    cdef list pending         # keys to be deleted, of all frames, each frame's after those of the frames below it
    cdef list unknown
    cdef list embedded
    cdef bint apply_defaults
    cdef bint report_unknown
    cdef bint keep_applied, keep_unknown
    cdef bint changed
    cdef bint kept_more       # a null or an unknown field, which is refused, or dropped by who reads the object

    def __cinit__(self):
        self.stack.frames = self.stack.local
        self.stack.count, self.stack.room = 0, FRAMES_LOCAL

    def __dealloc__(self):
        if self.stack.frames != self.stack.local:
            PyMem_Free(self.stack.frames)

    cdef int run(self, object value, int32_t node, bint is_resource) except -1:
        cdef char mode = KEEP if node >= 0 and self.program.nodes[node].flags & PRESERVE else DROP
        if self.keep_unknown or self.program.preserves:
            mode = LEAVE
        if node >= 0 and self.program.nodes[node].flags & EMBEDDED and not is_resource:
            self.embedded = [("", value)]
            is_resource = True
        push(&self.stack, <PyObject*>value, node, mode, is_resource, 0)
        while self.stack.count:
            if self.stack.frames[self.stack.count - 1].is_list:
                self.step_list(&self.stack.frames[self.stack.count - 1])
            else:
                self.step_dict(&self.stack.frames[self.stack.count - 1])
        return 0

    cdef int step_dict(self, Frame* frame) except -1:
        """Goes on to the next child that has to be walked itself, or to the end."""
        cdef Node* nodes = self.program.nodes
        cdef Node* node = &nodes[frame.node] if frame.node >= 0 else NULL
        cdef PyObject* key
        cdef PyObject* value
        cdef int32_t child
        cdef bint is_known
        cdef char mode
        cdef Entries entries = entries_of(frame.value)
        while next_entry(frame.value, &entries, &frame.pos, &key, &value):
            give_way()
            frame.key = key
            child, is_known = NIL, False
            if node is not NULL:
                if node.slots_mask >= 0:
                    child = find_slot(self.program.slots + node.slots, node.slots_mask, key) >> SLOT_SHIFT
                if child >= 0:
                    is_known, frame.by = True, BY_NAME
                elif node.more != MORE_ABSENT:
                    is_known, frame.by = True, BY_KEY
                    child = node.more if node.more >= 0 else NIL
            if frame.is_resource and is_meta_field(key):
                mode = LEAVE
            elif is_known:
                mode = LEAVE if frame.mode == LEAVE else DROP
            elif frame.mode == DROP:
                self.note_unknown(frame, key)
                continue
            else:
                continue
            if value is Py_None:
                if child >= 0:
                    self.settle_null(frame, key, &nodes[child])
            elif PyDict_CheckExact(value) or PyList_CheckExact(value):
                if child >= 0 or mode == DROP:
                    self.descend(value, child, mode)
                    return 0
        self.finish_dict(frame, node)
        self.stack.count -= 1
        return 0

    cdef int step_list(self, Frame* frame) except -1:
        cdef Node* nodes = self.program.nodes
        cdef int32_t child = nodes[frame.node].items if frame.node >= 0 else NIL
        cdef PyObject* value
        frame.by = BY_INDEX
        if child < 0 and frame.mode != DROP:
            self.stack.count -= 1
            return 0
        while frame.pos < PyList_GET_SIZE(frame.value):
            give_way()
            frame.index = frame.pos
            frame.pos += 1
            value = PyList_GET_ITEM(frame.value, frame.index)
            if value is Py_None:
                if child >= 0 and self.apply_defaults and nodes[child].default >= 0 \
                        and not nodes[child].flags & NULLABLE:
                    (<list>frame.value)[frame.index] = copy_json(self.program.refs[nodes[child].default])
                    self.changed = True
            elif PyDict_CheckExact(value) or PyList_CheckExact(value):
                self.descend(value, child, frame.mode)
                return 0
        self.stack.count -= 1
        return 0

    cdef int descend(self, PyObject* value, int32_t child, char mode) except -1:
        cdef bint is_embedded = False
        if child >= 0:
            if mode == DROP and self.program.nodes[child].flags & PRESERVE:
                mode = KEEP
            if self.program.nodes[child].flags & EMBEDDED and PyDict_CheckExact(value):
                is_embedded = True
                self.embedded = self.embedded or []
                self.embedded.append((path_of(&self.stack, True), <object>value))
        return push(&self.stack, value, child, mode, is_embedded, self.noted)

    cdef int note_unknown(self, Frame* frame, PyObject* key) except -1:
        self.note(key)
        if self.report_unknown:
            frame.by = BY_NAME
            self.unknown = self.unknown or []
            self.unknown.append(path_of(&self.stack, False))
        return 0

    cdef int note(self, PyObject* key) except -1:
        """The key goes when its frame is done."""
        if self.keep_applied:
            self.kept_more = True
            return 0
        if self.pending is None:
            self.pending = []
        self.pending.append(<object>key)
        self.noted += 1
        return 0

    cdef int settle_null(self, Frame* frame, PyObject* key, Node* child) except -1:
        """A null that is not allowed gives way to the default, or vanishes."""
        if child.flags & NULLABLE or (child.default < 0 and self.program.preserves):
            return 0
        if child.default < 0:
            self.note(key)
        elif self.apply_defaults:
            PyDict_SetItem(<object>frame.value, <object>key, copy_json(self.program.refs[child.default]))
            self.changed = True
        return 0

    cdef int finish_dict(self, Frame* frame, Node* node) except -1:
        cdef DefaultSlot* slot
        cdef int32_t i
        if self.noted > frame.pending:
            for i in range(frame.pending, self.noted):
                PyDict_DelItem(<object>frame.value, self.pending[i])
            del self.pending[frame.pending:]
            self.noted = frame.pending
            self.changed = True
        if node is not NULL and node.defaults_count and self.apply_defaults:
            for i in range(node.defaults_count):
                slot = &self.program.defaults[node.defaults + i]
                if not PyDict_Contains(frame.value, slot.key):
                    PyDict_SetItem(<object>frame.value, <object>slot.key, copy_json(self.program.refs[slot.value]))
                    self.changed = True
        return 0


def walk(
    Program program not None,
    dict obj not None,
    bint is_resource_root,
    bint apply_defaults,
    bint report_unknown,
    bint keep_applied=False,
    bint keep_unknown=False,
):
    return walk_object(program, obj, is_resource_root, apply_defaults, report_unknown, keep_applied, keep_unknown)


cdef tuple walk_object(
    Program program,
    dict obj,
    bint is_resource_root,
    bint apply_defaults,
    bint report_unknown,
    bint keep_applied=False,
    bint keep_unknown=False,
):
    cdef Walker walker = Walker.__new__(Walker)
    walker.keep_applied = keep_applied
    walker.keep_unknown = keep_unknown
    walker.program = program
    walker.apply_defaults = apply_defaults
    walker.report_unknown = report_unknown
    walker.run(obj, program.root, is_resource_root)
    if keep_applied:
        walker.changed = walker.kept_more
    if walker.unknown is None and walker.embedded is None:
        return CHANGED if walker.changed else UNCHANGED
    if walker.unknown is not None:
        walker.unknown = sort_giving_way(walker.unknown)
    return walker.changed, walker.unknown or (), walker.embedded or ()


cdef tuple CHANGED = (True, (), ())
cdef tuple UNCHANGED = (False, (), ())


def complete_defaults(Program program not None, const unsigned char[:] within_metadata):
    """Children stand before their parents, so that the defaults within a default are complete when it is their turn."""
    cdef Py_ssize_t i
    cdef Walker walker
    cdef object value
    for i in range(program.nodes_count):
        if program.nodes[i].default < 0:
            continue
        value = program.refs[program.nodes[i].default]
        if type(value) is dict or type(value) is list:
            value = copy_json(value)
            walker = Walker.__new__(Walker)
            walker.program = program
            walker.apply_defaults, walker.keep_unknown = True, within_metadata[i]
            walker.run(value, <int32_t>i, False)
            program.refs[program.nodes[i].default] = value


def list_embedded(Program program not None, obj):
    cdef list found = []
    cdef Lister lister
    if program.has_embedded and (type(obj) is dict or type(obj) is list):
        lister = Lister.__new__(Lister)
        lister.program, lister.found = program, found
        lister.run(obj)
    return found


cdef class Lister:
    """Finds embedded resources; goes only where the schema knows its way."""

    cdef Program program
    cdef Stack stack
    cdef list found

    def __cinit__(self):
        self.stack.frames = self.stack.local
        self.stack.count, self.stack.room = 0, FRAMES_LOCAL

    def __dealloc__(self):
        if self.stack.frames != self.stack.local:
            PyMem_Free(self.stack.frames)

    cdef int run(self, object obj) except -1:
        cdef Frame* frame
        cdef PyObject* value
        cdef int32_t child
        if type(obj) is dict and self.program.nodes[self.program.root].flags & EMBEDDED:
            self.found.append(("", obj))
        push(&self.stack, <PyObject*>obj, self.program.root, LEAVE, False, 0)
        while self.stack.count:
            frame = &self.stack.frames[self.stack.count - 1]
            child = self.next_child(frame, &value)
            if child < 0:
                self.stack.count -= 1
                continue
            if self.program.nodes[child].flags & EMBEDDED and PyDict_CheckExact(value):
                self.found.append((path_of(&self.stack, True), <object>value))
            push(&self.stack, value, child, LEAVE, False, 0)
        return 0

    cdef int32_t next_child(self, Frame* frame, PyObject** value) except -2:
        """The node of the next child that is a container with a schema, -1 at the end."""
        cdef Node* node = &self.program.nodes[frame.node]
        cdef int32_t child
        if frame.is_list:
            frame.by = BY_INDEX
            while node.items >= 0 and frame.pos < PyList_GET_SIZE(frame.value):
                give_way()
                frame.index = frame.pos
                frame.pos += 1
                value[0] = PyList_GET_ITEM(frame.value, frame.index)
                if PyDict_CheckExact(value[0]) or PyList_CheckExact(value[0]):
                    return node.items
            return -1
        cdef Entries entries = entries_of(frame.value)
        while next_entry(frame.value, &entries, &frame.pos, &frame.key, value):
            give_way()
            if not (PyDict_CheckExact(value[0]) or PyList_CheckExact(value[0])):
                continue
            child = -1
            if node.slots_mask >= 0:
                child = find_slot(self.program.slots + node.slots, node.slots_mask, frame.key) >> SLOT_SHIFT
            frame.by = BY_NAME if child >= 0 else BY_KEY
            if child < 0 and node.more >= 0:
                child = node.more
            if child >= 0:
                return child
        return -1


cpdef object copy_json(object value):
    """Copies are made level by level: a copied container first holds its original children, then their copies."""
    cdef list stack
    cdef object container, item
    cdef dict as_dict
    cdef list as_list
    cdef Py_ssize_t i
    if type(value) is not dict and type(value) is not list:
        return value
    value = value.copy()
    stack = [value]
    while stack:
        container = stack.pop()
        if type(container) is dict:
            as_dict = container
            for key in as_dict:
                give_way()
                item = as_dict[key]
                if type(item) is dict or type(item) is list:
                    item = item.copy()
                    as_dict[key] = item
                    stack.append(item)
        else:
            as_list = container
            for i in range(len(as_list)):
                give_way()
                item = as_list[i]
                if type(item) is dict or type(item) is list:
                    item = item.copy()
                    as_list[i] = item
                    stack.append(item)
    return value
