"""The options of a request (CreateOptions, UpdateOptions, PatchOptions, GetOptions) from its query.

A value that cannot be converted is 400 with Go's strconv text; a value that is not allowed is 422 of the options' own
kind. Source: apimachinery/pkg/apis/meta/v1/{conversion,types}.go, meta/v1/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from quarterdeck.apimachinery import errors, field, gotext, strconv
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.query import Query, first, parse_query

META_GROUP: Final = "meta.k8s.io"
FIELD_MANAGER_BYTES_MAX: Final = 128

_QUERIES_CACHED_MAX: Final = 256
_QUERY_CACHED_CHARS_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What create, update and patch have in common. `field_validation` is Ignore, Warn or Strict."""

    dry_run: bool
    field_manager: str
    field_validation: str
    force: bool | None = None
    given_dry_run: tuple[str, ...] = ()
    given_validation: str = ""

    def describe(self, operation: str) -> dict[str, Any]:
        """The options as admission sees them: a patch has those of the create or update that it becomes."""
        described: dict[str, Any] = {
            "kind": "CreateOptions" if operation == "CREATE" else "UpdateOptions",
            "apiVersion": f"{META_GROUP}/v1",
        }
        if self.given_dry_run:
            described["dryRun"] = list(self.given_dry_run)
        if self.field_manager:
            described["fieldManager"] = self.field_manager
        if self.given_validation:
            described["fieldValidation"] = self.given_validation
        return described


_PLAIN_WRITE: Final = WriteOptions(dry_run=False, field_manager="", field_validation="Warn")


def parse_create_options(query: Query) -> WriteOptions:
    return _parse_write_options(query, "CreateOptions")


def parse_update_options(query: Query) -> WriteOptions:
    return _parse_write_options(query, "UpdateOptions")


def read_patch_options(text: str, *, is_apply: bool) -> WriteOptions:
    """The options of a query string. They are cached: a client sends the same string again and again."""
    if len(text) > _QUERY_CACHED_CHARS_MAX:
        return parse_patch_options(parse_query(text), is_apply=is_apply)
    return _read_patch_options(text, is_apply)


@lru_cache(maxsize=_QUERIES_CACHED_MAX)
def _read_patch_options(text: str, is_apply: bool) -> WriteOptions:
    return parse_patch_options(parse_query(text), is_apply=is_apply)


def parse_patch_options(query: Query, *, is_apply: bool) -> WriteOptions:
    force = parse_optional_bool(query, "force")
    problems: list[field.FieldError] = []
    if is_apply:
        if not first(query, "fieldManager"):
            problems.append(field.required("fieldManager", "is required for apply patch"))
    elif force is not None:
        problems.append(field.forbidden("force", "may not be specified for non-apply patch"))
    options = _parse_write_options(query, "PatchOptions", problems)
    return options if force is None else replace(options, force=force)


def _parse_write_options(query: Query, kind: str, problems: list[field.FieldError] | None = None) -> WriteOptions:
    if not query and not problems:
        return _PLAIN_WRITE
    problems = problems if problems is not None else []
    manager = first(query, "fieldManager")
    problems += _validate_field_manager(manager)
    problems += validate_dry_run(query.get("dryRun", []))
    validation = first(query, "fieldValidation")
    if validation not in ("", "Ignore", "Strict", "Warn"):
        problems.append(field.not_supported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]))
    if problems:
        raise errors.Invalid.of(META_GROUP, kind, "", problems)
    dry_run = tuple(query.get("dryRun", ()))
    return WriteOptions(
        bool(dry_run), manager, validation or "Warn", given_dry_run=dry_run, given_validation=validation
    )


def _validate_field_manager(manager: str) -> list[field.FieldError]:
    problems = []
    if len(manager.encode("utf-8", "surrogatepass")) > FIELD_MANAGER_BYTES_MAX:
        problems.append(field.too_long("fieldManager", FIELD_MANAGER_BYTES_MAX))
    position = 0  # in bytes
    for char in "" if gotext.is_printable(manager) else manager:
        if not gotext.is_printable(char):
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            problems.append(field.invalid("fieldManager", manager, detail))
        position += len(char.encode("utf-8", "surrogatepass"))
    return problems


def validate_dry_run(values: list[str]) -> list[field.FieldError]:
    if all(value == "All" for value in values):
        return []
    return [field.not_supported("dryRun", values, ["All"])]


def parse_bool(query: Query, name: str) -> bool:
    return name in query and parse_optional_bool(query, name) is True


def parse_optional_bool(query: Query, name: str) -> bool | None:
    """Anything but "0" and "false" is true; an empty value too (upstream: Convert_Slice_string_To_bool)."""
    values = query.get(name)
    if not values:
        return None
    return values[0].lower() not in ("0", "false")


def parse_optional_int(query: Query, name: str) -> int | None:
    """An empty value is no number. Raises BadRequest with strconv's text."""
    values = query.get(name)
    if not values:
        return None
    try:
        return strconv.parse_int(values[0])
    except strconv.NumError as error:
        raise BadRequest(str(error)) from error
