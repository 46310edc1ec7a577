"""What a CSI driver asks of those who use its volumes.

Source: pkg/registry/storage/csidriver/strategy.go, pkg/apis/storage/v1/defaults.go,
pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

UPDATE_PERIOD_MIN_S: Final = 10
EXPIRATION_MIN_S: Final = 600
EXPIRATION_MAX_S: Final = 1 << 32
_FS_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLE_MODES: Final = ("Persistent", "Ephemeral")
_GATED: Final = "preventPodSchedulingIfMissing"  # off by default
_IN_SECRETS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)
_OFF: Final = ("podInfoOnMount", "requiresRepublish", "seLinuxMount", "storageCapacity")


def default_csi_driver(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("attachRequired", True)
    for name in _OFF:
        spec.setdefault(name, False)
    spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
    if not spec.get("volumeLifecycleModes"):
        spec["volumeLifecycleModes"] = ["Persistent"]


class CSIDriverStrategy(BuiltinStrategy):
    allow_unconditional_update = False

    def default_new(self, obj: Object) -> None:
        obj["spec"].pop(_GATED, None)

    def keep(self, new: Object, old: Object) -> None:
        if old["spec"].get(_GATED) is None:
            new["spec"].pop(_GATED, None)
        if not checks.same(new["spec"], old["spec"]):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        problems = checks.one_of("spec.fsGroupPolicy", spec["fsGroupPolicy"], _FS_GROUP_POLICIES)
        requests = spec.get("tokenRequests") or []
        problems += _validate_token_requests("spec.tokenRequests", requests)
        for mode in spec["volumeLifecycleModes"]:
            problems += checks.one_of("spec.volumeLifecycleModes", mode, _LIFECYCLE_MODES)
        period = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if period is not None and period < UPDATE_PERIOD_MIN_S:
            detail = f"must be greater than or equal to {UPDATE_PERIOD_MIN_S} seconds"
            problems.append(field.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, detail))
        in_secrets = spec.get("serviceAccountTokenInSecrets")
        if in_secrets is not None and not requests:
            detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
            problems.append(field.invalid("spec.serviceAccountTokenInSecrets", in_secrets, detail))
        return problems

    def warn(self, obj: Object) -> list[str]:
        spec = obj["spec"]
        return [_IN_SECRETS] if spec.get("tokenRequests") and spec.get("serviceAccountTokenInSecrets") is None else []

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        is_changed = not checks.same(new["spec"].get("tokenRequests"), old["spec"].get("tokenRequests"))
        return self.warn(new) if is_changed else []

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        for name, shown in (("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")):
            if new["spec"][name] != old["spec"].get(name):
                problems.append(field.invalid(f"spec.{shown}", new["spec"][name], checks.IMMUTABLE))
        return problems


def _validate_token_requests(path: str, requests: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    audiences: set[str] = set()
    for position, request in enumerate(requests):
        at, audience, seconds = (
            field.index(path, position),
            request.get("audience", ""),
            request.get("expirationSeconds"),
        )
        if audience in audiences:
            problems.append(field.duplicate(f"{at}.audience", audience))
            continue
        audiences.add(audience)
        if seconds is not None and seconds < EXPIRATION_MIN_S:
            detail = "may not specify a duration less than 10 minutes"
            problems.append(field.invalid(f"{at}.expirationSeconds", seconds, detail))
        if seconds is not None and seconds > EXPIRATION_MAX_S:
            detail = "may not specify a duration larger than 2^32 seconds"
            problems.append(field.invalid(f"{at}.expirationSeconds", seconds, detail))
    return problems
