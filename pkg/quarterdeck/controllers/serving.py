"""Makes definitions served: the handlers' map, discovery and OpenAPI follow every change of a definition.

It runs in the feed of the watch cache, before any client can read the change: a client that sees a definition
Established finds it served.

Source: apiextensions-apiserver/pkg/apiserver/{customresource_handler,customresource_discovery_controller}.go.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any, Protocol

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.build import Builder
from quarterdeck.apiextensions.conversion_client import is_callable
from quarterdeck.apiextensions.publishing import is_doubtful
from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.discovery.documents import GroupVersion
from quarterdeck.registry.inflight import InFlight
from quarterdeck.storage.cacher import Form, ResourceCache

logger = logging.getLogger(__name__)


class Discovery(Protocol):
    def put(self, source: str, served: list[GroupVersion]) -> None: ...

    def remove(self, source: str) -> None: ...


class ServingController:
    """`drop(cache, in_flight)` ends a resource whose definition and objects are gone: its watchers get what there is,
    then their streams end. `retire(cache, in_flight, forms, fields)` ends the watches in forms that show objects as the
    definition was before, where objects are selected by `fields` now. Both wait for the requests of then.
    `changed(name, served or None)` is called with every change (OpenAPI).

    `own`: group and name of each resource of the server's own. Differs from upstream: a definition of one is not served
    in any version, since its objects would be stored where the server's are."""

    def __init__(
        self,
        builder: Builder,
        served: ServedDefinitions,
        discovery: Discovery,
        drop: Callable[[ResourceCache, InFlight], None],
        retire: Callable[[ResourceCache, InFlight, Collection[Form], Collection[str]], None],
        changed: Callable[[str, ServedDefinition | None], None],
        own: Collection[tuple[str, str]] = (),
    ) -> None:
        self._own = own
        self._builder = builder
        self._served = served
        self._discovery = discovery
        self._drop = drop
        self._retire = retire
        self._changed = changed
        self._built_from: dict[str, tuple[Any, ...]] = {}
        self._stored_as: dict[str, tuple[Any, ...]] = {}
        self._old_forms: dict[str, set[Form]] = {}  # those that are not retired yet

    def try_put(self, definition: dict[str, Any], data: bytes) -> None:
        """One definition that cannot be built must not stop the feed, nor the start. It is refused as one whose webhook
        is bad: requests for its versions answer 500, discovery names them without resources, OpenAPI leaves them out.
        Its next change, or start, tries again."""
        name, spec = definition["metadata"]["name"], definition["spec"]
        try:
            self.put(definition, data)
        except Exception:
            logger.exception("cannot serve %s", name)
            self._built_from.pop(name, None)
            self._refuse(name, spec)
            self._discovery.put(f"crd/{name}", group_versions(definition, self._served))

    def try_remove(self, definition: dict[str, Any]) -> None:
        """A definition whose removal fails must not stop the feed either."""
        try:
            self.remove(definition)
        except Exception:
            logger.exception("cannot stop serving %s", definition["metadata"]["name"])

    def _refuse(self, name: str, spec: dict[str, Any]) -> None:
        versions = frozenset(version["name"] for version in spec["versions"] if version["served"])
        before = self._served.get(spec["group"], spec["names"]["plural"])
        self._served.refuse(spec["group"], spec["names"]["plural"], versions)
        self._changed(name, None)
        if before is not None:
            self._retire_forms(name, before, ())

    def _retire_forms(self, name: str, before: ServedDefinition, fields: Collection[str]) -> None:
        self._retire(before.store.cache, before.in_flight, self._old_forms.pop(name, set()) | _forms_of(before), fields)

    def put(self, definition: dict[str, Any], data: bytes) -> None:
        """`data` is how the definition is stored."""
        name, spec = definition["metadata"]["name"], definition["spec"]
        basis = _basis_of(definition)
        if self._built_from.get(name) != basis:
            self._built_from[name] = basis
            self._build(definition, data)
        elif (served := self._served.get(spec["group"], spec["names"]["plural"])) is not None:
            served.schemas.data = data
        self._discovery.put(f"crd/{name}", group_versions(definition, self._served))

    def _build(self, definition: dict[str, Any], data: bytes) -> None:
        name, spec = definition["metadata"]["name"], definition["spec"]
        names = definition["status"].get("acceptedNames") or {}
        before = self._served.get(spec["group"], spec["names"]["plural"])
        is_rotated = self._is_storage_replaced(definition)
        if before is not None:
            self._old_forms.setdefault(name, set()).update(_forms_of(before))
        is_served = _is_served(definition) and (spec["group"], spec["names"]["plural"]) not in self._own
        if is_served and not is_callable(definition):
            self._refuse(name, spec)
        elif is_served and names.get("plural"):
            served = self._builder.build(definition, data, None if is_rotated else before)
            self._served.put(served)
            if before is not None and is_rotated:
                fields = {field for each in served.scopes.values() for field in each[""].selectable_fields}
                self._retire_forms(name, before, fields)
            self._changed(name, served)
        else:
            self._served.remove(spec["group"], spec["names"]["plural"])
            self._changed(name, None)
            if before is not None and is_rotated:
                self._retire_forms(name, before, ())

    def _is_storage_replaced(self, definition: dict[str, Any]) -> bool:
        """Whether upstream would take the storage away and make another: another spec or other accepted names
        (updateCustomResourceDefinition). A change of anything else leaves the watches alone, even of what is built."""
        name, metadata = definition["metadata"]["name"], definition["metadata"]
        basis = (metadata.get("uid"), metadata.get("generation"), definition["status"].get("acceptedNames"))
        is_rotated = self._stored_as.get(name) != basis
        self._stored_as[name] = basis
        return is_rotated

    def remove(self, definition: dict[str, Any]) -> None:
        name, spec = definition["metadata"]["name"], definition["spec"]
        self._built_from.pop(name, None)
        self._stored_as.pop(name, None)
        served = self._served.get(spec["group"], spec["names"]["plural"])
        self._served.remove(spec["group"], spec["names"]["plural"])
        self._discovery.remove(f"crd/{name}")
        self._changed(name, None)
        if served is None:
            self._old_forms.pop(name, None)
        elif not len((cache := served.store.cache).state) and not cache.damaged:
            self._old_forms.pop(name, None)
            self._drop(cache, served.in_flight)
        else:
            # Nobody has waited for the objects to go: they stay stored, for the next definition of the resource.
            cache.is_inherited = True
            self._retire_forms(name, served, ())


def _forms_of(served: ServedDefinition) -> set[Form]:
    return {served.storage_scope.object_form, *(scopes[""].object_form for scopes in served.scopes.values())}


def _is_served(definition: dict[str, Any]) -> bool:
    """Custom resources answer from the moment their names are accepted (upstream: crdHandler.ServeHTTP)."""
    return conditions.is_true(definition, conditions.NAMES_ACCEPTED) or conditions.is_true(
        definition, conditions.ESTABLISHED
    )


def _basis_of(definition: dict[str, Any]) -> tuple[Any, ...]:
    """What a change has to touch for anything to be built again: not labels, not transition times, not that it becomes
    Established. The generation stands for the spec; a new definition of the same name has another uid."""
    metadata, status = definition["metadata"], definition["status"]
    return (
        metadata.get("uid"),
        metadata.get("generation"),
        status.get("acceptedNames"),
        status.get("storedVersions"),
        _is_served(definition),
        conditions.is_true(definition, conditions.TERMINATING),
        is_doubtful(definition),
    )


def group_versions(definition: dict[str, Any], served: ServedDefinitions) -> list[GroupVersion]:
    """The definition's part in discovery. A version that is served but not established is named without resources."""
    spec = definition["spec"]
    established = conditions.is_true(definition, conditions.ESTABLISHED)
    in_force = served.get(spec["group"], spec["names"]["plural"])
    by_version = {resource.version: resource for resource in in_force.resources} if in_force is not None else {}
    parts = []
    for version in spec["versions"]:
        if version["served"]:
            resource = by_version.get(version["name"])
            resources = (resource,) if established and resource is not None else None
            parts.append(GroupVersion(spec["group"], version["name"], resources))
    return parts
