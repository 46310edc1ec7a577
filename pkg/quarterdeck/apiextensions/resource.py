"""customresourcedefinitions as a resource: what the registry needs to serve it."""

from __future__ import annotations

from functools import cache

from quarterdeck.apiextensions import empties
from quarterdeck.apiextensions.defaults import default_definition
from quarterdeck.apiextensions.strategy import DefinitionStatusStrategy, DefinitionStrategy
from quarterdeck.apiextensions.types import CUSTOM_RESOURCE_DEFINITION
from quarterdeck.apis.resource import APIResource, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.definition import Definition

GROUP = "apiextensions.k8s.io"
_KIND = GroupVersionKind(GROUP, "v1", "CustomResourceDefinition")


@cache
def definition_of_definitions() -> Definition:
    return Definition(
        APIResource(
            GROUP,
            "v1",
            "customresourcedefinitions",
            "customresourcedefinition",
            "CustomResourceDefinition",
            "CustomResourceDefinitionList",
            namespaced=False,
            short_names=("crd", "crds"),
            categories=("api-extensions",),
            subresources=(Subresource("status", _KIND, ("get", "patch", "update")),),
        ),
        DefinitionStrategy(),
        {"status": DefinitionStatusStrategy()},
        default=default_definition,
        struct=lambda: CUSTOM_RESOURCE_DEFINITION,
        keeps_empty_lists=True,
        mark_changed=empties.mark_changed,
        is_shared=True,
    )
