"""Ownership of replicas across the scale subresource: the parent's entries as entries of a Scale, and back.

A Scale is written as an object of its own, whose entries are those of the parent's managers that own its replicas.
Afterwards each such manager has what the write left it: it keeps the replicas, or they were taken from it.

Source: apimachinery/pkg/util/managedfields/scalehandler.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarterdeck._kernels import fieldset
from quarterdeck.fieldmanager import managed, types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarterdeck._kernels.fieldset import Set

API_VERSION: Final = "autoscaling/v1"
SCALE: Final = types.TypeSchema(
    types.struct(
        {
            **types.TYPE_META,
            "spec": types.struct({"replicas": types.NUMERIC}),
            "status": types.struct({"replicas": types.NUMERIC, "selector": types.STRING}),
        }
    ),
    {"metadata": {}, "spec": {}, "status": {"replicas": 0}},
)
_REPLICAS: Final[Set] = {"f:spec": {"f:replicas": {}}}


class ScaleFields:
    """`paths`: for each version of the parent the names on the way to its replicas; None where it has no scale.

    An entry in a version that is not there is dropped.
    """

    def __init__(
        self, parent_entries: list[managed.Entry], api_version: str, paths: Mapping[str, tuple[str, ...] | None]
    ) -> None:
        self._managers = managed.decode(parent_entries, trusted=True)
        self._api_version = api_version
        self._paths = {version: None if names is None else _path_set(names) for version, names in paths.items()}

    def to_scale(self) -> list[managed.Entry]:
        """Entries for the Scale object: its managers own its replicas."""
        out: managed.Managers = {}
        for key, owned in self._managers.items():
            path = self._paths.get(owned.api_version)
            if path is not None and fieldset.intersection(owned.fields, path):
                out[key] = managed.VersionedSet(_REPLICAS, API_VERSION, owned.applied, owned.time)
        return managed.encode(out)

    def to_parent(self, scale_entries: list[managed.Entry]) -> list[managed.Entry]:
        """The parent's entries after its Scale was written with these."""
        # An updater is known by its version too, so it is never found here; upstream gives it a new entry likewise.
        scale = managed.decode(scale_entries, trusted=True)
        out: managed.Managers = {}
        for key, owned in self._managers.items():
            if owned.api_version not in self._paths:
                continue
            path = self._paths[owned.api_version]
            if path is None or not fieldset.intersection(owned.fields, path) or scale.pop(key, None) is not None:
                out[key] = owned
            elif left := fieldset.difference(owned.fields, path):
                out[key] = owned._replace(fields=left)
        replicas = self._paths.get(self._api_version)
        for key, owned in scale.items():
            if replicas is not None and fieldset.intersection(owned.fields, _REPLICAS):
                before = self._managers.get(key)
                time = before.time if before is not None else ""
                out[key] = managed.VersionedSet(replicas, self._api_version, owned.applied, time)
        return managed.encode(out)


def _path_set(names: tuple[str, ...]) -> Set:
    path: Set = {}
    for name in reversed(names):
        path = {f"f:{name}": path}
    return path
