"""The versions that bodies may name: those that are registered, and the internal one of each group.

Source: apimachinery/pkg/runtime/{error,scheme}.go; apiserver/pkg/endpoints/handlers/create.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors, gofmt, meta

INTERNAL: Final = "__internal"  # the version of the types that upstream works with
ANY: Final = ("v1", "v2", "v1beta1", "v1beta2", "v1beta3", "v1alpha1", "v1alpha2", "v1alpha3")
# Kinds that every scheme knows in whatever version a body names, and those that it knows in each of its own.
UNVERSIONED: Final = frozenset(("APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"))
OF_ANY_GROUP: Final = frozenset(
    ("CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent")
)
# Kinds that are made, and found nowhere: they have no lists.
UNLISTED: Final = frozenset(
    (
        "Binding",
        "Eviction",
        "LocalSubjectAccessReview",
        "Scale",
        "SelfSubjectAccessReview",
        "SelfSubjectReview",
        "SelfSubjectRulesReview",
        "SubjectAccessReview",
        "TokenRequest",
        "TokenReview",
    )
)


class OtherVersion(errors.BadRequest):
    """The refusal of a body of another version than the endpoint's. `unknown`: the members that its own type does not
    have; `repeats`: what is told of members that it gives more than once."""

    unknown: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    found: str = INTERNAL


class NotConvertible(errors.BadRequest):
    """A value of another kind than the endpoint's, which can be read."""


def mismatch(found: str, expected: str) -> str:
    """Why a body of another version than the endpoint's is refused."""
    return f"the API version in the data ({found}) does not match the expected API version ({expected})"


def refuse(obj: dict[str, Any], expected: str) -> OtherVersion:
    found = obj.get("apiVersion", "").removeprefix("/")  # an empty group is none
    refusal = OtherVersion(mismatch(found, expected))
    if found.rpartition("/")[2] == INTERNAL:  # a type whose other members JSON does not know
        refusal.unknown = tuple(name for name in obj if name not in ("apiVersion", "kind"))
    else:
        refusal.found = found
    return refusal


def not_registered(group: str, version: str, kind: str, scheme: str) -> str:
    """Why a kind of a version that a scheme does not know cannot be read."""
    shown = f"version {gofmt.quote(meta.join_api_version(group, version))}"
    if version == INTERNAL:
        shown = f"the internal version of group {gofmt.quote(group)}"
    return f"no kind {gofmt.quote(kind)} is registered for {shown} in scheme {gofmt.quote(scheme)}"


def go_type(group: str, version: str, kind: str) -> str:
    """The Go type of a kind that is registered, as errors name it."""
    if kind in UNVERSIONED:
        return f"v1.{kind}"
    if version != INTERNAL:
        return f"v1.{kind}" if kind in OF_ANY_GROUP else f"{version}.{kind}"
    if kind == "WatchEvent":
        return "v1.InternalEvent"
    return f"{'autoscaling' if kind == 'Scale' else internal_package(group)}.{kind}"


def internal_package(group: str) -> str:
    """The Go package of a group's internal types."""
    if group in ("", "events.k8s.io"):
        return "core"
    return group.partition(".")[0]
