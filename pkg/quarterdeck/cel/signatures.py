"""The functions' signatures: a line is `function: overload(argument, …) result`, `.overload` is a member function.

Source: cel-go's common/stdlib, cel/library.go and ext/, and apiserver's pkg/cel/library, in the versions that
environment/base.go enables for 1.36.
"""

from __future__ import annotations

from typing import Final

_STANDARD: Final = """
_?_:_: conditional(bool, A, A) A
_&&_: logical_and(bool, bool) bool
_||_: logical_or(bool, bool) bool
!_: logical_not(bool) bool
@not_strictly_false: not_strictly_false(bool) bool
_==_: equals(A, A) bool
_!=_: not_equals(A, A) bool
_+_: add_bytes(bytes, bytes) bytes
_+_: add_double(double, double) double
_+_: add_duration_duration(duration, duration) duration
_+_: add_duration_timestamp(duration, timestamp) timestamp
_+_: add_timestamp_duration(timestamp, duration) timestamp
_+_: add_int64(int, int) int
_+_: add_list(list(A), list(A)) list(A)
_+_: add_string(string, string) string
_+_: add_uint64(uint, uint) uint
_-_: subtract_double(double, double) double
_-_: subtract_duration_duration(duration, duration) duration
_-_: subtract_int64(int, int) int
_-_: subtract_timestamp_duration(timestamp, duration) timestamp
_-_: subtract_timestamp_timestamp(timestamp, timestamp) duration
_-_: subtract_uint64(uint, uint) uint
_*_: multiply_double(double, double) double
_*_: multiply_int64(int, int) int
_*_: multiply_uint64(uint, uint) uint
_/_: divide_double(double, double) double
_/_: divide_int64(int, int) int
_/_: divide_uint64(uint, uint) uint
_%_: modulo_int64(int, int) int
_%_: modulo_uint64(uint, uint) uint
-_: negate_double(double) double
-_: negate_int64(int) int
_[_]: index_list(list(A), int) A
_[_]: index_map(map(A, B), A) B
_[_]: optional_list_index_int(opt(list(V)), int) opt(V)
_[_]: optional_map_index_value(opt(map(K, V)), K) opt(V)
_[?_]: list_optindex_optional_int(list(V), int) opt(V)
_[?_]: optional_list_optindex_optional_int(opt(list(V)), int) opt(V)
_[?_]: map_optindex_optional_value(map(K, V), K) opt(V)
_[?_]: optional_map_optindex_optional_value(opt(map(K, V)), K) opt(V)
@in: in_list(A, list(A)) bool
@in: in_map(A, map(A, B)) bool
size: size_bytes(bytes) int
size: .bytes_size(bytes) int
size: size_list(list(A)) int
size: .list_size(list(A)) int
size: size_map(map(A, B)) int
size: .map_size(map(A, B)) int
size: size_string(string) int
size: .string_size(string) int
type: type(A) type(A)
bool: bool_to_bool(bool) bool
bool: string_to_bool(string) bool
bytes: bytes_to_bytes(bytes) bytes
bytes: string_to_bytes(string) bytes
double: double_to_double(double) double
double: int64_to_double(int) double
double: string_to_double(string) double
double: uint64_to_double(uint) double
duration: duration_to_duration(duration) duration
duration: int64_to_duration(int) duration
duration: string_to_duration(string) duration
dyn: to_dyn(A) dyn
int: int64_to_int64(int) int
int: double_to_int64(double) int
int: duration_to_int64(duration) int
int: string_to_int64(string) int
int: timestamp_to_int64(timestamp) int
int: uint64_to_int64(uint) int
string: string_to_string(string) string
string: bool_to_string(bool) string
string: bytes_to_string(bytes) string
string: double_to_string(double) string
string: duration_to_string(duration) string
string: int64_to_string(int) string
string: timestamp_to_string(timestamp) string
string: uint64_to_string(uint) string
timestamp: timestamp_to_timestamp(timestamp) timestamp
timestamp: int64_to_timestamp(int) timestamp
timestamp: string_to_timestamp(string) timestamp
uint: uint64_to_uint64(uint) uint
uint: double_to_uint64(double) uint
uint: int64_to_uint64(int) uint
uint: string_to_uint64(string) uint
contains: .contains_string(string, string) bool
endsWith: .ends_with_string(string, string) bool
startsWith: .starts_with_string(string, string) bool
matches: matches(string, string) bool
matches: .matches_string(string, string) bool
optional.of: optional_of(V) opt(V)
optional.ofNonZeroValue: optional_ofNonZeroValue(V) opt(V)
optional.none: optional_none() opt(V)
value: .optional_value(opt(V)) V
hasValue: .optional_hasValue(opt(V)) bool
or: .optional_or_optional(opt(V), opt(V)) opt(V)
orValue: .optional_orValue_value(opt(V), V) V
first: .list_first(list(V)) opt(V)
last: .list_last(list(V)) opt(V)
optional.unwrap: optional_unwrap(list(opt(V))) list(V)
unwrapOpt: .optional_unwrapOpt(list(opt(V))) list(V)
cel.@mapInsert: @mapInsert_map_key_value(map(K, V), K, V) map(K, V)
cel.@mapInsert: @mapInsert_map_map(map(K, V), map(K, V)) map(K, V)
"""


_STRINGS: Final = """
indexOf: .list_a_index_of_int(list(A), A) int
lastIndexOf: .list_a_last_index_of_int(list(A), A) int
charAt: .string_char_at_int(string, int) string
indexOf: .string_index_of_string(string, string) int
indexOf: .string_index_of_string_int(string, string, int) int
lastIndexOf: .string_last_index_of_string(string, string) int
lastIndexOf: .string_last_index_of_string_int(string, string, int) int
lowerAscii: .string_lower_ascii(string) string
upperAscii: .string_upper_ascii(string) string
replace: .string_replace_string_string(string, string, string) string
replace: .string_replace_string_string_int(string, string, string, int) string
split: .string_split_string(string, string) list(string)
split: .string_split_string_int(string, string, int) list(string)
substring: .string_substring_int(string, int) string
substring: .string_substring_int_int(string, int, int) string
trim: .string_trim(string) string
join: .list_join(list(string)) string
join: .list_join_string(list(string), string) string
format: .string_format(string, list(dyn)) string
strings.quote: strings_quote(string) string
find: .string_find_string(string, string) string
findAll: .string_find_all_string(string, string) list(string)
findAll: .string_find_all_string_int(string, string, int) list(string)
sets.contains: list_sets_contains_list(list(T), list(T)) bool
sets.equivalent: list_sets_equivalent_list(list(T), list(T)) bool
sets.intersects: list_sets_intersects_list(list(T), list(T)) bool
slice: .list_slice(list(T), int, int) list(T)
flatten: .list_flatten(list(list(T))) list(T)
flatten: .list_flatten_int(list(dyn), int) list(dyn)
lists.range: lists_range(int) list(int)
reverse: .list_reverse(list(T)) list(T)
distinct: .list_distinct(list(T)) list(T)
"""


_KUBERNETES: Final = """
url: string_to_url(string) URL
isURL: is_url_string(string) bool
getScheme: .url_get_scheme(URL) string
getHost: .url_get_host(URL) string
getHostname: .url_get_hostname(URL) string
getPort: .url_get_port(URL) string
getEscapedPath: .url_get_escaped_path(URL) string
getQuery: .url_get_query(URL) map(string, list(string))
quantity: string_to_quantity(string) QUANTITY
isQuantity: is_quantity_string(string) bool
sign: quantity_sign(QUANTITY) int
isGreaterThan: .quantity_is_greater_than(QUANTITY, QUANTITY) bool
isLessThan: .quantity_is_less_than(QUANTITY, QUANTITY) bool
compareTo: .quantity_compare_to(QUANTITY, QUANTITY) int
asApproximateFloat: .quantity_get_float(QUANTITY) double
asInteger: .quantity_get_int(QUANTITY) int
isInteger: .quantity_is_integer(QUANTITY) bool
add: .quantity_add(QUANTITY, QUANTITY) QUANTITY
add: .quantity_add_int(QUANTITY, int) QUANTITY
sub: .quantity_sub(QUANTITY, QUANTITY) QUANTITY
sub: .quantity_sub_int(QUANTITY, int) QUANTITY
ip: string_to_ip(string) IP
ip: .cidr_ip(CIDR) IP
family: .ip_family(IP) int
ip.isCanonical: ip_is_canonical(string) bool
isUnspecified: .ip_is_unspecified(IP) bool
isLoopback: .ip_is_loopback(IP) bool
isLinkLocalMulticast: .ip_is_link_local_multicast(IP) bool
isLinkLocalUnicast: .ip_is_link_local_unicast(IP) bool
isGlobalUnicast: .ip_is_global_unicast(IP) bool
isIP: is_ip(string) bool
string: ip_to_string(IP) string
string: cidr_to_string(CIDR) string
cidr: string_to_cidr(string) CIDR
isCIDR: is_cidr(string) bool
containsIP: .cidr_contains_ip_string(CIDR, string) bool
containsIP: .cidr_contains_ip_ip(CIDR, IP) bool
containsCIDR: .cidr_contains_cidr_string(CIDR, string) bool
containsCIDR: .cidr_contains_cidr(CIDR, CIDR) bool
prefixLength: .cidr_prefix_length(CIDR) int
masked: .cidr_masked(CIDR) CIDR
validate: .format-validate(FORMAT, string) opt(list(string))
format.named: format-named(string) opt(FORMAT)
semver: string_to_semver(string) SEMVER
semver: string_bool_to_semver(string, bool) SEMVER
isSemver: is_semver_string(string) bool
isSemver: is_semver_string_bool(string, bool) bool
isGreaterThan: .semver_is_greater_than(SEMVER, SEMVER) bool
isLessThan: .semver_is_less_than(SEMVER, SEMVER) bool
compareTo: .semver_compare_to(SEMVER, SEMVER) int
major: .semver_major(SEMVER) int
minor: .semver_minor(SEMVER) int
patch: .semver_patch(SEMVER) int
path: .authorizer_path(AUTHORIZER, string) PATH_CHECK
group: .authorizer_group(AUTHORIZER, string) GROUP_CHECK
serviceAccount: .authorizer_serviceaccount(AUTHORIZER, string, string) AUTHORIZER
resource: .groupcheck_resource(GROUP_CHECK, string) RESOURCE_CHECK
subresource: .resourcecheck_subresource(RESOURCE_CHECK, string) RESOURCE_CHECK
namespace: .resourcecheck_namespace(RESOURCE_CHECK, string) RESOURCE_CHECK
name: .resourcecheck_name(RESOURCE_CHECK, string) RESOURCE_CHECK
fieldSelector: .authorizer_fieldselector(RESOURCE_CHECK, string) RESOURCE_CHECK
labelSelector: .authorizer_labelselector(RESOURCE_CHECK, string) RESOURCE_CHECK
check: .pathcheck_check(PATH_CHECK, string) DECISION
check: .resourcecheck_check(RESOURCE_CHECK, string) DECISION
errored: .decision_errored(DECISION) bool
error: .decision_error(DECISION) string
allowed: .decision_allowed(DECISION) bool
reason: .decision_reason(DECISION) string
"""


JSON_PATCH: Final = """
jsonpatch.escapeKey: string_jsonpatch_escapeKey_string(string) string
"""


_NUMBERS: Final = (("int64", "int"), ("uint64", "uint"), ("double", "double"))


_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


_TIMESTAMP_NAME: Final = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}


_FORMATS: Final = (
    "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
    "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime",
)  # fmt: skip


def _order_lines() -> list[str]:
    """Comparisons: each type with itself, and each number with the other numbers."""
    lines = []
    for operator, word in (("_<_", "less"), ("_<=_", "less_equals"), ("_>_", "greater"), ("_>=_", "greater_equals")):
        for short, name in (("bool", "bool"), ("string", "string"), ("bytes", "bytes"), ("timestamp", "timestamp"),
                            ("duration", "duration"), *_NUMBERS):  # fmt: skip
            lines.append(f"{operator}: {word}_{short}({name}, {name}) bool")
        for short, name in _NUMBERS:
            for other_short, other in _NUMBERS:
                if name != other:
                    lines.append(f"{operator}: {word}_{short}_{other_short}({name}, {other}) bool")
    return lines


def _time_lines() -> list[str]:
    lines = []
    for function, word in (
        ("getFullYear", "year"),
        ("getMonth", "month"),
        ("getDayOfYear", "day_of_year"),
        ("getDayOfMonth", "day_of_month"),
        ("getDate", "day_of_month_1_based"),
        ("getDayOfWeek", "day_of_week"),
        ("getHours", "hours"),
        ("getMinutes", "minutes"),
        ("getSeconds", "seconds"),
        ("getMilliseconds", "milliseconds"),
    ):
        lines.append(f"{function}: .timestamp_to_{word}(timestamp) int")
        lines.append(f"{function}: .timestamp_to_{word}_with_tz(timestamp, string) int")
        if word in ("hours", "minutes", "seconds", "milliseconds"):
            lines.append(f"{function}: .duration_to_{word}(duration) int")
    return lines


def _list_lines() -> list[str]:
    lines = []
    for name in _COMPARABLE:
        lines.append(f"isSorted: .list_{name}_is_sorted_bool(list({name})) bool")
        lines.append(f"max: .list_{name}_max_{name}(list({name})) {name}")
        lines.append(f"min: .list_{name}_min_{name}(list({name})) {name}")
        if name in ("int", "uint", "double", "duration"):
            lines.append(f"sum: .list_{name}_sum_{name}(list({name})) {name}")
        long_name = _TIMESTAMP_NAME.get(name, name)
        lines.append(f"sort: .list_{long_name}_sort(list({name})) list({name})")
        lines.append(f"@sortByAssociatedKeys: .list_{long_name}_sortByAssociatedKeys(list(T), list({name})) list(T)")
    return lines


def base_lines() -> list[str]:
    """The functions of every environment."""
    text = _STANDARD + _STRINGS + _KUBERNETES
    formats = [f"format.{name}: format.{name}() FORMAT" for name in _FORMATS]
    return [line for line in text.splitlines() if line] + _order_lines() + _time_lines() + _list_lines() + formats
