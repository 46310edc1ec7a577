"""How services are written: reserved, prepared, validated.

Source: pkg/registry/core/service/{strategy.go,storage/{storage,alloc}.go}.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from quarterdeck.apimachinery import errors, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.core.service import fields
from quarterdeck.registry.builtin.core.service.allocation import HEADLESS, Allocators, Refused, Reservation
from quarterdeck.registry.builtin.core.service.families import choose_families
from quarterdeck.registry.builtin.core.service.fields import EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, Spec
from quarterdeck.registry.builtin.core.service.ranges import FAMILIES
from quarterdeck.registry.builtin.core.service.sharing import SharedReservation, Sharing
from quarterdeck.registry.builtin.core.service.validation import (
    validate_balancer_status,
    validate_service,
    validate_service_update,
)
from quarterdeck.registry.builtin.core.service.warnings import warnings_of, warnings_of_status
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


def select_service_fields(obj: Object) -> dict[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


class ServiceHooks:
    """Addresses and ports, before a service is prepared and validated."""

    def __init__(self, allocators: Allocators) -> None:
        self.sharing: Sharing | None = None  # set where other servers give values away too
        self.allocators = allocators

    def begin_create(self, obj: Object, *, dry_run: bool) -> Reservation | SharedReservation:
        if self.sharing is None or dry_run:
            return self._take_new(obj, dry_run=dry_run)
        return SharedReservation(self.sharing, obj, partial(self._take_new, obj, dry_run=False))

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Reservation | SharedReservation:
        if self.sharing is None or dry_run:
            return self._take_more(new, old, dry_run=dry_run)
        return SharedReservation(self.sharing, new, partial(self._take_more, new, old, dry_run=False))

    def _take_new(self, obj: Object, *, dry_run: bool) -> Reservation:
        spec = obj["spec"]
        fields.match_addresses(spec, None)
        reservation = Reservation(self.allocators, dry_run=dry_run)
        try:
            _refuse(obj, choose_families(spec, None, self.allocators.families))
            _take_addresses(obj, reservation)
            if spec["type"] in (NODE_PORT, LOAD_BALANCER):
                _take_new_ports(obj, reservation)
            if fields.needs_health_check(spec):
                _take_health_check_port(spec, reservation)
        except BaseException:
            reservation.release()
            raise
        return reservation

    def _take_more(self, new: Object, old: Object, *, dry_run: bool) -> Reservation:
        spec, known = new["spec"], old["spec"]
        fields.keep_allocated(spec, known)
        fields.match_addresses(spec, known)
        reservation = Reservation(self.allocators, dry_run=dry_run)
        try:
            _refuse(new, choose_families(spec, known, self.allocators.families))
            if known["type"] == EXTERNAL_NAME:
                _take_addresses(new, reservation)
            elif _gets_second_address(spec, known):
                _take_addresses(new, reservation, known.get("clusterIPs") or [])
            if spec["type"] in (NODE_PORT, LOAD_BALANCER):
                _take_more_ports(new, known, reservation)
            if fields.needs_health_check(spec) and not fields.needs_health_check(known):
                _take_health_check_port(spec, reservation)
        except BaseException:
            reservation.release()
            raise
        return reservation


class ServiceStrategy(BuiltinStrategy):
    # Upstream lets PUT create a service.
    allow_create_on_update = True

    def __init__(self, allocators: Allocators) -> None:
        super().__init__(namespaced=True, name_check=names.name_is_dns1123_label)
        self.hooks = ServiceHooks(allocators)

    def default_new(self, obj: Object) -> None:
        obj["status"] = {"loadBalancer": {}}

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings)
        if not problems:
            fields.show(obj["spec"])
            warnings += warnings_of(obj)
        return problems

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = super().validate_update(new, old, warnings)
        if not problems:
            fields.show(new["spec"])
            warnings += warnings_of(new)
        return problems

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status") or {}
        fields.drop_by_type(new["spec"], old["spec"])
        if new["spec"]["type"] != LOAD_BALANCER:
            new["status"] = {**new["status"], "loadBalancer": {}}

    def check(self, obj: Object) -> list[FieldError]:
        return validate_service(obj, None)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_service_update(new, old)


class ServiceStatusStrategy(BuiltinStrategy):
    """Upstream lets PUT and apply of a status create the service, to which nothing is allocated then."""

    allow_create_on_update = True
    is_applied_whole = True

    def __init__(self) -> None:
        super().__init__(namespaced=True, name_check=names.name_is_dns1123_label)

    def default_new(self, obj: Object) -> None:
        obj["status"] = {"loadBalancer": {}}

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]

    def check(self, obj: Object) -> list[FieldError]:
        return validate_service(obj, None)

    def warn(self, obj: Object) -> list[str]:
        return warnings_of(obj)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_balancer_status(new, old)

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return warnings_of_status(new)


def _refuse(obj: Object, problems: list[FieldError]) -> None:
    if problems:
        raise errors.Invalid.of("", "Service", obj["metadata"].get("name", ""), problems)


def _gets_second_address(spec: Spec, known: Spec) -> bool:
    """Whether a service of one family becomes one of both."""
    if spec["type"] == EXTERNAL_NAME or fields.is_headless(known):
        return False
    return len(known.get("ipFamilies") or []) == 1 and len(spec.get("ipFamilies") or []) == len(FAMILIES)


def _take_addresses(obj: Object, reservation: Reservation, held: Sequence[str] = ()) -> None:
    """One address for each family that has none yet; the service holds the first ones."""
    spec = obj["spec"]
    given = spec.get("clusterIPs") or []
    # Upstream gives a second address even to what is to have none from now on, and refuses that later.
    if spec["type"] == EXTERNAL_NAME or (given[:1] == [HEADLESS] and not held):
        return
    taken = given[: len(held)]
    given = given + [""] * (len(spec["ipFamilies"]) - len(given))  # as upstream shows it
    for position, family in enumerate(spec["ipFamilies"][len(held) :], len(held)):
        asked = given[position]
        try:
            taken.append(reservation.take_address(asked, family))
        except Refused as refused:
            if not asked:
                name = gofmt.quote(obj["metadata"].get("name", ""))
                text = f"failed to allocate a serviceIP for Service {name}: {refused}"
                raise errors.InternalError.of(text) from refused
            text = f"failed to allocate IP {asked}: {refused}"
            _refuse(obj, [field.invalid("spec.clusterIPs", given, text)])
        if not reservation.is_dry_run:
            _check_owner(obj, taken[-1], asked, given)
    spec["clusterIPs"], spec["clusterIP"] = taken, taken[0]


def _check_owner(obj: Object, address: str, asked: str, given: list[str]) -> None:
    """Upstream makes an IPAddress before it validates the service, and has to name the service there."""
    name, path = obj["metadata"].get("name", ""), "spec.parentRef.name"
    texts = names.path_segment_name(name)
    problems = [field.invalid(path, name, text) for text in texts] if name else [field.required(path)]
    if problems:
        wrong = f'IPAddress.networking.k8s.io "{address}" is invalid: {field.aggregate_message(problems)}'
        text = f"failed to allocate IP {asked}: {wrong}" if asked else f"failed to allocate IP: {wrong}"
        _refuse(obj, [field.invalid("spec.clusterIPs", given, text)])


def _take_new_ports(obj: Object, reservation: Reservation) -> None:
    """Entries of one port number share one node port unless they name another."""
    spec = obj["spec"]
    ports = spec.get("ports") or []
    asked_for: dict[int, int] = {}
    for port in ports:
        if port.get("nodePort"):
            asked_for.setdefault(port["port"], port["nodePort"])
    given: dict[int, int] = {}
    for position, port in enumerate(ports):
        asked, number = port.get("nodePort", 0), port["port"]
        if not asked and not fields.needs_node_ports(spec):
            continue
        if number not in given:
            given[number] = port["nodePort"] = _take_port(obj, position, asked_for.get(number, 0), reservation)
        elif not asked:
            port["nodePort"] = given[number]
        elif asked != given[number]:
            _take_port(obj, position, asked, reservation)


def _take_more_ports(obj: Object, known: Spec, reservation: Reservation) -> None:
    """What the service holds already it keeps."""
    spec = obj["spec"]
    held = fields.node_ports_of(known)
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(spec.get("ports") or []):
        asked = port.get("nodePort", 0)
        if not asked and not fields.needs_node_ports(spec):
            continue
        if asked not in held:
            port["nodePort"] = _take_port(obj, position, asked, reservation)
            held.add(port["nodePort"])
        key = (port["protocol"], port["nodePort"])
        if key in seen:
            raise errors.Unreasoned(f"duplicate nodePort: {{{key[0]} {key[1]}}}")
        seen.add(key)


def _take_port(obj: Object, position: int, asked: int, reservation: Reservation) -> int:
    try:
        return reservation.take_node_port(asked)
    except Refused as refused:
        if not asked:
            raise errors.InternalError.of(f"failed to allocate a nodePort: {refused}") from refused
        path = f"{field.index('spec.ports', position)}.nodePort"
        problem = field.invalid(path, asked, str(refused))
        raise errors.Invalid.of("", "Service", obj["metadata"].get("name", ""), [problem]) from refused


def _take_health_check_port(spec: Spec, reservation: Reservation) -> None:
    asked = spec.get("healthCheckNodePort", 0)
    try:
        spec["healthCheckNodePort"] = reservation.take_node_port(asked)
    except Refused as refused:
        text = f"failed to allocate requested HealthCheck NodePort {asked}: {refused}"
        if not asked:
            text = f"failed to allocate a HealthCheck NodePort 0: {refused}"
        raise errors.InternalError.of(text) from refused
