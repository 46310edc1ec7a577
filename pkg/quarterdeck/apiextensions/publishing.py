"""What OpenAPI shows of a definition's version.

Of a schema that is not structural it shows nothing. Only one that another hand has stored can be so; the condition
NonStructuralSchema tells of which definitions that has to be found out.
Source: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go (generateBuilder).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Any

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions import versions as versions_of
from quarterdeck.apiextensions.schemas import StoredSchemas
from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi.publication import Published

Definition = Mapping[str, Any]


def is_doubtful(definition: Definition) -> bool:
    """Whether some of its schemas may not be structural."""
    return conditions.find(definition, conditions.NON_STRUCTURAL_SCHEMA) is not None


def publish(resource: APIResource, version: Definition, schemas: StoredSchemas, text: bytes) -> Published:
    """The version's part in OpenAPI. `text`: the version as it is stored."""
    return Published(
        resource,
        partial(schemas.find_structural, version["name"]),
        is_custom=True,
        preserves=schemas.preserves,
        selectable=tuple(path.removeprefix(".") for path in versions_of.selectable_paths(version)),
        digest=hashlib.sha256(b"%b%d%d" % (text, schemas.preserves, schemas.is_doubtful)).hexdigest(),
    )
