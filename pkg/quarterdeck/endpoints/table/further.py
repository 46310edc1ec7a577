"""Tables of kinds that are off where nothing is said. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.endpoints.table.cells import AGE, NAME, NONE, Cell, Column, dig, integer, since, text
from quarterdeck.endpoints.table.columns import Object

_SERVERS_MAX: Final = 3


def _time_added(obj: Object, now_s: float) -> object:
    added = dig(obj, ("spec", "taint", "timeAdded"))
    return since(added, now_s) if added is not None else ""


def _common_version(obj: Object, now_s: float) -> object:
    found = dig(obj, ("status", "commonEncodingVersion"))
    return "<unset>" if found is None else found


def _server_versions(obj: Object, now_s: float) -> object:
    found = dig(obj, ("status", "storageVersions")) or ()
    shown = ",".join(
        f"{each.get('apiServerID', '')}={each.get('encodingVersion', '')}" for each in found[:_SERVERS_MAX]
    )
    more = len(found) - _SERVERS_MAX
    return f"{shown} + {more} more..." if more > 0 else shown or "<unset>"


def _outcome(obj: Object) -> Object | None:
    """The first condition that says what became of a request."""
    for condition in dig(obj, ("status", "conditions")) or ():
        if condition.get("type") in ("Complete", "Failed") and condition.get("status") == "True":
            found: Object = condition
            return found
    return None


def _is_counted(obj: Object) -> bool:
    outcome = _outcome(obj)
    return dig(obj, ("status",)) is not None and (outcome is None or outcome["type"] != "Failed")


def _sum(name: str) -> Cell:
    """Of the devices of all pools."""

    def cell(obj: Object, now_s: float) -> object:
        if not _is_counted(obj):
            return "-"
        total = sum(each.get(name) or 0 for each in dig(obj, ("status", "pools")) or ())
        return str((total + 2**31) % 2**32 - 2**31)  # Go adds in 32 bits

    return cell


def _errors(obj: Object, now_s: float) -> object:
    pools = dig(obj, ("status", "pools")) or ()
    return str(sum(each.get("validationError") is not None for each in pools)) if _is_counted(obj) else "-"


def _request_status(obj: Object, now_s: float) -> object:
    outcome = _outcome(obj)
    status = outcome["type"] if outcome is not None else "Pending"
    count, shown = dig(obj, ("status", "poolCount")) or 0, len(dig(obj, ("status", "pools")) or ())
    return f"Complete ({shown}/{count} pools)" if status == "Complete" and count > shown else status


def _completed(obj: Object, now_s: float) -> object:
    outcome = _outcome(obj)
    if outcome is None or outcome["type"] != "Complete":
        return NONE
    return since(outcome.get("lastTransitionTime"), now_s)


def _resource(obj: Object, now_s: float) -> object:
    group, name = dig(obj, ("spec", "resource", "group")) or "", dig(obj, ("spec", "resource", "resource")) or ""
    return f"{name}.{group}" if group else name


def _migration_status(obj: Object, now_s: float) -> object:
    """The last that is true."""
    true = [each.get("type") for each in dig(obj, ("status", "conditions")) or () if each.get("status") == "True"]
    return next((kind for kind in reversed(true) if kind in ("Running", "Failed", "Succeeded")), "Unknown")


_TRUST_BUNDLE: Final = (
    NAME,
    Column(
        "SignerName",
        lambda obj, _now_s: dig(obj, ("spec", "signerName")) or NONE,
        "signerName indicates the associated signer, if any.\n\nIn order to create or update a ClusterTrustBundle that"
        " sets signerName, you must have the following cluster-scoped permission: group=certificates.k8s.io"
        " resource=signers resourceName=<the signer name> verb=attest.\n\nIf signerName is not empty, then the"
        " ClusterTrustBundle object must be named with the signer name as a prefix (translating slashes to colons). For"
        " example, for the signer name `example.com/foo`, valid ClusterTrustBundle object names include"
        " `example.com:foo:abc` and `example.com:foo:v1`.\n\nIf signerName is empty, then the ClusterTrustBundle"
        " object's name must not have such a prefix.\n\nList/watch requests for ClusterTrustBundles can filter on this"
        " field using a `spec.signerName=NAME` field selector.",
    ),
)
_MIGRATION: Final = (
    NAME._replace(format=""),
    Column("Resource", _resource, "GroupResource to migrate"),
    Column("Status", _migration_status, "Status of the migration"),
)
_LEASE_CANDIDATE: Final = (
    NAME,
    Column(
        "LeaseName",
        text("spec", "leaseName"),
        "LeaseName is the name of the lease for which this candidate is contending. This field is immutable.",
    ),
    Column("BinaryVersion", text("spec", "binaryVersion"), ""),
    Column("EmulationVersion", text("spec", "emulationVersion"), ""),
    AGE,
)
_STORAGE_VERSION: Final = (
    NAME,
    Column(
        "CommonEncodingVersion",
        _common_version,
        "commonEncodingVersion is set to an encoding storage version if all API server instances share that same"
        " version. If they don't share one storage version, this field is left empty. API servers should finish"
        " updating its storageVersionStatus entry before serving write operations, so that this field will be in"
        " sync with the reality.",
    ),
    Column(
        "StorageVersions",
        _server_versions,
        "storageVersions lists the reported versions per API server instance.",
    ),
    AGE,
)
_TAINT_RULE: Final = (
    NAME,
    Column("Key", text("spec", "taint", "key"), "The taint key to be applied to a device. Must be a label name."),
    Column(
        "Value",
        text("spec", "taint", "value"),
        "The taint value corresponding to the taint key. Must be a label value.",
    ),
    Column(
        "Effect",
        text("spec", "taint", "effect"),
        "The effect of the taint on claims that do not tolerate the taint and through such claims on the pods using"
        " them.\n\nValid effects are None, NoSchedule and NoExecute. PreferNoSchedule as used for nodes is not valid"
        " here. More effects may get added in the future. Consumers must treat unknown effects like None.",
    ),
    Column(
        "TimeAdded",
        _time_added,
        "TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the effect was"
        " modified. Added automatically during create or update if not set.\n\nIn addition, in a DeviceTaintRule a"
        " value provided during an update gets replaced with the current time if the provided value is the same as"
        " the old one and the new effect is different. Changing the key and/or value while keeping the effect"
        " unchanged is possible and does not update the time stamp because the eviction which uses it is either"
        " already started (NoExecute) or not started yet (NoEffect, NoSchedule).",
    ),
    AGE,
)
_POOL_REQUEST: Final = (
    NAME,
    Column("Driver", text("spec", "driver"), "The driver to query pools for."),
    Column("Total", _sum("totalDevices"), "Total number of devices across all pools."),
    Column("Available", _sum("availableDevices"), "Number of available devices across all pools."),
    Column("Allocated", _sum("allocatedDevices"), "Number of allocated devices across all pools."),
    Column("Unavailable", _sum("unavailableDevices"), "Number of unavailable devices across all pools."),
    Column("Errors", _errors, "Number of pools with validation errors."),
    Column("Pools", integer("status", "poolCount"), "Total number of matching pools.", type="integer"),
    Column("Status", _request_status, "Processing status."),
    Column("Completed", _completed, "Time since the observation completed."),
)
PRINTERS: Final[dict[tuple[str, str], Sequence[Column]]] = {
    ("certificates.k8s.io", "ClusterTrustBundle"): _TRUST_BUNDLE,
    ("coordination.k8s.io", "LeaseCandidate"): _LEASE_CANDIDATE,
    ("internal.apiserver.k8s.io", "StorageVersion"): _STORAGE_VERSION,
    ("resource.k8s.io", "DeviceTaintRule"): _TAINT_RULE,
    ("resource.k8s.io", "ResourcePoolStatusRequest"): _POOL_REQUEST,
    ("storagemigration.k8s.io", "StorageVersionMigration"): _MIGRATION,
}
