"""What a claim asks for: requests of devices, constraints between them, configuration for drivers.

Source: pkg/apis/resource/validation/validation.go, pkg/apis/resource/v1/defaults.go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.resource import parts
from quarterdeck.registry.builtin.resource.selectors import validate_selectors

# Bytes of a value at a path, as it was sent (spelling.Spelling.length).
Measure = Callable[[str, Any], int]

SUBREQUESTS_MAX: Final = 8
CONSTRAINTS_MAX: Final = 32
CONFIGURATIONS_MAX: Final = 32
PARAMETERS_BYTES_MAX: Final = 10 * 1024
_MODES: Final = ("All", "ExactCount")
_ONE_REQUEST: Final = "exactly one of `exactly` or `firstAvailable` is required"
_ONE_ATTRIBUTE: Final = (
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
)
_NO_REQUEST: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)


def default_claim(spec: Object) -> None:
    for request in spec["devices"].get("requests") or []:
        subrequests = request.get("firstAvailable") or []
        for each in [request["exactly"], *subrequests] if request.get("exactly") is not None else subrequests:
            default_request(each)


def default_request(request: Object) -> None:
    request.setdefault("allocationMode", "ExactCount")
    if request["allocationMode"] == "ExactCount":
        request.setdefault("count", 1)
    for toleration in request.get("tolerations") or []:
        default_toleration(toleration)


def default_toleration(toleration: Object) -> None:
    toleration.setdefault("operator", "Equal")


class RequestNames:
    """The requests of a claim, and the subrequests of each."""

    def __init__(self, devices: Object) -> None:
        self._known = {
            parts.name_of(each): {parts.name_of(sub) for sub in each.get("firstAvailable") or []}
            for each in devices.get("requests") or []
        }

    def validate(self, path: str, name: str) -> list[FieldError]:
        """A reference to one of them."""
        segments = name.split("/")
        if len(segments) > 2:
            return [field.invalid(path, name, _NO_REQUEST)]
        problems: list[FieldError] = []
        for each in segments:
            problems += parts.dns_label(path, each)
        found = self._known.get(segments[0])
        if found is None or (len(segments) == 2 and segments[1] not in found):
            problems.append(field.invalid(path, name, _NO_REQUEST))
        return problems

    def validate_all(self, path: str, references: list[str]) -> list[FieldError]:
        return parts.unique_items(path, references, parts.REQUESTS_MAX, self.validate, parts.itself)


def validate_claim(path: str, spec: Object, measure: Measure) -> list[FieldError]:
    devices, at = spec["devices"], f"{path}.devices"
    known = RequestNames(devices)
    problems = parts.unique_items(
        f"{at}.requests", devices.get("requests") or [], parts.REQUESTS_MAX, _validate_request, parts.name_of
    )
    check = partial(_validate_constraint, known=known)
    problems += parts.items(f"{at}.constraints", devices.get("constraints") or [], CONSTRAINTS_MAX, check)
    check = partial(_validate_claim_configuration, known=known, measure=measure)
    return problems + parts.items(f"{at}.config", devices.get("config") or [], CONFIGURATIONS_MAX, check)


def _validate_request(path: str, request: Object) -> list[FieldError]:
    problems = parts.dns_label(f"{path}.name", parts.name_of(request))
    exactly, subrequests = request.get("exactly"), request.get("firstAvailable") or []
    if exactly is not None and subrequests:
        problems.append(field.invalid(path, None, f"{_ONE_REQUEST}, but multiple fields are set"))
    elif exactly is not None:
        problems += _validate_details(f"{path}.exactly", exactly)
    elif subrequests:
        at = f"{path}.firstAvailable"
        problems += parts.unique_items(at, subrequests, SUBREQUESTS_MAX, _validate_subrequest, parts.name_of)
    else:
        problems.append(field.required(path, _ONE_REQUEST))
    return problems


def _validate_subrequest(path: str, request: Object) -> list[FieldError]:
    return parts.dns_label(f"{path}.name", parts.name_of(request)) + _validate_details(path, request)


def _validate_details(path: str, request: Object) -> list[FieldError]:
    name, mode, count = request.get("deviceClassName", ""), request.get("allocationMode", ""), request.get("count", 0)
    problems = checks.required_name(f"{path}.deviceClassName", name, names.dns1123_subdomain)
    problems += validate_selectors(f"{path}.selectors", request.get("selectors") or [])
    if mode == "All" and count:
        problems.append(field.invalid(f"{path}.count", count, "must not be specified when allocationMode is 'All'"))
    elif mode == "ExactCount" and count <= 0:
        problems.append(field.invalid(f"{path}.count", count, checks.NOT_POSITIVE))
    problems += checks.one_of(f"{path}.allocationMode", mode, _MODES)
    return problems + parts.tolerations(f"{path}.tolerations", request.get("tolerations") or [])


def _validate_constraint(path: str, constraint: Object, known: RequestNames) -> list[FieldError]:
    problems = known.validate_all(f"{path}.requests", constraint.get("requests") or [])
    for name in ("matchAttribute", "distinctAttribute"):
        if constraint.get(name) is not None:
            return problems + parts.fully_qualified_name(f"{path}.{name}", constraint[name])
    return [*problems, field.required(path, _ONE_ATTRIBUTE)]


def _validate_claim_configuration(
    path: str, configuration: Object, known: RequestNames, measure: Measure
) -> list[FieldError]:
    problems = known.validate_all(f"{path}.requests", configuration.get("requests") or [])
    return problems + validate_configuration(path, configuration, measure)


def validate_configuration(
    path: str, configuration: Object, measure: Measure, *, is_stored: bool = False
) -> list[FieldError]:
    """`is_stored`: what is there already may be as long as it is."""
    if (opaque := configuration.get("opaque")) is None:
        return [field.required(f"{path}.opaque")]
    problems = checks.csi_driver_name(f"{path}.opaque.driver", opaque.get("driver", ""))
    at = f"{path}.opaque.parameters"
    return problems + validate_raw(at, opaque.get("parameters"), PARAMETERS_BYTES_MAX, measure, is_stored=is_stored)


def validate_raw(
    path: str, value: Any, bytes_max: int, measure: Measure, *, is_stored: bool = False
) -> list[FieldError]:
    """Of JSON that only a driver understands."""
    if value is None:
        return [field.required(path)]
    if not is_stored and measure(path, value) > bytes_max:
        return [field.too_long(path, bytes_max)]
    return [] if isinstance(value, dict) else [field.invalid(path, "<value omitted>", "must be a valid JSON object")]
