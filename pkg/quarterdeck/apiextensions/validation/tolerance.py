"""What a changed definition may have wrong because the stored one has it already.

No definition is accepted with such faults today, but one may be stored with them: it was made in v1beta1, by a server
of long ago, or by another hand. Whoever changes something else of it is not refused for them.
Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (ValidateCustomResourceDefinitionUpdate,
require…, findVersionsWithUnchangedSchemas, findTooManySelectableFieldsAllowed).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from quarterdeck.apiextensions import jsonvalues
from quarterdeck.apiextensions.schemas import schema_of
from quarterdeck.apiextensions.validation import hoisting, subschemas, unpruned
from quarterdeck.schema import structural

Schema = dict[str, Any]
Spec = dict[str, Any]


class Tolerance:
    """`new` replaces `old`, both a spec; without an old one nothing is tolerated. All of it is found out where
    something is wrong, and once."""

    def __init__(self, new: Spec, old: Spec | None) -> None:
        self._new = new
        self._old = old
        self._had: dict[Callable[[Schema], bool], bool] = {}

    def had(self, is_faulty: Callable[[Schema], bool]) -> bool:
        """Whether a schema anywhere in the old definition has a fault."""
        if is_faulty not in self._had:
            within = (each for schema in self._schemas for each in subschemas.walk(schema))
            self._had[is_faulty] = any(map(is_faulty, within))
        return self._had[is_faulty]

    @cached_property
    def lacks_schemas(self) -> bool:
        return any(schema_of(version) is None for version in _versions_of(self._old))

    @cached_property
    def is_not_structural(self) -> bool:
        return not all(map(structural.is_structural, self._schemas))

    @cached_property
    def has_unpruned_defaults(self) -> bool:
        return self._old is not None and unpruned.has_unpruned_defaults(self._old)

    def is_unchanged(self, version: str) -> bool:
        """Whether a version has the schema that it had: its rules may cost what they did. What all versions have in
        common a new one has had, too."""
        old, new = _schemas_of(self._old, version), _schemas_of(self._new, version)
        return bool(old and new) and jsonvalues.are_equal(old[0], new[0])

    def keeps_fields(self, version: str, selectable: list[dict[str, Any]], most: int) -> bool:
        """Whether the selectable fields of a version are those that it had, and were more than `most` then. Of what all
        versions have in common `version` is empty."""
        versions = _versions_of(self._old)
        is_shared = "selectableFields" in hoisting.hoisted_members(versions)
        if is_shared != (not version):
            return False
        old = versions[:1] if is_shared else [each for each in versions if each["name"] == version][-1:]
        return any(len(each.get("selectableFields") or ()) > most for each in old) and all(
            each["selectableFields"] == selectable for each in old
        )

    @cached_property
    def _schemas(self) -> list[Schema]:
        schemas = map(schema_of, _versions_of(self._old))
        return [schema for schema in schemas if schema is not None]


NO_TOLERANCE: Final = Tolerance({}, None)


def _versions_of(spec: Spec | None) -> list[dict[str, Any]]:
    return (spec or {}).get("versions") or []


def _schemas_of(spec: Spec | None, version: str) -> list[Schema | None]:
    """None or one (upstream: GetSchemaForVersion)."""
    versions = _versions_of(spec)
    if "schema" not in hoisting.hoisted_members(versions):
        versions = [each for each in versions if each["name"] == version]
    return [schema_of(each) for each in versions[:1]]
