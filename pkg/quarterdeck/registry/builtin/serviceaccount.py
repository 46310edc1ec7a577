"""ServiceAccounts. Source: pkg/registry/core/serviceaccount/strategy.go, pkg/apis/core/validation
(ValidateServiceAccount*)."""

from __future__ import annotations

from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object


class ServiceAccountStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def prepare_for_create(self, obj: Object) -> None:
        super().prepare_for_create(obj)
        _keep_names_of_secrets(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        super().prepare_for_update(new, old)
        _keep_names_of_secrets(new)


def _keep_names_of_secrets(account: Object) -> None:
    """A secret that an account may use is in its namespace: nothing of a reference counts but the name."""
    if "secrets" in account:
        account["secrets"] = [{"name": each["name"]} if each.get("name") else {} for each in account["secrets"]]
