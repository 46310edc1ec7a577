"""ConfigMaps. Source: pkg/registry/core/configmap/strategy.go, pkg/apis/core/validation (ValidateConfigMap)."""

from __future__ import annotations

import base64
from typing import Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

DATA_BYTES_MAX: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"
_UTF8_BYTES_MAX: Final = 4  # of a character


class ConfigMapStrategy(BuiltinStrategy):
    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return written.has_null("binaryData")

    def check(self, obj: Object) -> list[FieldError]:
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        if not binary and _are_short(data) and names.are_usual_config_map_keys(data):
            return []  # nearly always
        problems: list[FieldError] = []
        size = 0
        for key in longsteps.sort(data):
            path = field.key("data", key)
            problems += [field.invalid(path, key, text) for text in names.config_map_key(key)]
            if key in binary:
                problems.append(field.invalid(path, key, "duplicate of key present in binaryData"))
            size += len(data[key].encode("utf-8", "surrogatepass"))
        for key in longsteps.sort(binary):
            problems += [field.invalid(field.key("binaryData", key), key, text) for text in names.config_map_key(key)]
            size += len(base64.b64decode(binary[key]))
        if size > DATA_BYTES_MAX:
            problems.append(field.too_long(field.NAMELESS_PATH, DATA_BYTES_MAX))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = validate_immutable(new, old, ("data", "binaryData"), defaulted="data")
        return problems + self._validate_metadata(new["metadata"]) + self.check(new)


def _are_short(data: dict[str, str]) -> bool:
    return sum(map(len, data.values())) * _UTF8_BYTES_MAX <= DATA_BYTES_MAX


def validate_immutable(
    new: Object, old: Object, members: tuple[str, ...], *, defaulted: str | None = None
) -> list[FieldError]:
    """`immutable: true` cannot be taken back and freezes `members` (ConfigMaps and Secrets): an empty one is not
    none, but for the one that is empty by default, and null in a map of bytes is not what is stored."""
    if not old.get("immutable"):
        return []
    problems = []
    if not new.get("immutable"):
        problems.append(field.forbidden("immutable", _IMMUTABLE))
    for member in members:
        given, known = new.get(member) or {}, old.get(member) or {}
        is_same = given == known and not written.has_null(member)
        if not is_same or (not given and member != defaulted and written.is_empty(member)):
            problems.append(field.forbidden(member, _IMMUTABLE))
    return problems
