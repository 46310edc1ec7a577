"""ServiceAccounts. Source: pkg/registry/core/serviceaccount/strategy.go, pkg/apis/core/validation
(ValidateServiceAccount*)."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"
_MOUNTABLE_TEXT: Final = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"


class ServiceAccountStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def prepare_for_create(self, obj: Object) -> None:
        super().prepare_for_create(obj)
        _keep_names_of_secrets(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        super().prepare_for_update(new, old)
        _keep_names_of_secrets(new)

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        problems = super().validate(obj, warnings)
        if not problems and _has_mountable(obj):
            warnings.append(f"{field.key('metadata.annotations', _MOUNTABLE)}: {_MOUNTABLE_TEXT}")
        return problems

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = super().validate_update(new, old, warnings)
        if not problems and _has_mountable(new) and not _has_mountable(old):
            warnings.append(f"{field.key('metadata.annotations', _MOUNTABLE)}: {_MOUNTABLE_TEXT}")
        return problems


def _has_mountable(obj: Object) -> bool:
    return _MOUNTABLE in (obj["metadata"].get("annotations") or {})


def _keep_names_of_secrets(account: Object) -> None:
    """A secret that an account may use is in its namespace: nothing of a reference counts but the name."""
    if "secrets" in account:
        account["secrets"] = [{"name": each["name"]} if each.get("name") else {} for each in account["secrets"]]
