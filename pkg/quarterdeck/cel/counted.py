"""Rules and expressions that tell how often they were evaluated, and what came of it (coverage/rules.py).

They stand in the place of those that do not, from when a definition or a policy is compiled: where nobody counts,
nothing looks whether somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from quarterdeck.cel.crd_rules import CompiledRules
from quarterdeck.cel.environment import PER_CALL_LIMIT, Outcome, Program
from quarterdeck.cel.rule_tree import Rule, RuleNode
from quarterdeck.cel.rule_walk import INLINE_COST, OBJECT_COST_MAX, Result, Visit, Walk
from quarterdeck.coverage.paths import CHARS_MAX, LIST_ITEM, MAP_VALUE, member
from quarterdeck.coverage.rules import Count

CountOf = Callable[[str, str], Count | None]  # of a rule, by its path and text


class CountedRules:
    """The rules of a schema, as far as writes need them (CompiledRules)."""

    def __init__(self, rules: CompiledRules, count_of: CountOf) -> None:
        self._rules = rules
        self._counts = _find_counts(rules.root, count_of)

    def begin(self, obj: object, old: object = None) -> Generator[None, None, Result]:
        walk = _CountedWalk(OBJECT_COST_MAX, INLINE_COST, self._counts)
        yield from self._rules.steps(walk, obj, old, "", True)
        return walk.result


class _CountedWalk(Walk):
    """`counts` by the identity of rules."""

    def __init__(self, budget: int, inline_cost: int, counts: dict[int, Count]) -> None:
        super().__init__(budget, inline_cost)
        self._counts = counts
        self._is_false = False

    def run_rule(self, rule: Rule, node: RuleNode, visit: Visit, own: object, old: object) -> bool:
        if rule.kernel is not None and rule.uses_old and visit.old is None and not rule.optional_old:
            return True  # there is nothing to compare with: it is not evaluated
        errors = len(self.result.errors)
        self._is_false = False
        goes_on = super().run_rule(rule, node, visit, own, old)
        count = self._counts.get(id(rule))
        if count is not None:
            count.note(self._is_false, not self._is_false and len(self.result.errors) > errors)
        return goes_on

    def report(self, rule: Rule, visit: Visit, kind: str, own: object, old: object) -> bool:
        self._is_false = True
        return super().report(rule, visit, kind, own, old)


def _find_counts(root: RuleNode | None, count_of: CountOf) -> dict[int, Count]:
    counts: dict[int, Count] = {}
    pending: list[tuple[str, RuleNode]] = [] if root is None else [("", root)]
    while pending:
        path, node = pending.pop()
        for rule in node.rules:
            count = count_of(path, rule.text)
            if count is not None:
                counts[id(rule)] = count
        below = [(path, each) for each in node.all_of]
        if node.items is not None:
            below.append((path + LIST_ITEM, node.items))
        if node.values is not None:
            below.append((path + MAP_VALUE, node.values))
        if node.properties is not None:
            below += [(member(path, name), each) for name, each in node.properties.items()]
        pending += [(at, each) for at, each in below if len(at) <= CHARS_MAX]
    return counts


class CountedProgram(Program):
    """An expression of a policy or a webhook. What is given up to be begun again in a thread does not count."""

    __slots__ = ("_count",)

    def __init__(self, program: Program, count: Count) -> None:
        super().__init__(program.kernel, program.slots, program.type, program.references, program.cost_max)
        self._count = count

    def _run(self, values: list[Any], cost_limit: int) -> Outcome:
        outcome = super()._run(values, cost_limit)
        if cost_limit >= PER_CALL_LIMIT or outcome.cost < cost_limit:
            self._count.note(outcome.value is False, outcome.error is not None)
        return outcome
