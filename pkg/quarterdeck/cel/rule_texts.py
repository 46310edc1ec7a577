"""What is wrong with the texts of rules before anything is compiled, and rules as error messages show them.

Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.apimachinery import field as fields
from quarterdeck.apimachinery import gofmt, gotext
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.cel import field_path
from quarterdeck.cel.rule_tree import Schema

_REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_NEWLINES = re.compile(r"[\n\r]")


def go_rule(raw: Schema) -> GoText:
    """A rule as upstream prints its Go value."""
    shown = {
        "Rule": raw.get("rule") or "",
        "Message": raw.get("message") or "",
        "MessageExpression": raw.get("messageExpression") or "",
        "Reason": raw.get("reason"),
        "FieldPath": raw.get("fieldPath") or "",
        "OptionalOldSelf": raw.get("optionalOldSelf"),
    }
    return GoText("{" + ",".join(f'"{k}":{gofmt.format_json(v)}' for k, v in shown.items()) + "}")


def validate_texts(rules: list[Schema], node: Schema, path: str, *, has_fields: bool = True) -> list[FieldError]:
    """What is wrong with the rules of a schema before anything is compiled; they stand at `path`. `has_fields`: the
    schema can be asked for its fields, so that a rule's fieldPath has to lead to one."""
    faults: list[FieldError] = []
    for i, raw in enumerate(rules):
        at = f"{path}[{i}]"
        rule, message = raw.get("rule") or "", raw.get("message") or ""
        if not gotext.strip(rule):
            faults.append(fields.required(f"{at}.rule", "rule is not specified"))
        elif message and not gotext.strip(message):
            faults.append(fields.invalid(f"{at}.message", message, "must be non-empty if specified"))
        elif _NEWLINES.search(gotext.strip(message)):
            faults.append(fields.invalid(f"{at}.message", message, "must not contain line breaks"))
        elif _NEWLINES.search(gotext.strip(rule)) and not gotext.strip(message):
            faults.append(fields.required(f"{at}.message", "message must be specified if rule contains line breaks"))
        expression = raw.get("messageExpression") or ""
        if expression and not gotext.strip(expression):
            faults.append(
                fields.required(f"{at}.messageExpression", "messageExpression must be non-empty if specified")
            )
        reason = raw.get("reason")
        if reason is not None and reason not in _REASONS:
            faults.append(fields.not_among(f"{at}.reason", reason, list(_REASONS)))
        faults += _path_faults(raw.get("fieldPath") or "", node if has_fields else None, f"{at}.fieldPath")
    return faults


def _path_faults(path: str, node: Schema | None, at: str) -> list[FieldError]:
    faults = []
    if path and not gotext.strip(path):
        faults.append(fields.invalid(at, path, "must be non-empty if specified"))
    if _NEWLINES.search(path):
        faults.append(fields.invalid(at, path, "must not contain line breaks"))
    if path and node is not None and field_path.normalize(path, node) is None:
        faults.append(fields.invalid(at, path, "must be a valid path"))
    return faults
