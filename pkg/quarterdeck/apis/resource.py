"""What is known of a served resource: the values that discovery, OpenAPI, tables and routing are built from.

Frozen: a change of a definition makes new values, which are swapped in whole. Without slots, with which they would not
be compiled classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
SUBRESOURCE_VERBS: Final = ("get", "patch", "update")
PROXY_VERBS: Final = ("create", "delete", "get", "patch", "update")


class GroupVersionKind(NamedTuple):
    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True)
class Subresource:
    """`gvk` is the kind that the subresource answers with (Scale for scale)."""

    name: str
    gvk: GroupVersionKind
    verbs: tuple[str, ...]


@dataclass(frozen=True)
class APIResource:
    """One resource in one version. `storage_version_hash` is "" where it has none."""

    group: str
    version: str
    name: str  # plural, as in the path
    singular: str
    kind: str
    list_kind: str
    namespaced: bool
    verbs: tuple[str, ...] = ALL_VERBS
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    storage_version_hash: str = ""
    subresources: tuple[Subresource, ...] = ()
    # Every request asks for these.
    gvk: GroupVersionKind = field(init=False, compare=False)
    api_version: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        gvk = GroupVersionKind(self.group, self.version, self.kind)
        object.__setattr__(self, "gvk", gvk)
        object.__setattr__(self, "api_version", gvk.api_version)


@dataclass(frozen=True)
class PrinterColumn:
    """A column of a table (additionalPrinterColumns of a CRD version)."""

    name: str
    type: str
    json_path: str
    format: str = ""
    description: str = ""
    priority: int = 0
