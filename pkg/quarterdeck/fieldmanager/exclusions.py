"""Fields that nobody comes to own: those of the server in every object, and those that a subresource cannot set.

A write of a custom resource itself knows the latter of its own version alone: it takes a status that it cannot set, as
it seems, from those who own it in another version. A write of a subresource knows them of all versions, and so do all
writes of built-in kinds.

Source: apimachinery/pkg/util/managedfields/internal/stripmeta.go; structured-merge-diff v6, merge/update.go.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from quarterdeck._kernels import fieldset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarterdeck._kernels.fieldset import Set

# They name the object, or the server keeps them.
STRIPPED: Final[Set] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        "f:clusterName": {},
        "f:creationTimestamp": {},
        "f:generation": {},
        "f:managedFields": {},
        "f:name": {},
        "f:namespace": {},
        "f:resourceVersion": {},
        "f:selfLink": {},
        "f:uid": {},
    },
}
_NO_RESETS: Final[Mapping[str, Set]] = {}
_NOTHING: Final[Set] = {}


class Exclusions:
    """`reset_fields` says for each subresource ("" is the object itself) and version what such a write cannot set."""

    def __init__(self, reset_fields: Mapping[str, Mapping[str, Set]] | None, *, is_builtin: bool = False) -> None:
        self._reset_fields = reset_fields or {}
        self._is_builtin = is_builtin
        self._found: dict[tuple[str, str], Set] = {}

    def resets(self, subresource: str, api_version: str) -> Set:
        """What a write of `subresource` cannot set."""
        return self._reset_fields.get(subresource, _NO_RESETS).get(api_version, _NOTHING)

    def of(self, subresource: str, api_version: str) -> Set:
        """What nobody comes to own by a write of `subresource`."""
        found = self._found.get((subresource, api_version))
        if found is None:
            found = _exclude_also(STRIPPED, self.resets(subresource, api_version))
            self._found[subresource, api_version] = found
        return found

    def in_versions(self, subresource: str, written: str) -> Callable[[str], Set]:
        """What nobody comes to own, in any version, by a write of `subresource` in the version `written`."""
        return partial(self._in_version, subresource, written)

    def _in_version(self, subresource: str, written: str, api_version: str) -> Set:
        if api_version != written and not subresource and not self._is_builtin:
            return STRIPPED
        return self.of(subresource, api_version)


def _exclude_also(excluded: Set, resets: Set) -> Set:
    """Both, where a reset field takes everything below it along."""
    return fieldset.union(fieldset.recursive_difference(excluded, resets), resets) if resets else excluded
