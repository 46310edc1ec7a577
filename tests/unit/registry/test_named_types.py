"""A value of the wrong type is told with the name that Go has for the type, also of kinds that are never stored."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import resources, review_types
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import Struct
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind
from support.memory_store import MemoryStore

API_SERVICE = gotypes.struct_of("apiregistration.k8s.io/v1", "APIService")


def nested(path: str, value: Any) -> Any:
    for name in reversed(path.split(".")):
        value = [value] if name == "*" else {name: value}
    return value


@pytest.mark.parametrize(
    ("struct", "path", "name"),
    [
        (review_types.TOKEN_REQUEST, "spec.boundObjectRef.uid", "types.UID"),
        (review_types.TOKEN_REVIEW, "status.user.extra.a", "v1.ExtraValue"),
        (review_types.TOKEN_REVIEW, "status.user.extra", "map[string]v1.ExtraValue"),
        (review_types.TOKEN_REVIEW, "status.user.uid", "string"),
        (review_types.SUBJECT_ACCESS_REVIEW, "spec.extra.a", "v1.ExtraValue"),
        (
            review_types.SUBJECT_ACCESS_REVIEW,
            "spec.resourceAttributes.fieldSelector.requirements.*.operator",
            "v1.FieldSelectorOperator",
        ),
        (
            review_types.SELF_SUBJECT_ACCESS_REVIEW,
            "spec.resourceAttributes.labelSelector.requirements.*.operator",
            "v1.LabelSelectorOperator",
        ),
        (API_SERVICE, "status.conditions.*.type", "v1.APIServiceConditionType"),
        (API_SERVICE, "status.conditions.*.status", "v1.ConditionStatus"),
    ],
)
def test_the_type_is_named(struct: Struct, path: str, name: str) -> None:
    with pytest.raises(DecodeError) as found:
        Decoder(report_unknown=False).decode_struct(nested(path, 5), struct)
    assert str(found.value).endswith(f" of type {name}")


KINDS = {each.resource.name: BuiltinKind(each) for each in resources.definitions(Cacher(MemoryStore()))}
ODD = "<&>"


@pytest.mark.parametrize(
    ("plural", "path", "value"),
    [
        ("deployments", "spec.selector.matchExpressions.*.operator", ODD),
        ("cronjobs", "spec.timeZone", ODD),
        ("limitranges", "spec.limits.*.type", ODD),
        ("poddisruptionbudgets", "spec.minAvailable", ODD),
        ("statefulsets", "spec.podManagementPolicy", ODD),
        ("resourcequotas", "spec.scopeSelector.matchExpressions.*.operator", ODD),
        ("horizontalpodautoscalers", "spec.metrics", [{"type": "Resource", "resource": {"target": {"type": ODD}}}]),
        ("pods", "spec.tolerations.*.operator", ODD),
        ("pods", "spec.tolerations", [{"effect": ODD, "tolerationSeconds": 1, "operator": "Exists"}]),
        ("pods", "spec.securityContext.windowsOptions.gmsaCredentialSpecName", ODD),
        ("pods", "spec.securityContext.windowsOptions.runAsUserName", ODD),
    ],
)
def test_a_value_whose_type_has_a_name_is_shown_as_json(plural: str, path: str, value: Any) -> None:
    told = KINDS[plural].refusals(nested(path, value))
    assert any('Invalid value: "\\u003c\\u0026\\u003e": ' in text for text in told)
    assert not any('Invalid value: "<&>"' in text for text in told)
