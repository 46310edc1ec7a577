"""DefaultIngressClass."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.ingress import DefaultIngressClass

MARKED = {"metadata": {"name": "d", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}}


@pytest.mark.parametrize(
    ("ingress", "chosen"),
    [
        ({"metadata": {}, "spec": {}}, "d"),
        ({"metadata": {}, "spec": {"ingressClassName": "own"}}, "own"),
        ({"metadata": {"annotations": {"kubernetes.io/ingress.class": "x"}}, "spec": {}}, None),
    ],
)
def test_an_ingress_without_a_class_gets_the_one_that_is_everybodys(
    ingress: dict[str, Any], chosen: str | None
) -> None:
    entry = SimpleNamespace(name="d", data=json.dumps(MARKED).encode())
    cache: Any = SimpleNamespace(state=SimpleNamespace(all=lambda: [entry]), listeners=[])
    resource = SimpleNamespace(group="networking.k8s.io", name="ingresses")
    plugin: Any = DefaultIngressClass(cache)
    plugin.admit(SimpleNamespace(resource=resource, obj=ingress, operation="CREATE", subresource=""))
    assert ingress["spec"].get("ingressClassName") == chosen
