"""What there is to say of one built-in resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.strategy import Object, Strategy
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import Struct


class Definition(NamedTuple):
    """`subresources`: name → strategy. `select_fields`: the field labels of a kind beside its metadata's.

    `struct`: the Go type of a kind that says more than the tables of types can. `versions` of a kind that two groups
    serve; its fields are selected in the stored one.
    """

    resource: APIResource
    strategy: Strategy
    subresources: Mapping[str, Strategy] = {}
    default: Callable[[Object], None] | None = None
    select_fields: Callable[[Object], dict[str, str]] | None = None
    selectable: tuple[str, ...] = ()
    returns_deleted: bool = False
    show_deleted: Callable[[Object], Object] | None = None
    scale: ScalePaths | None = None
    struct: Struct | None = None
    versions: Versions | None = None

    def make_struct(self) -> Struct:
        """Asked when the kind is first used: the tables take long to read."""
        return self.struct or gotypes.struct_of(self.resource.api_version, self.resource.kind)

    @property
    def is_converted(self) -> bool:
        """Whether objects are stored in another version."""
        return self.versions is not None and self.resource.api_version != self.versions.stored
