"""Policies and bindings, ready to be evaluated.

Source: apiserver/pkg/admission/plugin/policy/{validating/plugin.go,mutating/compilation.go}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.admission.policy.expressions import BOOL, TEXT, TEXT_OR_NULL, Compiled, Compiler
from quarterdeck.admission.policy.matching import MatchResources

Object = dict[str, Any]
_EMPTY: Final[Object] = {}


class Binding:
    __slots__ = ("actions", "match", "name", "param_reference")

    def __init__(self, obj: Object) -> None:
        spec = obj["spec"]
        match = spec.get("matchResources")
        self.name: str = obj["metadata"]["name"]
        self.match = MatchResources(match) if match is not None else None
        self.actions: tuple[str, ...] = tuple(spec.get("validationActions") or ())
        self.param_reference: Object | None = spec.get("paramRef")


class Policy:
    """What both kinds of policies have."""

    __slots__ = ("compiler", "conditions", "is_ignorable", "match", "name", "param_kind", "variables")

    def __init__(self, obj: Object) -> None:
        spec = obj["spec"]
        self.name: str = obj["metadata"]["name"]
        self.is_ignorable = spec.get("failurePolicy") == "Ignore"
        self.param_kind: Object | None = spec.get("paramKind")
        self.match = MatchResources(spec.get("matchConstraints") or _EMPTY)
        self.compiler = Compiler(has_params=self.param_kind is not None, composes=True)
        self.variables: Mapping[str, Compiled] = {
            each["name"]: self.compiler.add_variable(each["name"], each["expression"])
            for each in spec.get("variables") or ()
        }
        self.conditions = [
            self.compiler.compile(each["expression"], BOOL) for each in spec.get("matchConditions") or ()
        ]


class Validation:
    __slots__ = ("condition", "message", "message_expression", "reason")

    def __init__(self, validation: Object, compiler: Compiler) -> None:
        expression = validation.get("messageExpression")
        self.condition = compiler.compile(validation["expression"], BOOL)
        self.message: str = validation.get("message") or ""
        self.reason: str = validation.get("reason") or "Invalid"
        self.message_expression = compiler.compile(expression, TEXT, has_authorizer=False) if expression else None


class ValidatingPolicy(Policy):
    __slots__ = ("annotations", "has_messages", "validations")

    def __init__(self, obj: Object) -> None:
        super().__init__(obj)
        spec = obj["spec"]
        self.validations = [Validation(each, self.compiler) for each in spec.get("validations") or ()]
        self.has_messages = any(each.message_expression is not None for each in self.validations)
        self.annotations = [
            (each["key"], self.compiler.compile(each["valueExpression"], TEXT_OR_NULL))
            for each in spec.get("auditAnnotations") or ()
        ]


class Mutation:
    __slots__ = ("compiled", "is_json_patch")

    def __init__(self, mutation: Object, compiler: Compiler) -> None:
        self.is_json_patch = mutation["patchType"] == "JSONPatch"
        given = mutation["jsonPatch" if self.is_json_patch else "applyConfiguration"]
        self.compiled = compiler.compile_patch(given["expression"], is_list=self.is_json_patch)


class MutatingPolicy(Policy):
    __slots__ = ("is_reinvocable", "mutations")

    def __init__(self, obj: Object) -> None:
        super().__init__(obj)
        spec = obj["spec"]
        self.mutations = [Mutation(each, self.compiler) for each in spec.get("mutations") or ()]
        self.is_reinvocable = spec.get("reinvocationPolicy") == "IfNeeded"
