"""What discovery documents say, as JSON fragments: pure functions from served resources to bytes.

Fragments are joined, never decoded again. Sources: apimachinery/pkg/apis/meta/v1/types.go (APIGroup, APIResource),
k8s.io/api/apidiscovery/v2/types.go, endpoints/discovery/storageversionhash.go, apiextensions'
customresource_discovery_controller.go, kube-aggregator's handler_apis.go.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from quarterdeck.apimachinery.meta import join_api_version
from quarterdeck.apis.resource import APIResource, GroupVersionKind, Subresource

DEFINITION_GROUP_PRIORITY: Final = 1000
DEFINITION_VERSION_PRIORITY: Final = 100

CURRENT: Final = "Current"
STALE: Final = "Stale"

AGGREGATED_HEAD: Final = (
    b'{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":['
)
AGGREGATED_TAIL: Final = b"]}\n"


@dataclass(frozen=True, slots=True)
class GroupVersion:
    """One source's part in a version of a group: a CRD's, the built-in types', or an APIService's.

    `resources` None: the version is named in the group's document but has none of its own yet (a CRD that is not
    established). `is_builtin` chooses between upstream's two ways to refuse a request. The priorities are those of
    the version's APIService; where somebody has made that one, or changed it, `is_registration` is set, and no others
    count: in the aggregated document only where it leads to another server. `is_unregistered`: it has been deleted, so
    that the lists of groups do not name the version. `aggregated` is what another server has told of the version (a
    whole APIVersionDiscovery): then nothing else is told of it in the aggregated document.
    """

    group: str
    version: str
    resources: tuple[APIResource, ...] | None = ()
    group_priority: int = DEFINITION_GROUP_PRIORITY
    version_priority: int = DEFINITION_VERSION_PRIORITY
    is_builtin: bool = False
    freshness: str = CURRENT
    is_registration: bool = False
    is_unregistered: bool = False
    aggregated: bytes | None = None

    @property
    def api_version(self) -> str:
        return join_api_version(self.group, self.version)

    @property
    def is_local_registration(self) -> bool:
        """It says where the version stands among others, not what is served."""
        return self.is_registration and self.aggregated is None


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Tells clients when the version changes that objects are stored in."""
    digest = hashlib.sha256(f"{group}/{version}/{kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def build_group(group: str, versions: Sequence[str], is_item: bool) -> bytes:
    """APIGroup; `is_item`: as in a list, without kind, apiVersion and the line break at the end. `versions` in order of
    preference."""
    entries = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    head = {} if is_item else {"kind": "APIGroup", "apiVersion": "v1"}
    document = orjson.dumps(head | {"name": group, "versions": entries, "preferredVersion": entries[0]})
    return document if is_item else document + b"\n"


def build_group_list(groups: Iterable[bytes]) -> bytes:
    return b'{"kind":"APIGroupList","apiVersion":"v1","groups":[' + b",".join(groups) + b"]}\n"


def build_api_versions(server_address: str) -> bytes:
    """The document at /api. `server_address` is host:port as clients of any network reach it."""
    addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}]
    return orjson.dumps({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}) + b"\n"


def build_resource_list(api_version: str, resources: Iterable[bytes]) -> bytes:
    # Upstream's core group alone leaves out apiVersion.
    head = b'{"kind":"APIResourceList",' + (b'"apiVersion":"v1",' if "/" in api_version else b"")
    return head + b'"groupVersion":' + orjson.dumps(api_version) + b',"resources":[' + b",".join(resources) + b"]}\n"


def build_resources(resource: APIResource) -> bytes:
    """The entries of a resource and its subresources in an APIResourceList, joined."""
    entry: dict[str, object] = {
        "name": resource.name,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": resource.verbs,
    }
    _add_names(entry, resource)
    if resource.storage_version_hash:
        entry["storageVersionHash"] = resource.storage_version_hash
    return b",".join(
        [orjson.dumps(entry)] + [orjson.dumps(_build_subresource(resource, sub)) for sub in resource.subresources]
    )


def _build_subresource(resource: APIResource, subresource: Subresource) -> dict[str, object]:
    entry: dict[str, object] = {
        "name": f"{resource.name}/{subresource.name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    gvk = subresource.gvk
    if (gvk.group, gvk.version) != (resource.group, resource.version):
        if gvk.group:
            entry["group"] = gvk.group
        entry["version"] = gvk.version
    return entry | {"kind": gvk.kind, "verbs": subresource.verbs}


def _add_names(entry: dict[str, object], resource: APIResource) -> None:
    if resource.short_names:
        entry["shortNames"] = resource.short_names
    if resource.categories:
        entry["categories"] = resource.categories


def build_aggregated_resource(resource: APIResource, *, is_builtin: bool) -> bytes:
    """APIResourceDiscovery, with the subresources inside. Upstream's built-in resources leave out the group and version
    of a kind that are the resource's own."""
    own = (resource.group, resource.version) if is_builtin else None

    def show(gvk: GroupVersionKind) -> dict[str, str]:
        return (GroupVersionKind("", "", gvk.kind) if (gvk.group, gvk.version) == own else gvk)._asdict()

    entry: dict[str, object] = {
        "resource": resource.name,
        "responseKind": show(resource.gvk),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": resource.verbs,
    }
    _add_names(entry, resource)
    if resource.subresources:
        entry["subresources"] = [
            {"subresource": sub.name, "responseKind": show(sub.gvk), "verbs": sub.verbs}
            for sub in resource.subresources
        ]
    return orjson.dumps(entry)


def build_aggregated_version(version: str, resources: Sequence[bytes], freshness: str) -> bytes:
    listed = b'"resources":[' + b",".join(resources) + b"]," if resources else b""
    return b'{"version":%b,%b"freshness":%b}' % (orjson.dumps(version), listed, orjson.dumps(freshness))


def build_aggregated_group(group: str, versions: Iterable[bytes]) -> bytes:
    metadata = orjson.dumps({"name": group} if group else {})
    return b'{"metadata":%b,"versions":[%b]}' % (metadata, b",".join(versions))


def build_aggregated_list(groups: Iterable[bytes]) -> bytes:
    return AGGREGATED_HEAD + b",".join(groups) + AGGREGATED_TAIL
