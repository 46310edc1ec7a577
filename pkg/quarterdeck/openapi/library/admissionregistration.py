"""The schemas of admissionregistration.k8s.io, written from the Go types: the same fields, without prose.

Differs from upstream: fields and types have no descriptions.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.patch.mergekeys import strategy_of
from quarterdeck.schema import gotypes
from quarterdeck.schema.gomarkers import ATOMIC_STRUCTS, LIST_MAPS, SETS
from quarterdeck.schema.gotype import Field, GoType, ListOf, Scalar, Struct

_API_VERSION: Final = "admissionregistration.k8s.io/v1"
_KINDS: Final = {
    "MutatingWebhookConfiguration": "Webhooks that may change what is written.",
    "ValidatingWebhookConfiguration": "Webhooks that may refuse what is written.",
    "ValidatingAdmissionPolicy": "Conditions in CEL that objects have to fulfil where a binding says so.",
    "ValidatingAdmissionPolicyBinding": "Where a policy is in force, with which parameters, and what it does.",
    "MutatingAdmissionPolicy": "Changes in CEL that are made to objects where a binding says so.",
    "MutatingAdmissionPolicyBinding": "Where a policy is in force, and with which parameters.",
}
_ELSEWHERE: Final = frozenset(("ObjectMeta", "LabelSelector", "Condition"))
_REQUIRED: Final = frozenset(
    (
        ("ValidatingAdmissionPolicyBinding", "spec"),
        ("ValidatingAdmissionPolicyBindingSpec", "policyName"),
        ("ValidatingAdmissionPolicyBindingSpec", "validationActions"),
    )
)


def build_text() -> str:
    lines = ["package io.k8s.api.admissionregistration.v1"]
    done = set(_ELSEWHERE)
    waiting = [gotypes.object_of(_API_VERSION, kind) for kind in reversed(_KINDS)]
    while waiting:
        struct = waiting.pop()
        if struct.name in done:
            continue
        done.add(struct.name)
        atomic = " @atomic" if struct.name in ATOMIC_STRUCTS else ""
        text = _KINDS.get(struct.name)
        lines.append(f"{struct.name} gvk={_API_VERSION} # {text}" if text else f"{struct.name}{atomic}")
        for name, field in sorted(struct.fields.items()):
            lines.append(_line(struct.name, name, field))
            inner = field.type.item if isinstance(field.type, ListOf) else field.type
            if isinstance(inner, Struct):
                waiting.append(inner)
    return "\n".join(lines) + "\n"


def _line(owner: str, name: str, field: Field) -> str:
    is_required = field.always or (owner, name) in _REQUIRED
    words = ""
    if isinstance(field.type, ListOf):
        keys = LIST_MAPS.get((owner, name))
        words = f" @map({','.join(keys)})" if keys else (" @set" if (owner, name) in SETS else " @atomic")
        merge_key = strategy_of(owner, name).merge_key
        words += f" @merge({merge_key})" if merge_key else ""
    elif isinstance(field.type, Struct) and not field.pointer:
        words = " ={}"
    elif field.always and not field.pointer:
        words = ' =""'
    return f"  {name}{'!' if is_required else ''} {_type_name(field.type)}{words}"


def _type_name(given: GoType) -> str:
    if isinstance(given, ListOf):
        return f"[{_type_name(given.item)}]"
    if isinstance(given, Struct):
        return given.name
    assert isinstance(given, Scalar)
    if given.kind == "int":
        return given.go_name
    return {"bytes": "bytes", "time": "Time"}.get(given.kind, "string")
