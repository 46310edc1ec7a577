"""Tells which elements of lists of type set and map are duplicates. Contract: _kernels/schema_lists.pyi.

Source: apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from quarterdeck._kernels.giveway cimport drop_list, give_way
from quarterdeck._kernels.schema cimport LIST_MAP, LIST_SET, LISTS_WITHIN, Node, Program, SLOT_SHIFT, find_slot
from quarterdeck._kernels.schema_check cimport is_list_type_good

cdef enum:  # quarterdeck.schema.findings has the same numbers
    DUPLICATE = 25
    NOT_AN_OBJECT = 26

cdef object ABSENT = object()  # a key that an element does not have


cdef class ListFinder:
    cdef Program program
    cdef list findings

    cdef int run(self, object value) except -1:
        """Values before what is within them."""
        cdef list stack = [(self.program.root, value, "")]
        cdef list inner
        cdef int32_t index
        cdef Node* node
        while stack:
            index, value, path = stack.pop()
            node = &self.program.nodes[index]
            inner = []
            if type(value) is list:
                if node.flags & (LIST_SET | LIST_MAP) and not is_list_type_good(self.program, node, <list>value):
                    self.find_duplicates(node, value, path)
                if node.items >= 0 and self.program.nodes[node.items].flags & LISTS_WITHIN:
                    for i in range(len(<list>value)):
                        give_way()
                        inner.append((node.items, (<list>value)[i], f"{path}[{i}]"))
            elif type(value) is dict:
                self.list_properties(node, value, path, inner)
            inner.reverse()
            stack.extend(inner)
        return 0

    cdef int list_properties(self, Node* node, dict value, str path, list inner) except -1:
        cdef int32_t child
        for key, item in value.items():
            give_way()
            if type(item) is not dict and type(item) is not list:
                continue
            child = -1
            if node.slots_mask >= 0:
                child = find_slot(self.program.slots + node.slots, node.slots_mask, <PyObject*>key) >> SLOT_SHIFT
            if child >= 0:
                if self.program.nodes[child].flags & LISTS_WITHIN:
                    inner.append((child, item, f"{path}.{key}" if path else key))
            elif node.more >= 0 and self.program.nodes[node.more].flags & LISTS_WITHIN:
                inner.append((node.more, item, f"{path}[{key}]"))
        return 0

    cdef int find_duplicates(self, Node* node, list value, str path) except -1:
        cdef tuple names
        cdef list keys
        if node.flags & LIST_SET:
            self.report(value, value, path)
            return 0
        for i in range(len(value)):
            give_way()
            if value[i] is not None and type(value[i]) is not dict:
                self.findings.append((NOT_AN_OBJECT, f"{path}[{i}]", value[i], None))
                return 0
        names = self.program.refs[node.extra][0] if node.extra >= 0 else ()
        keys = []
        for item in value:
            give_way()
            keys.append({} if item is None else {name: item[name] for name in names if name in item})
        if len(names) == 1:
            self.report([key[names[0]] if key else ABSENT for key in keys], keys, path)
        else:
            self.report(keys, keys, path)
        drop_list(keys)
        return 0

    cdef int report(self, list compared, list shown, str path) except -1:
        """Each repeated value once, where it is met for the second time."""
        cdef dict seen = {}
        for i in range(len(compared)):
            give_way()
            value = compared[i]
            if type(value) is dict or type(value) is list:
                key = (0, self.program.json_text(value))
            else:
                key = (type(value), value)
            times = seen.get(key, 0) + 1
            seen[key] = times
            if times == 2:
                self.findings.append((DUPLICATE, f"{path}[{i}]", shown[i], None))
        return 0


def find_in_lists(Program program not None, value):
    cdef ListFinder finder
    if not program.has_list_types:
        return []
    finder = ListFinder.__new__(ListFinder)
    finder.program, finder.findings = program, []
    finder.run(value)
    return finder.findings
