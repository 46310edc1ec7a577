"""The schemas of a definition that is served, read when something is made of them.

A decoded schema takes several times the memory of its text, and most definitions of a cluster are hardly used. So what
serves a definition keeps no schema: it reads them from the stored bytes, which the watch cache keeps anyway, compiles
what it needs and lets them go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels import jsoncut
from quarterdeck.apiextensions.complete import complete
from quarterdeck.apiextensions.rules import RULES, Rules
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.schema import structural

if TYPE_CHECKING:
    from quarterdeck.apiextensions.ruletimes import RuleTimes
    from quarterdeck.cel.counted import CountOf

Schema = dict[str, Any]

_VERSIONS: Final = (b"spec", b"versions", None)
SCHEMAS: Final = (*_VERSIONS, b"schema")  # where the schemas of a stored definition stand
_SCHEMA: Final = (b"schema", b"openAPIV3Schema")
_RULES_TEXT: Final = f'"{RULES}":'.encode()
_DEFAULT_TEXT: Final = b'"default":'


class StoredSchemas:
    """`data` is the definition as it is stored. It may be replaced by a later one whose spec is the same, so that the
    bytes are shared with the cache. `count_rules` gives for a version what counts the evaluations of its rules, where
    somebody wants to know. `preserves`: the definition is from before schemas had to be structural, and keeps unknown
    fields (`preserveUnknownFields`). `is_doubtful`: some of its schemas may not be structural, as of any that
    preserves."""

    __slots__ = ("count_rules", "data", "is_doubtful", "preserves")

    def __init__(
        self,
        data: bytes,
        count_rules: Callable[[str], CountOf] | None = None,
        *,
        preserves: bool = False,
        is_doubtful: bool = False,
    ) -> None:
        self.data = data
        self.count_rules = count_rules
        self.preserves = preserves
        self.is_doubtful = is_doubtful or preserves

    def texts(self) -> dict[str, bytes]:
        """The versions as they are stored, by their names."""
        return {load_small(text, (b"schema",))["name"]: text for text in _texts_of_versions(self.data)}

    def find(self, version: str) -> Schema | None:
        """The openAPIV3Schema of a version; None where it has none."""
        return schema_of(json_codec.load(self.texts()[version]))

    def find_structural(self, version: str) -> Schema | None:
        """Likewise, and None where nothing is made of it but validation."""
        schema = self.find(version)
        return None if schema is not None and self.is_doubtful and not structural.is_structural(schema) else schema

    def read(self, version: str) -> Schema:
        return self.find(version) or {}


class StoredRules:
    """The x-kubernetes-validations of one version, compiled at the first object that is written."""

    __slots__ = ("_rules", "_schemas", "_times", "_version")

    def __init__(self, schemas: StoredSchemas, version: str, times: RuleTimes) -> None:
        self._schemas = schemas
        self._version = version
        self._times = times
        self._rules: Rules | None = None

    @property
    def is_read(self) -> bool:
        return self._rules is not None

    def validate(self, obj: Any, old: Any, warnings: list[str]) -> Any:
        """As Rules.validate."""
        if self._rules is None:
            schemas, version = self._schemas, self._version
            counting = None if schemas.count_rules is None else schemas.count_rules(version)
            self._rules = Rules(schemas.read(version), self._times, counting)
        return self._rules.validate(obj, old, warnings)


def schema_of(version: Any) -> Schema | None:
    schema: Schema | None = (version.get("schema") or {}).get("openAPIV3Schema")
    return schema


def look_into(text: bytes) -> tuple[bool, bool]:
    """Whether a version, as it is stored, has rules, and whether it has defaults. Of many the text tells that they have
    neither."""
    if _RULES_TEXT not in text and _DEFAULT_TEXT not in text:
        return False, False
    try:
        return _read_rules_and_defaults(text)
    except ValueError:  # with blanks
        return _read_rules_and_defaults(json_codec.encode(json_codec.load(text)))


def _read_rules_and_defaults(text: bytes) -> tuple[bool, bool]:
    schemas = jsoncut.values(text, _SCHEMA)
    return jsoncut.rules_and_defaults(schemas[0]) if schemas else (False, False)


def load_without_schemas(data: bytes) -> dict[str, Any]:
    """A stored definition with null for its schemas, which are nearly all of it; it lacks nothing of its type."""
    return complete(load_small(data, SCHEMAS))


def load_small(data: bytes, left_out: tuple[bytes | None, ...]) -> dict[str, Any]:
    """What is left out is null; it is there where another server has stored the text with blanks."""
    try:
        data = jsoncut.without(data, left_out)
    except ValueError:
        pass  # with blanks
    return json_codec.load(data)


def _texts_of_versions(data: bytes) -> list[bytes]:
    try:
        return jsoncut.values(data, _VERSIONS)
    except ValueError:
        return [json_codec.encode(version) for version in json_codec.load(data)["spec"]["versions"]]
