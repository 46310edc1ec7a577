"""Tables of webhook configurations, admission policies and their bindings.

Source: kubernetes/pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Cell, Column, dig, text
from quarterdeck.endpoints.table.columns import Object

_UNSET: Final = "<unset>"


def _items(*path: str) -> Cell:
    return lambda obj, now_s: len(dig(obj, path) or ())


def _param_kind(obj: Object, now_s: float) -> object:
    kind = dig(obj, ("spec", "paramKind"))
    return _UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def _param_reference(obj: Object, now_s: float) -> object:
    reference = dig(obj, ("spec", "paramRef")) or {}
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    selector = reference.get("selector")
    return _UNSET if selector is None else _shown_selector(selector)


def _shown_selector(selector: dict[str, Any]) -> str:
    """As Go's own text of the type has it."""
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.get('key', '')},Operator:{each.get('operator', '')},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


_WEBHOOKS: Final = Column(
    "Webhooks",
    _items("webhooks"),
    "Webhooks indicates the number of webhooks registered in this configuration",
    type="integer",
)
_PARAM_KIND: Final = Column(
    "ParamKind", _param_kind, "ParamKind specifies the kind of resources used to parameterize this policy"
)
_BINDING: Final = (
    NAME,
    Column(
        "PolicyName",
        text("spec", "policyName"),
        "PolicyName indicates the policy definition which the policy binding binded to",
    ),
    Column("ParamRef", _param_reference, "ParamRef indicates the param resource which sets the configuration param"),
    AGE,
)
_VALIDATIONS: Final = Column(
    "Validations",
    _items("spec", "validations"),
    "Validations indicates the number of validation rules defined in this configuration",
    type="integer",
)
_MUTATIONS: Final = Column(
    "Mutations",
    _items("spec", "mutations"),
    "Mutation indicates the number of mutations rules defined in this configuration",
    type="integer",
)
PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("admissionregistration.k8s.io", kind): printer
    for kind, printer in (
        ("MutatingWebhookConfiguration", (NAME, _WEBHOOKS, AGE)),
        ("ValidatingWebhookConfiguration", (NAME, _WEBHOOKS, AGE)),
        ("ValidatingAdmissionPolicy", (NAME, _VALIDATIONS, _PARAM_KIND, AGE)),
        ("ValidatingAdmissionPolicyBinding", _BINDING),
        ("MutatingAdmissionPolicy", (NAME, _MUTATIONS, _PARAM_KIND, AGE)),
        ("MutatingAdmissionPolicyBinding", _BINDING),
    )
}
