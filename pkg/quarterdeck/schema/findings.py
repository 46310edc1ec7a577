"""What validation found, as records, and how each is worded.

The kernel (and its reference implementation) reports `(code, path, value, limit)`; this module alone turns a record
into a field error. The codes are shared with ext/schema.pyx by number. Texts and their quirks are those of
kube-openapi pkg/validation/errors/schema.go and of kubeOpenAPIResultToFieldErrors in
apiextensions-apiserver/pkg/apiserver/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt, patterns
from quarterdeck.apimachinery.field import FieldError

Finding = tuple[int, str, Any, Any]  # code, path ("" for the root), value, limit

TYPE: Final = 1  # value: the type found; limit: the type asked for
FORMAT: Final = 2  # limit: the format's name
REQUIRED: Final = 3  # value: the missing property's name
ENUM: Final = 4  # limit: the allowed values
TOO_LONG: Final = 5
TOO_SHORT: Final = 6
PATTERN: Final = 7
MULTIPLE_OF: Final = 8
MULTIPLE_NOT_POSITIVE: Final = 9  # value: the factor
MAXIMUM: Final = 10
MAXIMUM_EXCLUSIVE: Final = 11
MINIMUM: Final = 12
MINIMUM_EXCLUSIVE: Final = 13
RANGE: Final = 14  # value: what was checked ("Checked", "MultipleOf" …); limit: (type, format)
MAX_ITEMS: Final = 15
MIN_ITEMS: Final = 16
UNIQUE_ITEMS: Final = 17
MAX_PROPERTIES: Final = 18
MIN_PROPERTIES: Final = 19
FORBIDDEN_PROPERTY: Final = 20  # value: the property's name
ANY_OF: Final = 21
ONE_OF: Final = 22  # value: how many alternatives were valid
ALL_OF: Final = 23  # value: whether none was valid
NOT: Final = 24
DUPLICATE: Final = 25  # a list of type set or map; the path is complete
NOT_AN_OBJECT: Final = 26  # an element of a list of type map


def to_field_errors(findings: Iterable[Finding], base: str = "") -> list[FieldError]:
    """Equal findings are reported once (upstream: Result.AddErrors). `base` is `status` for the status subresource."""
    errors: dict[tuple[str, str, str], FieldError] = {}
    for code, path, value, limit in findings:
        error = _WORDING[code](path, value, limit)
        if base and code not in _COMPLETE_PATHS:
            error = FieldError(error.type, _under(base, error.path), error.bad_value, error.detail)
        errors.setdefault((error.type, error.path, error.detail if error.detail else str(error.bad_value)), error)
    return list(errors.values())


def _under(base: str, path: str) -> str:
    return base if path == field.NIL_PATH else f"{base}.{path}"


def _at(path: str) -> str:
    """The field of an error: schema validation calls the root's children `.name` where the root has no path."""
    return path.removeprefix(".") or field.NIL_PATH


def _type(path: str, value: Any, limit: Any) -> FieldError:
    return field.type_invalid(_at(path), value, f"{path} in body must be of type {limit}: {gofmt.quote(value)}")


def _required(path: str, value: Any, _: Any) -> FieldError:
    return field.required(f"{path}.{value}".removeprefix("."))


def _enum(path: str, value: Any, limit: Any) -> FieldError:
    return field.not_supported(_at(path), value, [v if isinstance(v, str) else gofmt.format_json(v) for v in limit])


def _too_long(path: str, _: Any, limit: Any) -> FieldError:
    return field.too_long(_at(path), limit)


def _should(text: str) -> Callable[[str, Any, Any], FieldError]:
    def word(path: str, value: Any, limit: Any) -> FieldError:
        shown = gofmt.format_value(limit)
        return field.invalid(_at(path), value, f"{path} in body should {text.replace('%', shown)}")

    return word


def _pattern(path: str, value: Any, limit: Any) -> FieldError:
    shown = limit
    try:
        patterns.compile_pattern(limit)
    except patterns.PatternError as error:
        shown = f"{limit}, but pattern is invalid: {error}"
    return field.invalid(_at(path), value, f"{path} in body should match '{shown}'")


def _multiple_not_positive(path: str, value: Any, _: Any) -> FieldError:
    detail = f"factor MultipleOf declared for {path} must be positive: {gofmt.format_value(value)}"
    return field.invalid(_at(path), value, detail)


def _range(path: str, value: Any, limit: Any) -> FieldError:
    type_name, format_name = limit
    form = f"with format {format_name}" if format_name else "(default format)"
    return _general(f"{value} value must be of type {type_name} {form} in {path}")


def _general(detail: str) -> FieldError:
    """Upstream words these as plain errors, so that the field and the value are lost."""
    return field.invalid(field.NIL_PATH, "", detail)


def _too_many(path: str, value: Any, limit: Any) -> FieldError:
    return field.too_many(_at(path), value, limit)


def _unique_items(path: str, _: Any, __: Any) -> FieldError:
    return field.invalid(_at(path), "", f"{path} in body shouldn't contain duplicates")


def _forbidden_property(path: str, value: Any, _: Any) -> FieldError:
    return field.invalid(_at(path), value, f"{path}.{value} in body is a forbidden property")


def _any_of(path: str, _: Any, __: Any) -> FieldError:
    return _general(f"{gofmt.quote(path)} must validate at least one schema (anyOf)")


def _one_of(path: str, value: Any, _: Any) -> FieldError:
    found = f"Found {value} valid alternatives" if value else "Found none valid"
    return _general(f"{gofmt.quote(path)} must validate one and only one schema (oneOf). {found}")


def _all_of(path: str, value: Any, _: Any) -> FieldError:
    return _general(f"{gofmt.quote(path)} must validate all the schemas (allOf){'. None validated' if value else ''}")


def _not(path: str, _: Any, __: Any) -> FieldError:
    return _general(f"{gofmt.quote(path)} must not validate the schema (not)")


def _duplicate(path: str, value: Any, _: Any) -> FieldError:
    return field.duplicate(path, value)


def _not_an_object(path: str, value: Any, _: Any) -> FieldError:
    return field.invalid(path, value, "must be an object for an array of list-type map")


_COMPLETE_PATHS: Final = frozenset((DUPLICATE, NOT_AN_OBJECT))
_WORDING: Final[dict[int, Callable[[str, Any, Any], FieldError]]] = {
    TYPE: _type,
    FORMAT: _type,
    REQUIRED: _required,
    ENUM: _enum,
    TOO_LONG: _too_long,
    TOO_SHORT: _should("be at least % chars long"),
    PATTERN: _pattern,
    MULTIPLE_OF: _should("be a multiple of %"),
    MULTIPLE_NOT_POSITIVE: _multiple_not_positive,
    MAXIMUM: _should("be less than or equal to %"),
    MAXIMUM_EXCLUSIVE: _should("be less than %"),
    MINIMUM: _should("be greater than or equal to %"),
    MINIMUM_EXCLUSIVE: _should("be greater than %"),
    RANGE: _range,
    MAX_ITEMS: _too_many,
    MIN_ITEMS: _should("have at least % items"),
    UNIQUE_ITEMS: _unique_items,
    MAX_PROPERTIES: _too_many,
    MIN_PROPERTIES: _should("have at least % properties"),
    FORBIDDEN_PROPERTY: _forbidden_property,
    ANY_OF: _any_of,
    ONE_OF: _one_of,
    ALL_OF: _all_of,
    NOT: _not,
    DUPLICATE: _duplicate,
    NOT_AN_OBJECT: _not_an_object,
}
