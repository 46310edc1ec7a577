"""What the strategies of kinds share that have members which Go compares as they were sent (spelling.py)."""

from __future__ import annotations

from quarterdeck.apimachinery import names
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object
from quarterdeck.schema.objectmeta import NameCheck


class SpelledStrategy(BuiltinStrategy):
    def __init__(
        self, spelling: Spelling, *, namespaced: bool, name_check: NameCheck = names.name_is_dns1123_subdomain
    ) -> None:
        super().__init__(namespaced=namespaced, name_check=name_check)
        self._spelling = spelling

    def mark(self, obj: Object, options: Options) -> Object | None:
        self._spelling.settle(obj)
        return super().mark(obj, options)
