"""By what a policy may name the kind of its parameters, and an owner its kind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.server.params import Params


def scopes_of(group: str, version: str, name: str, kind: str) -> dict[str, Any]:
    api_version = f"{group}/{version}" if group else version
    resource = SimpleNamespace(group=group, version=version, name=name, kind=kind, api_version=api_version)
    return {"": SimpleNamespace(resource=resource)}


class Definitions:
    """One, of boats."""

    def __init__(self) -> None:
        self._served = SimpleNamespace(
            group="b.dev", plural="boats", scopes={"v1": scopes_of("b.dev", "v1", "boats", "SailBoat")}
        )

    def all(self) -> list[Any]:
        return [self._served]

    def get(self, group: str, plural: str) -> Any:
        return self._served if (group, plural) == ("b.dev", "boats") else None


@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [
        ("v1", "ConfigMap", "configmaps"),
        ("v1", "configmap", "configmaps"),
        ("v1", "configMap", None),
        ("v2", "configmap", None),
        ("b.dev/v1", "SailBoat", "boats"),
        ("b.dev/v1", "sailboat", "boats"),
        ("b.dev/v1", "Sailboat", None),
    ],
)
def test_a_kind_may_be_written_in_lower_case(api_version: str, kind: str, name: str | None) -> None:
    builtin: Any = {("", "v1", "configmaps"): scopes_of("", "v1", "configmaps", "ConfigMap")}
    definitions: Any = Definitions()
    found = Params(builtin, definitions).find_resource(api_version, kind)
    assert (None if found is None else found.name) == name
