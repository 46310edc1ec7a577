"""What is wrong with a mutating admission policy. Source: pkg/apis/admissionregistration/validation/validation.go."""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.policy.expressions import Compiler
from quarterdeck.apimachinery import field, gotext
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.admissionregistration.conditions import told_fault
from quarterdeck.registry.builtin.admissionregistration.policies import validate_common
from quarterdeck.registry.builtin.admissionregistration.rules import REINVOCATION_POLICIES
from quarterdeck.registry.strategy import Object

# patch type: the member that it is written in.
_MEMBERS: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


def validate_mutating_policy(obj: Object, old: Object | None) -> list[FieldError]:
    spec = obj["spec"]
    compiler = Compiler(has_params=spec.get("paramKind") is not None, composes=True)
    problems = validate_common(spec, old["spec"] if old is not None else None, compiler, only_mutable=True)
    mutations = spec.get("mutations") or []
    if not mutations:
        problems.append(field.required("spec.mutations", "mutations must contain at least one item"))
    for position, mutation in enumerate(mutations):
        problems += _validate_mutation(mutation, field.index("spec.mutations", position), compiler)
    policy = spec.get("reinvocationPolicy") or ""
    return problems + checks.required_one_of("spec.reinvocationPolicy", policy, REINVOCATION_POLICIES)


def _validate_mutation(mutation: Object, path: str, compiler: Compiler) -> list[FieldError]:
    patch_type = mutation.get("patchType") or ""
    if patch_type not in _MEMBERS:
        return checks.required_one_of(f"{path}.patchType", patch_type, tuple(_MEMBERS))
    member = _MEMBERS[patch_type]
    other = next(name for name in _MEMBERS.values() if name != member)
    given = mutation.get(member)
    if given is None:
        problems = [field.required(f"{path}.{member}", f"must be specified when patchType is {patch_type}")]
    else:
        problems = _validate_expression(f"{path}.{member}.expression", given, member, compiler)
    if mutation.get(other) is not None:
        detail = f"must not be specified when patchType is {patch_type}"
        problems.append(field.invalid(f"{path}.{other}", f"{{{other}}}", detail))
    return problems


def _validate_expression(path: str, given: Object, member: str, compiler: Compiler) -> list[FieldError]:
    expression = gotext.strip(given.get("expression") or "")
    if not expression:
        return [field.required(path)]
    return told_fault(path, compiler.compile_patch(expression, is_list=member == "jsonPatch"))
