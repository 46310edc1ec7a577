"""Whether the expressions of a policy fit the kinds that it matches: what its status warns of.

The policy is enforced as it is, whatever is found. Only validations are looked at, and their messages; what is wrong
with a variable alone is not told.

Source: apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from quarterdeck.admission.policy import declared
from quarterdeck.admission.policy.expressions import Compiler
from quarterdeck.apimachinery import meta
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.cel.environment import Failure, compile_expression
from quarterdeck.cel.types import Type

Object = dict[str, Any]
# The kinds of a resource; a group or version that is "" is any.
KindsOf = Callable[[str, str, str], Iterable[GroupVersionKind]]
# None for a kind of which nothing is known.
SchemaOf = Callable[[GroupVersionKind], declared.Schema | None]

TYPES_MAX: Final = 10  # of one rule


class _Checker(Compiler):
    """Against one kind. `known`: the types of variables, where more is known of them than nothing."""

    def __init__(self, spec: Object, known: Mapping[str, Type]) -> None:
        super().__init__(has_params=spec.get("paramKind") is not None, composes=True)
        self._known = known
        for each in spec.get("variables") or ():
            self.add_variable(each["name"], each["expression"])

    def names(self, *, has_authorizer: bool) -> dict[str, Type]:
        found = {**super().names(has_authorizer=has_authorizer), **self._known}
        # Upstream leaves it out here, and warns of expressions that name it.
        found.pop("authorizer.requestResource", None)
        return found

    def find_issues(self, expression: str) -> str:
        found = compile_expression(expression, self.environment())
        return found.text if isinstance(found, Failure) and not found.at_program else ""


def check_policy(policy: Object, kinds_of: KindsOf, schema_of: SchemaOf) -> list[Object]:
    """Items of status.typeChecking.expressionWarnings."""
    spec = policy["spec"]
    checkers = _make_checkers(spec, kinds_of, schema_of)
    warnings: list[Object] = []
    for position, validation in enumerate(spec.get("validations") or ()):
        for name in ("expression", "messageExpression"):
            expression = validation.get(name)
            told = _told(expression, checkers) if expression else ""
            if told:
                warnings.append({"fieldRef": f"spec.validations[{position}].{name}", "warning": told})
    return warnings


def _told(expression: str, checkers: list[tuple[GroupVersionKind, _Checker]]) -> str:
    found = ((kind, checker.find_issues(expression)) for kind, checker in checkers)
    return "\n".join(f"{_shown(kind)}: {issues}\n" for kind, issues in found if issues)


def _shown(kind: GroupVersionKind) -> str:
    return f"{kind.group}/{kind.version}, Kind={kind.kind}"


def _make_checkers(spec: Object, kinds_of: KindsOf, schema_of: SchemaOf) -> list[tuple[GroupVersionKind, _Checker]]:
    params: dict[str, Type] = {}
    if (given := spec.get("paramKind")) is not None:
        group, version = meta.split_api_version(given["apiVersion"])
        if (declared_params := _declare(GroupVersionKind(group, version, given["kind"]), schema_of)) is not None:
            params = {"params": declared_params}
    made: list[tuple[GroupVersionKind, _Checker]] = []
    for kind in _kinds_to_check(spec, kinds_of):
        if (declared_object := _declare(kind, schema_of)) is not None:
            known = {"object": declared_object, "oldObject": declared_object, **params}
            made.append((kind, _Checker(spec, known)))
    return made


def _declare(kind: GroupVersionKind, schema_of: SchemaOf) -> Type | None:
    schema = schema_of(kind)
    return None if schema is None else declared.declare(schema, kind.kind)


def _kinds_to_check(spec: Object, kinds_of: KindsOf) -> list[GroupVersionKind]:
    """Sorted. A rule with so many kinds ends the search."""
    kinds: set[GroupVersionKind] = set()
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        count = 0
        for group, version, resource in _resources(rule):
            for kind in kinds_of(group, version, resource):
                kinds.add(kind)
                count += 1
                if count == TYPES_MAX:
                    return sorted(kinds)
    return sorted(kinds)


def _resources(rule: Object) -> Iterable[tuple[str, str, str]]:
    """Those that are named; subresources and stars name none."""
    groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
    if any("*" in each for each in (*groups, *versions)):
        return
    resources = sorted(each for each in rule.get("resources") or () if "*" not in each and "/" not in each)
    for group in sorted(groups):
        for version in sorted(versions):
            for resource in resources:
                yield group, version, resource
