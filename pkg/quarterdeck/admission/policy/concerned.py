"""The policies that may concern an operation on a resource, and what is kept of them for requests that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    # Not at run time: they bring the compiler of expressions.
    from quarterdeck.admission.policy.compiled import Binding

P = TypeVar("P")

PLANS_MAX: Final = 16
"""Versions and subresources of the resource, resources of the same name, and how they were served before."""


class Concerned(Generic[P]):
    """`hooks`: the policies with their bindings, in the order in which they are asked. It is made anew where one of
    them changes, and so are its `plans`, which are screening.py's."""

    __slots__ = ("hooks", "plans")

    def __init__(self, hooks: Sequence[tuple[P, Sequence[Binding]]]) -> None:
        self.hooks = hooks
        self.plans: list[object] = []
