"""The discovery documents of everything that is served, kept as bytes.

Fed by sources (`put`: the built-in types, each CRD, each APIService); a change marks its groups, and the next reader
rebuilds those groups' pieces and joins the rest. `respond` answers requests for /api and /apis, their methods and
media types as upstream's three servers do: built-in addresses behind go-restful, custom ones and the roots without.

Sources: kube-aggregator/pkg/apiserver/handler_apis.go and apis/apiregistration/v1/helper/helpers.go (the order of
/apis), endpoints/discovery/aggregated/{handler,etag,wrapper}.go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from quarterdeck.apimachinery import accept, errors
from quarterdeck.apis.document import Document
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery import documents, encode, negotiate, version_order
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.discovery.groups import Aggregated, Group
from quarterdeck.transport.messages import Headers, Request, Response

_AGGREGATOR: Final = "apiregistration.k8s.io"  # whose document alone is a route of go-restful
_NOT_FOUND_TEXT: Final = b"404 page not found\n"


class DiscoveryDocuments:
    """Not safe for threads: one event loop feeds and asks it."""

    def __init__(self, server_address: str) -> None:
        self.server_address = server_address
        self._groups_of: dict[str, frozenset[str]] = {}  # source -> the groups that it takes part in
        self._parts: dict[str, dict[str, tuple[GroupVersion, ...]]] = {}  # group -> source -> its part
        self._groups: dict[str, Group] = {}  # built; absent: changed since
        self._fragments: dict[tuple[APIResource, bool], tuple[bytes, bytes]] = {}
        self._group_list: Document | None = None
        self._aggregated: dict[bool, Aggregated] = {}  # is it the core group's?

    # --- feeding -------------------------------------------------------------------------------

    def put(self, source: str, served: Sequence[GroupVersion]) -> None:
        """Say what `source` serves now, in place of what it served before."""
        parts: dict[str, list[GroupVersion]] = {}
        for part in served:
            parts.setdefault(part.group, []).append(part)
        for group in self._groups_of.get(source, frozenset()) - parts.keys():
            self._drop_part(group, source)
        for group, of_group in parts.items():
            now, sources = tuple(of_group), self._parts.setdefault(group, {})
            before = sources.get(source)
            if before != now:
                sources[source] = now
                self._changed(group, before or ())
        if parts:
            self._groups_of[source] = frozenset(parts)
        else:
            self._groups_of.pop(source, None)

    def remove(self, source: str) -> None:
        self.put(source, ())

    def _drop_part(self, group: str, source: str) -> None:
        before = self._parts[group].pop(source)
        if not self._parts[group]:
            del self._parts[group]
        self._changed(group, before)

    def _changed(self, group: str, before: tuple[GroupVersion, ...]) -> None:
        for part in before:
            for resource in part.resources or ():
                self._fragments.pop((resource, part.is_builtin), None)
        self._groups.pop(group, None)
        self._group_list = None
        self._aggregated.pop(group == "", None)

    # --- building ------------------------------------------------------------------------------

    def _group(self, name: str) -> Group | None:
        built = self._groups.get(name)
        if built is None and name in self._parts:
            built = self._groups[name] = self._build_group(name)
        return built

    def _build_group(self, name: str) -> Group:
        parts = [part for source in self._parts[name].values() for part in source]
        by_version: dict[str, list[GroupVersion]] = {}
        for part in parts:
            by_version.setdefault(part.version, []).append(part)
        by_version = {version: _in_force(of_version) for version, of_version in by_version.items()}
        is_builtin = any(part.is_builtin for part in parts)
        served = {version: told for version, of_version in by_version.items() if (told := _serving(of_version))}
        listed = {version: found for version, of_version in by_version.items() if (found := _registered(of_version))}
        lists: dict[str, bytes] = {}
        aggregated: list[bytes] = []
        for version in _in_order(served):
            established = [part for part in by_version[version] if part.resources is not None]
            if established:
                plain, piece = self._build_version(established)
                aggregated.append(piece)
                if any(part.is_builtin for part in established) or not is_builtin:
                    lists[version] = plain  # else those who serve the group know no such path
        versions = _in_order(listed or served)
        ranked = [part for of_version in (listed or served).values() for part in of_version]
        priority = max((part.group_priority for told in served.values() for part in told), default=0)
        document = documents.build_aggregated_group(name, aggregated) if aggregated else b""
        return Group(
            name=name,
            is_builtin=is_builtin,
            group_key=min((name != _AGGREGATOR, -part.group_priority, f"{part.version}.{name}") for part in ranked),
            aggregated_key=(-priority, name),
            document=documents.build_group(name, versions, is_item=False),
            item=documents.build_group(name, versions, is_item=True) if listed else b"",
            resource_lists=lists,
            aggregated=document,
            digest=hashlib.sha512(document).digest(),
        )

    def _build_version(self, parts: Sequence[GroupVersion]) -> tuple[bytes, bytes]:
        told = next((part.aggregated for part in parts if part.aggregated is not None), None)
        resources = [(resource, part.is_builtin) for part in parts for resource in part.resources or ()]
        resources.sort(key=lambda found: found[0].name)
        fragments = [self._fragment(resource, is_builtin) for resource, is_builtin in resources]
        freshness = documents.STALE if any(p.freshness == documents.STALE for p in parts) else documents.CURRENT
        return (
            documents.build_resource_list(parts[0].api_version, [plain for plain, _ in fragments]),
            told or documents.build_aggregated_version(parts[0].version, [item for _, item in fragments], freshness),
        )

    def _fragment(self, resource: APIResource, is_builtin: bool) -> tuple[bytes, bytes]:
        fragment = self._fragments.get((resource, is_builtin))
        if fragment is None:
            aggregated = documents.build_aggregated_resource(resource, is_builtin=is_builtin)
            fragment = self._fragments[resource, is_builtin] = (documents.build_resources(resource), aggregated)
        return fragment

    def _all_groups(self, key: Callable[[Group], tuple[int | str, ...]]) -> list[Group]:
        return sorted((group for name in self._parts if name and (group := self._group(name))), key=key)

    def has_builtin(self, group: str, version: str) -> bool:
        """Whether the server has the version of its own."""
        of_group = self._parts.get(group, {}).values()
        return any(part.is_builtin and part.version == version for parts in of_group for part in parts)

    def group_versions(self) -> Iterator[tuple[str, str]]:
        """All that anybody says to serve."""
        for group, sources in self._parts.items():
            for parts in sources.values():
                for part in parts:
                    yield group, part.version

    def group_list(self) -> Document:
        """/apis: in the order of the APIServices' priorities and names, behind the group of APIServices."""
        if self._group_list is None:
            items = (group.item for group in self._all_groups(lambda group: group.group_key) if group.item)
            self._group_list = Document(documents.build_group_list(items), negotiate.JSON)
        return self._group_list

    def _aggregated_list(self, is_core: bool) -> Aggregated:
        built = self._aggregated.get(is_core)
        if built is None:
            core = self._group("") if is_core else None
            groups = ([core] if core else []) if is_core else self._all_groups(lambda group: group.aggregated_key)
            built = self._aggregated[is_core] = Aggregated([group for group in groups if group.aggregated])
        return built

    # --- answering -----------------------------------------------------------------------------

    def respond(self, request: Request) -> Response:
        """The answer for /api, /apis and what lies up to a version below them; any other path is not found.

        Raises APIStatus. The body is given for HEAD too: the transport leaves it out.
        """
        root, *names = request.path.strip("/").split("/")
        if root == "api":
            return self._respond_core(request, names)
        if root != "apis":
            return _not_found()
        if not names:  # with one slash behind it at most, as upstream has it of this one alone
            return self._respond_root(request) if request.path in ("/apis", "/apis/") else _not_found()
        group = self._group(names[0]) if names[0] else None
        if group is None:
            return _not_found()
        if len(names) == 1:
            if names[0] == _AGGREGATOR or (group.is_builtin and (request.path.endswith("//") or not group.item)):
                _require_get(request)
                negotiate.require_go_restful(request.headers.get("accept", ""))
            return _respond_plain(request, Document(group.document, negotiate.JSON), "APIGroup")
        return _respond_version(request, group, names[1:])

    def _respond_core(self, request: Request, names: list[str]) -> Response:
        if names:
            group = self._group("")
            return _respond_version(request, group, names) if group else _not_found()
        _require_get(request)
        negotiate.require_go_restful(request.headers.get("accept", ""))
        if choice := negotiate.negotiate_aggregated(request.headers.get("accept", "")):
            return self._respond_aggregated(request, choice, is_core=True)
        document = Document(documents.build_api_versions(self.server_address), negotiate.JSON)
        return _respond_plain(request, document, "APIVersions")

    def _respond_root(self, request: Request) -> Response:
        if not request.path.endswith("/"):
            choice = negotiate.negotiate_aggregated(request.headers.get("accept", ""))
            if choice:
                return self._respond_aggregated(request, choice, is_core=False)
        return _respond_plain(request, self.group_list(), "APIGroupList")

    def _respond_aggregated(self, request: Request, choice: negotiate.Choice, *, is_core: bool) -> Response:
        aggregated = self._aggregated_list(is_core)
        headers = [("ETag", aggregated.etag), ("Vary", "Accept"), ("Cache-Control", "public")]
        if request.headers.get("if-none-match") == aggregated.etag:
            return Response(304, headers)
        headers.append(("Content-Type", choice.media_type + negotiate.AGGREGATED_SUFFIX))
        return _answer(request, aggregated, choice, "APIGroupDiscoveryList", headers)


def _in_force(parts: list[GroupVersion]) -> list[GroupVersion]:
    """Those that count: in a version of the server's own, definitions add nothing."""
    if any(part.is_builtin for part in parts):
        return [part for part in parts if part.is_builtin or part.is_registration or part.is_unregistered]
    return parts


def _registered(parts: list[GroupVersion]) -> list[GroupVersion]:
    """Whose priorities count in the lists of groups: that of the version's APIService, where one says other than what
    is served here. Nobody's, where it has been deleted."""
    if any(part.is_unregistered for part in parts):
        return []
    return [part for part in parts if part.is_registration] or parts


def _serving(parts: list[GroupVersion]) -> list[GroupVersion]:
    """Whose priorities count in the aggregated document: those of who serves the version, another server first."""
    serving = [part for part in parts if not part.is_unregistered and not part.is_local_registration]
    return [part for part in serving if part.is_registration] or serving


def _in_order(versions: dict[str, list[GroupVersion]]) -> list[str]:
    """Of preference."""
    return sorted(
        versions, key=lambda v: (-max(part.version_priority for part in versions[v]), version_order.sort_key(v))
    )


def _respond_version(request: Request, group: Group, names: list[str]) -> Response:
    data = group.resource_lists.get(names[0]) if len(names) == 1 else None
    if group.is_builtin:
        if data is None:
            raise errors.NotFound.generic()
        _require_get(request)
        negotiate.require_go_restful(request.headers.get("accept", ""))
    if data is None:
        return _not_found()
    return _respond_plain(request, Document(data, negotiate.JSON), "APIResourceList")


def _respond_plain(request: Request, document: Document, kind: str) -> Response:
    choice = negotiate.negotiate_plain(request.headers.get("accept", ""))
    return _answer(request, document, choice, kind, [("Content-Type", choice.media_type)])


def _answer(
    request: Request, document: Document | Aggregated, choice: negotiate.Choice, kind: str, headers: Headers
) -> Response:
    is_pretty = choice.is_pretty or accept.wants_pretty(request.query, request.headers.get("user-agent", ""))
    if choice.media_type != negotiate.JSON or is_pretty:
        return Response(200, headers, encode.encode(document.data, choice.media_type, kind), compressible=True)
    body, encoding = document.encode(request.headers.get("accept-encoding", ""))
    if encoding:
        headers.append(("Content-Encoding", encoding))
    return Response(200, headers, body)


def _require_get(request: Request) -> None:
    if request.method != "GET":
        raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})


def _not_found() -> Response:
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")]
    return Response(404, headers, _NOT_FOUND_TEXT)
