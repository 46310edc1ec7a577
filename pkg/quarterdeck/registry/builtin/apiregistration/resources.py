"""The resources of apiregistration.k8s.io."""

from __future__ import annotations

from quarterdeck.registry.builtin.apiregistration.apiservice import (
    APIServiceStatusStrategy,
    APIServiceStrategy,
    default_api_service,
)
from quarterdeck.registry.builtin.definition import Definition, describe


def definitions() -> list[Definition]:
    return [
        Definition(
            describe(
                "apiregistration.k8s.io",
                "apiservices",
                "APIService",
                namespaced=False,
                has_status=True,
                categories=("api-extensions",),
            ),
            APIServiceStrategy(namespaced=False),
            {"status": APIServiceStatusStrategy(namespaced=False)},
            default=default_api_service,
        )
    ]
