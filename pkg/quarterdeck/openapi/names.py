"""The names in OpenAPI documents: definitions, operations, tags.

Sources: kube-openapi/pkg/util/util.go (ToRESTFriendlyName), apiserver/pkg/endpoints/openapi/openapi.go
(GetOperationIDAndTags, ToValidOperationID), apiserver/pkg/endpoints/installer.go (GetArticleForNoun).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

META_PREFIX: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."

# Groups, versions and verbs with kinds: the same ones come in every operation of a resource.
_WORDS_MAX: Final = 1024

_OPERATION_PREFIXES: Final = (
    "read",
    "log",
    "watch",
    "proxy",
    "replace",
    "patch",
    "create",
    "delete",
    "list",
    "connect",
    "get",
)


def definition_name(group: str, version: str, kind: str) -> str:
    """`dev.example.v1.Widget` for the group example.dev: the group's labels turned around."""
    return ".".join([*reversed(group.split(".")), version, kind])


@lru_cache(_WORDS_MAX)
def operation_word(text: str, *, capitalize: bool) -> str:
    """`text` as part of an operation id: letters, digits and _, each word after the first capitalized."""
    out: list[str] = []
    for position, char in enumerate(text):
        if char.isalpha() or char == "_" or (position and char.isdecimal()):
            out.append(char.upper() if capitalize else char)
            capitalize = False
        else:
            capitalize = True
    return "".join(out)


def tag(group: str, version: str) -> str:
    return f"{operation_word(_trim(group), capitalize=False)}_{operation_word(version, capitalize=False)}"


def operation_id(group: str, version: str, operation: str) -> str:
    """`listNamespacedWidget` becomes `listExampleDevV1NamespacedWidget`."""
    verb = next((prefix for prefix in _OPERATION_PREFIXES if operation.startswith(prefix)), "")
    words = (_trim(group), version, operation[len(verb) :])
    for word in words:
        verb += operation_word(word, capitalize=bool(verb))
    return verb


def _trim(group: str) -> str:
    return (group or "core").removesuffix(".k8s.io")


def with_article(noun: str) -> str:
    """` a Widget`, ` an Apple`; plurals have no article."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return f" {noun}"
    return f" an {noun}" if noun[:1].lower() in ("a", "e", "i", "o", "u") else f" a {noun}"
