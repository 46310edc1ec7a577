"""How objects of admissionregistration.k8s.io are made and changed.

Source: pkg/registry/admissionregistration/*/strategy.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.admissionregistration.status import validate_status
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

_STATIC_SUFFIX: Final = ".static.k8s.io"
_STATIC_NAME: Final = (
    f'metadata.name: names ending with "{_STATIC_SUFFIX}" are reserved for static manifest-based configurations and '
    "cannot be managed via the API"
)

# What is wrong with an object; the second is the old one of an update.
Check = Callable[[Object, Object | None], list[FieldError]]


class ConfigurationStrategy(BuiltinStrategy):
    """A change of `counted` (the spec, the webhooks) makes a new generation. `spelling` sees changes that the stored
    form does not show."""

    allow_unconditional_update = False

    def __init__(
        self, validate: Check, counted: str = "spec", *, has_status: bool = False, spelling: Spelling | None = None
    ) -> None:
        super().__init__(namespaced=False)
        self._spelling = spelling
        self._check = validate
        self._counted = counted
        self._has_status = has_status

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        if self._has_status:
            obj["status"] = {}
        if self._spelling is not None:
            self._spelling.remember_new(obj)

    def keep(self, new: Object, old: Object) -> None:
        if self._has_status:
            new["status"] = old.get("status", {})
        is_changed: bool = new.get(self._counted) != old.get(self._counted)
        if self._spelling is not None:
            is_changed = is_changed or self._spelling.is_changed(self._counted, old) or self._has_empty(new)
            self._spelling.remember(new, old, self._counted)
        if is_changed:
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def mark(self, obj: Object, options: Options) -> Object | None:
        if self._spelling is not None:
            self._spelling.settle(obj)
        return super().mark(obj, options)

    def _has_empty(self, new: Object) -> bool:
        """Whether lists or maps are written down empty: there are none in what is stored, and Go tells them apart."""
        counted = new.get(self._counted)
        if not counted:
            return written.is_empty(self._counted)
        return bool(written.restore({self._counted: counted})[self._counted] != counted)

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_object_meta(obj["metadata"], namespaced=False) + self._check(obj, None)
        return _warned(obj, warnings, problems)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        problems += objectmeta.validate_object_meta(new["metadata"], namespaced=False)
        return _warned(new, warnings, problems + self._check(new, old))


class PolicyStatusStrategy(ConfigurationStrategy):
    """The status alone changes; an apply to it creates the policy that is absent."""

    is_applied_whole = True

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        keep_metadata(new, old)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False)
        return _warned(new, warnings, problems + validate_status(new.get("status") or {}))


def _warned(obj: Object, warnings: list[str], problems: list[FieldError]) -> list[FieldError]:
    """The problems; where there are none, the client is warned of a name that it may not have for long."""
    if not problems and obj["metadata"].get("name", "").endswith(_STATIC_SUFFIX):
        warnings.append(_STATIC_NAME)
    return problems
