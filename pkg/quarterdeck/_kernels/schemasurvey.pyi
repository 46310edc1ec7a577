"""One look at a whole schema of a definition. Body: ext/schemasurvey.pyx.

Nearly all schemas are in order, and those that check them have much to say and much to remember of each place. This
tells of nearly all of them that nobody has anything to say.
"""

from typing import Any, final

@final
class Survey:
    """Of a decoded JSONSchemaProps (v1), of any depth. `has_rules`: there are x-kubernetes-validations, wherever a
    schema may stand.

    `is_ordinary`: no check of structural schemas, and none of a schema's keywords, objects to what stands in it, but
    for what is left to be looked at: `patterns` have to compile, the schemas in `merging` say how their lists and maps
    merge or have rules, those in `defaults` have one. `formats` are those that are named, each behind its type. Where
    it is false they may object or not, and some may be missing. What is asked of the root alone (its type, its
    metadata) is not looked at."""

    def __init__(self, root: dict[str, Any]) -> None: ...
    @property
    def is_ordinary(self) -> bool: ...
    @property
    def has_rules(self) -> bool: ...
    @property
    def formats(self) -> set[tuple[str, str]]: ...
    @property
    def patterns(self) -> set[str]: ...
    @property
    def merging(self) -> list[dict[str, Any]]: ...
    @property
    def defaults(self) -> list[dict[str, Any]]: ...
