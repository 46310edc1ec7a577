"""The operations of built-in resources: beside those that custom ones have, what subresources of their own take,
watches at deprecated addresses; parameters that all operations of a path share are told once.

Source: apiserver/pkg/endpoints/installer.go (registerResourceHandlers); kube-openapi/pkg/builder/openapi.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.openapi import names, operations
from quarterdeck.openapi.operations import NAMESPACE, PRETTY, Operation, Parameter, Part, Path, PathResource
from quarterdeck.openapi.publication import Page

TYPES: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_STREAMS: Final = ("application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch")
_PATCHES: Final = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
_ANY: Final = ("*/*",)
_CODES: Final = {**operations.CODES, "patch": operations.CODES["put"]}
_WATCH_EVENT: Final = names.META_PREFIX + "WatchEvent"
_RESOURCE_LIST: Final = names.META_PREFIX + "APIResourceList"
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
_PATH: Final = Parameter("path", "path", "string", "The path of the request that is passed on.")
_JSON_TYPES: Final = {"string": "string", "bool": "boolean", "int32": "integer", "int64": "integer"}
# Of pages beside resources, by the end of the name of what they answer.
_PAGES: Final = {"APIGroup": "get information of a group", "Info": "get the version information for this server"}
_ONLY_WATCHED: Final = frozenset(("allowWatchBookmarks", "watch"))


def build_paths(resource: PathResource) -> Iterator[Path]:
    return (_share(path) for path in _build(resource) if path.operations)


def build_root(resource: PathResource) -> Path:
    """Of the list of resources of a group's version."""
    operation = Operation(
        method="get",
        action="",
        operation_id=names.operation_id(resource.group, resource.version, "getAPIResources"),
        description="get available resources",
        parameters=(),
        body="",
        is_body_required=False,
        answer=_RESOURCE_LIST,
        codes=(operations.OK,),
        consumes=TYPES,
        produces=TYPES,
    )
    return Path(f"{resource.root}/", (), [operation])


def build_page(page: Page) -> Operation:
    return Operation(
        method="get",
        action="",
        operation_id=page.operation_id,
        description=_describe_page(page.answer.rpartition(".")[2]),
        parameters=(),
        body="",
        is_body_required=False,
        answer=page.answer,
        codes=(operations.OK,),
        consumes=page.consumes,
        produces=page.produces,
        tag=page.tag,
    )


def _build(resource: PathResource) -> Iterator[Path]:
    middle = "/namespaces/{namespace}" if resource.namespaced else ""
    scope = (NAMESPACE,) if resource.namespaced else ()
    name = Parameter("name", "path", "string", f"name of the {resource.kind}")
    listed, item = f"{middle}/{resource.plural}", f"{middle}/{resource.plural}/{{name}}"
    yield _of(resource, listed, scope, [("list", "list"), ("create", "post"), ("deletecollection", "deletecollection")])
    yield _of(
        resource, item, (name, *scope), [("get", "get"), ("update", "put"), ("delete", "delete"), ("patch", "patch")]
    )
    for part in resource.parts:
        yield from _of_part(resource, f"{item}/{part.name}", (name, *scope), part)
    is_listed, is_watched = "list" in (resource.verbs or ()), "watch" in (resource.verbs or ())
    if resource.namespaced and is_listed:
        yield Path(f"{resource.root}/{resource.plural}", (), [_operation(resource, "list", (), "ForAllNamespaces")])
    if not is_watched:
        return
    root = f"{resource.root}/watch"
    yield Path(root + listed, (), [_operation(resource, "watchlist", scope)])
    yield Path(root + item, (), [_operation(resource, "watch", (name, *scope))])
    if resource.namespaced:
        yield Path(f"{root}/{resource.plural}", (), [_operation(resource, "watchlist", (), "ForAllNamespaces")])


def _of(resource: PathResource, below: str, place: tuple[Parameter, ...], ways: Iterable[tuple[str, str]]) -> Path:
    """`ways`: actions by the verbs that allow them."""
    allowed = resource.verbs or ()
    found = [_operation(resource, action, place) for verb, action in ways if verb in allowed]
    return Path(resource.root + below, (), found)


def _of_part(resource: PathResource, below: str, place: tuple[Parameter, ...], part: Part) -> Iterator[Path]:
    if not part.gvk.kind.endswith("Options"):
        ways = (("get", "get"), ("create", "post"), ("update", "put"), ("patch", "patch"))
        found = [_operation(resource, action, place, part=part) for verb, action in ways if verb in part.verbs]
        yield Path(resource.root + below, (), found)
        return
    given = (*place, *_options(part.gvk))
    methods = _METHODS if "delete" in part.verbs else ("get", "post")
    yield Path(resource.root + below, (), [_connect(resource, method, given, part, "") for method in methods])
    if part.name == "proxy":
        found = [_connect(resource, method, (*given, _PATH), part, "WithPath") for method in methods]
        yield Path(f"{resource.root}{below}/{{path}}", (), found)


def _options(gvk: GroupVersionKind) -> Iterator[Parameter]:
    """A parameter for each field of a type of options; times cannot be given so."""
    entry = reader.find("core", gvk.kind)
    assert entry is not None, gvk
    for field in entry.fields:
        kind = _JSON_TYPES.get(field.type.lstrip("*[]"))
        if kind:
            yield Parameter(field.name, "query", kind, f"The {field.name} of {gvk.kind}.")


def _operation(
    resource: PathResource, action: str, place: tuple[Parameter, ...], suffix: str = "", part: Part | None = None
) -> Operation:
    verb = {"watchlist": "watch", "watch": "watch"}.get(action) or operations.VERBS[action][0]
    gvk = part.gvk if part else GroupVersionKind(resource.group, resource.version, resource.kind)
    named = f"{verb}{_middle(resource, suffix)}{resource.kind}{part.name.title() if part else ''}"
    is_log = part is not None and part.name == "log"
    options = tuple(_options(GroupVersionKind("", "v1", "PodLogOptions"))) if is_log else _parameters(action)
    definition = part.definition if part else resource.definition
    return Operation(
        method={"list": "get", "watchlist": "get", "watch": "get", "deletecollection": "delete"}.get(action, action),
        action=action,
        operation_id=names.operation_id(
            resource.group, resource.version, f"{named}{'List' if action == 'watchlist' else ''}{suffix}"
        ),
        description=_describe(resource, action, verb, part.name if part else ""),
        parameters=(*place, *options, PRETTY),
        body=_body(action, definition),
        is_body_required=action not in ("delete", "deletecollection"),
        answer="" if is_log else _answer(resource, action, definition),
        codes=_CODES.get(action, (operations.OK,)),
        consumes=_PATCHES if action == "patch" else _ANY,
        produces=("text/plain", *TYPES) if is_log else _produced(action),
        gvk=gvk,
    )


def _describe_page(answer: str) -> str:
    if not answer:
        return "get what clients of the issuer of tokens look for"
    return _PAGES.get(answer, "get available API versions")


def _describe(resource: PathResource, action: str, verb: str, subresource: str) -> str:
    """In upstream's words, which tell the old addresses of watches from lists."""
    instead = "deprecated: use the 'watch' parameter with a list operation instead"
    if action == "watchlist":
        return f"watch individual changes to a list of {resource.kind}. {instead}."
    if action == "watch":
        narrowed = "filtered to a single item with the 'fieldSelector' parameter"
        return f"watch changes to an object of kind {resource.kind}. {instead}, {narrowed}."
    if action == "list" and "watch" in (resource.verbs or ()):
        return f"list or watch objects of kind {resource.kind}"
    return operations.describe(resource.kind, verb, subresource)


def _connect(
    resource: PathResource, method: str, parameters: tuple[Parameter, ...], part: Part, suffix: str
) -> Operation:
    named = f"connect{method.title()}{_middle(resource, '')}{resource.kind}{part.name.title()}{suffix}"
    return Operation(
        method=method,
        action="connect",
        operation_id=names.operation_id(resource.group, resource.version, named),
        description=f"connect {method.upper()} requests to {part.name} of {resource.kind}",
        parameters=parameters,
        body="",
        is_body_required=False,
        answer="",
        codes=(operations.OK,),
        consumes=_ANY,
        produces=_ANY,
        gvk=part.gvk,
    )


def _middle(resource: PathResource, suffix: str) -> str:
    return "Namespaced" if resource.namespaced and not suffix else ""


def _produced(action: str) -> tuple[str, ...]:
    return (*TYPES, *_STREAMS) if action in ("list", "watch", "watchlist") else TYPES


def _parameters(action: str) -> tuple[Parameter, ...]:
    options = operations.OPTIONS
    if action == "get":
        return ()
    if action == "deletecollection":
        listed = [each for each in options["list"] if each.name not in _ONLY_WATCHED]
        return tuple(sorted((*listed, *options["delete"])))
    return options["list"] if action in ("watch", "watchlist") else options[action]


def _body(action: str, definition: str) -> str:
    deleted = operations.DELETE_OPTIONS
    known = {"post": definition, "put": definition, "patch": operations.PATCH}
    return known.get(action) or (deleted if action in ("delete", "deletecollection") else "")


def _answer(resource: PathResource, action: str, definition: str) -> str:
    if action in ("watch", "watchlist"):
        return _WATCH_EVENT
    if action == "list":
        return resource.list_definition
    if action == "deletecollection" or (action == "delete" and not resource.returns_deleted):
        return operations.STATUS
    return definition


def _share(path: Path) -> Path:
    """With what all operations take told once, for the path."""
    first, *others = path.operations
    common = set(first.parameters).intersection(*(each.parameters for each in others))
    rest = [
        each._replace(parameters=tuple(given for given in each.parameters if given not in common))
        for each in path.operations
    ]
    return Path(path.path, tuple(sorted(common)), rest)
