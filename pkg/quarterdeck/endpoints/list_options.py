"""The options of lists and watches (ListOptions) from a query: conversion, defaults, validation, selectors.

Values that cannot be converted are 400 with the converter's text; combinations that are not allowed are 422 of kind
ListOptions. Sources: apimachinery/pkg/apis/meta/internalversion/{defaults,validation/validation}.go,
apiserver/pkg/endpoints/handlers/get.go (ListResource).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from quarterdeck.apimachinery import errors, field, fields, labels, names, requirements
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.options import META_GROUP, parse_bool, parse_optional_bool, parse_optional_int
from quarterdeck.endpoints.query import Query, first
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry import keynames
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import ListOptions, Selection, build_selection

EXACT: Final = "Exact"
NOT_OLDER_THAN: Final = "NotOlderThan"
# What a kind says of a field that it does not know, where that is not what all say (its group's conversion.go).
_UNKNOWN_FIELDS: Final = {
    ("batch", "Job"): "field label {quoted} not supported for Job",
    (
        "resource.k8s.io",
        "ResourceSlice",
    ): "field label not supported for {version}, Kind=ResourceSlice: {label}",
}
_SELECTORS_CACHED_MAX: Final = 4096
_SELECTOR_CACHED_CHARS_MAX: Final = 512


class CollectionOptions(NamedTuple):
    """`list` is what the cache is asked; the rest matters to watches only. `timeout_s` None: not given."""

    list: ListOptions
    timeout_s: int | None
    send_initial_events: bool | None
    allow_bookmarks: bool


def parse_collection_options(query: Query, info: RequestInfo, scope: Scope) -> CollectionOptions:
    """Raises BadRequest, Invalid, Unreasoned."""
    address = info.address
    namespace = address.namespace if scope.resource.namespaced else ""
    if (
        not query
        and namespace not in keynames.DIRECTORIES
        and len(namespace) + len(address.name) <= _SELECTOR_CACHED_CHARS_MAX
    ):
        return _plain_options(namespace, address.name)
    timeout_s = parse_optional_int(query, "timeoutSeconds")
    limit = parse_optional_int(query, "limit") or 0
    selected = _select(namespace, address.name, first(query, "labelSelector"), first(query, "fieldSelector"))
    revision, match = first(query, "resourceVersion"), first(query, "resourceVersionMatch")
    send_initial_events = parse_optional_bool(query, "sendInitialEvents")
    # `watch` of the query counts even where the address is one that always watches.
    is_watch = parse_bool(query, "watch")
    if is_watch and send_initial_events is None and not match and revision in ("", "0"):
        send_initial_events, match = True, NOT_OLDER_THAN
    token = first(query, "continue")
    if match or send_initial_events is not None:
        check = _validate_watch if is_watch else _validate_list
        if problems := check(revision, match, token, send_initial_events):
            raise errors.Invalid.of(META_GROUP, "ListOptions", "", problems)
    selection, has_selectors, by_fields = selected
    if not by_fields.is_empty:
        _check_fields(by_fields, scope)
        if address.name:
            _check_name(by_fields, address.name)
        if not token and not namespace and scope.resource.namespaced:
            namespace = _one_namespace(by_fields)
    if namespace in keynames.DIRECTORIES:
        keynames.check_namespace(scope.store.shown_prefix, namespace, selection.name)
    is_keyed = bool(selection.name and (namespace or not scope.resource.namespaced))
    is_single = is_keyed and not token
    options = ListOptions(namespace, selection, has_selectors, revision, match, limit, token, is_single)
    return CollectionOptions(options, timeout_s, send_initial_events, parse_bool(query, "allowWatchBookmarks"))


@lru_cache(maxsize=1024)
def _plain_options(namespace: str, name: str) -> CollectionOptions:
    selection: Selection = build_selection(namespace, name)
    return CollectionOptions(ListOptions(namespace, selection), None, None, False)


class _Selected(NamedTuple):
    """What is selected at an address. Watches that select the same share it."""

    selection: Selection
    has_selectors: bool
    by_fields: fields.Selector


def _select(namespace: str, name: str, label_text: str, field_text: str) -> _Selected:
    if len(namespace) + len(name) + len(label_text) + len(field_text) > _SELECTOR_CACHED_CHARS_MAX:
        return _parse_selectors(namespace, name, label_text, field_text)
    return _select_shortly(namespace, name, label_text, field_text)


@lru_cache(maxsize=_SELECTORS_CACHED_MAX)
def _select_shortly(namespace: str, name: str, label_text: str, field_text: str) -> _Selected:
    return _parse_selectors(namespace, name, label_text, field_text)


def _parse_selectors(namespace: str, name: str, label_text: str, field_text: str) -> _Selected:
    try:
        by_labels, by_fields = labels.parse(label_text), fields.parse(field_text)
    except requirements.SelectorError as error:
        raise BadRequest(error.message) from error
    selection = build_selection(namespace, name, by_labels, by_fields)
    return _Selected(selection, not (by_labels.is_empty and by_fields.is_empty), by_fields)


def _forbid(text: str) -> field.FieldError:
    return field.forbidden("resourceVersionMatch", text)


def _validate_list(revision: str, match: str, token: str, send_initial_events: bool | None) -> list[field.FieldError]:
    problems = []
    if match:
        if not revision:
            problems.append(_forbid("resourceVersionMatch is forbidden unless resourceVersion is provided"))
        if token:
            problems.append(_forbid("resourceVersionMatch is forbidden when continue is provided"))
        if match not in (EXACT, NOT_OLDER_THAN):
            problems.append(field.not_among("resourceVersionMatch", match, [EXACT, NOT_OLDER_THAN, ""]))
        if match == EXACT and revision == "0":
            problems.append(_forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    if send_initial_events is not None:
        problems.append(field.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return problems


def _validate_watch(revision: str, match: str, token: str, send_initial_events: bool | None) -> list[field.FieldError]:
    problems = []
    if send_initial_events is not None and match != NOT_OLDER_THAN:
        problems.append(_forbid(f"sendInitialEvents requires setting resourceVersionMatch to {NOT_OLDER_THAN}"))
    if match:
        if send_initial_events is None:
            problems.append(_forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
        if match != NOT_OLDER_THAN:
            problems.append(field.not_among("resourceVersionMatch", match, [NOT_OLDER_THAN]))
        if token:
            problems.append(_forbid("resourceVersionMatch is forbidden when continue is provided"))
    return problems


def _check_fields(selector: fields.Selector, scope: Scope) -> None:
    """Only the fields that a resource knows can be selected by."""
    try:
        if scope.is_custom or scope.selectable_fields:
            supported = {fields.METADATA_NAME, *scope.selectable_fields}
            if scope.resource.namespaced:
                supported.add(fields.METADATA_NAMESPACE)
            wording = "" if scope.is_custom else _UNKNOWN_FIELDS.get((scope.resource.group, scope.resource.kind), "")
            fields.check_supported(selector, supported, wording, scope.resource.api_version)
        else:
            fields.check_metadata_only(selector)
    except requirements.SelectorError as error:
        raise BadRequest(error.message) from error


def _one_namespace(selector: fields.Selector) -> str:
    """The namespace to which a selector narrows a list of all, "": none. The token that such a list gives is relative
    to it, though the pages after the first list all again (MatchesSingleNamespace)."""
    namespace = selector.exact_value(fields.METADATA_NAMESPACE) or ""
    return "" if names.namespace_name(namespace) else namespace


def _check_name(selector: fields.Selector, name: str) -> None:
    """The address of one object and a field selector have to agree."""
    if selector.exact_value(fields.METADATA_NAME) != name:
        raise BadRequest("fieldSelector metadata.name doesn't match requested name")
