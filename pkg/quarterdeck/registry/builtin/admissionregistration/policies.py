"""What is wrong with an admission policy, its expressions included.

Source: pkg/apis/admissionregistration/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.admission.policy.expressions import BOOL, TEXT, TEXT_OR_NULL, Compiler
from quarterdeck.apimachinery import field, gotext, names
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.admissionregistration.conditions import (
    told_fault,
    validate_match_conditions,
)
from quarterdeck.registry.builtin.admissionregistration.rules import (
    FAILURE_POLICIES,
    validate_match_resources,
    validate_mutable_operations,
)
from quarterdeck.registry.strategy import Object

_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_AUDIT_ANNOTATIONS_MAX: Final = 20
_VALUE_EXPRESSION_BYTES_MAX: Final = 5 * 1024
_NOTHING: Final = "validations or auditAnnotations must contain at least one item"
_RESERVED: Final = frozenset(
    ("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
     "let", "loop", "package", "namespace", "return", "var", "void", "while")
)  # fmt: skip

_identifier = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*\Z").match


def validate_validating_policy(obj: Object, old: Object | None) -> list[FieldError]:
    spec = obj["spec"]
    compiler = Compiler(has_params=spec.get("paramKind") is not None, composes=bool(spec.get("variables")))
    problems = validate_common(spec, old["spec"] if old is not None else None, compiler)
    validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
    if not validations and not annotations:
        return [
            *problems,
            field.required("spec.validations", _NOTHING),
            field.required("spec.auditAnnotations", _NOTHING),
        ]
    for position, validation in enumerate(validations):
        problems += _validate_validation(validation, field.index("spec.validations", position), compiler)
    return problems + _validate_annotations(annotations, obj["metadata"].get("name") or "", compiler)


def validate_common(
    spec: Object, old: Object | None, compiler: Compiler, *, only_mutable: bool = False
) -> list[FieldError]:
    """What both kinds of policies have; their variables become known to the compiler.

    `only_mutable`: of the operations, only those count that can change an object.
    """
    problems = checks.one_of("spec.failurePolicy", spec.get("failurePolicy", ""), FAILURE_POLICIES)
    kind, match = spec.get("paramKind"), spec.get("matchConstraints")
    if kind is not None:
        problems += _validate_param_kind(kind, "spec.paramKind")
    if match is None:
        problems.append(field.required("spec.matchConstraints"))
    else:
        problems += validate_match_resources(match, "spec.matchConstraints")
        if not match.get("resourceRules"):
            problems.append(field.required("spec.matchConstraints.resourceRules"))
        if only_mutable:
            problems += validate_mutable_operations(match, "spec.matchConstraints")
    conditions = spec.get("matchConditions") or []
    if old is None or kind != old.get("paramKind") or conditions != (old.get("matchConditions") or []):
        problems += validate_match_conditions(conditions, "spec.matchConditions", has_params=kind is not None)
    for position, variable in enumerate(spec.get("variables") or []):
        problems += _validate_variable(variable, field.index("spec.variables", position), compiler)
    return problems


def _validate_param_kind(kind: Object, path: str) -> list[FieldError]:
    api_version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    problems = _validate_api_version(api_version, f"{path}.apiVersion")
    if not name:
        problems.append(field.required(f"{path}.kind"))
    elif texts := names.dns1035_label(gotext.lower(name)):
        detail = f"may have mixed case, but should otherwise match: {','.join(texts)}"
        problems.append(field.invalid(f"{path}.kind", name, detail))
    return problems


def _validate_api_version(api_version: str, path: str) -> list[FieldError]:
    if not api_version:
        return [field.required(path)]
    if api_version.count("/") > 1:
        return [field.invalid(path, api_version, f"unexpected GroupVersion string: {api_version}")]
    group, _, version = api_version.rpartition("/")
    problems: list[FieldError] = []
    if group and (texts := names.dns1123_subdomain(group)):
        problems.append(field.invalid(path, group, ",".join(texts)))
    if not version:
        problems.append(field.invalid(path, api_version, "version must be specified"))
    elif texts := names.dns1035_label(version):
        problems.append(field.invalid(path, version, ",".join(texts)))
    return problems


def _validate_variable(variable: Object, path: str, compiler: Compiler) -> list[FieldError]:
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    problems: list[FieldError] = []
    if not gotext.strip(name):
        problems.append(field.required(f"{path}.name", "name is not specified"))
    elif not _identifier(name) or name in _RESERVED:
        problems.append(field.invalid(f"{path}.name", name, "must be a valid CEL identifier"))
    if not gotext.strip(expression):
        return [*problems, field.required(f"{path}.expression", "expression is not specified")]
    return problems + told_fault(f"{path}.expression", compiler.add_variable(name, expression))


def _validate_validation(validation: Object, path: str, compiler: Compiler) -> list[FieldError]:
    expression, message = validation.get("expression") or "", validation.get("message") or ""
    message_expression, reason = validation.get("messageExpression") or "", validation.get("reason")
    if gotext.strip(expression):
        problems = told_fault(f"{path}.expression", compiler.compile(expression, BOOL))
    else:
        problems = [field.required(f"{path}.expression", "expression is not specified")]
    at = f"{path}.messageExpression"
    if gotext.strip(message_expression):
        problems += told_fault(at, compiler.compile(message_expression, TEXT, has_authorizer=False))
    elif message_expression:
        problems.append(field.invalid(at, message_expression, "must be non-empty if specified"))
    bare = gotext.strip(message)
    if message and not bare:
        problems.append(field.invalid(f"{path}.message", message, "must be non-empty if specified"))
    elif "\n" in bare or "\r" in bare:
        problems.append(field.invalid(f"{path}.message", message, "must not contain line breaks"))
    if reason is not None:
        problems += checks.one_of(f"{path}.reason", reason, _REASONS)
    return problems


def _validate_annotations(annotations: list[Object], policy: str, compiler: Compiler) -> list[FieldError]:
    path = "spec.auditAnnotations"
    problems: list[FieldError] = []
    if len(annotations) > _AUDIT_ANNOTATIONS_MAX:
        detail = f"must not have more than {_AUDIT_ANNOTATIONS_MAX} auditAnnotations"
        shown = GoText(checks.in_order([_shown_annotation(each) for each in annotations]))
        problems.append(field.invalid(path, shown, detail))
    seen: set[str] = set()
    for position, annotation in enumerate(annotations):
        at, key = field.index(path, position), annotation.get("key") or ""
        if policy:
            problems += checks.name(f"{at}.key", f"{policy}/{key}", names.qualified_name)
        else:
            problems.append(field.invalid(f"{at}.key", key, "requires metadata.name be non-empty"))
        problems += _validate_value_expression(annotation.get("valueExpression") or "", at, compiler)
        if key in seen:
            problems.append(field.duplicate(f"{at}.key", key))
        seen.add(key)
    return problems


def _shown_annotation(annotation: Object) -> Object:
    return {"Key": annotation.get("key") or "", "ValueExpression": annotation.get("valueExpression") or ""}


def _validate_value_expression(expression: str, path: str, compiler: Compiler) -> list[FieldError]:
    at, bare = f"{path}.valueExpression", gotext.strip(expression)
    if not bare:
        return [field.required(at, "valueExpression is not specified")]
    if len(bare.encode()) > _VALUE_EXPRESSION_BYTES_MAX:
        return [field.required(at, f"must not exceed {_VALUE_EXPRESSION_BYTES_MAX} bytes in length")]
    compiled = compiler.compile(bare, TEXT_OR_NULL)
    compiled.expression = expression  # as it was sent
    return told_fault(at, compiled)
