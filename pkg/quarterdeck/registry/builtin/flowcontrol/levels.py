"""Priority levels: how much of the server requests of a kind may have.

Source: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go, pkg/apis/flowcontrol/v1/defaults.go,
pkg/apis/flowcontrol/validation/validation.go, apiserver/pkg/util/shufflesharding.
"""

from __future__ import annotations

import math
from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.flowcontrol import mandatory
from quarterdeck.registry.builtin.flowcontrol.status import FlowStatusStrategy, FlowStrategy
from quarterdeck.registry.strategy import Object

EXEMPT: Final = "exempt"
QUEUES_MAX: Final = 10_000_000
ENTROPY_BITS_MAX: Final = 60
# With it v1beta3 told no shares at all from those that were not given.
_ZERO_SHARES: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_TYPES: Final = ("Exempt", "Limited")
_RESPONSES: Final = ("Queue", "Reject")
_QUEUING: Final = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}


def default_priority_level(obj: Object) -> None:
    spec = obj["spec"]
    if (exempt := spec.get("exempt")) is not None:
        exempt.setdefault("nominalConcurrencyShares", 0)
        exempt.setdefault("lendablePercent", 0)
    if (limited := spec.get("limited")) is not None:
        if limited.get("nominalConcurrencyShares") is None:
            limited["nominalConcurrencyShares"] = 30
        limited.setdefault("lendablePercent", 0)
        if (queuing := limited["limitResponse"].get("queuing")) is not None:
            for name, value in _QUEUING.items():
                queuing[name] = queuing.get(name) or value


class PriorityLevelStrategy(FlowStrategy):
    def check(self, obj: Object) -> list[FieldError]:
        name, spec = obj["metadata"].get("name", ""), obj["spec"]
        problems: list[FieldError] = []
        if _ZERO_SHARES in (obj["metadata"].get("annotations") or {}):
            problems.append(field.forbidden("metadata.annotations", f"annotation '{_ZERO_SHARES}' is forbidden"))
        problems += _validate_spec("spec", name, spec)
        if (wanted := mandatory.LEVELS.get(name)) is not None:
            is_exempt = name == EXEMPT  # of which an administrator may change the shares
            if not checks.same(_fixed(spec, is_exempt), _fixed(wanted, is_exempt)):
                but = " except the 'spec.exempt' field" if is_exempt else ""
                shown = gonames.show("PriorityLevelConfigurationSpec", spec, "flowcontrol")
                problems.append(field.invalid("spec", shown, f"spec of '{name}'{but} must equal the fixed value"))
        return problems


class PriorityLevelStatusStrategy(FlowStatusStrategy):
    pass


def _fixed(spec: Object, is_exempt: bool) -> Object:
    return {name: value for name, value in spec.items() if not (is_exempt and name == "exempt")}


def _validate_spec(path: str, name: str, spec: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    kind, limited, exempt = spec.get("type", ""), spec.get("limited"), spec.get("exempt")
    if (name == EXEMPT) != (kind == "Exempt"):
        detail = "must be 'Exempt' if and only if `name` is 'exempt'"
        problems.append(field.invalid(f"{path}.type", kind, detail))
    if kind == "Exempt":
        if limited is not None:
            problems.append(field.forbidden(f"{path}.limited", "must be nil if the type is not Limited"))
        if exempt is not None:
            problems += _validate_exempt(f"{path}.exempt", exempt)
    elif kind == "Limited":
        if exempt is not None:
            problems.append(field.forbidden(f"{path}.exempt", "must be nil if the type is Limited"))
        if limited is None:
            problems.append(field.required(f"{path}.limited", "must not be empty when type is Limited"))
        else:
            problems += _validate_limited(f"{path}.limited", limited)
    else:
        problems.append(field.not_among(f"{path}.type", kind, list(_TYPES)))
    return problems


def _validate_exempt(path: str, exempt: Object) -> list[FieldError]:
    return _validate_shares(path, exempt) + _validate_lendable(path, exempt)


def _validate_limited(path: str, limited: Object) -> list[FieldError]:
    problems = _validate_shares(path, limited)
    problems += _validate_response(f"{path}.limitResponse", limited["limitResponse"])
    problems += _validate_lendable(path, limited)
    borrowing = limited.get("borrowingLimitPercent")
    if borrowing is not None and borrowing < 0:
        detail = "if specified, must be a non-negative integer"
        problems.append(field.invalid(f"{path}.borrowingLimitPercent", borrowing, detail))
    return problems


def _validate_shares(path: str, found: Object) -> list[FieldError]:
    shares = found.get("nominalConcurrencyShares") or 0
    if shares >= 0:
        return []
    return [field.invalid(f"{path}.nominalConcurrencyShares", shares, "must be a non-negative integer")]


def _validate_lendable(path: str, found: Object) -> list[FieldError]:
    return checks.in_range(f"{path}.lendablePercent", found.get("lendablePercent") or 0, 0, 100)


def _validate_response(path: str, response: Object) -> list[FieldError]:
    kind, queuing, at = response.get("type", ""), response.get("queuing"), f"{path}.queuing"
    if kind == "Reject":
        detail = "must be nil if limited.limitResponse.type is not Limited"
        return [] if queuing is None else [field.forbidden(at, detail)]
    if kind != "Queue":
        return [field.not_among(f"{path}.type", kind, list(_RESPONSES))]
    if queuing is None:
        return [field.required(at, "must not be empty if limited.limitResponse.type is Limited")]
    return _validate_queuing(at, queuing)


def _validate_queuing(path: str, queuing: Object) -> list[FieldError]:
    queues, hand, length = (queuing.get(name) or 0 for name in ("queues", "handSize", "queueLengthLimit"))
    problems: list[FieldError] = []
    if length <= 0:
        problems.append(field.invalid(f"{path}.queueLengthLimit", length, "must be positive"))
    if queues <= 0:
        problems.append(field.invalid(f"{path}.queues", queues, "must be positive"))
    elif queues > QUEUES_MAX:
        problems.append(field.invalid(f"{path}.queues", queues, f"must not be greater than {QUEUES_MAX}"))
    fault = ""
    if hand <= 0:
        fault = "must be positive"
    elif hand > queues:
        fault = f"should not be greater than queues ({queues})"
    elif _entropy_bits(queues, hand) > ENTROPY_BITS_MAX:
        fault = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than "
            f"{ENTROPY_BITS_MAX}"
        )
    if fault:
        problems.append(field.invalid(f"{path}.handSize", hand, fault))
    return problems


def _entropy_bits(deck: int, hand: int) -> int:
    """How many bits it takes to deal a hand."""
    return math.ceil(math.log2(deck) * hand)
