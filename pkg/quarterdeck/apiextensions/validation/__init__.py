"""Checks of CustomResourceDefinitions, with kube-apiserver's exact causes.

    definition.py    create, update, status: what calls what
    names.py         names, group, scope, deprecation
    schemas.py       one openAPIV3Schema: structural rules, keywords, rules of CEL
    merging.py       list types, map types, keys
    defaults.py      where defaults stand, and what is asked of them
    values.py        one default as a value of its schema
    formats.py       formats that nobody knows
    paths.py         JSON paths of scale, printer columns and selectable fields
    conversion.py    the conversion webhook
    internal.py      how upstream's internal Go structs print as bad values
    subschemas.py    all schemas in a schema
    hoisting.py      what all versions have in common
    tolerance.py     what an update may leave wrong

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
