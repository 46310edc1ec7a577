"""ConfigMaps. Source: pkg/registry/core/configmap/strategy.go, pkg/apis/core/validation (ValidateConfigMap)."""

from __future__ import annotations

import base64
from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

DATA_BYTES_MAX: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


class ConfigMapStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        size = 0
        for key in sorted(data):
            path = field.key("data", key)
            problems += [field.invalid(path, key, text) for text in names.config_map_key(key)]
            if key in binary:
                problems.append(field.invalid(path, key, "duplicate of key present in binaryData"))
            size += len(data[key].encode("utf-8", "surrogatepass"))
        for key in sorted(binary):
            problems += [field.invalid(field.key("binaryData", key), key, text) for text in names.config_map_key(key)]
            size += len(base64.b64decode(binary[key]))
        if size > DATA_BYTES_MAX:
            problems.append(field.too_long("", DATA_BYTES_MAX))
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_immutable(new, old, ("data", "binaryData")) + self.check(new)


def validate_immutable(new: Object, old: Object, members: tuple[str, ...]) -> list[FieldError]:
    """`immutable: true` cannot be taken back and freezes `members` (ConfigMaps and Secrets)."""
    if not old.get("immutable"):
        return []
    problems = []
    if not new.get("immutable"):
        problems.append(field.forbidden("immutable", _IMMUTABLE))
    return problems + [
        field.forbidden(member, _IMMUTABLE) for member in members if (new.get(member) or {}) != (old.get(member) or {})
    ]
