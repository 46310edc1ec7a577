"""The Go types of versions that are not served any more, made of those of v1, whose fields most of them have.

Only versions are here that have the fields of v1 but for what stands in `_OTHERWISE`. The errors of Go name them by
their own package.

Source: staging/src/k8s.io/api/*/*/types.go, kube-aggregator/pkg/apis/apiregistration/v1beta1/types.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import INT64, INT_OR_STRING, STRING, Field, GoType, ListOf, MapOf, Scalar, Struct, Union

# By the name of a type: the fields that it has instead of others. None stands for one that it does not have, a name for
# the field of v1 that was called otherwise.
Changes = Mapping[str, Mapping[str, Field | str | None]]

_ALIKE: Final = frozenset(
    (
        "admissionregistration.k8s.io/v1beta1",
        "apiregistration.k8s.io/v1beta1",
        "apps/v1beta1",
        "apps/v1beta2",
        "authentication.k8s.io/v1beta1",
        "authorization.k8s.io/v1beta1",
        "batch/v1beta1",
        "certificates.k8s.io/v1beta1",
        "coordination.k8s.io/v1beta1",
        "discovery.k8s.io/v1beta1",
        "events.k8s.io/v1beta1",
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "networking.k8s.io/v1beta1",
        "node.k8s.io/v1beta1",
        "policy/v1beta1",
        "rbac.authorization.k8s.io/v1alpha1",
        "rbac.authorization.k8s.io/v1beta1",
        "resource.k8s.io/v1beta2",
        "scheduling.k8s.io/v1beta1",
        "storage.k8s.io/v1beta1",
    )
)
_ROLLBACK: Final = Struct("RollbackConfig", {"revision": Field(INT64)}, "v1beta1")
_OTHERWISE: Final[Mapping[str, Changes]] = {
    "apps/v1beta1": {"DeploymentSpec": {"rollbackTo": Field(_ROLLBACK, pointer=True)}},
    "authorization.k8s.io/v1beta1": {"SubjectAccessReviewSpec": {"groups": None, "group": "groups"}},
    "discovery.k8s.io/v1beta1": {
        "Endpoint": {"deprecatedTopology": None, "topology": "deprecatedTopology", "zone": None},
    },
    "networking.k8s.io/v1beta1": {
        "IngressBackend": {"service": None, "serviceName": Field(STRING), "servicePort": Field(INT_OR_STRING)},
        "IngressSpec": {"defaultBackend": None, "backend": "defaultBackend"},
    },
    "rbac.authorization.k8s.io/v1alpha1": {"Subject": {"apiGroup": None, "apiVersion": "apiGroup"}},
}
_NONE: Final[Changes] = {}


@cache
def object_of(api_version: str, kind: str) -> Struct | None:
    """The type of a kind with its metadata; None where nothing here makes it."""
    if api_version not in _ALIKE:
        return None
    group, version = meta.split_api_version(api_version)
    table = reader.TABLES.get((group, "v1"))
    if table is None or reader.find(table, kind) is None:
        return None
    names = frozenset(reader.names(table))
    return rename(
        gotypes.object_of(f"{group}/v1", kind), version, names.__contains__, _OTHERWISE.get(api_version, _NONE)
    )


def rename(struct: Struct, package: str, is_own: Callable[[str], bool], changes: Changes) -> Struct:
    """The type and those in it whose bare names are the group's own, in another package, which may contain themselves;
    `changes` are made in them."""
    return _Renaming(package, is_own, changes).struct(struct)


class _Renaming:
    def __init__(self, package: str, is_own: Callable[[str], bool], changes: Changes) -> None:
        self._package = package
        self._is_own = is_own
        self._changes = changes
        self._made: dict[Struct, Struct] = {}

    def struct(self, struct: Struct) -> Struct:
        if not self._is_own(struct.name):
            return struct
        if (known := self._made.get(struct)) is not None:
            return known
        fields: dict[str, Field] = {}
        made = self._made[struct] = replace(struct, fields=fields, package=self._package)
        changes = self._changes.get(struct.name, {})
        for name, field in struct.fields.items():
            if name not in changes:
                fields[name] = replace(field, type=self.type(field.type))
        for name, change in changes.items():
            if isinstance(change, str):
                field = struct.fields[change]
                fields[name] = replace(field, type=self.type(field.type))
            elif change is not None:
                fields[name] = change
        return made

    def type(self, found: GoType) -> Any:
        if isinstance(found, Struct):
            return self.struct(found)
        if isinstance(found, ListOf):
            return replace(found, item=self.type(found.item), name=self._name(found.name))
        if isinstance(found, MapOf):
            return replace(found, value=self.type(found.value), name=self._name(found.name), key=self._name(found.key))
        if isinstance(found, Union):
            list_of = None if found.list_of is None else self.type(found.list_of)
            return replace(found, struct=self.struct(found.struct), list_of=list_of)
        return Scalar(self._name(found.go_name), found.kind)

    def _name(self, go_name: str) -> str:
        """`v1.PolicyRule`, `[]v1.JSON`"""
        brackets, prefix, bare = go_name.partition("v1.")
        return f"{brackets}{self._package}.{bare}" if prefix and self._is_own(bare) else go_name
