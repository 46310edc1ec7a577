"""The schemas of pods, services and deployments, written from the protobuf tables: the same fields, without prose.

Differs from upstream: fields and types have no descriptions.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery.codec import protobuf_types
from quarterdeck.apimachinery.codec.protobuf_types import Field, Message
from quarterdeck.apimachinery.patch.mergekeys import strategy_of
from quarterdeck.schema.gomarkers import ATOMIC_MAPS, ATOMIC_STRUCTS, LIST_MAPS, SETS

_CORE: Final = "io.k8s.api.core.v1"
_APPS: Final = "io.k8s.api.apps.v1"
_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING: Final = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_KINDS: Final = (
    ("v1", "Pod", "A collection of containers that run on one host. Nobody runs them here."),
    ("v1", "Service", "A named port of a set of pods. Nobody routes to them here."),
    ("apps/v1", "Deployment", "Pods that are replaced as they are described. Nobody rolls them out here."),
)
# In other modules of the library.
_ELSEWHERE: Final = frozenset(
    ("ObjectMeta", "LabelSelector", "LabelSelectorRequirement", "Condition", "LocalObjectReference", "ObjectReference")
)
_META: Final = frozenset(("ObjectMeta", "LabelSelector", "LabelSelectorRequirement", "Condition"))
_SCALARS: Final = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "bytes": "bytes",
    "Time": "Time",
    "MicroTime": "MicroTime",
    "Quantity": _QUANTITY,
    "IntOrString": _INT_OR_STRING,
}
_FIXED: Final = """
package io.k8s.apimachinery.pkg.api.resource
Quantity = string # A fixed-point number with a suffix.

package io.k8s.apimachinery.pkg.util.intstr
IntOrString = string int-or-string # A number, or a text such as 25% or the name of a port.
"""


def build_text() -> str:
    parts = [_FIXED]
    done = set(_ELSEWHERE)
    for api_version, kind, text in _KINDS:
        waiting = [protobuf_types.message_of(api_version, kind)]
        while waiting:
            message = waiting.pop()
            if message.name in done:
                continue
            done.add(message.name)
            # What only core has in its table is core's, whoever refers to it.
            home = _home(message.name)
            head = f"{kind} gvk={api_version if '/' in api_version else '/' + api_version} # {text}"
            atomic = " @atomic" if message.name in ATOMIC_STRUCTS else ""
            lines = [f"package {home}", head if message.name == kind else f"{message.name}{atomic}"]
            for owner, field in _fields(message):
                lines.append(_line(owner, field))
                if isinstance(field.type, Message):
                    waiting.append(field.type)
            parts.append("\n".join(lines))
    return "\n".join(parts) + "\n"


def _home(name: str) -> str:
    if name in _META:
        return ""
    return _APPS if name.startswith(("Deployment", "RollingUpdate")) else _CORE


def _fields(message: Message) -> list[tuple[str, Field]]:
    """Each with the type that declares it, which may be inlined; in the order of their names, as upstream has them."""
    found: list[tuple[str, Field]] = []
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            found += _fields(field.type)
        else:
            found.append((message.name, field))
    return sorted(found, key=lambda each: each[1].name)


def _line(owner: str, field: Field) -> str:
    if isinstance(field.type, Message):
        home = _home(field.type.name)
        name = f"{home}.{field.type.name}" if home else field.type.name
    else:
        name = _SCALARS[field.type]
    words = ""
    place = (owner, field.name)
    if field.is_list:
        name = f"[{name}]"
        keys = LIST_MAPS.get(place)
        words = f" @map({','.join(keys)})" if keys else (" @set" if place in SETS else " @atomic")
        strategy = strategy_of(owner, field.name)
        if strategy.merges:
            words += f" @merge({strategy.merge_key})" if strategy.merge_key else " @merge"
    elif field.is_map:
        name = f"{{{name}}}"
        words = " @atomic" if place in ATOMIC_MAPS else ""
    return f"  {field.name} {name}{words}"
