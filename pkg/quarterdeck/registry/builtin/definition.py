"""What there is to say of one built-in resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, cast

from quarterdeck.apis.resource import SUBRESOURCE_VERBS, APIResource, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.strategy import Object, Strategy
from quarterdeck.schema import gonulls, gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.gotype import Struct

SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")


class Definition(NamedTuple):
    """`subresources`: name → strategy. `note` sees an object as it was sent, before it is decoded. `select_fields`: the
    field labels of a kind beside its metadata's.

    `struct`: the Go type of a kind that says more than the tables of types can. `versions` of a kind that two groups
    serve; its fields are selected in the stored one. `deprecation_warning`: what every answer warns of;
    `removed_release`: the release that does not serve it any more.
    `hidden_annotation`: shown in whole objects only. `spelling`: of what Go compares as it was sent.
    `orphan_warning`: what a delete is told that does not say what becomes of dependents. `undeletable`: why an
    object of this name is not deleted. `keeps_empty_lists`: of a kind
    that is stored as JSON, which tells empty from absent; `mark_changed` of one that keeps what was sent (codec.py).
    `empty`: what an object says of which nothing is said, beside the zeros that its Go type always writes.
    `complete_stored`: gives an object that somebody else has stored what it lacks beside its defaults (upstream: the
    Decorator of its store). `is_shared`: it is the same for all servers of a process.
    """

    resource: APIResource
    strategy: Strategy
    subresources: Mapping[str, Strategy] = {}
    default: Callable[[Object], None] | None = None
    note: Callable[[Object], None] | None = None
    select_fields: Callable[[Object], dict[str, str]] | None = None
    selectable: tuple[str, ...] = ()
    returns_deleted: bool = False
    show_deleted: Callable[[Object], Object] | None = None
    scale: ScalePaths | None = None
    struct: Callable[[], Struct] | None = None
    versions: Versions | None = None
    deprecation_warning: str = ""
    removed_release: str = ""
    hidden_annotation: str = ""
    orphan_warning: str = ""
    undeletable: Mapping[str, str] | None = None
    spelling: Spelling | None = None
    keeps_empty_lists: bool = False
    mark_changed: Callable[[Object, Object], Object] | None = None
    empty: Mapping[str, Any] = {}
    complete_stored: Callable[[Object], None] | None = None
    is_shared: bool = False

    def make_struct(self) -> Struct:
        """Asked when the kind is first used: the tables take long to read."""
        if self.struct is not None:
            return self.struct()
        return gotypes.struct_of(self.resource.api_version, self.resource.kind)

    def make_empty(self) -> Object:
        """An object of which nothing is said, as Go writes it. No defaults: nobody has decoded it."""
        struct = self.make_struct()
        zeros = Decoder(report_unknown=False).decode_struct({}, struct)
        made = gonulls.put_nulls(zeros, gonulls.find(struct))
        for name, members in self.empty.items():
            made[name] = {**members, **made.get(name, {})} if members else members
        return made

    @property
    def is_converted(self) -> bool:
        """Whether objects are stored in another version."""
        return self.versions is not None and self.resource.api_version != self.versions.stored


class Behaviour(NamedTuple):
    """What a kind does: its strategies, and the functions that see its objects (as in Definition)."""

    strategy: Strategy
    subresources: Mapping[str, Strategy] = {}
    default: Callable[[Object], None] | None = None
    note: Callable[[Object], None] | None = None
    select_fields: Callable[[Object], dict[str, str]] | None = None


class _Late:
    """A strategy that becomes itself when it is first asked for something."""

    def __init__(self, make: Callable[[], Strategy]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        made = self._make()
        # From now on nothing stands between the caller and the strategy.
        self.__class__ = type(made)  # type: ignore[assignment]
        self.__dict__ = made.__dict__
        return getattr(self, name)


def later(resource: APIResource, load: Callable[[], Behaviour], **members: Any) -> Definition:
    """A definition whose behaviour is loaded when the kind is first used: most servers never see most kinds, and to
    import the rules of all takes longer than the rest of the start. `members`: those of Definition."""
    known = cache(load)

    def default(obj: Object) -> None:
        if (given := known().default) is not None:
            given(obj)

    def note(obj: Object) -> None:
        if (given := known().note) is not None:
            given(obj)

    def select_fields(obj: Object) -> dict[str, str]:
        given = known().select_fields
        return given(obj) if given is not None else {}

    def make_later(name: str) -> Any:
        return _Late(lambda: known().subresources[name])

    return Definition(
        resource,
        cast("Strategy", _Late(lambda: known().strategy)),
        {each.name: make_later(each.name) for each in resource.subresources},
        default,
        note,
        select_fields if members.get("selectable") else None,
        **members,
    )


def describe(
    group: str,
    name: str,
    kind: str,
    *,
    version: str = "v1",
    namespaced: bool = True,
    has_status: bool = False,
    has_scale: bool = False,
    more: tuple[Subresource, ...] = (),
    **members: Any,
) -> APIResource:
    """A resource as most are: `more` are subresources beside scale and status; `members` those of APIResource."""
    gvk = GroupVersionKind(group, version, kind)
    subresources = [*more]
    if has_scale:
        subresources.append(Subresource("scale", SCALE, SUBRESOURCE_VERBS))
    if has_status:
        subresources.append(Subresource("status", gvk, SUBRESOURCE_VERBS))
    return APIResource(
        group,
        version,
        name,
        kind.lower(),
        kind,
        f"{kind}List",
        namespaced=namespaced,
        subresources=tuple(sorted(subresources, key=lambda each: each.name)),
        **members,
    )
