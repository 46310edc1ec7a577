"""Rules of custom resources: compile those of a schema once, run them on every write.

    compiled = compile_rules(schema, is_root=True, path="spec.validation.openAPIV3Schema")
    compiled.schema_errors, compiled.cel_errors      # what the author of the CRD is told, in this order
    result = compiled.validate(obj, old)             # what the author of an object is told
    result.errors, result.warnings

`validate` reads both objects in place. `begin` does the same as a generator that pauses once, when it turns out that
the rules take long: a caller on an event loop takes the rest to a thread. There a single rule may cost PER_CALL_LIMIT,
which functions that parse addresses or quantities need seconds for.
Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel import rule_compile
from quarterdeck.cel.correlation import Correlated
from quarterdeck.cel.rule_tree import RuleNode
from quarterdeck.cel.rule_walk import INLINE_COST, NO_PAUSE, OBJECT_COST_MAX, Result, Visit, Walk


def compile_rules(
    schema: Mapping[str, Any],
    *,
    is_root: bool,
    path: str,
    faulty_paths: Collection[str] = (),
    checks_texts: bool = True,
    bounds_each: bool = True,
) -> CompiledRules:
    """All x-kubernetes-validations of `schema` (JSONSchemaProps). `path` is where the schema stands in the CRD;
    `faulty_paths` are the field paths of errors found in the schema otherwise, at and above which rules are not
    compiled; faults in the texts of rules count among them unless `checks_texts` is off, as it is for what runs: then
    what has no type in the language has none below it either. Without `bounds_each` only all rules together may not
    cost too much."""
    found = rule_compile.compile_schema(
        schema,
        is_resource_root=is_root,
        path=path,
        faulty_paths=faulty_paths,
        checks_texts=checks_texts,
        bounds_each=bounds_each,
    )
    return CompiledRules(found.root, found.schema_errors, found.cel_errors)


@dataclass(frozen=True, slots=True)
class CompiledRules:
    root: RuleNode | None
    schema_errors: list[FieldError]
    cel_errors: list[FieldError]

    @property
    def errors(self) -> list[FieldError]:
        return [*self.schema_errors, *self.cel_errors]

    def __bool__(self) -> bool:
        """Whether there is any rule to run."""
        return self.root is not None

    def validate(
        self, obj: object, old: object = None, *, budget: int = OBJECT_COST_MAX, ratchet: bool = True
    ) -> Result:
        """Runs the rules on `obj`; `old` is the object it replaces. Errors about what did not change are warnings,
        unless `ratchet` is off."""
        walk = Walk(budget, NO_PAUSE)
        for _ in self.steps(walk, obj, old, "", ratchet):
            pass
        return walk.result

    def begin(
        self,
        obj: object,
        old: object = None,
        *,
        inline_cost: int = INLINE_COST,
        budget: int = OBJECT_COST_MAX,
        path: str = "",
        ratchet: bool = True,
    ) -> Generator[None, None, Result]:
        """`validate`, with at most one pause: what comes after it may take long and may run in another thread."""
        walk = Walk(budget, inline_cost)
        yield from self.steps(walk, obj, old, path, ratchet)
        return walk.result

    def steps(self, walk: Walk, obj: object, old: object, path: str, ratchet: bool) -> Iterable[None]:
        """Runs the rules on `walk`, where somebody has one of his own."""
        if self.root is None:
            return ()
        current = Correlated(obj, old, self.root.schema) if ratchet and old is not None else None
        return walk.run(self.root, Visit(path, obj, old, current, None))
