"""One run of a schema's rules on an object and the object it replaces.

The walk visits values in upstream's order and keeps what is left of the cost they may have. It pauses once where the
rules turn out to take long (crd_rules.py tells why).
Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final

from quarterdeck._kernels import celeval, celvalue
from quarterdeck.apimachinery import field as fields
from quarterdeck.apimachinery import gofmt, gotext
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel import correlation, recursion
from quarterdeck.cel.correlation import Correlated
from quarterdeck.cel.environment import COST_LIMIT_MESSAGE, PER_CALL_LIMIT
from quarterdeck.cel.rule_tree import Rule, RuleNode
from quarterdeck.cel.values import CelErr

# What the rules of one object may cost together, and how long an evaluated message may be.
OBJECT_COST_MAX: Final = 10_000_000
MESSAGE_BYTES_MAX: Final = 5 * 1024
# What is done before the pause of `begin`: 1 to 2 ms of most rules, below 50 ms of any.
INLINE_COST: Final = 10_000
VISIT_COST: Final = 20  # what going through a value takes beside its rules, in the same measure
NO_PAUSE: Final = 1 << 62
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


@dataclass(slots=True)
class Result:
    """What the rules say of an object. `budget` is what is left of the cost they may have, negative when it ran out."""

    errors: list[FieldError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    budget: int = OBJECT_COST_MAX


class _TakesLong(Exception):
    """A rule needs more than what may be spent before the pause."""


@dataclass(slots=True)
class Visit:
    """A value on its way: `old` is None where there is none to compare with. `current` is its correlation for
    ratcheting, `nearest` that of the closest ancestor which has one."""

    path: str
    obj: Any
    old: Any
    current: Correlated | None
    nearest: Correlated | None

    def key(self, node: RuleNode, name: str, path: str) -> Visit:
        old = self.old.get(name) if type(self.old) is dict else None
        if self.current is None:
            return Visit(path, self.obj[name], old, None, self.nearest)
        if self.nearest is None and name in ("apiVersion", "kind"):
            return Visit(path, self.obj[name], old, None, None)
        return Visit(path, self.obj[name], old, self.current.key(name), self.current)

    def item(self, position: int, old: Any) -> Visit:
        value = self.obj[position]
        path = fields.index(self.path, position)
        if self.current is None:
            return Visit(path, value, old, None, self.nearest)
        return Visit(path, value, old, self.current.index(value), self.current)

    def is_unchanged(self) -> bool:
        correlated = self.current if self.current is not None else self.nearest
        return correlated is not None and correlated.equal()


class Walk:
    """One validation: goes through an object and its old version in upstream's order, a worklist in place of
    recursion, and stops when the budget has run out."""

    def __init__(self, budget: int, inline_cost: int) -> None:
        self.result = Result(budget=budget)
        self.inline = inline_cost  # what may still be spent before the pause

    def run(self, root: RuleNode, visit: Visit) -> Generator[None, None, None]:
        """Runs all rules; pauses when they take long."""
        result = self.result
        stack = [(root, visit)]
        while stack:
            node, visit = stack.pop()
            if visit.obj is None:
                continue
            if node.fault:
                result.errors.append(fields.invalid(visit.path or fields.NIL_PATH, _kind(node), node.fault))
            if node.rules:
                if result.budget <= 0:
                    self.stop(fields.invalid(visit.path or fields.NIL_PATH, _kind(node), _OUT_OF_BUDGET))
                    return
                assert node.reader is not None
                own = celvalue.read_value(visit.obj, node.reader)
                # Messages may name oldSelf only beside a rule that does, as upstream has it.
                named = visit.old is not None and any(rule.uses_old for rule in node.rules)
                old = celvalue.read_value(visit.old, node.reader) if named else celvalue.missing
                for rule in node.rules:
                    before = result.budget
                    takes_long = False
                    goes_on = True
                    try:
                        goes_on = self.run_rule(rule, node, visit, own, old)
                    except _TakesLong:
                        takes_long = True
                    if takes_long:  # not in the `except`, which must not wait (docs/adr/0005)
                        result.budget = before
                        yield from self.pause()
                        goes_on = self.run_rule(rule, node, visit, own, old)
                    if not goes_on:
                        return
                    self.inline -= before - result.budget
            self.inline -= VISIT_COST * (len(visit.obj) if type(visit.obj) in (list, dict) else 1)
            if self.inline < 0:
                yield from self.pause()
            self.descend(node, visit, stack)

    @property
    def call_limit(self) -> int:
        """What one expression may cost now."""
        return min(self.inline, PER_CALL_LIMIT)

    def pause(self) -> Generator[None, None, None]:
        self.inline = NO_PAUSE
        yield

    def descend(self, node: RuleNode, visit: Visit, stack: list[tuple[RuleNode, Visit]]) -> None:
        """Puts what is below a value on the stack, the first on top."""
        below: list[tuple[RuleNode, Visit]] = [
            (branch, Visit(visit.path, visit.obj, visit.old, None, visit.nearest)) for branch in node.all_of
        ]
        if type(visit.obj) is list:
            below += self.items(node, visit)
        elif type(visit.obj) is dict:
            below += self.entries(node, visit)
        stack += reversed(below)

    def items(self, node: RuleNode, visit: Visit) -> list[tuple[RuleNode, Visit]]:
        if node.items is None:
            return []
        known: dict[object, object] = {}
        keys = correlation.map_keys_of(node.schema)
        if type(visit.old) is list and node.schema.get("x-kubernetes-list-type") == "map":
            known = correlation.by_key(visit.old, keys)
        found = []
        for i, item in enumerate(visit.obj):
            old = known.get(correlation.composite_key(item, keys)) if known else None
            found.append((node.items, visit.item(i, old)))
        return found

    def entries(self, node: RuleNode, visit: Visit) -> list[tuple[RuleNode, Visit]]:
        found = []
        if node.values is not None:
            found += [(node.values, visit.key(node, name, fields.key(visit.path, name))) for name in visit.obj]
        if node.properties is not None:
            for name, below in node.properties.items():
                if name in visit.obj:
                    found.append((below, visit.key(node, name, fields.child(visit.path, name))))
        return found

    # --- the rules of one value

    def run_rule(self, rule: Rule, node: RuleNode, visit: Visit, own: object, old: object) -> bool:
        """False when the validation must end."""
        result = self.result
        if rule.kernel is None:
            detail = f"rule compile error: {rule.fault}"
            result.errors.append(fields.invalid(visit.path or fields.NIL_PATH, _kind(node), detail))
            return True
        if rule.uses_old and visit.old is None and not rule.optional_old:
            return True
        given = old
        if rule.optional_old:
            given = celvalue.optional_none if visit.old is None else celvalue.Optional(old)
        try:
            value, paid = recursion.evaluate(rule.kernel, [own, given], self.call_limit)
        except celeval.CostLimitExceeded as stopped:
            if self.inline < PER_CALL_LIMIT:
                raise _TakesLong from None
            return self.stop_at_limit(visit.path or fields.NIL_PATH, _kind(node), rule, stopped.args[0])
        if paid > result.budget:
            return self.stop(fields.invalid(visit.path or fields.NIL_PATH, _kind(node), _OUT_OF_BUDGET))
        result.budget -= paid
        if value is True:
            return True
        if type(value) is CelErr:
            path = visit.path or fields.NIL_PATH
            result.errors.append(_evaluation_error(path, _kind(node), rule, value.message))
            return True
        return self.report(rule, visit, _kind(node), own, old)

    def stop(self, error: FieldError) -> bool:
        self.result.errors.append(error)
        self.result.budget = -1
        return False

    def stop_at_limit(self, path: str, kind: str, rule: Rule, paid: int) -> bool:
        if paid > self.result.budget:
            return self.stop(fields.invalid(path, kind, _OUT_OF_BUDGET))
        detail = (
            f"'{COST_LIMIT_MESSAGE}': no further validation rules will be run due to call cost exceeds limit for rule: "
            f"{rule.shown}"
        )
        return self.stop(fields.invalid(path, kind, detail))

    def report(self, rule: Rule, visit: Visit, kind: str, own: object, old: object) -> bool:
        """A rule that is false: an error, or a warning where nothing changed. False when the validation must end."""
        path = visit.path
        if rule.field_path:
            path = fields.child(path, rule.field_path)
        path = path or fields.NIL_PATH
        detail = f"failed rule: {rule.text}" if rule.message is None else rule.message
        if rule.message_kernel is not None:
            fault, evaluated = self.message(rule, own, old)
            if fault is not None:
                self.add(rule, visit, fields.invalid(path, kind, fault))
                self.result.budget = -1
                return False
            detail = evaluated or detail
        value = fields.OMIT_VALUE if kind in ("object", "array") else visit.obj
        self.add(rule, visit, _error_for_reason(path, value, detail, rule.reason))
        return True

    def add(self, rule: Rule, visit: Visit, error: FieldError) -> None:
        if not rule.uses_old and visit.is_unchanged():
            self.result.warnings.append(str(error))
        else:
            self.result.errors.append(error)

    def message(self, rule: Rule, own: object, old: object) -> tuple[str | None, str | None]:
        """(what ends the validation, the message); neither where the expression gives nothing that can be shown."""
        assert rule.message_kernel is not None
        try:
            value, paid = recursion.evaluate(rule.message_kernel, [own, old], self.call_limit)
        except celeval.CostLimitExceeded as stopped:
            if self.inline < PER_CALL_LIMIT:
                raise _TakesLong from None
            if stopped.args[0] > self.result.budget:
                return _MESSAGE_OUT_OF_BUDGET, None
            shown = gofmt.quote(rule.message_text)
            return (
                f"no further validation rules will be run due to call cost exceeds limit for messageExpression: {shown}"
            ), None
        if paid > self.result.budget:
            return _MESSAGE_OUT_OF_BUDGET, None
        self.result.budget -= paid
        if not isinstance(value, str):
            return None, None
        text = gotext.strip(value)
        if not text or "\n" in text or len(text.encode("utf-8", "surrogatepass")) > MESSAGE_BYTES_MAX:
            return None, None
        return None, text


_MESSAGE_OUT_OF_BUDGET: Final = (
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)


def _kind(node: RuleNode) -> str:
    """What stands for the value in errors about evaluations."""
    return node.schema.get("type") or ""


def _evaluation_error(path: str, kind: str, rule: Rule, message: str) -> FieldError:
    if message.startswith("no such overload"):
        detail = (
            f"'{message}': call arguments did not match a supported operator, function or macro signature for rule: "
            f"{rule.shown}"
        )
        return fields.invalid(path, kind, detail)
    return fields.invalid(path, kind, f"{message} evaluating rule: {rule.shown}")


def _error_for_reason(path: str, value: object, detail: str, reason: str | None) -> FieldError:
    if reason == fields.FORBIDDEN:
        return fields.forbidden(path, detail)
    if reason == fields.REQUIRED:
        return fields.required(path, detail)
    if reason == fields.DUPLICATE:
        return fields.duplicate(path, value)
    return fields.invalid(path, value, detail)
