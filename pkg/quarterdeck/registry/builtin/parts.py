"""What the scopes of a built-in resource are made of that is the same for every server of a process.

A process may have many servers (logical clusters): what a kind is, how it is read, written and shown, and who owns its
fields is made once, where its definition says that it is shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.apis.resource import APIResource
from quarterdeck.discovery.documents import storage_version_hash
from quarterdeck.fieldmanager import builtin as builtin_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.fieldmanager.types import TypeSchema
from quarterdeck.registry.builtin import comparing
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.convertingcodec import ConvertedForm, ConvertingCodec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.scale import split_json_path
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gotypes
from quarterdeck.storage.cacher import StoredForm

# Versions that servers of the release before cannot read are not stored yet (upstream: emulatedStorageVersion), nor is
# the longer one of definitions (upstream: createAPIExtensionsConfig).
STORED_IN: Final = {
    "CustomResourceDefinition": "apiextensions.k8s.io/v1beta1",
    "MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1",
    "MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1",
}


class Parts(NamedTuple):
    """`form` gives the bytes of an object. `shown_form`: rows are made of what is stored, in whatever version they are
    asked for."""

    resource: APIResource
    codec: BuiltinCodec
    form: StoredForm
    shown_form: StoredForm | None
    ownership: FieldManager


_shared: dict[tuple[str, str, str], tuple[Definition, Parts]] = {}


def find_parts(definition: Definition) -> Parts:
    if not definition.is_shared:
        return _build(definition)
    resource = definition.resource
    address = resource.group, resource.version, resource.name
    known = _shared.get(address)
    if known is None or known[0] is not definition:
        known = _shared[address] = definition, _build(definition)
    return known[1]


def find_resource(definition: Definition) -> APIResource:
    return find_parts(definition).resource if definition.is_shared else _with_hash(definition)


def _build(definition: Definition) -> Parts:
    resource, scale, versions = _with_hash(definition), definition.scale, definition.versions
    codec, form = _build_codec(definition)
    ownership = FieldManager(
        _types_of(definition),
        comparing.reading(versions.convert_compared or versions.convert, resource.kind) if versions else _same,
        kind=resource.kind,
        is_builtin=True,
        reset_fields=builtin_fields.reset_fields(_versions_of(definition), resource.kind, definition.subresources),
        scale_paths={resource.api_version: tuple(split_json_path(scale.spec_replicas)) if scale else None},
    )
    shown_form = StoredForm(versions.stored, resource.kind) if versions and definition.is_converted else None
    return Parts(resource, codec, form, shown_form, ownership)


def _build_codec(definition: Definition) -> tuple[BuiltinCodec, StoredForm]:
    resource, make_struct, make_empty = definition.resource, definition.make_struct, definition.make_empty
    api_version, kind = resource.api_version, resource.kind
    if definition.is_converted and definition.versions is not None:
        versions, default, note = definition.versions, definition.default, definition.note
        converting = ConvertingCodec(api_version, kind, make_struct, versions, default, note, definition.spelling)
        return converting, ConvertedForm(api_version, kind, converting, make_empty)
    codec = BuiltinCodec(
        api_version,
        kind,
        make_struct,
        definition.default,
        definition.note,
        definition.spelling,
        keeps_empty_lists=definition.keeps_empty_lists,
        mark_changed=definition.mark_changed,
    )
    return codec, StoredForm(api_version, kind, definition.hidden_annotation, make_empty)


def _with_hash(definition: Definition) -> APIResource:
    resource, versions = definition.resource, definition.versions
    kept = versions.stored if versions else resource.api_version
    return _add_hash(resource, STORED_IN.get(resource.kind, kept))


@cache
def _add_hash(resource: APIResource, stored: str) -> APIResource:
    """The same for all servers of a process."""
    group, _, version = stored.rpartition("/")
    return replace(resource, storage_version_hash=storage_version_hash(group, version, resource.kind))


def _types_of(definition: Definition) -> Callable[[str], TypeSchema | None]:
    """The types that owned fields may be of, by version, each made when it is first asked for. None of another group:
    as upstream, a write forgets who owns fields there."""
    resource, known = definition.resource, _versions_of(definition)

    @cache
    def type_of(api_version: str) -> TypeSchema | None:
        if api_version == resource.api_version:
            return builtin_fields.from_go_type(definition.make_struct())
        if api_version in known:
            return builtin_fields.from_go_type(gotypes.struct_of(api_version, resource.kind))
        return None

    return type_of


def _versions_of(definition: Definition) -> list[str]:
    """The versions of a kind that its group has."""
    resource, versions = definition.resource, definition.versions
    every = (versions.stored, *versions.others) if versions else (resource.api_version,)
    return [each for each in every if split_api_version(each)[0] == resource.group]


def _same(obj: Object, _api_version: str) -> Object:
    return obj
