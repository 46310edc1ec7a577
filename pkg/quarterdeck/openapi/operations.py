"""Which operations a resource has, and the parameters of each: what both OpenAPI versions are written from.

Source: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go (the routes); kube-openapi's builders (which
parameters stand with the path rather than with its operations).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.openapi import names

STATUS: Final = names.META_PREFIX + "Status"
PATCH: Final = names.META_PREFIX + "Patch"
DELETE_OPTIONS: Final = names.META_PREFIX + "DeleteOptions"
SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"


class Parameter(NamedTuple):
    name: str
    place: str  # "query" or "path"
    type: str
    description: str


def _query(name: str, kind: str, description: str) -> Parameter:
    return Parameter(name, "query", kind, description)


PRETTY: Final = _query("pretty", "string", "Indent the answer when 'true'; on by default for browsers, curl and wget.")
NAMESPACE: Final = Parameter("namespace", "path", "string", "The namespace that the object is in.")

_RESOURCE_VERSION: Final = _query(
    "resourceVersion", "string", "How new the answer has to be: unset the newest, '0' any, else at least this version."
)
# Kubernetes' own tests of kubectl (test/cmd/discovery.sh, run_swagger_tests) look for words of descriptions: "list of
# returned", "Watch for changes to the described resources", and "List of services" (builtin_types.py).
_LIST_OPTIONS: Final = (
    _query("allowWatchBookmarks", "boolean", "Whether a watch may send BOOKMARK events."),
    _query("continue", "string", "The token from the previous page of a list."),
    _query("fieldSelector", "string", "Narrow the list of returned objects by the values of their fields."),
    _query("labelSelector", "string", "Narrow the list of returned objects by their labels."),
    _query("limit", "integer", "The most objects that one page may hold."),
    _RESOURCE_VERSION,
    _query("resourceVersionMatch", "string", "How resourceVersion is applied to a list: Exact or NotOlderThan."),
    _query("sendInitialEvents", "boolean", "Begin a watch with the objects that exist, then send a bookmark."),
    _query("shardSelector", "string", "Choose objects by the shard that they belong to."),
    _query("timeoutSeconds", "integer", "How long a list or watch may take."),
    _query("watch", "boolean", "Watch for changes to the described resources: each is sent as an event."),
)
_DRY_RUN: Final = _query("dryRun", "string", "'All': do everything but store the result.")
_WRITE_OPTIONS: Final = (
    _DRY_RUN,
    _query("fieldManager", "string", "The name under which the change is recorded in managedFields."),
    _query("fieldValidation", "string", "What unknown and duplicate fields cause: Ignore, Warn or Strict."),
)
_PATCH_OPTIONS: Final = (
    *_WRITE_OPTIONS,
    _query("force", "boolean", "Take over fields that other managers own (server-side apply only)."),
)
_DELETE_OPTIONS: Final = (
    _DRY_RUN,
    _query("gracePeriodSeconds", "integer", "How long the object has before it is deleted; 0 means at once."),
    _query(
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        "boolean",
        "Delete the object even though it cannot be read from the store.",
    ),
    _query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
    _query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
)

OPTIONS: Final[dict[str, tuple[Parameter, ...]]] = {
    "get": (_RESOURCE_VERSION,),
    "list": _LIST_OPTIONS,
    "deletecollection": _LIST_OPTIONS,
    "post": _WRITE_OPTIONS,
    "put": _WRITE_OPTIONS,
    "patch": _PATCH_OPTIONS,
    "delete": _DELETE_OPTIONS,
}


class Part(NamedTuple):
    """A subresource of a built-in resource. `definition` is "" where its kind has no schema."""

    name: str
    gvk: GroupVersionKind
    verbs: tuple[str, ...]
    definition: str


@dataclass(frozen=True, slots=True)
class PathResource:
    """A resource as its paths need it. `definition` and `list_definition` name the schemas; `verbs` None means all.

    `subresources` maps a subresource to the definition that it reads and writes; `parts` are those of a built-in one.
    `returns_deleted`: what a delete answers with. `page`: what is there
    where there is no resource.
    """

    group: str
    version: str
    plural: str
    kind: str
    definition: str
    list_definition: str
    namespaced: bool
    subresources: tuple[tuple[str, str], ...] = ()
    verbs: frozenset[str] | None = None
    is_custom: bool = True
    parts: tuple[Part, ...] = ()
    returns_deleted: bool = False
    page: Path | None = None

    @property
    def root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


class Operation(NamedTuple):
    """One method of a path. `body` and `answer` are definition names, "" for text; `codes` those that answer with
    `answer`. `consumes`, `produces` and `gvk` where they are not what all operations have; without an action there is
    no kind."""

    method: str
    action: str
    operation_id: str
    description: str
    parameters: tuple[Parameter, ...]
    body: str
    is_body_required: bool
    answer: str
    codes: tuple[tuple[str, str], ...]
    consumes: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    gvk: GroupVersionKind | None = None
    tag: str = ""


class Path(NamedTuple):
    path: str
    parameters: tuple[Parameter, ...]
    operations: list[Operation]


_CREATED: Final = ("201", "Created")
_ACCEPTED: Final = ("202", "Accepted")
OK: Final = ("200", "OK")
CODES: Final = {
    "post": (OK, _CREATED, _ACCEPTED),
    "put": (OK, _CREATED),
    "delete": (OK, _ACCEPTED),
}
# The verb of an operation's id and description, and the API verb that allows it, by action.
VERBS: Final = {
    "get": ("read", "get"),
    "list": ("list", "list"),
    "post": ("create", "create"),
    "put": ("replace", "update"),
    "patch": ("patch", "patch"),
    "delete": ("delete", "delete"),
    "deletecollection": ("deletecollection", "deletecollection"),
}
_METHODS: Final = {"list": "get", "deletecollection": "delete"}

_COLLECTION: Final = ("list", "post", "deletecollection")
_ITEM: Final = ("get", "put", "delete", "patch")
_SUBRESOURCE: Final = ("get", "put", "patch")


def build_paths(resource: PathResource) -> Iterator[Path]:
    """In the order of their addresses, as documents list them."""
    middle = "/namespaces/{namespace}" if resource.namespaced else ""
    scope = (NAMESPACE,) if resource.namespaced else ()
    root = f"{resource.root}{middle}/{resource.plural}"
    named = (Parameter("name", "path", "string", f"name of the {resource.kind}"), *scope)
    paths = [
        _build_path(resource, root, scope, "", _COLLECTION),
        _build_path(resource, root + "/{name}", named, "", _ITEM),
    ]
    paths.extend(
        _build_path(resource, f"{root}/{{name}}/{name}", named, name, _SUBRESOURCE)
        for name, _ in sorted(resource.subresources)
    )
    if resource.namespaced:
        everywhere = _build_operation(resource, "list", "", "ForAllNamespaces")
        parameters = tuple(sorted((*everywhere.parameters, PRETTY)))
        address = f"{resource.root}/{resource.plural}"
        paths.append(Path(address, parameters, [everywhere._replace(parameters=())]))
    return (path for path in paths if path.operations)


def _build_path(
    resource: PathResource, address: str, parameters: tuple[Parameter, ...], subresource: str, actions: Iterable[str]
) -> Path:
    operations = [
        _build_operation(resource, action, subresource)
        for action in actions
        if subresource or resource.verbs is None or VERBS[action][1] in resource.verbs
    ]
    return Path(address, (*parameters, PRETTY), operations)


def _build_operation(resource: PathResource, action: str, subresource: str, suffix: str = "") -> Operation:
    verb = VERBS[action][0]
    middle = "Namespaced" if resource.namespaced and not suffix else ""
    operation = f"{verb}{middle}{resource.kind}{subresource.title()}{suffix}"
    answer = dict(resource.subresources).get(subresource, resource.definition)
    body = {"post": answer, "put": answer, "patch": PATCH, "delete": DELETE_OPTIONS}.get(action, "")
    if action == "list":
        answer = resource.list_definition
    elif action in ("delete", "deletecollection"):
        answer = STATUS
    return Operation(
        method=_METHODS.get(action, {"post": "post", "put": "put"}.get(action, action)),
        action=action,
        operation_id=names.operation_id(resource.group, resource.version, operation),
        description=describe(resource.kind, verb, subresource),
        parameters=OPTIONS[action],
        body=body,
        is_body_required=action != "delete",
        answer=answer,
        codes=CODES.get(action, (OK,)),
    )


def describe(kind: str, verb: str, subresource: str) -> str:
    part = f" {subresource} of" if subresource else ""
    if verb == "list":
        return f"list{part} objects of kind {kind}"
    if verb == "deletecollection":
        return f"delete collection of {kind}"
    if verb in ("create", "delete"):
        return f"{verb}{part}{names.with_article(kind)}"
    return f"{'partially update' if verb == 'patch' else verb}{part} the specified {kind}"
