"""Match conditions: CEL that tells whether a webhook is asked at all.

Source: apiserver/pkg/authorization/cel/{compile,matcher}.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import errors
from quarterdeck.cel import substitution, types
from quarterdeck.cel.environment import Environment, Failure, Program, compile_expression
from quarterdeck.cel.types import Type

Object = dict[str, Any]

_OF_RESOURCES: Final = ("namespace", "verb", "group", "version", "resource", "subresource", "name")


class BadCondition(ValueError):
    """Why an expression is no condition. `is_internal`: nothing that its author wrote."""

    def __init__(self, text: str, *, is_internal: bool = False) -> None:
        super().__init__(text)
        self.is_internal = is_internal


class Condition(NamedTuple):
    expression: str
    program: Program


class Verdict(NamedTuple):
    """`error` tells why it cannot be told whether all conditions hold."""

    fits: bool
    error: str = ""


# A file that is read again holds mostly what it held before.
@lru_cache(maxsize=256)
def compile_condition(expression: str) -> Condition:
    """Raises BadCondition, in upstream's words."""
    found = compile_expression(expression, _environment())
    if isinstance(found, Failure):
        raise BadCondition(str(found), is_internal=found.at_program)
    if not substitution.same(found.type, types.BOOL):
        raise BadCondition(f"must evaluate to bool but got {found.type.declared_name}")
    return Condition(expression, found)


def evaluate(conditions: Sequence[Condition], spec: Object) -> Verdict:
    """`spec` of a review. One that does not hold counts more than any that fails."""
    request = _describe(spec)
    faults: list[str] = []
    for condition in conditions:
        outcome = condition.program.evaluate({"request": request})
        if outcome.error is not None:
            text = f"cel evaluation error: expression '{condition.expression}' resulted in error: {outcome.error}"
            faults.append(text)
        elif outcome.value is False:
            return Verdict(False)
    return Verdict(not faults, errors.aggregate(faults))


def _describe(spec: Object) -> Object:
    """With every member that is a text, those that are empty too."""
    found: Object = {
        "user": spec.get("user", ""),
        "groups": spec.get("groups", []),
        "uid": spec.get("uid", ""),
        "extra": spec.get("extra", {}),
    }
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None:
        described: Object = {name: resource.get(name, "") for name in _OF_RESOURCES}
        for name in ("fieldSelector", "labelSelector"):
            if name in resource:
                requirements = [{"values": [], **each} for each in resource[name]["requirements"]]
                described[name] = {"requirements": requirements}
        found["resourceAttributes"] = described
    if other is not None:
        found["nonResourceAttributes"] = {name: other.get(name, "") for name in ("path", "verb")}
    return found


@cache
def _environment() -> Environment:
    return Environment({"request": _request_type()})


def _request_type() -> Type:
    text = types.STRING
    texts = types.list_of(text)
    requirement = types.struct("kubernetes.SelectorRequirement", {"key": text, "operator": text, "values": texts})
    of_fields, of_labels = (
        types.struct(f"kubernetes.{kind}SelectorAttributes", {"rawSelector": text, "requirements": many})
        for kind, many in (("Field", types.list_of(requirement)), ("Label", types.list_of(requirement)))
    )
    resource = types.struct(
        "kubernetes.ResourceAttributes",
        {**dict.fromkeys(_OF_RESOURCES, text), "fieldSelector": of_fields, "labelSelector": of_labels},
    )
    other = types.struct("kubernetes.NonResourceAttributes", {"path": text, "verb": text})
    return types.struct(
        "kubernetes.SubjectAccessReviewSpec",
        {
            "resourceAttributes": resource,
            "nonResourceAttributes": other,
            "user": text,
            "groups": texts,
            "extra": types.map_of(text, texts),
            "uid": text,
        },
    )
