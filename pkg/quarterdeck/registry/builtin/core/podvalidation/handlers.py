"""Probes and lifecycle hooks: what a container is asked, and when.

Source: pkg/apis/core/validation/validation.go (validateProbe, validateHandler, validateLifecycle).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object

_SCHEMES: Final = ("HTTP", "HTTPS")
_OF_PROBES: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_HOOKS: Final = ("exec", "httpGet", "tcpSocket", "sleep")


def validate_probes(path: str, container: Object) -> list[FieldError]:
    """The probes of a container that may have them."""
    problems: list[FieldError] = []
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is None:
            continue
        at = f"{path}.{name}"
        problems += _probe(at, probe)
        grace = probe.get("terminationGracePeriodSeconds")
        if name == "readinessProbe":
            if grace is not None:
                detail = "must not be set for readinessProbes"
                problems.append(field.invalid(f"{at}.terminationGracePeriodSeconds", grace, detail))
        elif (threshold := probe.get("successThreshold", 0)) != 1:
            problems.append(field.invalid(f"{at}.successThreshold", threshold, "must be 1"))
    return problems


def _probe(path: str, probe: Object) -> list[FieldError]:
    problems = _handler(path, probe, _OF_PROBES, None)
    for name in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        problems += checks.not_negative(f"{path}.{name}", probe.get(name, 0))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        problems.append(field.invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0"))
    return problems


def validate_lifecycle(path: str, lifecycle: Object, grace_s: int | None) -> list[FieldError]:
    problems: list[FieldError] = []
    for name in ("postStart", "preStop"):
        if (hook := lifecycle.get(name)) is not None:
            problems += _handler(f"{path}.{name}", hook, _OF_HOOKS, grace_s)
    return problems


def _handler(path: str, handler: Object, actions: tuple[str, ...], grace_s: int | None) -> list[FieldError]:
    """Just one of the actions."""
    problems: list[FieldError] = []
    is_first = True
    for name in actions:
        if (action := handler.get(name)) is None:
            continue
        at = f"{path}.{name}"
        if not is_first:
            problems.append(field.forbidden(at, "may not specify more than 1 handler type"))
            continue
        is_first = False
        if name == "exec":
            problems += [] if action.get("command") else [field.required(f"{at}.command")]
        elif name == "httpGet":
            problems += _http_get(at, action)
        elif name == "sleep":
            problems += _sleep(at, action, grace_s)
        else:
            problems += checks.port_number_or_name(f"{at}.port", action.get("port", 0))
    return problems if not is_first else [field.required(path, "must specify a handler type")]


def _http_get(path: str, action: Object) -> list[FieldError]:
    problems = [] if action.get("path") else [field.required(f"{path}.path")]
    problems += checks.port_number_or_name(f"{path}.port", action.get("port", 0))
    problems += checks.one_of(f"{path}.scheme", action.get("scheme", ""), _SCHEMES)
    for header in action.get("httpHeaders") or []:
        problems += checks.name(f"{path}.httpHeaders", header.get("name", ""), checks.header_name)
    return problems


def _sleep(path: str, action: Object, grace_s: int | None) -> list[FieldError]:
    seconds = action.get("seconds", 0)
    if grace_s is None or 0 <= seconds <= grace_s:
        return []
    detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
    return [field.invalid(path, seconds, detail)]
