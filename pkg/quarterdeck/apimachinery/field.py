"""Field paths and field errors: what validation returns. Errors are values, collected in lists, never raised.

Source: apimachinery/pkg/util/validation/field (errors.go, path.go).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from quarterdeck.apimachinery import gofmt

NOT_FOUND: Final = "FieldValueNotFound"
REQUIRED: Final = "FieldValueRequired"
DUPLICATE: Final = "FieldValueDuplicate"
INVALID: Final = "FieldValueInvalid"
NOT_SUPPORTED: Final = "FieldValueNotSupported"
FORBIDDEN: Final = "FieldValueForbidden"
TOO_LONG: Final = "FieldValueTooLong"
TOO_MANY: Final = "FieldValueTooMany"
INTERNAL: Final = "InternalError"
TYPE_INVALID: Final = "FieldValueTypeInvalid"

_TITLES: Final = {
    NOT_FOUND: "Not found",
    REQUIRED: "Required value",
    DUPLICATE: "Duplicate value",
    INVALID: "Invalid value",
    NOT_SUPPORTED: "Unsupported value",
    FORBIDDEN: "Forbidden",
    TOO_LONG: "Too long",
    TOO_MANY: "Too many",
    INTERNAL: "Internal error",
    TYPE_INVALID: "Invalid value",
}
_WITHOUT_VALUE: Final = frozenset((REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL))


class _OmitValue:
    """The bad value of an error that does not show one (upstream: field.OmitValueType)."""


OMIT_VALUE: Final = _OmitValue()


class GoText(str):
    """A bad value which stands in the message as it is, unquoted (a Go value printed by its own String or %#v)."""

    __slots__ = ()


NIL_PATH: Final = "<nil>"  # how Go prints an absent path
NAMELESS_PATH: Final = "[]"  # and that of a field whose name is empty


def child(path: str, name: str) -> str:
    """`path.name`; an empty path gives `name`."""
    return f"{path}.{name}" if path else name


def index(path: str, position: int) -> str:
    return f"{path}[{position}]"


def key(path: str, name: str) -> str:
    return f"{path}[{name}]"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One reason why an object is refused.

    `type` is a CauseType (`FieldValueInvalid` …); `path` is dotted, `<nil>` where upstream has none.
    """

    type: str
    path: str
    bad_value: object
    detail: str

    def body(self) -> str:
        """The text without the path (upstream: Error.ErrorBody)."""
        title = _TITLES[self.type]
        if self.type not in _WITHOUT_VALUE and self.bad_value is not OMIT_VALUE:
            title = f"{title}: {_format_bad_value(self.bad_value)}"
        return f"{title}: {self.detail}" if self.detail else title

    def __str__(self) -> str:
        return f"{self.path}: {self.body()}"

    def to_cause(self) -> dict[str, str]:
        return {"reason": self.type, "message": self.body(), "field": self.path}


def _format_bad_value(value: object) -> str:
    if isinstance(value, GoText):
        return str(value)
    if isinstance(value, str):
        return gofmt.quote(value)
    if isinstance(value, float):
        return gofmt.format_float(value)
    return gofmt.format_json(value)


def not_found(path: str, value: object) -> FieldError:
    return FieldError(NOT_FOUND, path, value, "")


def required(path: str, detail: str = "") -> FieldError:
    return FieldError(REQUIRED, path, "", detail)


def duplicate(path: str, value: object) -> FieldError:
    return FieldError(DUPLICATE, path, value, "")


def invalid(path: str, value: object, detail: str) -> FieldError:
    return FieldError(INVALID, path, value, detail)


def type_invalid(path: str, value: object, detail: str) -> FieldError:
    return FieldError(TYPE_INVALID, path, value, detail)


def not_supported(path: str, value: object, supported: list[str]) -> FieldError:
    """`supported` in the order in which it is to be shown (upstream sorts where its source is a set)."""
    detail = "supported values: " + ", ".join(map(gofmt.quote, supported)) if supported else ""
    return FieldError(NOT_SUPPORTED, path, value, detail)


def named(value: str | None) -> str | GoText | None:
    """A text whose type Go has a name for, or that is behind a pointer, as a bad value: it is shown as JSON."""
    if value is None:
        return None
    shown = gofmt.format_json(value)
    return value if shown == gofmt.quote(value) else GoText(shown)


def not_among(path: str, value: str, supported: list[str]) -> FieldError:
    """`not_supported` of a value whose type Go has a name for."""
    return not_supported(path, named(value), supported)


def forbidden(path: str, detail: str) -> FieldError:
    return FieldError(FORBIDDEN, path, "", detail)


def too_long(path: str, bytes_max: int) -> FieldError:
    word = "byte" if bytes_max == 1 else "bytes"
    detail = f"may not be more than {bytes_max} {word}" if bytes_max >= 0 else "value is too long"
    return FieldError(TOO_LONG, path, "", detail)


def too_many(path: str, actual: int, items_max: int) -> FieldError:
    word = "item" if items_max == 1 else "items"
    detail = f"must have at most {items_max} {word}" if items_max >= 0 else "has too many items"
    return FieldError(TOO_MANY, path, actual, detail)


def internal(path: str, detail: str) -> FieldError:
    return FieldError(INTERNAL, path, None, detail)


def aggregate_message(errors: list[FieldError]) -> str:
    """All errors as one text: repeated ones once, brackets around several (upstream: errors.Aggregate)."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
