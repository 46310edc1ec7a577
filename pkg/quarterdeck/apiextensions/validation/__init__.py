"""Checks of CustomResourceDefinitions, with kube-apiserver's exact causes.

    definition.py    create, update, status: what calls what
    names.py         names, group, scope, versions' names, deprecation
    schemas.py       one openAPIV3Schema: structural rules, keywords, list and map types, defaults, rules
    paths.py         JSON paths of scale, printer columns and selectable fields
    conversion.py    the conversion webhook
    internal.py      how upstream's internal Go structs print as bad values

Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (1.36).
"""

from quarterdeck.apiextensions.validation.defaults import Allowance, TakesLong
from quarterdeck.apiextensions.validation.definition import (
    validate_definition,
    validate_definition_update,
    validate_status_update,
    warnings_of,
)

__all__ = [
    "Allowance",
    "TakesLong",
    "validate_definition",
    "validate_definition_update",
    "validate_status_update",
    "warnings_of",
]
