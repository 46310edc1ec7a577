"""Which nodes of a schema are metadata of embedded resources. Contract: pkg/quarterdeck/_kernels/schemameta.pyi."""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t

from quarterdeck._kernels.schema cimport EMBEDDED, Node, Program, SLOT_SHIFT, find_slot

cdef str METADATA = "metadata"


def nodes_within(Program program not None):
    """Children stand before their parents: from the last node to the first, each is known before those below it."""
    cdef bytearray within = bytearray(program.nodes_count)
    cdef int32_t i, child, at
    cdef Node* node
    if not program.has_embedded:
        return bytes(within)
    for i in range(<int32_t>program.nodes_count - 1, -1, -1):
        node = &program.nodes[i]
        if within[i]:
            if node.items >= 0:
                within[node.items] = 1
            if node.more >= 0:
                within[node.more] = 1
            for at in range(node.slots, node.slots + node.slots_mask + 1):
                if program.slots[at].key is not NULL and program.slots[at].child >= 0:
                    within[program.slots[at].child >> SLOT_SHIFT] = 1
        elif node.flags & EMBEDDED and node.slots_mask >= 0:
            child = find_slot(program.slots + node.slots, node.slots_mask, <PyObject*>METADATA)
            if child >= 0:
                within[child >> SLOT_SHIFT] = 1
    return bytes(within)
