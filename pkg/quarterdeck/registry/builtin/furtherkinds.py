"""Resources that are served in no stable version, each in the version in which its objects are stored.

Source: pkg/kubeapiserver/default_storage_factory_builder.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def define(group: str, name: str) -> Definition:
    return _DEFINITIONS[group, name]()


def _trust_bundles() -> Definition:
    resource = describe(
        "certificates.k8s.io", "clustertrustbundles", "ClusterTrustBundle", version="v1beta1", namespaced=False
    )
    return later(resource, _load_trust_bundle, selectable=("spec.signerName",))


def _migrations() -> Definition:
    resource = describe(
        "storagemigration.k8s.io",
        "storageversionmigrations",
        "StorageVersionMigration",
        version="v1beta1",
        namespaced=False,
        has_status=True,
    )
    return later(resource, _load_migration)


def _lease_candidates() -> Definition:
    return later(
        describe("coordination.k8s.io", "leasecandidates", "LeaseCandidate", version="v1beta1"), _load_lease_candidate
    )


def _storage_versions() -> Definition:
    resource = describe(
        "internal.apiserver.k8s.io",
        "storageversions",
        "StorageVersion",
        version="v1alpha1",
        namespaced=False,
        has_status=True,
    )
    return later(resource, _load_storage_version)


def _taint_rules() -> Definition:
    resource = describe(
        "resource.k8s.io", "devicetaintrules", "DeviceTaintRule", version="v1alpha3", namespaced=False, has_status=True
    )
    return later(resource, _load_taint_rule, returns_deleted=True)


def _pool_requests() -> Definition:
    resource = describe(
        "resource.k8s.io",
        "resourcepoolstatusrequests",
        "ResourcePoolStatusRequest",
        version="v1alpha3",
        namespaced=False,
        has_status=True,
    )
    return later(resource, _load_pool_request, returns_deleted=True)


_DEFINITIONS: Final[Mapping[tuple[str, str], Callable[[], Definition]]] = {
    ("certificates.k8s.io", "clustertrustbundles"): _trust_bundles,
    ("coordination.k8s.io", "leasecandidates"): _lease_candidates,
    ("internal.apiserver.k8s.io", "storageversions"): _storage_versions,
    ("resource.k8s.io", "devicetaintrules"): _taint_rules,
    ("resource.k8s.io", "resourcepoolstatusrequests"): _pool_requests,
    ("storagemigration.k8s.io", "storageversionmigrations"): _migrations,
}


def _load_lease_candidate() -> Behaviour:
    from quarterdeck.registry.builtin.coordination.leasecandidate import LeaseCandidateStrategy

    return Behaviour(LeaseCandidateStrategy())


def _load_storage_version() -> Behaviour:
    from quarterdeck.registry.builtin.apiserverinternal.storageversion import (
        StorageVersionStatusStrategy,
        StorageVersionStrategy,
    )

    return Behaviour(StorageVersionStrategy(), {"status": StorageVersionStatusStrategy()})


def _load_taint_rule() -> Behaviour:
    from quarterdeck.registry.builtin.resource.taintrules import (
        TIMES,
        DeviceTaintRuleStatusStrategy,
        DeviceTaintRuleStrategy,
        default_taint_rule,
    )

    status = DeviceTaintRuleStatusStrategy(namespaced=False)
    return Behaviour(
        DeviceTaintRuleStrategy(namespaced=False), {"status": status}, default=default_taint_rule, note=TIMES.note
    )


def _load_pool_request() -> Behaviour:
    from quarterdeck.registry.builtin.resource.poolrequests import (
        TIMES,
        PoolStatusRequestStatusStrategy,
        PoolStatusRequestStrategy,
        default_request,
    )

    status = PoolStatusRequestStatusStrategy(namespaced=False)
    return Behaviour(
        PoolStatusRequestStrategy(namespaced=False), {"status": status}, default=default_request, note=TIMES.note
    )


def _load_trust_bundle() -> Behaviour:
    from quarterdeck.registry.builtin.certificates.trustbundles import TrustBundleStrategy, select_bundle_fields

    return Behaviour(TrustBundleStrategy(namespaced=False), select_fields=select_bundle_fields)


def _load_migration() -> Behaviour:
    from quarterdeck.registry.builtin import written
    from quarterdeck.registry.builtin.storagemigration.migrations import MigrationStatusStrategy, MigrationStrategy

    status = MigrationStatusStrategy(namespaced=False)
    return Behaviour(MigrationStrategy(namespaced=False), {"status": status}, note=written.note)
