"""The resources of resource.k8s.io."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.storage.cacher import Cacher

if TYPE_CHECKING:
    from quarterdeck.registry.builtin.resource.adminaccess import AdminAccess

GROUP: Final = "resource.k8s.io"
_PARAMETERS: Final = "devices.config.*.opaque.parameters"


def definitions(cacher: Cacher) -> list[Definition]:
    """What namespaces allow is read from what `cacher` holds."""
    of_classes = Spelling("spec.config.*.opaque.parameters")
    of_claims = Spelling(f"spec.{_PARAMETERS}", f"status.allocation.{_PARAMETERS}", measured=["status.devices.*.data"])
    of_templates = Spelling(f"spec.spec.{_PARAMETERS}")
    return [
        later(
            describe(GROUP, "deviceclasses", "DeviceClass", namespaced=False),
            partial(_load_device_class, of_classes),
            returns_deleted=True,
            spelling=of_classes,
        ),
        later(
            describe(GROUP, "resourceclaims", "ResourceClaim", has_status=True),
            partial(_load_resource_claim, cacher, of_claims),
            returns_deleted=True,
            spelling=of_claims,
        ),
        later(
            describe(GROUP, "resourceclaimtemplates", "ResourceClaimTemplate"),
            partial(_load_claim_template, cacher, of_templates),
            returns_deleted=True,
            spelling=of_templates,
        ),
        later(
            describe(GROUP, "resourceslices", "ResourceSlice", namespaced=False),
            _load_resource_slice,
            selectable=("spec.nodeName", "spec.driver"),
            returns_deleted=True,
        ),
    ]


def _access(cacher: Cacher) -> AdminAccess:
    from quarterdeck.registry.builtin.resource.adminaccess import AdminAccess

    return AdminAccess(partial(cacher.resource, "", "namespaces"))


def _load_device_class(spelling: Spelling) -> Behaviour:
    from quarterdeck.registry.builtin.resource.claims import DeviceClassStrategy

    return Behaviour(DeviceClassStrategy(spelling))


def _load_resource_claim(cacher: Cacher, spelling: Spelling) -> Behaviour:
    from quarterdeck.registry.builtin.resource.claims import (
        ResourceClaimStatusStrategy,
        ResourceClaimStrategy,
        default_resource_claim,
    )
    from quarterdeck.registry.builtin.resource.claimtimes import TIMES

    access = _access(cacher)
    return Behaviour(
        ResourceClaimStrategy(access, spelling),
        {"status": ResourceClaimStatusStrategy(access, spelling)},
        default=default_resource_claim,
        note=TIMES.note_written,
    )


def _load_claim_template(cacher: Cacher, spelling: Spelling) -> Behaviour:
    from quarterdeck.registry.builtin.resource.claims import ResourceClaimTemplateStrategy, default_claim_template
    from quarterdeck.registry.builtin.resource.claimtimes import note_template

    strategy = ResourceClaimTemplateStrategy(_access(cacher), spelling)
    return Behaviour(strategy, default=default_claim_template, note=note_template)


def _load_resource_slice() -> Behaviour:
    from quarterdeck.registry.builtin.resource.slices import (
        TIMES,
        ResourceSliceStrategy,
        default_resource_slice,
        select_slice_fields,
    )

    return Behaviour(
        ResourceSliceStrategy(namespaced=False),
        default=default_resource_slice,
        note=TIMES.note_written,
        select_fields=select_slice_fields,
    )
