"""Wiring of discovery and OpenAPI: what they are told of the built-in resources and of definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apis import priorities
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.served import DiscoveryDocuments
from quarterdeck.openapi import names
from quarterdeck.openapi.documents import OpenAPIDocuments
from quarterdeck.openapi.publication import Page, Published
from quarterdeck.registry.builtin.assembly import resources_of
from quarterdeck.registry.scope import Builtin
from quarterdeck.transport.messages import Request, Response

_TYPES: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_JSON: Final = ("application/json",)
_OPENID: Final = (
    (".well-known/openid-configuration", "Configuration", "WellKnown", "application/json"),
    ("openid/v1/jwks", "Keyset", "openid", "application/jwk-set+json"),
)


def publish_builtin(discovery: DiscoveryDocuments, served: Builtin, unstored: Sequence[APIResource]) -> None:
    by_version: dict[tuple[str, str], list[APIResource]] = {}
    for resource in (*resources_of(served), *unstored):
        by_version.setdefault((resource.group, resource.version), []).append(resource)
    discovery.put(
        "builtin",
        [
            GroupVersion(
                group,
                name,
                tuple(sorted(resources, key=lambda each: each.name)),
                *priorities.of(group, name),
                is_builtin=True,
            )
            for (group, name), resources in by_version.items()
        ],
    )


def publish_types(served: Builtin, unstored: Sequence[APIResource]) -> list[Published | Page]:
    """Upstream says of namespaces that a delete answers with a Status, which is not so."""
    stored = [scopes[""] for scopes in served.values()]
    found = [
        Published(each.resource, returns_deleted=each.store.returns_deleted and each.resource.kind != "Namespace")
        for each in stored
    ]
    groups = sorted({each.group for each in unstored} | {each.resource.group for each in stored} - {""})
    return [*found, *(Published(resource) for resource in unstored), *_pages(group for group in groups if group)]


def _pages(groups: Iterable[str]) -> Iterator[Page]:
    """What is at paths of no resource."""
    yield Page("api", "getCoreAPIVersions", "core", f"{names.META_PREFIX}APIVersions", _TYPES, _TYPES)
    yield Page("apis", "getAPIVersions", "apis", f"{names.META_PREFIX}APIGroupList", _TYPES, _TYPES)
    for group in groups:
        word = group.removesuffix(".k8s.io")
        operation, tag = names.operation_word(word, capitalize=True), names.operation_word(word, capitalize=False)
        yield Page(f"apis/{group}", f"get{operation}APIGroup", tag, f"{names.META_PREFIX}APIGroup", _TYPES, _TYPES)
    yield Page("version", "getCodeVersion", "version", "io.k8s.apimachinery.pkg.version.Info", _JSON, _JSON)
    for path, kind, tag, media_type in _OPENID:
        yield Page(path, f"getServiceAccountIssuerOpenID{kind}", tag, "", (media_type,))


def build_openapi(
    git_version: str, base: str, published: OpenAPIDocuments | None, served: Builtin, unstored: Sequence[APIResource]
) -> OpenAPIDocuments:
    """The documents of a server whose paths begin with `base`. `published`: those of another one in this process that
    serves the same built-in resources."""
    openapi = OpenAPIDocuments(git_version, base)
    if published is None:
        openapi.put("builtin", publish_types(served, unstored))
    else:
        openapi.put_same("builtin", published)
    return openapi


def publish_definition(openapi: OpenAPIDocuments, name: str, served: ServedDefinition | None) -> None:
    """OpenAPI follows what is served, but for documents of versions that are not served any more: as upstream has it,
    those go with the definition."""
    if served is None:
        openapi.remove(f"crd/{name}")
    else:
        openapi.put(f"crd/{name}", served.published, keeps_gone=True)


def answer_discovery(discovery: DiscoveryDocuments, request: Request) -> Response | None:
    root = request.path.split("/", 2)[1]
    return discovery.respond(request) if root in ("api", "apis") else None
