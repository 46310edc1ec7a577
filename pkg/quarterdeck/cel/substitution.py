"""What the checker finds type parameters to be, and which type may stand where another is wanted.

Source: cel-go's checker/mapping.go and checker/types.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from quarterdeck.cel.types import DYN, Kind, Type, is_dyn, is_dyn_or_error, list_of


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
            if a.kind == Kind.WRAPPER or b.kind == Kind.WRAPPER:
                return Kind.NULL in (a.kind, b.kind) or self._assign(_held(a), _held(b))
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


def _held(t: Type) -> Type:
    return t.params[0] if t.kind == Kind.WRAPPER else t


def is_less_specific(a: Type, b: Type) -> bool:
    """Whether `a` is equal to or more general than `b` (upstream: isEqualOrLessSpecific). An error is neither."""
    if is_dyn(a) or a.kind == Kind.PARAM:
        return True
    if is_dyn(b) or b.kind == Kind.PARAM or a.kind != b.kind:
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


def is_exactly(a: Type, b: Type) -> bool:
    """Likewise, where a wrapper counts as what it holds (upstream: Type.IsExactType)."""
    a, b = _held(a), _held(b)
    if not a.params or a.kind != b.kind or a.name != b.name or len(a.params) != len(b.params):
        return same(a, b)
    return all(is_exactly(x, y) for x, y in zip(a.params, b.params, strict=True))
