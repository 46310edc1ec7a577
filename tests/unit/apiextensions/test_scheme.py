"""Definitions of v1beta1, which are read before they are refused."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apiextensions.scheme import SCHEME

V1BETA1 = "apiextensions.k8s.io/v1beta1"
KIND = "CustomResourceDefinition"


@pytest.mark.parametrize(
    ("spec", "unknown"),
    [
        (
            {
                "version": "v1",
                "validation": {"openAPIV3Schema": {"type": "object", "x": 1}},
                "additionalPrinterColumns": [{"JSONPath": ".a", "jsonPath": ".b"}],
            },
            ["spec.additionalPrinterColumns[0].jsonPath", "spec.validation.openAPIV3Schema.x"],
        ),
        (
            {
                "versions": [{"name": "v1", "schema": {}, "additionalPrinterColumns": [{"jsonPath": ".b"}]}],
                "conversion": {"webhookClientConfig": {"url": "x"}, "webhook": {}},
            },
            ["spec.conversion.webhook", "spec.versions[0].additionalPrinterColumns[0].jsonPath"],
        ),
    ],
)
def test_unknown_fields(spec: dict[str, Any], unknown: list[str]) -> None:
    value = {"apiVersion": V1BETA1, "kind": KIND, "metadata": {"name": "a"}, "spec": spec}
    assert SCHEME.find_mistake(V1BETA1, KIND, value) == ""
    assert sorted(SCHEME.find_unknown(V1BETA1, KIND, value)) == unknown


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        (
            {"spec": {"versions": {}}},
            "object into Go struct field CustomResourceDefinitionSpec.spec.versions of type "
            "[]v1beta1.CustomResourceDefinitionVersion",
        ),
        (
            {"spec": {"additionalPrinterColumns": [{"JSONPath": 1}]}},
            "number into Go struct field CustomResourceColumnDefinition.spec.additionalPrinterColumns.JSONPath of type "
            "string",
        ),
        (
            {"spec": {"validation": {"openAPIV3Schema": {"enum": 1}}}},
            "number into Go struct field JSONSchemaProps.spec.validation.openAPIV3Schema.enum of type []v1beta1.JSON",
        ),
        (
            {"metadata": {"labels": 1}},
            "number into Go struct field ObjectMeta.metadata.labels of type map[string]string",
        ),
    ],
)
def test_mistakes(value: dict[str, Any], mistake: str) -> None:
    assert SCHEME.find_mistake(V1BETA1, KIND, value) == f"json: cannot unmarshal {mistake}"


def test_other_kinds_are_not_read() -> None:
    assert SCHEME.find_mistake("apiextensions.k8s.io/v1", "ConversionReview", {"request": 1}) == ""
    assert SCHEME.find_unknown("apiextensions.k8s.io/v1", "ConversionReview", {"x": 1}) == []
