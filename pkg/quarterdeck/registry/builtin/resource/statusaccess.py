"""Who may write which part of a claim's status: its allocation and its users, and what each driver tells of devices.

Upstream's strategy asks, and tells what it hears beside what else is wrong with the object. A strategy here knows no
user: the last of the mutating plugins asks, and notes the refusals for the strategy.
Source: pkg/registry/resource/utils.go (AuthorizedForBinding, AuthorizedForDeviceStatus).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.registry.builtin import semantic
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.resource.allocation import device_of, drop_freed_devices
from quarterdeck.registry.builtin.resource.claimtimes import TIMES

GROUP: Final = "resource.k8s.io"
_CLAIMS: Final = "resourceclaims"
_ACCOUNT: Final = "system:serviceaccount:"
_NODE: Final = "authentication.kubernetes.io/node-name"
_ALLOCATION: Final = "status.allocation"
_DEVICES: Final = "status.devices"

_refusals: ContextVar[tuple[FieldError, ...]] = ContextVar("what a write of a claim's status may not do", default=())


def take_refusals() -> list[FieldError]:
    """Of the write whose mutating pass was the last in this task."""
    found = _refusals.get()
    if found:
        _refusals.set(())
    return list(found)


class StatusAccess:
    """`refuse` tells why the user may not do it, "" where they may."""

    def __init__(self, refuse: Callable[[User, Attributes], str]) -> None:
        self._refuse = refuse

    def admit(self, write: Write) -> None:
        _refusals.set(())
        if write.subresource != "status" or write.obj is None or write.old is None or write.user.is_master:
            return
        before = write.old.get("status") or {}
        status = dict(write.obj.get("status") or {})
        drop_freed_devices(status, before)
        _refusals.set((*self._check_binding(write, status, before), *self._check_drivers(write, status, before)))

    def _check_binding(self, write: Write, status: Object, before: Object) -> list[FieldError]:
        bound, known = ({name: each.get(name) for name in ("allocation", "reservedFor")} for each in (status, before))
        has_other_times = TIMES.have_fraction("status.allocation")
        if not has_other_times and semantic.same(bound, known, "resource", "ResourceClaimStatus"):
            return []
        asked = Attributes(write.verb, GROUP, write.resource.version, _CLAIMS, "binding")
        if not (refusal := self._refuse(write.user, asked)):
            return []
        needed = f'requires resource="resourceclaims/binding", verb="{write.verb}" permission'
        text = f"changing status.allocation or status.reservedFor {needed}: {refusal}"
        return [field.forbidden(_ALLOCATION, text)]

    def _check_drivers(self, write: Write, status: Object, before: Object) -> list[FieldError]:
        allocation = status.get("allocation")
        if allocation is None:  # what drivers told is gone with it
            return []
        verbs = [f"arbitrary-node:{write.verb}"]
        if _is_on_node(write.user, _find_node(allocation)):
            verbs.insert(0, f"associated-node:{write.verb}")
        problems = []
        for driver in sorted(_changed_drivers(status.get("devices") or [], before.get("devices") or [])):
            if refusal := self._refuse_driver(write, verbs, driver):
                needed = f'requires resource="resourceclaims/driver", verb="[{" ".join(verbs)}]" permission'
                problems.append(field.forbidden(_DEVICES, f"changing status.devices {needed}: {refusal}"))
        return problems

    def _refuse_driver(self, write: Write, verbs: list[str], driver: str) -> str:
        """The first refusal, where each verb is refused."""
        first = ""
        for verb in verbs:
            asked = Attributes(verb, GROUP, write.resource.version, _CLAIMS, "driver", write.namespace, driver)
            refusal = self._refuse(write.user, asked)
            if not refusal:
                return ""
            first = first or refusal
        return first


def _changed_drivers(devices: list[Object], before: list[Object]) -> set[str]:
    """Of several entries of one device the last counts."""
    known = {device_of(each): each for each in before}
    changed = set()
    for each in devices:
        old = known.pop(device_of(each), None)
        if old is None or not semantic.same(old, each, "resource", "AllocatedDeviceStatus"):
            changed.add(each.get("driver", ""))
    return changed | {each.get("driver", "") for each in known.values()}


def _find_node(allocation: Object) -> str:
    """The one node that the devices are on, "" where it is not told like that."""
    terms = (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms") or []
    if len(terms) != 1 or terms[0].get("matchExpressions"):
        return ""
    fields = terms[0].get("matchFields") or []
    if len(fields) != 1 or (fields[0].get("key"), fields[0].get("operator")) != ("metadata.name", "In"):
        return ""
    values = fields[0].get("values") or []
    found: str = values[0] if len(values) == 1 else ""
    return found


def _is_on_node(user: User, node: str) -> bool:
    """Whether the user is a service account whose token is bound to a pod on that node."""
    if not node or not _is_account(user.name):
        return False
    return user.extra.get(_NODE, ()) == (node,) and not names.name_is_dns1123_subdomain(node)


def _is_account(name: str) -> bool:
    """Source: apiserver/pkg/authentication/serviceaccount/util.go (SplitUsername)."""
    parts = name.removeprefix(_ACCOUNT).split(":")
    if not name.startswith(_ACCOUNT) or len(parts) != 2:
        return False
    return not names.name_is_dns1123_label(parts[0]) and not names.name_is_dns1123_subdomain(parts[1])
