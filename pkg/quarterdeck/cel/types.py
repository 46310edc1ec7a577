"""Types of the checker: what an expression's parts are known to be before anything runs.

A type is compared by identity first: scalars are singletons, and each object type is one instance (types of objects are
nominal, so two equal-looking fields never share a type). Source: cel-go's common/types and checker/types.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


class Kind:
    """Plain integers: reading a member of an enumeration takes longer than most of what is done with one."""

    DYN: Final = 0
    ERROR: Final = 1
    NULL: Final = 2
    BOOL: Final = 3
    INT: Final = 4
    UINT: Final = 5
    DOUBLE: Final = 6
    STRING: Final = 7
    BYTES: Final = 8
    TIMESTAMP: Final = 9
    DURATION: Final = 10
    LIST: Final = 11
    MAP: Final = 12
    STRUCT: Final = 13
    OPAQUE: Final = 14
    TYPE: Final = 15
    PARAM: Final = 16
    ANY: Final = 17


class Type:
    """`params` are the element types of lists and maps and of opaque types; `fields` those of an object. `plain` types
    have no parts and are one instance each; `generic` ones have type parameters in them."""

    __slots__ = ("fields", "generic", "kind", "name", "params", "plain")

    def __init__(self, kind: int, name: str, params: tuple[Type, ...] = ()) -> None:
        self.kind = kind
        self.name = name
        self.params = params
        self.plain = kind <= Kind.DURATION and kind != Kind.ERROR
        self.generic: bool = kind == Kind.PARAM or any(p.generic for p in params)
        self.fields: dict[str, Type] | None = None

    def __repr__(self) -> str:
        return f"Type({self})"

    def __str__(self) -> str:
        # A worklist: the type of a schema nests as deeply as the schema.
        shown: list[str] = []
        stack: list[Type | str] = [self]
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                shown.append(part)
                continue
            shown.append("null" if part.kind == Kind.NULL else part.name)
            if part.params:
                shown.append("(")
                stack.append(")")
                for i in range(len(part.params) - 1, -1, -1):
                    stack.append(part.params[i])
                    if i:
                        stack.append(", ")
        return "".join(shown)


DYN: Final = Type(Kind.DYN, "dyn")
ERROR: Final = Type(Kind.ERROR, "!error!")
NULL: Final = Type(Kind.NULL, "null_type")
BOOL: Final = Type(Kind.BOOL, "bool")
INT: Final = Type(Kind.INT, "int")
UINT: Final = Type(Kind.UINT, "uint")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
STRING: Final = Type(Kind.STRING, "string")
BYTES: Final = Type(Kind.BYTES, "bytes")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "timestamp")
DURATION: Final = Type(Kind.DURATION, "duration")

_lists: dict[Type, Type] = {}


def list_of(elem: Type) -> Type:
    """A list type; those of the scalars are kept, so that overloads found for them can be remembered."""
    known = _lists.get(elem)
    if known is None:
        known = Type(Kind.LIST, "list", (elem,))
        if elem.kind <= Kind.DURATION:
            _lists[elem] = known
    return known


def map_of(key: Type, value: Type) -> Type:
    return Type(Kind.MAP, "map", (key, value))


def type_of(param: Type) -> Type:
    return Type(Kind.TYPE, "type", (param,))


def optional_of(param: Type) -> Type:
    return Type(Kind.OPAQUE, "optional_type", (param,))


def struct(name: str, fields: dict[str, Type] | None = None) -> Type:
    made = Type(Kind.STRUCT, name)
    made.fields = fields
    return made


def opaque(name: str) -> Type:
    return Type(Kind.OPAQUE, name)


def param(name: str) -> Type:
    return Type(Kind.PARAM, name)


TYPE: Final = Type(Kind.TYPE, "type")
LIST_DYN: Final = list_of(DYN)

IP: Final = opaque("net.IP")
CIDR: Final = opaque("net.CIDR")
URL: Final = struct("kubernetes.URL")
QUANTITY: Final = struct("kubernetes.Quantity")
SEMVER: Final = struct("kubernetes.Semver")
FORMAT: Final = struct("kubernetes.NamedFormat")
AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
PATH_CHECK: Final = struct("kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = struct("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = struct("kubernetes.authorization.ResourceCheck")
DECISION: Final = struct("kubernetes.authorization.Decision")

# What a type's name in an expression (`type(x) == string`) stands for.
NAMED: Final[dict[str, Type]] = {
    "bool": BOOL,
    "bytes": BYTES,
    "double": DOUBLE,
    "dyn": DYN,
    "int": INT,
    "list": LIST_DYN,
    "map": map_of(DYN, DYN),
    "null_type": NULL,
    "string": STRING,
    "type": TYPE,
    "uint": UINT,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.Duration": DURATION,
    "optional_type": optional_of(param("V")),
    "net.IP": IP,
    "net.CIDR": CIDR,
}

# Kinds whose values have one size, which the cost estimate counts as 1.
SCALAR_KINDS: Final = frozenset((Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT))


def is_dyn_or_error(t: Type) -> bool:
    return t.kind <= Kind.ERROR or t.kind == Kind.ANY


def is_optional(t: Type) -> bool:
    return t.kind == Kind.OPAQUE and t.name == "optional_type"


def format_call(args: Iterable[Type], is_member: bool) -> str:
    """The arguments of a call as error messages show them: `(int, string)`, `string.(int)`."""
    shown = [str(a) for a in args]
    if is_member:
        return f"{shown[0]}.({', '.join(shown[1:])})"
    return f"({', '.join(shown)})"


class Substitution:
    """What type parameters were found to be. An attempt that fails leaves no trace (see `assignable_all`)."""

    __slots__ = ("bound", "counter", "replaced")

    def __init__(self) -> None:
        self.bound: dict[str, Type] = {}
        self.counter = 0
        # What the attempt that is going on has bound, and what it was bound to before.
        self.replaced: list[tuple[str, Type | None]] = []

    def fresh(self) -> Type:
        self.counter += 1
        return Type(Kind.PARAM, f"_var{self.counter - 1}")

    def apply(self, t: Type, params_to_dyn: bool = False) -> Type:
        """`t` with its parameters replaced by what they are bound to."""
        if not t.generic:
            return t
        while t.kind == Kind.PARAM:
            # A list of ten thousand empty lists binds as many parameters to one another.
            found = self.bound.get(t.name)
            if found is None:
                return DYN if params_to_dyn else t
            if not found.generic:
                return found
            t = found
        replaced = tuple([self.apply(p, params_to_dyn) for p in t.params])
        if all(a is b for a, b in zip(replaced, t.params, strict=True)):
            return t
        return list_of(replaced[0]) if t.kind == Kind.LIST else Type(t.kind, t.name, replaced)

    def assignable_all(self, given: list[Type], wanted: Iterable[Type]) -> bool:
        """Whether each given type fits the wanted one; parameters are bound only when all do."""
        self.replaced.clear()
        for a, b in zip(given, wanted, strict=True):
            if a is not b and not self._assign(a, b):
                self._restore()
                return False
        return True

    def assignable(self, given: Type, wanted: Type) -> bool:
        if given is wanted:
            return True
        self.replaced.clear()
        if self._assign(given, wanted):
            return True
        self._restore()
        return False

    def settle(self) -> None:
        """Once nothing will be bound any more: leads parameters bound to parameters to their end at once."""
        for name, t in self.bound.items():
            passed = [name]
            while t.kind == Kind.PARAM:
                found = self.bound.get(t.name)
                if found is None:
                    break
                passed.append(t.name)
                t = found
            for other in passed[:-1]:
                self.bound[other] = t

    def _restore(self) -> None:
        for name, before in reversed(self.replaced):
            if before is None:
                del self.bound[name]
            else:
                self.bound[name] = before

    def _set(self, name: str, t: Type) -> None:
        self.replaced.append((name, self.bound.get(name)))
        self.bound[name] = t

    def _assign(self, a: Type, b: Type) -> bool:
        if a is b:
            return True
        if b.kind == Kind.PARAM:
            found = self.bound.get(b.name)
            if found is not None:
                return self._assign_bound(a, found, b)
            if a.kind == Kind.PARAM and (found := self.bound.get(a.name)) is not None:
                return self._assign_bound(b, found, a)
            return self._bind(b, a)
        if a.kind == Kind.PARAM:
            found = self.bound.get(a.name)
            return self._assign_bound(b, found, a) if found is not None else self._bind(a, b)
        if is_dyn_or_error(a) or is_dyn_or_error(b):
            return True
        if a.kind != b.kind:
            # A null may stand where an object, an opaque value, a time or a duration is wanted.
            nullable = (Kind.OPAQUE, Kind.STRUCT, Kind.TIMESTAMP, Kind.DURATION)
            return (a.kind == Kind.NULL and b.kind in nullable) or (b.kind == Kind.NULL and a.kind in nullable)
        if a.kind == Kind.TYPE:
            return True
        if a.name != b.name or len(a.params) != len(b.params) or a.kind == Kind.STRUCT:
            return a.kind == Kind.STRUCT and a.name == b.name and a.fields is b.fields
        return all(self._assign(x, y) for x, y in zip(a.params, b.params, strict=True))

    def _assign_bound(self, other: Type, found: Type, parameter: Type) -> bool:
        if not self._assign(other, found):
            return False
        # The more general of both stays bound.
        if is_less_specific(other, found) and not self._occurs(other, parameter):
            self._set(parameter.name, other)
        return True

    def _bind(self, parameter: Type, t: Type) -> bool:
        if t.kind == Kind.PARAM and t.name == parameter.name:
            return True
        if self._occurs(t, parameter):
            return False
        self._set(parameter.name, t)
        return True

    def _occurs(self, t: Type, parameter: Type) -> bool:
        while t.kind == Kind.PARAM:
            if t.name == parameter.name:
                return True
            found = self.bound.get(t.name)
            if found is None:
                return False
            t = found
        if not t.generic:
            return False
        return any(self._occurs(p, parameter) for p in t.params)


def is_less_specific(a: Type, b: Type) -> bool:
    """Whether `a` is equal to or more general than `b` (upstream: isEqualOrLessSpecific)."""
    if is_dyn_or_error(a) or a.kind == Kind.PARAM:
        return True
    if is_dyn_or_error(b) or b.kind == Kind.PARAM or a.kind != b.kind:
        return False
    if a.kind in (Kind.LIST, Kind.MAP, Kind.OPAQUE):
        if a.name != b.name or len(a.params) != len(b.params):
            return False
        return all(is_less_specific(x, y) for x, y in zip(a.params, b.params, strict=True))
    return a.kind == Kind.TYPE or a is b


def most_general(a: Type, b: Type) -> Type:
    return a if is_less_specific(a, b) else b


def same(a: Type, b: Type) -> bool:
    if a is b:
        return True
    if a.kind != b.kind or a.name != b.name or len(a.params) != len(b.params) or a.kind == Kind.STRUCT:
        return False
    return all(same(x, y) for x, y in zip(a.params, b.params, strict=True))
