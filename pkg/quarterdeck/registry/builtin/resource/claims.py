"""Claims of devices, templates of claims, and classes of devices.

Source: pkg/registry/resource/{resourceclaim,resourceclaimtemplate,deviceclass}/strategy.go,
pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from functools import partial

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.podamounts import is_extended
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.core.podvalidation.claims import validate_metadata_of_template
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.resource.adminaccess import AdminAccess
from quarterdeck.registry.builtin.resource.allocation import drop_freed_devices, validate_claim_status
from quarterdeck.registry.builtin.resource.claimtimes import zero_times
from quarterdeck.registry.builtin.resource.requests import (
    CONFIGURATIONS_MAX,
    default_claim,
    default_toleration,
    validate_claim,
    validate_configuration,
)
from quarterdeck.registry.builtin.resource.selectors import validate_selectors
from quarterdeck.registry.builtin.resource.statusaccess import take_refusals
from quarterdeck.registry.builtin.spelledstrategy import SpelledStrategy
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.builtin.strategy import keep_metadata
from quarterdeck.registry.strategy import Object


def default_resource_claim(obj: Object) -> None:
    default_claim(obj["spec"])
    allocation = (obj.get("status") or {}).get("allocation") or {}
    for result in (allocation.get("devices") or {}).get("results") or []:
        for toleration in result.get("tolerations") or []:
            default_toleration(toleration)


def default_claim_template(obj: Object) -> None:
    default_claim(obj["spec"]["spec"])


class ResourceClaimStrategy(SpelledStrategy):
    validates_changed_metadata = False  # but after its metadata as of a new one

    def __init__(self, access: AdminAccess, spelling: Spelling) -> None:
        super().__init__(spelling, namespaced=True)
        self._access = access

    def default_new(self, obj: Object) -> None:
        obj["status"] = {}
        self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        self._spelling.remember(new, old, "spec")

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        namespace, requests = obj["metadata"]["namespace"], obj["spec"]["devices"].get("requests") or []
        return self._access.validate_requests(namespace, requests) + super().validate(obj, warnings)

    def check(self, obj: Object) -> list[FieldError]:
        return validate_claim("spec", obj["spec"], self._spelling.length)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self._validate_metadata(new["metadata"]) + self._validate_changed_metadata(new, old)
        return problems + _unchanged("ResourceClaimSpec", new, old, self._spelling)


class ResourceClaimStatusStrategy(ResourceClaimStrategy):
    validates_changed_metadata = True

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        keep_metadata(new, old)
        drop_freed_devices(new.setdefault("status", {}), old.get("status") or {})
        self._spelling.remember(new, old, "status")

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        results = [
            ((each.get("status") or {}).get("allocation") or {}).get("devices", {}).get("results") or []
            for each in (new, old)
        ]
        problems = self._access.validate_results(new["metadata"]["namespace"], *results)
        problems += take_refusals()
        return problems + validate_claim_status(new, old, self._spelling)


class ResourceClaimTemplateStrategy(SpelledStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False  # but after the rest of it

    def __init__(self, access: AdminAccess, spelling: Spelling) -> None:
        super().__init__(spelling, namespaced=True)
        self._access = access

    def default_new(self, obj: Object) -> None:
        self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        self._spelling.remember(new, old, "spec")

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        namespace, requests = obj["metadata"]["namespace"], obj["spec"]["spec"]["devices"].get("requests") or []
        return self._access.validate_requests(namespace, requests) + super().validate(obj, warnings)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_template(obj, self._spelling)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = _validate_template(new, self._spelling) + self._validate_changed_metadata(new, old)
        return problems + _unchanged("ResourceClaimTemplateSpec", new, old, self._spelling)


class DeviceClassStrategy(SpelledStrategy):
    validates_changed_metadata = False  # but after its metadata as of a new one

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling, namespaced=False, name_check=names.long_name)

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        is_respelled = self._spelling.is_changed("spec", old)
        self._spelling.remember(new, old, "spec")
        if is_respelled or not checks.same(new["spec"], old["spec"]):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        return self._validate_class(obj["spec"], None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self._validate_metadata(new["metadata"]) + self._validate_changed_metadata(new, old)
        return problems + self._validate_class(new["spec"], old)

    def _validate_class(self, spec: Object, old: Object | None) -> list[FieldError]:
        """What is stored has been looked at before."""
        selectors, configurations = spec.get("selectors") or [], spec.get("config") or []
        before = old["spec"] if old is not None else {}
        if selectors and checks.same(selectors, before.get("selectors")):
            selectors = []
        is_stored = checks.same(configurations, before.get("config"))
        if old is not None and self._spelling.is_changed("spec", old):
            is_stored = False
        problems = validate_selectors("spec.selectors", selectors)
        check = partial(validate_configuration, measure=self._spelling.length, is_stored=is_stored)
        problems += parts.items("spec.config", configurations, CONFIGURATIONS_MAX, check)
        name = spec.get("extendedResourceName")
        if name is not None and not is_extended(name):
            problems.append(field.invalid("spec.extendedResourceName", name, "must be a valid extended resource name"))
        return problems


def _unchanged(struct_name: str, new: Object, old: Object, spelling: Spelling) -> list[FieldError]:
    if semantic.same(new["spec"], old["spec"], "resource", struct_name) and not spelling.is_changed("spec", old):
        return []
    spec = written.restore(new["spec"], "spec")
    if "metadata" in new["spec"]:  # which Go writes without what is empty
        spec["metadata"] = new["spec"]["metadata"]
    shown = spelling.show(spec, "spec", make=partial(gonames.show, struct_name, table="resource"))
    return [field.invalid("spec", shown, checks.IMMUTABLE)]


def _validate_template(obj: Object, spelling: Spelling) -> list[FieldError]:
    metadata = written.restore(obj["spec"].get("metadata") or {}, "spec", "metadata")
    problems = validate_metadata_of_template("spec.metadata", {**metadata, **zero_times()})
    return problems + validate_claim("spec.spec", obj["spec"]["spec"], spelling.length)
