"""ServiceAccounts. Source: pkg/registry/core/serviceaccount/strategy.go, pkg/apis/core/validation
(ValidateServiceAccount*)."""

from __future__ import annotations

from quarterdeck.registry.builtin.strategy import BuiltinStrategy


class ServiceAccountStrategy(BuiltinStrategy):
    validates_metadata_again = True
