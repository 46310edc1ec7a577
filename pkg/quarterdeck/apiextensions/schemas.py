"""The schemas of a definition that is served, read when something is made of them.

A decoded schema takes several times the memory of its text, and most definitions of a cluster are hardly used. So what
serves a definition keeps no schema: it reads them from the stored bytes, which the watch cache keeps anyway, compiles
what it needs and lets them go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from quarterdeck.apiextensions.rules import Rules
from quarterdeck.apimachinery.codec import json as json_codec

if TYPE_CHECKING:
    from quarterdeck.cel.counted import CountOf

Schema = dict[str, Any]


class StoredSchemas:
    """`data` is the definition as it is stored. It may be replaced by a later one whose spec is the same, so that the
    bytes are shared with the cache. `count_rules` gives for a version what counts the evaluations of its rules, where
    somebody wants to know."""

    __slots__ = ("count_rules", "data")

    def __init__(self, data: bytes, count_rules: Callable[[str], CountOf] | None = None) -> None:
        self.data = data
        self.count_rules = count_rules

    def find(self, version: str) -> Schema | None:
        """The openAPIV3Schema of a version; None where it has none."""
        versions = json_codec.load(self.data)["spec"]["versions"]
        return schema_of(next(each for each in versions if each["name"] == version))

    def read(self, version: str) -> Schema:
        return self.find(version) or {}


class StoredRules:
    """The x-kubernetes-validations of one version, compiled at the first object that is written."""

    __slots__ = ("_rules", "_schemas", "_version")

    def __init__(self, schemas: StoredSchemas, version: str) -> None:
        self._schemas = schemas
        self._version = version
        self._rules: Rules | None = None

    def validate(self, obj: Any, old: Any, warnings: list[str]) -> Any:
        """As Rules.validate."""
        if self._rules is None:
            schemas, version = self._schemas, self._version
            counting = None if schemas.count_rules is None else schemas.count_rules(version)
            self._rules = Rules(schemas.read(version), counting)
        return self._rules.validate(obj, old, warnings)


def schema_of(version: Any) -> Schema | None:
    schema: Schema | None = (version.get("schema") or {}).get("openAPIV3Schema")
    return schema
