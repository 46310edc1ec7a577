"""The status of a claim: which devices it was given, who uses them, and what their drivers tell.

Source: pkg/apis/resource/validation/validation.go (validateResourceClaimStatusUpdate),
pkg/registry/resource/resourceclaim/strategy.go (dropDeallocatedStatusDevices).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Final, NamedTuple

from quarterdeck.apimachinery import addresses, field, gofmt
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.conditions import validate_conditions
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.core.podvalidation.scheduling import validate_node_selector
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.resource.claimtimes import TIMES
from quarterdeck.registry.builtin.resource.requests import (
    CONFIGURATIONS_MAX,
    Measure,
    RequestNames,
    validate_configuration,
    validate_raw,
)
from quarterdeck.registry.builtin.spelling import Spelling

USERS_MAX: Final = 256
RESULTS_MAX: Final = 32
CONDITIONS_MAX: Final = 8
DATA_BYTES_MAX: Final = 10 * 1024
ADDRESSES_MAX: Final = 16
INTERFACE_BYTES_MAX: Final = 256
HARDWARE_BYTES_MAX: Final = 128
_SOURCES: Final = ("FromClaim", "FromClass")
_UID_FORM: Final = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal "
    "characters"
)

_UID: Final = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_PLAIN_UID: Final = r"[0-9A-Fa-f]{32}"


class _Device(NamedTuple):
    """What tells one allocated device from others."""

    driver: str
    pool: str
    device: str
    share: str

    def show(self) -> GoText:
        shown = {"Driver": self.driver, "Pool": self.pool, "Device": self.device, "ShareID": self.share}
        return GoText(checks.in_order(shown))


def device_of(found: Object) -> _Device:
    return _Device(*(found.get(name) or "" for name in ("driver", "pool", "device", "shareID")))


def _allocated(status: Object) -> set[_Device]:
    devices = (status.get("allocation") or {}).get("devices") or {}
    return {device_of(each) for each in devices.get("results") or []}


def drop_freed_devices(status: Object, old: Object) -> None:
    """What drivers told of devices that the claim has no more."""
    freed = _allocated(old) - _allocated(status)
    left = [each for each in status.get("devices") or [] if device_of(each) not in freed]
    if left:
        status["devices"] = left
    else:
        status.pop("devices", None)


def validate_claim_status(new: Object, old: Object, spelling: Spelling) -> list[FieldError]:
    status, before = new["status"], old.get("status") or {}
    users, allocation = status.get("reservedFor") or [], status.get("allocation")
    at = "status.reservedFor"
    problems = parts.unique_items(at, users, USERS_MAX, _validate_user, _uid_of)
    check = partial(_validate_device_status, allocated=_allocated(status), measure=spelling.length)
    problems += _validate_devices("status.devices", status.get("devices") or [], check)
    if users and allocation is None:
        problems.append(field.forbidden(at, "may not be specified when `allocated` is not set"))
    elif new["metadata"].get("deletionTimestamp") and _has_new_users(users, before.get("reservedFor") or []):
        detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
        problems.append(field.forbidden(at, detail))
    if allocation is None:
        return problems
    if (allocated := before.get("allocation")) is None:
        known = RequestNames(new["spec"]["devices"])
        return problems + _validate_allocation("status.allocation", allocation, known, spelling.length)
    is_sent_otherwise = spelling.is_changed("status", old) or TIMES.have_fraction("status.allocation")
    if is_sent_otherwise or not semantic.same(allocation, allocated, "resource", "AllocationResult"):
        place = "status", "allocation"
        make = partial(gonames.show, "AllocationResult", table="resource")
        shown = spelling.show(written.restore(allocation, *place), *place, make=make)
        problems.append(field.invalid("status.allocation", shown, checks.IMMUTABLE))
    return problems


def _uid_of(user: Object) -> str:
    found: str = user.get("uid", "")
    return found


def _validate_user(path: str, user: Object) -> list[FieldError]:
    return [field.required(f"{path}.{name}") for name in ("resource", "name", "uid") if not user.get(name)]


def _has_new_users(users: list[Object], before: list[Object]) -> bool:
    known = {tuple(sorted(each.items())) for each in before}
    return any(tuple(sorted(each.items())) not in known for each in users)


def _validate_allocation(path: str, allocation: Object, known: RequestNames, measure: Measure) -> list[FieldError]:
    devices, at = allocation.get("devices") or {}, f"{path}.devices"
    check = partial(_validate_result, known=known)
    problems = parts.items(f"{at}.results", devices.get("results") or [], RESULTS_MAX, check)
    check = partial(_validate_allocated_configuration, known=known, measure=measure)
    problems += parts.items(f"{at}.config", devices.get("config") or [], 2 * CONFIGURATIONS_MAX, check)
    if (selector := allocation.get("nodeSelector")) is not None:
        problems += validate_node_selector(f"{path}.nodeSelector", selector)
    return problems


def _validate_result(path: str, result: Object, known: RequestNames) -> list[FieldError]:
    """Its tolerations are a copy of the request's, and not looked at again."""
    problems = known.validate(f"{path}.request", result.get("request", ""))
    problems += _validate_identity(path, result)
    return problems + parts.binding_conditions(path, result)


def _validate_identity(path: str, found: Object) -> list[FieldError]:
    problems = checks.csi_driver_name(f"{path}.driver", found.get("driver", ""))
    problems += parts.pool_name(f"{path}.pool", found.get("pool", ""))
    problems += parts.dns_label(f"{path}.device", found.get("device", ""))
    if (share := found.get("shareID")) is not None:
        problems += _validate_uid(f"{path}.shareID", share)
    return problems


def _validate_uid(path: str, uid: str) -> list[FieldError]:
    fault = _fault_of_uid(uid)
    if fault:
        return [field.invalid(path, uid, f"error validating uid: {fault}")]
    return [] if len(uid) == 36 and uid == uid.lower() else [field.invalid(path, uid, _UID_FORM)]


def _fault_of_uid(uid: str) -> str:
    """Source: github.com/google/uuid (Validate)."""
    length = len(uid.encode())
    if length == 32:
        return "" if re.fullmatch(_PLAIN_UID, uid) else "invalid UUID format"
    if length == 45:
        if uid[:9].lower() != "urn:uuid:":
            return f"invalid urn prefix: {gofmt.quote(uid[:9])}"
        uid = uid[9:]
    elif length == 38:
        if not (uid.startswith("{") and uid.endswith("}")):
            return "invalid bracketed UUID format"
        uid = uid[1:-1]
    elif length != 36:
        return f"invalid UUID length: {length}"
    return "" if re.fullmatch(_UID, uid) else "invalid UUID format"


def _validate_allocated_configuration(
    path: str, configuration: Object, known: RequestNames, measure: Measure
) -> list[FieldError]:
    problems = checks.required_one_of(f"{path}.source", configuration.get("source", ""), _SOURCES)
    problems += known.validate_all(f"{path}.requests", configuration.get("requests") or [])
    return problems + validate_configuration(path, configuration, measure)


def _validate_devices(path: str, devices: list[Object], check: parts.Check) -> list[FieldError]:
    problems = parts.items(path, devices, -1, check)
    seen: set[_Device] = set()
    for position, each in enumerate(devices):
        device = device_of(each)
        if device in seen:
            problems.append(field.duplicate(field.index(path, position), device.show()))
        seen.add(device)
    return problems


def _validate_device_status(
    path: str, device: Object, allocated: Collection[_Device], measure: Measure
) -> list[FieldError]:
    problems = _validate_identity(path, device)
    if (known := device_of(device)) not in allocated:
        problems.append(field.invalid(path, known.show(), "must be an allocated device in the claim"))
    conditions = device.get("conditions") or []
    if len(conditions) > CONDITIONS_MAX:
        problems.append(field.too_many(f"{path}.conditions", len(conditions), CONDITIONS_MAX))
    problems += validate_conditions(conditions, f"{path}.conditions")
    if (data := device.get("data")) is not None:
        problems += validate_raw(f"{path}.data", data, DATA_BYTES_MAX, measure)
    return problems + _validate_network(f"{path}.networkData", device.get("networkData") or {})


def _validate_network(path: str, network: Object) -> list[FieldError]:
    problems = [
        field.too_long(f"{path}.{name}", bytes_max)
        for name, bytes_max in (("interfaceName", INTERFACE_BYTES_MAX), ("hardwareAddress", HARDWARE_BYTES_MAX))
        if len(network.get(name, "").encode("utf-8", "surrogatepass")) > bytes_max
    ]
    return problems + parts.unique_items(
        f"{path}.ips", network.get("ips") or [], ADDRESSES_MAX, _validate_interface_address, parts.itself
    )


def _validate_interface_address(path: str, value: str) -> list[FieldError]:
    """Source: apimachinery/pkg/util/validation/ip.go (IsValidInterfaceAddress)."""
    parsed = addresses.parse_cidr(value)
    if parsed is None:
        detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
        return [field.invalid(path, value, detail)]
    ip, prefix = addresses.unmapped(parsed[0]), parsed[1].prefixlen
    if prefix > ip.max_prefixlen:  # a mapped address's
        prefix -= parsed[0].max_prefixlen - ip.max_prefixlen
    canonical = f"{ip}/{prefix}"
    if value == canonical:
        return []
    return [field.invalid(path, value, f"must be in canonical form ({gofmt.quote(canonical)})")]
