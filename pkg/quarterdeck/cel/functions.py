"""What functions do: each overload's implementation and how a call of it is paid.

An overload that is not here is an operator, which the compiler turns into a node of its own.
Costs: cel-go's interpreter/runtimecost.go, apiserver's pkg/cel/library/cost.go (CallCost).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck._kernels import celvalue
from quarterdeck.cel import (
    decls,
    lib_authz,
    lib_core,
    lib_format,
    lib_format_string,
    lib_lists,
    lib_net,
    lib_optional,
    lib_quantity,
    lib_semver,
    lib_strings,
    lib_url,
    types,
)
from quarterdeck.cel.types import Kind, Type
from quarterdeck.cel.values import CelErr, Duration, Optional, Timestamp, TypeValue, UInt

Implementation = Callable[..., object]
CostRule = str | Callable[[Any, Any], int]  # a name of the kernel's COSTS, or a function of (arguments, result)


@dataclass(frozen=True, slots=True)
class Bound:
    """`standard` functions say `no such overload` without their name when arguments do not fit."""

    function: Implementation
    cost: CostRule
    standard: bool = False


def _standard(function: Implementation, cost: CostRule = "one") -> Bound:
    return Bound(function, cost, standard=True)


_BY_OVERLOAD: Final[dict[str, Bound]] = {
    "string_to_bytes": _standard(lib_core.to_bytes, "string"),
    "bytes_to_string": _standard(lib_core.to_string, "string"),
    "matches": _standard(lib_strings.matches),
    "matches_string": _standard(lib_strings.matches, "regex"),
    "optional_of": Bound(lib_optional.of, "one"),
    "optional_ofNonZeroValue": Bound(lib_optional.of_non_zero, "one"),
    "optional_none": Bound(lib_optional.none, "one"),
    "optional_value": Bound(lib_optional.value, "one"),
    "optional_hasValue": Bound(lib_optional.has_value, "one"),
    "list_first": Bound(lib_optional.list_first, "one"),
    "list_last": Bound(lib_optional.list_last, "one"),
    "optional_unwrap": Bound(lib_optional.unwrap, "one"),
    "optional_unwrapOpt": Bound(lib_optional.unwrap, "one"),
    "string_char_at_int": Bound(lib_strings.char_at, "one"),
    "string_index_of_string": Bound(lib_strings.index_of, "traverse"),
    "string_index_of_string_int": Bound(lib_strings.index_of, "traverse"),
    "string_last_index_of_string": Bound(lib_strings.last_index_of, "traverse"),
    "string_last_index_of_string_int": Bound(lib_strings.last_index_of_offset, "traverse"),
    "string_lower_ascii": Bound(lib_strings.lower_ascii, "string"),
    "string_upper_ascii": Bound(lib_strings.upper_ascii, "string"),
    "string_replace_string_string": Bound(lib_strings.replace, "string_twice"),
    "string_replace_string_string_int": Bound(lib_strings.replace, "string_twice"),
    "string_split_string": Bound(lib_strings.split, "string_twice"),
    "string_split_string_int": Bound(lib_strings.split, "string_twice"),
    "string_substring_int": Bound(lib_strings.substring, "string"),
    "string_substring_int_int": Bound(lib_strings.substring_range, "string"),
    "string_trim": Bound(lib_strings.trim, "string"),
    "list_join": Bound(lib_strings.join, "join"),
    "list_join_string": Bound(lib_strings.join, "join"),
    "string_format": Bound(lib_format_string.format_string, "string"),
    "strings_quote": Bound(lib_strings.quote, "string"),
    "string_find_string": Bound(lib_strings.find, "regex"),
    "string_find_all_string": Bound(lib_strings.find_all, "regex"),
    "string_find_all_string_int": Bound(lib_strings.find_all, "regex"),
    "list_sets_contains_list": Bound(lib_lists.sets_contains, "sets"),
    "list_sets_intersects_list": Bound(lib_lists.sets_intersects, "sets"),
    "list_sets_equivalent_list": Bound(lib_lists.sets_equivalent, "sets_twice"),
    "list_slice": Bound(lib_lists.slice_of, "list_out"),
    "list_flatten": Bound(lib_lists.flatten, "flatten"),
    "list_flatten_int": Bound(lib_lists.flatten, "flatten"),
    "lists_range": Bound(lib_lists.range_of, "range"),
    "list_reverse": Bound(lib_lists.reverse, "list_out"),
    "list_distinct": Bound(lib_lists.distinct, "compare_all"),
    "list_a_index_of_int": Bound(lib_lists.index_of, "traverse"),
    "list_a_last_index_of_int": Bound(lib_lists.last_index_of, "traverse"),
    "string_to_url": Bound(lib_url.to_url, "string"),
    "is_url_string": Bound(lib_url.is_url, "one"),
    "url_get_scheme": Bound(lambda u: u.parsed.scheme, "one"),
    "url_get_host": Bound(lambda u: u.parsed.host, "one"),
    "url_get_hostname": Bound(lambda u: u.parsed.hostname(), "one"),
    "url_get_port": Bound(lambda u: u.parsed.port(), "one"),
    "url_get_escaped_path": Bound(lambda u: u.parsed.escaped_path(), "one"),
    "url_get_query": Bound(lib_url.get_query, "one"),
    "string_to_quantity": Bound(lib_quantity.to_quantity, "string"),
    "is_quantity_string": Bound(lib_quantity.is_quantity, "string"),
    "quantity_sign": Bound(lib_quantity.sign, "one"),
    "quantity_is_greater_than": Bound(lib_quantity.is_greater_than, "one"),
    "quantity_is_less_than": Bound(lib_quantity.is_less_than, "one"),
    "quantity_compare_to": Bound(lib_quantity.compare_to, "one"),
    "quantity_get_float": Bound(lib_quantity.as_float, "one"),
    "quantity_get_int": Bound(lib_quantity.as_integer, "one"),
    "quantity_is_integer": Bound(lib_quantity.is_integer, "one"),
    "quantity_add": Bound(lib_quantity.add, "one"),
    "quantity_add_int": Bound(lib_quantity.add, "one"),
    "quantity_sub": Bound(lib_quantity.sub, "one"),
    "quantity_sub_int": Bound(lib_quantity.sub, "one"),
    "string_to_ip": Bound(lib_net.to_ip, "string"),
    "cidr_ip": Bound(lib_net.cidr_ip, "one"),
    "ip_family": Bound(lib_net.family, "one"),
    "ip_is_canonical": Bound(lib_net.is_canonical, "string_twice"),
    "ip_is_unspecified": Bound(lib_net.is_unspecified, "one"),
    "ip_is_loopback": Bound(lib_net.is_loopback, "one"),
    "ip_is_link_local_multicast": Bound(lib_net.is_link_local_multicast, "one"),
    "ip_is_link_local_unicast": Bound(lib_net.is_link_local_unicast, "one"),
    "ip_is_global_unicast": Bound(lib_net.is_global_unicast, "one"),
    "is_ip": Bound(lib_net.is_ip, "string"),
    "ip_to_string": Bound(lib_core.to_string, "one"),
    "cidr_to_string": Bound(lib_core.to_string, "one"),
    "string_to_cidr": Bound(lib_net.to_cidr, "string"),
    "is_cidr": Bound(lib_net.is_cidr, "string"),
    "cidr_contains_ip_string": Bound(lib_net.contains_ip, lib_net.contains_text_cost),
    "cidr_contains_ip_ip": Bound(lib_net.contains_ip, lib_net.contains_cost),
    "cidr_contains_cidr_string": Bound(lib_net.contains_cidr, lib_net.contains_cidr_text_cost),
    "cidr_contains_cidr": Bound(lib_net.contains_cidr, lib_net.contains_cidr_cost),
    "cidr_prefix_length": Bound(lib_net.prefix_length, "one"),
    "cidr_masked": Bound(lib_net.masked, "one"),
    "format-validate": Bound(lib_format.validate, lib_format.validate_cost),
    "format-named": Bound(lib_format.named, "one"),
    "string_to_semver": Bound(lib_semver.to_semver, "string"),
    "string_bool_to_semver": Bound(lib_semver.to_semver, "string"),
    "is_semver_string": Bound(lib_semver.is_semver, "string"),
    "is_semver_string_bool": Bound(lib_semver.is_semver, "string"),
    "semver_is_greater_than": Bound(lib_semver.is_greater_than, "one"),
    "semver_is_less_than": Bound(lib_semver.is_less_than, "one"),
    "semver_compare_to": Bound(lib_semver.compare_to, "one"),
    "semver_major": Bound(lib_semver.major, "one"),
    "semver_minor": Bound(lib_semver.minor, "one"),
    "semver_patch": Bound(lib_semver.patch, "one"),
    "authorizer_path": Bound(lib_authz.path, "one"),
    "authorizer_group": Bound(lib_authz.group, "one"),
    "authorizer_serviceaccount": Bound(lib_authz.service_account, "one"),
    "groupcheck_resource": Bound(lib_authz.resource, "one"),
    "resourcecheck_subresource": Bound(lib_authz.subresource, "one"),
    "resourcecheck_namespace": Bound(lib_authz.namespace, "one"),
    "resourcecheck_name": Bound(lib_authz.name, "one"),
    "authorizer_fieldselector": Bound(lib_authz.field_selector, lib_authz.selector_cost),
    "authorizer_labelselector": Bound(lib_authz.label_selector, lib_authz.selector_cost),
    "pathcheck_check": Bound(lib_authz.check, lib_authz.check_cost),
    "resourcecheck_check": Bound(lib_authz.check, lib_authz.check_cost),
    "decision_errored": Bound(lib_authz.errored, "one"),
    "decision_error": Bound(lib_authz.error, "one"),
    "decision_allowed": Bound(lib_authz.allowed, "one"),
    "decision_reason": Bound(lib_authz.reason, "one"),
    "string_jsonpatch_escapeKey_string": Bound(lib_strings.escape_json_pointer, "string"),
}

# Conversions: one function whatever the overload; a conversion of a constant is computed when the rule compiles.
CONVERSIONS: Final[dict[str, Implementation]] = {
    "bool": lib_core.to_bool,
    "bytes": lib_core.to_bytes,
    "double": lib_core.to_double,
    "duration": lib_core.to_duration,
    "dyn": lib_core.to_dyn,
    "int": lib_core.to_int,
    "string": lib_core.to_string,
    "timestamp": lib_core.to_timestamp,
    "uint": lib_core.to_uint,
}

# Have overloads by the type of elements.
_BY_ELEMENT: Final = frozenset(("isSorted", "join", "max", "min", "optional.unwrap", "sum", "unwrapOpt"))
_ZEROS: Final[dict[str, object]] = {"int": 0, "uint": UInt(0), "double": 0.0, "duration": Duration(0)}
LIST_FUNCTIONS: Final[dict[str, Bound]] = {
    "isSorted": Bound(lib_lists.is_sorted, "traverse"),
    "max": Bound(lib_lists.max_of, "traverse"),
    "min": Bound(lib_lists.min_of, "traverse"),
    "sum": Bound(lib_lists.sum_any, "traverse"),
    "sort": Bound(lib_lists.sort, "compare_all"),
    "@sortByAssociatedKeys": Bound(lib_lists.sort_by_keys, "compare_keys"),
}

# The Python types of a static type's values; None where any value may come.
_CLASSES: Final[dict[int, frozenset[type]]] = {
    Kind.NULL: frozenset((type(None),)),
    Kind.BOOL: frozenset((bool,)),
    Kind.INT: frozenset((int,)),
    Kind.UINT: frozenset((UInt,)),
    Kind.DOUBLE: frozenset((float,)),
    Kind.STRING: frozenset((str,)),
    Kind.BYTES: frozenset((bytes,)),
    Kind.TIMESTAMP: frozenset((Timestamp,)),
    Kind.DURATION: frozenset((Duration,)),
    Kind.LIST: frozenset((list, celvalue.ListValue)),
    Kind.MAP: frozenset((dict, celvalue.MapValue, celvalue.MapLiteral, celvalue.ObjectValue)),
    Kind.TYPE: frozenset((TypeValue,)),
}
_NAMED_CLASSES: Final[dict[Type, frozenset[type]]] = {
    types.IP: frozenset((lib_net.IP,)),
    types.CIDR: frozenset((lib_net.CIDR,)),
    types.URL: frozenset((lib_url.URL,)),
    types.QUANTITY: frozenset((lib_quantity.Quantity,)),
    types.SEMVER: frozenset((lib_semver.Semver,)),
    types.FORMAT: frozenset((lib_format.Format,)),
    types.AUTHORIZER: frozenset((lib_authz.Authorizer,)),
    types.PATH_CHECK: frozenset((lib_authz.PathCheck,)),
    types.GROUP_CHECK: frozenset((lib_authz.GroupCheck,)),
    types.RESOURCE_CHECK: frozenset((lib_authz.ResourceCheck,)),
    types.DECISION: frozenset((lib_authz.Decision,)),
}
_OPTIONAL: Final = frozenset((Optional,))


def classes_of(t: Type) -> frozenset[type] | None:
    if types.is_optional(t):
        return _OPTIONAL
    return _NAMED_CLASSES.get(t) or _CLASSES.get(t.kind)


def find(function: str, overload: str) -> Bound | None:
    """What an overload does."""
    if (bound := _BY_OVERLOAD.get(overload)) is not None:
        return bound
    if overload.startswith("format."):
        return Bound(lib_format.constant(function.removeprefix("format.")), "one")
    if function == "sum":
        return Bound(lib_lists.sum_of(_ZEROS[overload.split("_")[1]]), "traverse")
    if function in LIST_FUNCTIONS:
        return LIST_FUNCTIONS[function]
    if function in lib_core.TIME_PARTS:
        return Bound(lib_core.TIME_PARTS[function], "one")
    if function in CONVERSIONS:
        return _standard(CONVERSIONS[function])
    return None


_guards: dict[str, tuple[frozenset[type] | None, ...]] = {}


def guards_of(overload: decls.Overload) -> tuple[frozenset[type] | None, ...]:
    known = _guards.get(overload.id)
    if known is None:
        known = _guards[overload.id] = tuple([classes_of(t) for t in overload.args])
    return known


def by_first_element(name: str, function: Implementation, overloads: list[decls.Overload]) -> Implementation:
    """A function of a list that may hold anything: its first element tells whether there is an overload."""
    if name not in _BY_ELEMENT:
        return function
    allowed = {each for overload in overloads for each in classes_of(overload.args[0].params[0]) or ()}

    def call(*args: object) -> object:
        first = celvalue.items_of(args[0])[:1]
        return function(*args) if not first or type(first[0]) in allowed else no_such_overload(name, args)

    return call


# Functions whose cost goes by the name alone; the others cost 1 when it is unknown which overload will be called.
COST_BY_NAME: Final = frozenset(
    ("check", "fieldSelector", "labelSelector", "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "url",
     "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "replace", "split", "join", "find",
     "findAll", "cidr", "isIP", "isCIDR", "ip", "ip.isCanonical", "containsIP", "containsCIDR", "quantity",
     "isQuantity", "semver", "isSemver", "validate")
)  # fmt: skip
_OF_TEXTS_TOO: Final = frozenset(("containsIP", "containsCIDR"))  # the first overload pays for reading a text


def dispatcher(
    function: str, candidates: list[tuple[tuple[frozenset[type] | None, ...], Bound]]
) -> tuple[Implementation, CostRule]:
    """A function that looks at its arguments to find the overload, and how its call is paid."""

    def dispatch(*args: object) -> object:
        for guards, bound in candidates:
            if len(guards) == len(args) and all(
                guard is None or type(arg) in guard for guard, arg in zip(guards, args, strict=True)
            ):
                return bound.function(*args)
        if all(bound.standard for _, bound in candidates):
            if function in CONVERSIONS:
                return CONVERSIONS[function](*args)
            return celvalue.no_such_overload
        return no_such_overload(function, args)

    paid = -1 if function in _OF_TEXTS_TOO else 0
    return dispatch, candidates[paid][1].cost if function in COST_BY_NAME else "one"


def no_such_overload(function: str, args: tuple[object, ...]) -> CelErr:
    return CelErr(f"no such overload: {function}({', '.join(map(celvalue.cel_type_name, args))})")
