"""Tells what is wrong with an object. Contract: pkg/quarterdeck/_kernels/schema_findings.pyi.

This runs only for objects that ext/schema_check.pyx has found bad. A task is one (schema, value) under way; tasks lie
on a stack of their own. A task takes its steps in upstream's order: type, combinators, text or number, items, enum,
properties. Beside findings it counts matches, by which anyOf and oneOf choose the alternative to show, and, where an
old value belongs to the new one, whether the two are equal, by which findings are forgiven (ratcheting).

What is wrong with a value by itself is told by schema_values.pyx, with lists of type set and map by schema_lists.pyx.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t

from quarterdeck._kernels.giveway cimport give_way
from quarterdeck._kernels.schema cimport (
    LIST_MAP, MORE_FALSE, Node, Program, Rules, SLOT_SHIFT, T_ANY, T_ARRAY, find_slot
)
from quarterdeck._kernels.schema_equal cimport deep_equal, is_same_scalar, may_be_equal
from quarterdeck._kernels.schema_values cimport (
    ALL_OF, ANY_OF, FORBIDDEN_PROPERTY, Findings, MAX_PROPERTIES, MIN_PROPERTIES, NOT, ONE_OF
)

cdef enum:
    AT_START
    IN_ANY_OF
    IN_ONE_OF
    IN_ALL_OF
    IN_NOT
    AT_TEXT
    IN_ITEMS
    AT_ENUM
    IN_PROPERTIES
    AT_END


cdef class Absent:
    """No old value belongs to the new one."""


ABSENT = Absent()


cdef class Task:
    cdef int32_t node
    cdef int stage
    cdef bint forgives        # findings are dropped if the value is unchanged
    cdef bint is_equal        # to the old value, as far as has been seen
    cdef bint is_settled      # the equality of a list has been decided as a whole
    cdef object value
    cdef object old           # ABSENT: nothing to compare with
    cdef str path
    cdef Py_ssize_t mark      # where the task's findings begin
    cdef Py_ssize_t pos
    cdef int64_t count
    cdef object entries       # the object's items under way
    cdef dict old_by_key      # of a list of type map
    # combinators
    cdef Py_ssize_t attempt   # where the findings of the clause under way begin
    cdef Py_ssize_t floor_outside
    cdef int64_t best_count
    cdef list best
    cdef int64_t first_count
    cdef Py_ssize_t valid


cdef class Finder(Findings):
    """Goes through an object, task by task."""

    cdef Task task(self, int32_t node, object value, str path, object old, bint forgives):
        cdef Task made = Task.__new__(Task)
        made.node, made.value, made.path, made.old, made.forgives = node, value, path, old, forgives
        made.mark = len(self.findings)
        return made

    cdef int run(self, int32_t node, object value, object old) except -1:
        cdef list stack = [self.task(node, value, "", old, old is not ABSENT)]
        cdef Task task, inner
        while stack:
            task = stack[len(stack) - 1]
            inner = self.step(task)
            if inner is not None:
                stack.append(inner)
                continue
            stack.pop()
            self.finish(task)
            if stack:
                self.receive(stack[len(stack) - 1], task)
        return 0

    cdef int finish(self, Task task) except -1:
        if task.forgives and task.is_equal and len(self.findings) > task.mark:
            del self.findings[task.mark:]
        return 0

    cdef Task step(self, Task task):
        """The next inner task, None when this one is done."""
        cdef Node* node = &self.program.nodes[task.node]
        cdef Task inner = None
        while task.stage != AT_END:
            give_way()
            if task.stage == AT_START:
                self.start(task, node)
            elif task.stage <= IN_NOT:
                inner = self.next_clause(task, &self.program.rules[node.rules])
            elif task.stage == AT_TEXT:
                self.check_scalar(task, node)
            elif task.stage == IN_ITEMS:
                inner = self.next_item(task, node)
            elif task.stage == AT_ENUM:
                self.check_enum(task.node, task.value, task.path)
                task.count += 1
                task.stage = IN_PROPERTIES if type(task.value) is dict else AT_END
                if task.stage == IN_PROPERTIES:
                    self.start_properties(task, node)
            else:
                inner = self.next_property(task, node)
            if inner is not None:
                return inner
        return None

    cdef int receive(self, Task task, Task inner) except -1:
        """The inner task is done."""
        cdef bint is_good
        if task.stage >= AT_TEXT:
            task.count += inner.count
            task.is_equal = task.is_equal and (task.is_settled or inner.is_equal)
            return 0
        is_good = len(self.findings) == task.attempt
        self.floor = task.floor_outside
        if task.stage == IN_ALL_OF:
            task.count += inner.count
            task.valid += is_good
        elif is_good:
            self.receive_good(task, inner)
        else:
            if task.stage != IN_NOT and (task.best is None or inner.count > task.best_count):
                task.best = self.findings[task.attempt:]
                task.best_count = inner.count
            del self.findings[task.attempt:]
        return 0

    cdef int receive_good(self, Task task, Task inner) except -1:
        task.valid += 1
        if task.stage == IN_ANY_OF:
            task.count += inner.count
            self.enter_stage(task, IN_ONE_OF)
        elif task.stage == IN_ONE_OF and task.valid == 1:
            task.first_count = inner.count
        return 0

    # --- the value itself -------------------------------------------------------------------------

    cdef int start(self, Task task, Node* node) except -1:
        task.is_equal = task.old is not ABSENT and may_be_equal(task.value, task.old)
        if task.value is None:
            task.count = self.check_null(node, task.path)
            self.check_enum(task.node, None, task.path)
            task.stage = AT_END
            return 0
        task.count = 1 + self.check_type(node, task.value, task.path) + 2
        if node.rules >= 0 and has_clauses(&self.program.rules[node.rules]):
            self.enter_stage(task, IN_ANY_OF)
        else:
            task.stage = AT_TEXT
        return 0

    cdef int check_scalar(self, Task task, Node* node) except -1:
        task.count += self.check_text_or_number(node, task.value, task.path)
        if type(task.value) is list:
            task.count += 2
            task.stage = IN_ITEMS
            self.start_items(task, node)
        else:
            task.stage = AT_ENUM
        return 0

    # --- combinators: anyOf, oneOf, allOf, not, in this order; nothing within them is forgiven -------

    cdef int enter_stage(self, Task task, int stage) except -1:
        cdef Rules* rules = &self.program.rules[self.program.nodes[task.node].rules]
        task.stage, task.best, task.valid = stage, None, 0
        if stage == IN_ANY_OF:
            task.pos = 0
        elif stage == IN_ONE_OF:
            task.pos = rules.any_count
        elif stage == IN_ALL_OF:
            task.pos = rules.any_count + rules.one_count
        elif stage == IN_NOT:
            task.pos = rules.any_count + rules.one_count + rules.all_count
        return 0

    cdef Task next_clause(self, Task task, Rules* rules):
        cdef Py_ssize_t end = rules.any_count
        if task.stage >= IN_ONE_OF:
            end += rules.one_count
        if task.stage >= IN_ALL_OF:
            end += rules.all_count
        if task.stage == IN_NOT:
            end += rules.not_count
        if task.pos < end:
            task.pos += 1
            task.attempt = len(self.findings)
            task.floor_outside = self.floor
            self.floor = task.attempt
            return self.task(self.program.clauses[rules.clauses + task.pos - 1], task.value, task.path, ABSENT, False)
        self.conclude(task, rules)
        self.enter_stage(task, task.stage + 1)
        return None

    cdef int conclude(self, Task task, Rules* rules) except -1:
        """All clauses of the stage have been tried (anyOf comes here only when none of them passed)."""
        if task.stage == IN_ANY_OF and rules.any_count:
            self.add(ANY_OF, task.path, None, None)
            self.show_best(task)
        elif task.stage == IN_ONE_OF and rules.one_count:
            if task.valid == 1:
                task.count += task.first_count
            else:
                self.add(ONE_OF, task.path, task.valid, None)
                if not task.valid:
                    self.show_best(task)
        elif task.stage == IN_ALL_OF and task.valid != rules.all_count:
            self.add(ALL_OF, task.path, task.valid == 0, None)
        elif task.stage == IN_NOT and task.valid:
            self.add(NOT, task.path, None, None)
        return 0

    cdef int show_best(self, Task task) except -1:
        if task.best is not None:
            self.findings.extend(task.best)
            task.count += task.best_count
        return 0

    # --- children ---------------------------------------------------------------------------------

    cdef int64_t check_leaf(self, int32_t index, object value, str path) except -1:
        """A whole task for a scalar whose schema has no combinators."""
        cdef Node* node = &self.program.nodes[index]
        cdef int64_t count
        if value is None:
            count = self.check_null(node, path)
        else:
            count = 4 + self.check_type(node, value, path)
            count += self.check_text_or_number(node, value, path)
        self.check_enum(index, value, path)
        return count

    cdef bint is_leaf(self, int32_t index, object value) noexcept:
        cdef Node* node = &self.program.nodes[index]
        if type(value) is dict or type(value) is list:
            return False
        return value is None or node.rules < 0 or not has_clauses(&self.program.rules[node.rules])

    cdef Task child(self, Task task, int32_t index, object value, str path, object old, bint forgives):
        """A leaf is checked at once; anything else becomes a task."""
        cdef Py_ssize_t mark
        cdef bint is_equal
        if not self.is_leaf(index, value):
            return self.task(index, value, path, old, forgives)
        mark = len(self.findings)
        task.count += self.check_leaf(index, value, path)
        if old is not ABSENT:
            is_equal = is_same_scalar(value, old)
            if is_equal and forgives and len(self.findings) > mark:
                del self.findings[mark:]
            task.is_equal = task.is_equal and (task.is_settled or is_equal)
        return None

    cdef int start_items(self, Task task, Node* node) except -1:
        cdef tuple names
        task.pos = 0
        if task.old is ABSENT or type(task.old) is not list:
            return 0
        if node.items < 0:
            self.settle_list(task, node)
        elif node.flags & LIST_MAP and node.flags & T_ANY == T_ARRAY:
            names = self.program.refs[node.extra][0] if node.extra >= 0 else ()
            task.old_by_key = {}
            for item in <list>task.old:
                give_way()
                key = composite_key(item, names)
                if key is not None and key not in task.old_by_key:
                    task.old_by_key[key] = item
        return 0

    cdef int settle_list(self, Task task, Node* node) except -1:
        """An element without an old one: lists of type map differ then, others are compared as a whole."""
        if task.is_equal and not task.is_settled:
            task.is_equal = not node.flags & LIST_MAP and deep_equal(task.value, task.old)
            task.is_settled = True
        return 0

    cdef object old_item(self, Task task, Node* node, Py_ssize_t at):
        """The old element that belongs to the new one, in a list of type map; ABSENT, also for an old null."""
        cdef object found = None
        if task.old_by_key is not None:
            names = self.program.refs[node.extra][0] if node.extra >= 0 else ()
            found = task.old_by_key.get(composite_key((<list>task.value)[at], names))
        return ABSENT if found is None else found

    cdef Task next_item(self, Task task, Node* node):
        cdef list value = task.value
        cdef Task inner
        cdef object old
        while node.items >= 0 and task.pos < len(value):
            give_way()
            task.pos += 1
            old = ABSENT
            if task.old is not ABSENT:
                old = self.old_item(task, node, task.pos - 1)
                if old is ABSENT:
                    self.settle_list(task, node)
            path = f"{task.path}[{task.pos - 1}]"
            inner = self.child(task, node.items, value[task.pos - 1], path, old, task.forgives and old is not ABSENT)
            if inner is not None:
                return inner
        self.check_items(node, value, task.path)
        task.stage = AT_ENUM
        return None

    cdef int start_properties(self, Task task, Node* node) except -1:
        cdef Rules* rules
        cdef dict value = task.value
        task.count += 1
        task.entries = iter(value.items())
        if node.rules < 0:
            return 0
        rules = &self.program.rules[node.rules]
        if len(value) < rules.properties_min:
            self.add(MIN_PROPERTIES, task.path, len(value), rules.properties_min)
        if len(value) > rules.properties_max:
            self.add(MAX_PROPERTIES, task.path, len(value), rules.properties_max)
        return 0

    cdef Task next_property(self, Task task, Node* node):
        cdef int32_t child
        cdef Task inner
        cdef str path
        cdef object old
        cdef bint forgives
        for key, value in task.entries:
            give_way()
            child = -1
            if node.slots_mask >= 0:
                child = find_slot(self.program.slots + node.slots, node.slots_mask, <PyObject*>key) >> SLOT_SHIFT
            if child >= 0:
                path = f"{task.path}.{key}" if task.path else key
            elif node.more >= 0:
                child, path = node.more, f"{task.path}.{key}"
            else:
                if node.more == MORE_FALSE:
                    self.add(FORBIDDEN_PROPERTY, task.path, key, None)
                task.is_equal = False  # what the schema does not know is never equal
                continue
            old = (<dict>task.old).get(key, ABSENT) if type(task.old) is dict else ABSENT
            if old is ABSENT:
                task.is_equal = False
            # The object's own type is never forgiven, nor what is within it: old and new always have it in common.
            forgives = task.forgives and old is not ABSENT
            forgives = forgives and (task.path != "" or key != "apiVersion" and key != "kind")
            inner = self.child(task, child, value, path, old, forgives)
            if inner is not None:
                return inner
        self.check_required(node, task.value, task.path)
        task.stage = AT_END
        return None

cdef bint has_clauses(Rules* rules) noexcept:
    return rules.any_count + rules.one_count + rules.all_count + rules.not_count > 0


cdef object composite_key(object item, tuple names):
    """What elements of a list of type map are matched by; None where a key is missing or no scalar."""
    cdef list parts
    if type(item) is not dict or not names:
        return None
    parts = []
    for name in names:
        value = (<dict>item).get(name)
        if value is None or type(value) is dict or type(value) is list:
            return None
        # Several keys are compared as text: floats with six digits.
        parts.append((type(value), f"{value:f}" if type(value) is float and len(names) > 1 else value))
    return tuple(parts)


def find(Program program not None, value, old, Py_ssize_t findings_max, Py_ssize_t path_chars_max):
    cdef Finder finder = Finder.__new__(Finder)
    finder.program, finder.findings = program, []
    finder.findings_max, finder.path_chars_max = findings_max, path_chars_max
    finder.run(program.root, value, old)
    return finder.findings
