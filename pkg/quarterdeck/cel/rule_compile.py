"""x-kubernetes-validations of a schema, compiled: what a CRD's author is told, and what will be run.

Two lists of errors, since upstream reports all faults of the schema before those of expressions, and compiles the
expressions of a node only where neither it nor anything below it has a fault of the first kind.
Source: apiextensions-apiserver pkg/apis/apiextensions/validation/{validation,cel_validation}.go and
pkg/apiserver/schema/cel/{compilation,validation}.go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import field as fields
from quarterdeck.apimachinery import gotext
from quarterdeck.cel import cost_math as cost
from quarterdeck.cel import field_path, readers, recursion, rule_texts, types
from quarterdeck.cel import schema as schemas
from quarterdeck.cel.environment import Failure, Program
from quarterdeck.cel.rule_costs import Costs
from quarterdeck.cel.rule_environments import Environments
from quarterdeck.cel.rule_tree import Compilation, Rule, RuleNode, Schema

_NO_DECLARATION: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert "
    "structural schema to CEL declarations"
)
_NO_ELEMENT: Final = "failed to convert to declType for CEL validation rules"
_NO_TYPE: Final = f"rule compiler initialization error: {_NO_ELEMENT}"
_VALIDATIONS: Final = "x-kubernetes-validations"
_OTHERS: Final = frozenset(("additionalProperties", "allOf"))
_CORRELATABLE_MAPS: Final = (None, "granular", "atomic")


@dataclass(slots=True)
class _Place:
    """Where a node stands: how often it may occur (None: no bound), from where on oldSelf cannot be correlated, and
    whether there are rules above it, which need its declaration to be part of theirs."""

    path: str
    cardinality: int | None
    uncorrelatable: str | None
    is_in_scope: bool = False
    no_declaration: str = _NO_DECLARATION  # what is told of rules that have none

    @property
    def rules_path(self) -> str:
        return f"{self.path}.{_VALIDATIONS}" if self.path else _VALIDATIONS


def _mark(schema: Schema) -> tuple[set[int], int]:
    """The nodes with rules in or below them, and how many nodes stand in one another at most; a worklist, as schemas
    nest deeply."""
    marked: set[int] = set()
    levels = 0
    stack: list[tuple[Any, tuple[Any, ...] | None, int]] = [(schema, None, 1)]
    while stack:
        node, above, level = stack.pop()
        chain = (id(node), above)
        if level > levels:
            levels = level
        level += 1
        if node.get(_VALIDATIONS):
            at: tuple[Any, ...] | None = chain
            while at is not None and at[0] not in marked:
                marked.add(at[0])
                at = at[1]
        properties = node.get("properties")
        if properties:
            for child in properties.values():
                # Most of a schema are leaves without rules.
                if "properties" in child or "items" in child or _VALIDATIONS in child or _OTHERS & child.keys():
                    stack.append((child, chain, level))
        for child in (node.get("items"), node.get("additionalProperties"), *(node.get("allOf") or ())):
            if isinstance(child, dict):
                stack.append((child, chain, level))
    return marked, levels


def compile_schema(
    schema: Schema,
    *,
    is_resource_root: bool,
    path: str,
    faulty_paths: Collection[str] = (),
    checks_texts: bool = True,
    bounds_each: bool = True,
) -> Compilation:
    """Compiles all rules of a schema. `faulty_paths` are where other validation of the schema found faults."""
    marked, levels = _mark(schema)
    if not marked:
        return Compilation()

    def compile_all() -> Compilation:
        compiler = _Compiler(faulty_paths, marked, checks_texts, bounds_each)
        declaration = schemas.declare(schema, is_resource_root)
        compiler.compilation.root = compiler.node(schema, schema, declaration, is_resource_root, _Place(path, 1, None))
        compiler.compilation.cel_errors += compiler.costs.errors(path)
        return compiler.compilation

    return recursion.with_room_for(levels, compile_all)


class _Compiler:
    def __init__(self, faulty_paths: Collection[str], marked: set[int], checks_texts: bool, bounds_each: bool) -> None:
        self.marked = marked
        self.checks_texts = checks_texts
        self.compilation = Compilation()
        self.costs = Costs(bounds_each)
        self.faulty_paths = list(faulty_paths)

    def node(
        self,
        validation: Schema,
        node: Schema,
        declaration: schemas.Declaration | None,
        is_resource_root: bool,
        place: _Place,
    ) -> RuleNode | None:
        """Compiles a node after what is below it. `validation` holds the rules: the node's own, or one of its allOf."""
        made = RuleNode(node, None, (), is_resource_root)
        self.children(made, validation, node, declaration, place)
        rules = validation.get(_VALIDATIONS) or ()
        if rules:
            if self.checks_texts:
                faults = rule_texts.validate_texts(
                    rules, node, f"{place.path}.{_VALIDATIONS}" if place.path else _VALIDATIONS
                )
                self.compilation.schema_errors += faults
                self.faulty_paths += [fault.path for fault in faults]
            if not any(_is_within(faulty, place.path) for faulty in self.faulty_paths):
                made.rules = self.rules(rules, node, declaration, place)
                made.reader = readers.reader_of(node, is_resource_root)
                made.fault = "" if declaration is not None else _NO_TYPE
        if made.rules or made.fault or made.items or made.values or made.properties or made.all_of:
            return made
        return None

    def children(
        self,
        made: RuleNode,
        validation: Schema,
        node: Schema,
        declaration: schemas.Declaration | None,
        place: _Place,
    ) -> None:
        properties: dict[str, RuleNode] = {}
        cardinality = _cardinality_below(node, place)
        uncorrelatable = place.uncorrelatable
        if uncorrelatable is None and node.get("x-kubernetes-map-type") not in _CORRELATABLE_MAPS:
            uncorrelatable = place.path
        for name, child in (validation.get("properties") or {}).items():
            own = (node.get("properties") or {}).get(name)
            if own is None or id(child) not in self.marked:
                continue
            is_in_scope = place.is_in_scope or bool(validation.get(_VALIDATIONS))
            at = f"{place.path}.properties[{name}]"
            child_place = _Place(at, cardinality, uncorrelatable, is_in_scope)
            embedded = bool(own.get("x-kubernetes-embedded-resource"))
            if self.checks_texts:
                declared = schemas.declare_field(declaration, name, own, is_in_scope)
            elif (declared := schemas.declare_running_field(declaration, name, own)) is None:
                continue  # what runs leaves out properties without a type, and what is below them
            found = self.node(child, own, declared, embedded, child_place)
            if found is not None:
                properties[name] = found
        made.properties = properties or None
        elem = declaration.elem if declaration is not None else None
        for keyword in ("additionalProperties", "items"):
            child, own = validation.get(keyword), node.get(keyword)
            if not isinstance(child, Mapping) or not isinstance(own, Mapping) or id(child) not in self.marked:
                continue
            embedded = bool(own.get("x-kubernetes-embedded-resource"))
            element_place = _element_place(node, keyword, place, cardinality)
            element_place.is_in_scope = place.is_in_scope or bool(validation.get(_VALIDATIONS))
            if element_place.is_in_scope and declaration is not None:
                element_place.no_declaration = _NO_ELEMENT
            declared = elem
            if declared is None and self.checks_texts and not element_place.is_in_scope:
                declared = schemas.declare(own, embedded)
            found = self.node(child, own, declared, embedded, element_place)
            if keyword == "items":
                made.items = found
            else:
                made.values = found
        nested = []
        for i, branch in enumerate(validation.get("allOf") or ()):
            if id(branch) in self.marked:
                branch_place = _Place(
                    f"{place.path}.allOf[{i}]", place.cardinality, place.uncorrelatable, place.is_in_scope
                )
                found = self.node(branch, node, declaration, made.is_resource_root, branch_place)
                if found is not None:
                    nested.append(found)
        made.all_of = tuple(nested)

    def rules(
        self, rules: list[Schema], node: Schema, declaration: schemas.Declaration | None, place: _Place
    ) -> tuple[Rule, ...]:
        path = place.rules_path
        errors = self.compilation.cel_errors
        if declaration is None:
            errors.append(fields.internal(path, place.no_declaration))
            return ()
        made = []
        envs = Environments(declaration)
        for i, raw in enumerate(rules):
            if gotext.strip(raw.get("rule") or ""):
                made.append(self.rule(raw, node, envs, place, f"{path}[{i}]"))
        return tuple(made)

    def rule(self, raw: Schema, node: Schema, envs: Environments, place: _Place, path: str) -> Rule:
        errors = self.compilation.cel_errors
        optional_old = bool(raw.get("optionalOldSelf"))
        rule = Rule(
            text=gotext.strip(raw["rule"]),
            message=gotext.strip(raw["message"]) if raw.get("message") else None,
            reason=raw.get("reason"),
            field_path=(field_path.normalize(raw["fieldPath"], node) or "") if raw.get("fieldPath") else "",
            uses_old=False,
            optional_old=optional_old,
            kernel=None,
        )
        compiled = envs.compile(raw["rule"], optional_old)
        if _gives_another(compiled, types.BOOL):
            rule.fault = "cel expression must evaluate to a bool"
        elif isinstance(compiled, Failure):
            rule.fault = str(compiled)
            rule.uses_old = "oldSelf" in compiled.references
        else:
            rule.kernel = compiled.kernel
            rule.uses_old = "oldSelf" in compiled.references
            cardinality = envs.cardinality if place.cardinality is None else place.cardinality
            amount = cost.multiply(compiled.cost_max, cardinality)
            errors += self.costs.observe(f"{path}.rule", "estimated rule cost", amount)
        if rule.fault:
            errors.append(fields.invalid(f"{path}.rule", rule_texts.go_rule(raw), rule.fault))
        if raw.get("messageExpression") and rule.kernel is not None:
            self.message(raw, rule, envs, path)
        if rule.uses_old:
            if place.uncorrelatable is not None:
                detail = (
                    f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelatable}"
                )
                errors.append(fields.invalid(f"{path}.rule", raw["rule"], detail))
        elif raw.get("optionalOldSelf") is not None:
            detail = "may not be set if oldSelf is not used in rule"
            errors.append(fields.invalid(f"{path}.optionalOldSelf", raw["optionalOldSelf"], detail))
        return rule

    def message(self, raw: Schema, rule: Rule, envs: Environments, path: str) -> None:
        errors = self.compilation.cel_errors
        place = f"{path}.messageExpression"
        compiled = envs.compile(raw["messageExpression"], rule.optional_old)
        if _gives_another(compiled, types.STRING):
            errors.append(fields.invalid(place, rule_texts.go_rule(raw), "messageExpression must evaluate to a string"))
            return
        if isinstance(compiled, Failure):
            step = "instantiation" if compiled.at_program else "compilation"
            errors.append(
                fields.invalid(place, rule_texts.go_rule(raw), f"messageExpression {step} failed: {compiled.text}")
            )
            return
        rule.message_kernel = compiled.kernel
        rule.message_text = raw["messageExpression"]
        errors += self.costs.observe(place, "estimated messageExpression cost", compiled.cost_max)


def _gives_another(compiled: Program | Failure, wanted: types.Type) -> bool:
    """Whether a checked expression gives another type: that is told before what keeps it from becoming a program."""
    return compiled.type is not None and compiled.type is not wanted


def _is_within(path: str, base: str) -> bool:
    return path.startswith(base) and (len(path) == len(base) or path[len(base)] in ".[" or not base)


def _cardinality_below(node: Schema, place: _Place) -> int | None:
    """How often what stands in a node may occur. It goes by the node's type alone, so that properties beside
    `additionalProperties: true` count as values of a map (upstream: extractMaxElements)."""
    if node.get("type") == "array":
        most = node.get("maxItems")
    elif node.get("type") == "object" and node.get("additionalProperties") is not None:
        most = node.get("maxProperties")
    else:
        return place.cardinality
    return None if most is None or place.cardinality is None else cost.multiply(place.cardinality, max(most, 0))


def _element_place(node: Schema, keyword: str, place: _Place, cardinality: int | None) -> _Place:
    uncorrelatable = place.uncorrelatable
    if uncorrelatable is None and keyword == "items" and node.get("x-kubernetes-list-type") != "map":
        uncorrelatable = place.path
    return _Place(f"{place.path}.{keyword}" if place.path else keyword, cardinality, uncorrelatable)
