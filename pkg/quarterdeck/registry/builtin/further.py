"""Versions of built-in resources that are off where nothing is said: which there are, and what they are made of.

Objects of a resource are the same in all of its versions, and are stored in one of them. A version is built for a
server that serves it; for another one nothing of it is loaded.

Source: pkg/registry/*/rest/storage_*.go, zz_generated.prerelease-lifecycle.go of k8s.io/api: of what a version had once
nothing is served after the release that it was removed in (1.36).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from quarterdeck.apimachinery.meta import join_api_version
from quarterdeck.apis.enablement import Enablement, is_stable
from quarterdeck.apis.features import CLUSTER_TRUST_BUNDLE, STORAGE_VERSION_MIGRATOR
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.strategy import Object


class Further(NamedTuple):
    """A version. `deprecated` and `gone`: releases that answers warn of, `instead`: what they advise. `adapt` changes
    the definition where more than the name of the version is unlike the stored one, and `convert` gives an object of a
    kind in another version where its members are. `gate`: the feature without which nothing of it is served."""

    version: str
    deprecated: str = ""
    gone: str = ""
    instead: str = ""
    adapt: Callable[[Definition], Definition] | None = None
    convert: Callable[[str, Object, str], Object] | None = None
    gate: str = ""

    def mark(self, definition: Definition) -> Definition:
        """The definition in this version says when it goes (apiserver/pkg/endpoints/deprecation/deprecation.go)."""
        if not self.deprecated:
            return definition._replace(deprecation_warning="", removed_release="")
        name = f"{definition.resource.group}/{self.version} {definition.resource.kind}"
        text = f"{name} is deprecated in v{self.deprecated}+, unavailable in v{self.gone}+"
        text = f"{text}; use {self.instead}" if self.instead else text
        return definition._replace(deprecation_warning=text, removed_release=self.gone)


def _refuse_missing_parameters(definition: Definition) -> Definition:
    from quarterdeck.registry.builtin.admissionregistration.defaults import default_binding_v1alpha1

    return definition._replace(default=default_binding_v1alpha1)


def _as_devices(definition: Definition) -> Definition:
    from quarterdeck.registry.builtin.resource import olderversions

    return olderversions.adapt(definition)


def _convert_devices(kind: str, obj: Object, api_version: str) -> Object:
    from quarterdeck.registry.builtin.resource import olderversions

    return olderversions.convert(kind, obj, api_version)


_DEVICES: Final = Further("v1beta2", "1.36", "1.39"), Further("v1beta1", "1.35", "1.38")
_OTHER_DEVICES: Final = _DEVICES[0], _DEVICES[1]._replace(adapt=_as_devices, convert=_convert_devices)
_POLICIES: Final = Further("v1beta1"), Further("v1alpha1", "1.35", "1.38")
_ADDRESSES: Final = (Further("v1beta1", "1.34", "1.37"),)
# Those of resources that are served in v1, too, by group and name.
_BESIDE: Final[Mapping[tuple[str, str], Sequence[Further]]] = {
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"): _POLICIES,
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"): (
        _POLICIES[0],
        _POLICIES[1]._replace(adapt=_refuse_missing_parameters),
    ),
    ("networking.k8s.io", "ipaddresses"): _ADDRESSES,
    ("networking.k8s.io", "servicecidrs"): _ADDRESSES,
    ("resource.k8s.io", "deviceclasses"): _DEVICES,
    ("resource.k8s.io", "resourceclaims"): _OTHER_DEVICES,
    ("resource.k8s.io", "resourceclaimtemplates"): _OTHER_DEVICES,
    ("resource.k8s.io", "resourceslices"): _OTHER_DEVICES,
    ("storage.k8s.io", "volumeattributesclasses"): (
        Further("v1beta1", "1.34", "1.37", "storage.k8s.io/v1 VolumeAttributesClass"),
    ),
}
# Those of resources that are served in no stable version.
_ALONE: Final[Mapping[tuple[str, str], Sequence[Further]]] = {
    ("certificates.k8s.io", "clustertrustbundles"): (
        Further("v1beta1", gate=CLUSTER_TRUST_BUNDLE),
        Further("v1alpha1", "1.34", "1.37", gate=CLUSTER_TRUST_BUNDLE),
    ),
    ("coordination.k8s.io", "leasecandidates"): (
        Further("v1beta1", "1.36", "1.39"),
        Further("v1alpha2", "1.35", "1.38"),
    ),
    ("internal.apiserver.k8s.io", "storageversions"): (Further("v1alpha1"),),
    ("resource.k8s.io", "devicetaintrules"): (Further("v1beta2"), Further("v1alpha3", "1.36", "1.39")),
    ("resource.k8s.io", "resourcepoolstatusrequests"): (Further("v1alpha3"),),
    ("storagemigration.k8s.io", "storageversionmigrations"): (Further("v1beta1", gate=STORAGE_VERSION_MIGRATOR),),
}


def add(usual: Sequence[Definition], enablement: Enablement) -> list[Definition]:
    """The usual ones, with those of further versions that are served."""
    if not has_any(enablement):
        return [*usual]
    found = [each for definition in usual for each in _beside(definition, enablement)]
    return [*found, *_alone(enablement)]


def has_any(enablement: Enablement) -> bool:
    """Whether it may be that a version is served which is off where nothing is said."""
    named = (is_on and not is_stable(version) for (_, version, _), is_on in enablement.resources.items())
    return bool(enablement.enabled) or any(named)


def _beside(definition: Definition, enablement: Enablement) -> Sequence[Definition]:
    resource = definition.resource
    known = _BESIDE.get((resource.group, resource.name), ()) if is_stable(resource.version) else ()
    served = [each for each in known if enablement.serves(resource.group, each.version, resource.name)]
    return _in_versions(definition, served)


def _alone(enablement: Enablement) -> Iterator[Definition]:
    """Of kinds of which a version is served. That in which objects are stored comes first, whether it is served or
    not."""
    for (group, name), known in _ALONE.items():
        served = [each for each in known if _is_served(each, group, name, enablement)]
        if served:
            from quarterdeck.registry.builtin import furtherkinds

            definition = furtherkinds.define(group, name)
            stored = next(each for each in known if each.version == definition.resource.version)
            yield from _in_versions(stored.mark(definition), [each for each in served if each is not stored])


def _is_served(further: Further, group: str, name: str, enablement: Enablement) -> bool:
    return enablement.serves(group, further.version, name) and not _is_off(further, enablement)


def _is_off(further: Further, enablement: Enablement) -> bool:
    return bool(further.gate) and further.gate not in enablement.features


def off(enablement: Enablement) -> Iterator[str]:
    """What is not served although it is enabled, each with why."""
    for (group, name), known in _ALONE.items():
        for each in known:
            if enablement.serves(group, each.version, name) and _is_off(each, enablement):
                yield f"{name}.{group}/{each.version} is not served: the feature gate {each.gate} is off"


def _in_versions(definition: Definition, others: Sequence[Further]) -> list[Definition]:
    """The definition of the version in which objects are stored, and those of the others."""
    resource = definition.resource
    if not others:
        return [definition]
    names = tuple(join_api_version(resource.group, each.version) for each in others)
    own = next((each.convert for each in others if each.convert is not None), None)
    convert = _rename if own is None else partial(own, resource.kind)
    stored = definition._replace(versions=Versions(resource.group, resource.api_version, names, convert))
    return [stored, *(_in_version(stored, each) for each in others)]


def _in_version(stored: Definition, further: Further) -> Definition:
    resource = stored.resource
    made = further.mark(stored._replace(resource=_resource_in(resource, further.version)))
    return further.adapt(made) if further.adapt is not None else made


def _resource_in(resource: APIResource, version: str) -> APIResource:
    subresources = [
        replace(each, gvk=each.gvk._replace(version=version)) if each.gvk.kind == resource.kind else each
        for each in resource.subresources
    ]
    return replace(resource, version=version, subresources=tuple(subresources))


def _rename(obj: Object, api_version: str) -> Object:
    """Of a kind of which nothing else differs."""
    return obj if obj.get("apiVersion") == api_version else {**obj, "apiVersion": api_version}
