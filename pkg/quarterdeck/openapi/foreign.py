"""What another server publishes of one version, as a contribution to this server's OpenAPI v2 document.

Types that this server's library has stand for theirs of the same name. Another definition whose name is taken gets the
next name that is free (`…_v2`), and so do the references to it; so does a parameter that says something else.

Source: kube-openapi/pkg/aggregator/aggregator.go (MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, Final

import orjson

from quarterdeck.openapi.contributions import Built
from quarterdeck.openapi.form import Form
from quarterdeck.transport.pieces import compress

_BUILT_MAX: Final = 4  # names seldom clash, and hardly ever in changing ways

_Renames = tuple[tuple[str, str], ...]


class ForeignContribution:
    """`names` are those of its definitions, but for the library's; `digest` changes with what is published."""

    def __init__(self, body: bytes, prefix: str) -> None:
        """`prefix`: the path of the version. Raises ValueError. May be made beside the event loop."""
        # Imported late, as for all documents: servers without others pay nothing.
        from quarterdeck.openapi import builtin_types, foreign_read

        parts = foreign_read.read(body, prefix)
        library = builtin_types.library()
        self.needed = frozenset(name for name in parts.definitions if name in library)
        self._paths = parts.paths
        self._definitions = {name: each for name, each in parts.definitions.items() if name not in library}
        self._parameters = parts.parameters
        self.names = frozenset(self._definitions)
        self.digest = hashlib.sha256(orjson.dumps([self._paths, self._definitions, self._parameters])).digest()
        self._built: dict[tuple[Form, _Renames], Built] = {}
        for form in (Form.JSON_2, Form.PROTOBUF_2):
            self.build(form, frozenset())

    def build(self, form: Form, taken: AbstractSet[str], shared: Mapping[str, Any] = MappingProxyType({})) -> Built:
        """`taken`: names of definitions that stand for something else in the document; `shared`: its parameters."""
        renames = self.rename(taken)
        if shared:
            renames += self._rename_parameters(dict(renames), shared)
        built = self._built.get((form, renames))
        if built is None:
            if len(self._built) >= _BUILT_MAX:
                self._built.pop(next(iter(self._built)))
            built = self._built[form, renames] = self._encode(form, dict(renames))
        return built

    def rename(self, taken: AbstractSet[str]) -> _Renames:
        """The references to definitions that change, in order, each with its new one."""
        from quarterdeck.openapi.foreign_read import DEFINITION

        return _rename(DEFINITION, self.names & taken, taken | self.names)

    def _rename_parameters(self, renames: dict[str, str], shared: Mapping[str, Any]) -> _Renames:
        from quarterdeck.openapi.foreign_read import PARAMETER

        parameters = _refer(self._parameters, renames) if renames else self._parameters
        clashing = {name for name, each in parameters.items() if shared.get(name, each) != each}
        return _rename(PARAMETER, clashing, shared.keys() | parameters.keys())

    def _encode(self, form: Form, renames: dict[str, str]) -> Built:
        from quarterdeck.openapi import protobuf_v2
        from quarterdeck.openapi.foreign_read import DEFINITION, PARAMETER

        paths, definitions, parameters = self._paths, self._definitions, self._parameters
        if renames:
            paths = _refer(paths, renames)
            definitions = _refer_by_name(definitions, DEFINITION, renames)
            parameters = _refer_by_name(parameters, PARAMETER, renames)
        if form is Form.PROTOBUF_2:
            written = protobuf_v2.encode_paths(paths), protobuf_v2.encode_definitions(definitions)
        else:
            written = orjson.dumps(paths)[1:-1], orjson.dumps(definitions)[1:-1]
        return Built(compress(written[0]), compress(written[1]), self.needed, frozenset(definitions), parameters)


def _rename(prefix: str, clashing: AbstractSet[str], used: AbstractSet[str]) -> _Renames:
    renames = []
    for name in sorted(clashing):
        number = 2
        while (new := f"{name}_v{number}") in used:
            number += 1
        used = used | {new}
        renames.append((prefix + name, prefix + new))
    return tuple(renames)


def _refer_by_name(told: dict[str, Any], prefix: str, renames: dict[str, str]) -> dict[str, Any]:
    """The same under the names that it is referred to by."""
    return {
        renames.get(prefix + name, prefix + name).removeprefix(prefix): _refer(each, renames)
        for name, each in told.items()
    }


def _refer(value: Any, renames: dict[str, str]) -> Any:
    """The same with other references. As deep as foreign_read lets it be."""
    if isinstance(value, list):
        return [_refer(each, renames) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _refer(each, renames) if isinstance(each, dict | list) else each for name, each in value.items()}
    reference = found.get("$ref")
    if isinstance(reference, str) and (new := renames.get(reference)) is not None:
        found["$ref"] = new
    return found
