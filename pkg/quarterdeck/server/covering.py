"""Wiring of coverage: what tells it of definitions, webhooks, policies and conditions. Loaded where it is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from quarterdeck.admission.webhooks.counted import NotingCounts
from quarterdeck.admission.webhooks.counts import MUTATING, VALIDATING, WebhookCounts
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.source import WebhookSource
from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import json
from quarterdeck.coverage.bindings import Binding
from quarterdeck.coverage.data import CoverageData
from quarterdeck.coverage.report import Declared, Surface, Version, read_schema
from quarterdeck.coverage.rules import Owner, place_of
from quarterdeck.coverage.webhooks import Webhook, conversion_of
from quarterdeck.endpoints.coverage import Coverage
from quarterdeck.endpoints.coveredwrites import Written
from quarterdeck.metrics.registry import Registry
from quarterdeck.openapi.publication import Published
from quarterdeck.registry.scope import Builtin
from quarterdeck.storage.cacher import Cacher, Change, ResourceCache

Hooks = Callable[[], tuple[Hook, ...]]
_GROUP: Final = ("admissionregistration.k8s.io", "v1")
_WEBHOOKS: Final = (
    (MUTATING, "MutatingWebhookConfiguration"),
    (VALIDATING, "ValidatingWebhookConfiguration"),
)
_CONFIGURATIONS: Final = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
_POLICIES: Final = ("mutatingadmissionpolicies", "validatingadmissionpolicies")
_BINDINGS: Final = ("mutatingadmissionpolicybindings", "validatingadmissionpolicybindings")
_SURFACES_MAX: Final = 4096
_surfaces: Final[dict[str, Surface]] = {}  # by the digest of the schema: the clusters of tests have the same ones


def build_webhooks(
    noted: CoverageData, caches: Sequence[ResourceCache], metrics: Registry
) -> tuple[list[WebhookCounts], list[Hooks]]:
    """What counts the calls of both kinds of webhooks, and what gives those of the moment."""
    counts, hooks = list[WebhookCounts](), list[Hooks]()
    for (kind, configurations), cache in zip(_WEBHOOKS, caches, strict=True):
        counting = NotingCounts(metrics, kind, noted, configurations)
        counts.append(counting)
        hooks.append(WebhookSource(cache, counting.watch).hooks)
    return counts, hooks


def connect(coverage: Coverage, cacher: Cacher, served: Builtin, definitions: ServedDefinitions) -> None:
    """From now on it is noted what is written."""
    coverage.writes.find = partial(_find_written, definitions)
    coverage.path.declare = _Reading(served, definitions).declare
    cacher.follow(partial(_look, coverage.noted))


def _look(noted: CoverageData, change: Change) -> None:
    if change.entry is not None:
        noted.conditions.look(change.entry.data)


def _find_written(definitions: ServedDefinitions, group: str, version: str, resource: str) -> Written | None:
    served = definitions.get(group, resource)
    published = None if served is None else _published(served, version)
    if served is None or published is None:
        return None
    read = partial(served.schemas.read, version)
    return Written(served.name, version, published.digest, read, "status" in served.scopes[version])


def _published(served: ServedDefinition, version: str) -> Published | None:
    return next((each for each in served.published if each.resource.version == version), None)


class _Reading:
    """Reads what is declared."""

    def __init__(self, served: Builtin, definitions: ServedDefinitions) -> None:
        self._served = served
        self._definitions = definitions

    async def declare(self) -> Declared:
        declared = Declared()
        for served in self._definitions.all():
            for published in served.published:
                shown, surface = published.resource, await _read_surface(served, published)
                declared.versions.append(Version(served.name, shown.version, shown.kind, surface))
            if served.storage_scope.codec.waits:
                declared.webhooks.append(conversion_of(served.name))
        for resource in _CONFIGURATIONS:
            for obj in self._objects(resource):
                _add_configuration(declared, obj)
        for resource in _POLICIES:
            for obj in self._objects(resource):
                owner = Owner(obj["kind"], obj["metadata"]["name"])
                declared.rules += [(owner, place_of(*each)) for each in _expressions(obj)]
        for resource in _BINDINGS:
            for obj in self._objects(resource):
                declared.bindings.append(Binding(obj["kind"], obj["spec"]["policyName"], obj["metadata"]["name"]))
        return declared

    def _objects(self, resource: str) -> Iterator[dict[str, Any]]:
        for entry in self._served[*_GROUP, resource][""].store.cache.state.all():
            yield json.load(entry.data)


async def _read_surface(served: ServedDefinition, published: Published) -> Surface:
    surface = _surfaces.get(published.digest)
    if surface is None:
        read = partial(_read_schema, served, published.resource.version)
        surface = await offload.run(read) if len(served.schemas.data) > offload.LARGE_BYTES else read()
        if len(_surfaces) >= _SURFACES_MAX:
            _surfaces.clear()
        _surfaces[published.digest] = surface
    return surface


def _read_schema(served: ServedDefinition, version: str) -> Surface:
    return read_schema(served.schemas.read(version))


def _add_configuration(declared: Declared, obj: dict[str, Any]) -> None:
    owner = Owner(obj["kind"], obj["metadata"]["name"])
    for position, webhook in enumerate(obj.get("webhooks") or ()):
        declared.webhooks.append(Webhook(owner.kind, owner.name, webhook.get("name") or ""))
        for index, condition in enumerate(webhook.get("matchConditions") or ()):
            path = f"webhooks[{position}].matchConditions[{index}]"
            declared.rules.append((owner, place_of(path, condition.get("expression") or "")))


def _expressions(policy: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Of a policy, as they are counted (admission/policy/counted.py): their paths and texts."""
    spec = policy["spec"]
    for member in ("matchConditions", "validations"):
        for position, each in enumerate(spec.get(member) or ()):
            yield f"spec.{member}[{position}]", each.get("expression") or ""
    for position, each in enumerate(spec.get("mutations") or ()):
        given = each.get("jsonPatch") or each.get("applyConfiguration") or {}
        yield f"spec.mutations[{position}]", given.get("expression") or ""
