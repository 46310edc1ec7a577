"""What the expressions of policies and the match conditions of webhooks may name, and how they are compiled.

    compiler = Compiler(has_params=True, composes=True)
    compiler.add_variable("max", "params.data.max")
    compiled = compiler.compile("object.spec.n < variables.max", BOOL)
    compiled.program, compiled.fault

Source: apiserver/pkg/admission/plugin/cel/{compile,composition}.go, pkg/cel/mutation/typeresolver.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from quarterdeck.cel import decls, substitution, types
from quarterdeck.cel.environment import Environment, Failure, Program, compile_expression
from quarterdeck.cel.types import Kind, Type

BOOL: Final = (types.BOOL,)
TEXT: Final = (types.STRING,)
TEXT_OR_NULL: Final = (types.STRING, types.NULL)

_TEXTS: Final = types.map_of(types.STRING, types.STRING)
_LIST_OF_TEXTS: Final = types.list_of(types.STRING)


@cache
def _request_type() -> Type:
    text = types.STRING
    kind = types.struct("kubernetes.GroupVersionKind", {"group": text, "version": text, "kind": text})
    resource = types.struct("kubernetes.GroupVersionResource", {"group": text, "version": text, "resource": text})
    user = types.struct(
        "kubernetes.UserInfo",
        {"username": text, "uid": text, "groups": _LIST_OF_TEXTS, "extra": types.map_of(text, _LIST_OF_TEXTS)},
    )
    return types.struct(
        "kubernetes.AdmissionRequest",
        {
            "kind": kind,
            "resource": resource,
            "subResource": text,
            "requestKind": kind,
            "requestResource": resource,
            "requestSubResource": text,
            "name": text,
            "namespace": text,
            "operation": text,
            "userInfo": user,
            "dryRun": types.BOOL,
            "options": types.DYN,
        },
    )


@cache
def _namespace_type() -> Type:
    text, time = types.STRING, types.TIMESTAMP
    condition = types.struct(
        "kubernetes.NamespaceCondition",
        {"status": text, "type": text, "lastTransitionTime": time, "message": text, "reason": text},
    )
    metadata = types.struct(
        "kubernetes.NamespaceMetadata",
        {
            "name": text,
            "generateName": text,
            "namespace": text,
            "labels": _TEXTS,
            "annotations": _TEXTS,
            "UID": text,
            "creationTimestamp": time,
            "deletionGracePeriodSeconds": types.INT,
            "deletionTimestamp": time,
            "generation": types.INT,
            "resourceVersion": text,
            "finalizers": _LIST_OF_TEXTS,
        },
    )
    return types.struct(
        "kubernetes.Namespace",
        {
            "metadata": metadata,
            "spec": types.struct("kubernetes.NamespaceSpec", {"finalizers": _LIST_OF_TEXTS}),
            "status": types.struct(
                "kubernetes.NamespaceStatus", {"conditions": types.list_of(condition), "phase": text}
            ),
        },
    )


class _PatchTypes(Mapping[str, Type]):
    """The types that mutations are written in: `JSONPatch`, and `Object` with a type for each path below it."""

    def __init__(self) -> None:
        text = types.STRING
        patch = types.struct("JSONPatch", {"op": text, "path": text, "from": text, "value": types.DYN})
        self._made: dict[str, Type] = {"JSONPatch": patch}

    def __getitem__(self, name: str) -> Type:
        found = self._made.get(name)
        if found is None:
            if name != "Object" and not name.startswith("Object."):
                raise KeyError(name)
            found = self._made[name] = types.open_struct(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class Compiled:
    """A program, or why there is none: `fault` in upstream's words. `is_internal`: nothing that the author wrote."""

    __slots__ = ("expression", "fault", "is_internal", "program")

    def __init__(self, expression: str, program: Program | None, fault: str = "", *, is_internal: bool = False) -> None:
        self.expression = expression
        self.program = program
        self.fault = fault
        self.is_internal = is_internal


class Compiler:
    """Compiles the expressions of one policy. `composes`: they may name `variables`, which are added one by one, and
    each may name those before it."""

    def __init__(self, *, has_params: bool, composes: bool = False) -> None:
        self._has_params = has_params
        self._composes = composes
        self._variables: dict[str, Type] = {}
        self._variables_type = types.struct("kubernetes.variables", self._variables)
        self._patch_types = _PatchTypes()
        self._environments: dict[tuple[bool, bool], Environment] = {}

    def add_variable(self, name: str, expression: str) -> Compiled:
        compiled = self.compile(expression, None)
        declared = types.DYN if compiled.program is None else _declared(compiled.program.type)
        self._variables[name] = declared
        return compiled

    def compile(self, expression: str, results: tuple[Type, ...] | None, *, has_authorizer: bool = True) -> Compiled:
        """`results` are the types that it may give, None for any."""
        environment = self._environment(has_authorizer=has_authorizer, patches=False)
        return _check_result(expression, compile_expression(expression, environment), results)

    def compile_patch(self, expression: str, *, is_list: bool) -> Compiled:
        """A list of `JSONPatch`, or an `Object`."""
        environment = self._environment(has_authorizer=True, patches=True)
        wanted = types.list_of(self._patch_types["JSONPatch"]) if is_list else self._patch_types["Object"]
        return _check_result(expression, compile_expression(expression, environment), (wanted,))

    def names(self, *, has_authorizer: bool) -> dict[str, Type]:
        """What expressions may name, and of which types."""
        found = {
            "object": types.DYN,
            "oldObject": types.DYN,
            "namespaceObject": _namespace_type(),
            "request": _request_type(),
        }
        if self._has_params:
            found["params"] = types.DYN
        if has_authorizer:
            found["authorizer"] = types.AUTHORIZER
            found["authorizer.requestResource"] = types.RESOURCE_CHECK
        if self._composes:
            found["variables"] = self._variables_type
        return found

    def environment(self) -> Environment:
        """That of all but patches."""
        return self._environment(has_authorizer=True, patches=False)

    def _environment(self, *, has_authorizer: bool, patches: bool) -> Environment:
        made = self._environments.get((has_authorizer, patches))
        if made is not None:
            return made
        functions = _patch_functions() if patches else None
        names = self.names(has_authorizer=has_authorizer)
        made = Environment(names, functions=functions, structs=self._patch_types if patches else None)
        self._environments[has_authorizer, patches] = made
        return made


@cache
def _patch_functions() -> dict[str, decls.Function]:
    return decls.BASE | decls.JSON_PATCH


def _check_result(expression: str, found: Program | Failure, results: tuple[Type, ...] | None) -> Compiled:
    gives = found.type
    if gives is None or results is None or any(substitution.is_exactly(gives, wanted) for wanted in results):
        if isinstance(found, Failure):
            return Compiled(expression, None, str(found), is_internal=found.at_program)
        return Compiled(expression, found)
    names = [wanted.declared_name for wanted in results]
    shown = names[0] if len(names) == 1 else f"one of [{' '.join(names)}]"
    return Compiled(expression, None, f"must evaluate to {shown} but got {gives.declared_name}")


def _declared(found: Type) -> Type:
    """What is known of a variable whose expression is of this type: objects and opaque values may be anything."""
    if found.kind == Kind.LIST:
        return types.list_of(_declared(found.params[0]))
    if found.kind == Kind.MAP:
        return types.map_of(_declared(found.params[0]), _declared(found.params[1]))
    return found if found.plain or found.kind == Kind.ANY else types.DYN
