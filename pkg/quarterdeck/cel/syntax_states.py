"""The states and edges that a rule of a grammar becomes, and the functions that build them from its parts.

A rule is built from its end: each part is given the state behind it and gives the state before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Lookahead(Protocol):
    """What a decision knows of the reading: the coming tokens, and the precedence of the rule that is open."""

    @property
    def precedence(self) -> int: ...

    def kind(self, ahead: int = 0) -> str: ...

    def no_alternative(self) -> Exception:
        """The error that no way of the rule begins with the coming tokens."""


class State:
    """A place in a rule: its edges are tried in order. `is_decision`: the parser looks ahead here."""

    __slots__ = ("choose", "edges", "is_decision", "is_loop_end", "rule")

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.edges: list[Edge] = []
        self.is_decision = False
        self.is_loop_end = False
        self.choose: Callable[[Lookahead], int] | None = None


class Edge:
    """To `target`: over a token of `tokens`, through the rule `called`, or over nothing."""

    __slots__ = ("called", "precedence", "target", "tokens")

    def __init__(
        self, target: State, tokens: frozenset[str] = frozenset(), called: str = "", precedence: int = 0
    ) -> None:
        self.target = target
        self.tokens = tokens
        self.called = called
        self.precedence = precedence


# A part of a rule: from the rule's name and the state after it, the state before it.
Part = Callable[[str, State], State]


def token(*kinds: str) -> Part:
    def build(rule: str, end: State) -> State:
        state = State(rule)
        state.edges.append(Edge(end, frozenset(kinds)))
        return state

    return build


def call(called: str, precedence: int = 0) -> Part:
    def build(rule: str, end: State) -> State:
        state = State(rule)
        state.edges.append(Edge(end, called=called, precedence=precedence))
        return state

    return build


def sequence(*parts: Part) -> Part:
    def build(rule: str, end: State) -> State:
        for part in reversed(parts):
            end = part(rule, end)
        return end

    return build


def choice(choose: Callable[[Lookahead], int] | None, *parts: Part) -> Part:
    def build(rule: str, end: State) -> State:
        state = State(rule)
        state.is_decision = True
        state.choose = choose
        state.edges = [Edge(part(rule, end)) for part in parts]
        return state

    return build


def optional(*parts: Part) -> Part:
    return choice(None, sequence(*parts), lambda _, end: end)


def repeat(choose: Callable[[Lookahead], int] | None, *parts: Part) -> Part:
    """Any number of times."""

    def build(rule: str, end: State) -> State:
        state = State(rule)
        state.is_decision = True
        state.choose = choose
        state.edges = [Edge(sequence(*parts)(rule, state)), Edge(end)]
        return state

    return build


def once_or_more(choose: Callable[[Lookahead], int] | None, part: Part) -> Part:
    """Once and then any number of times."""

    def build(rule: str, end: State) -> State:
        state = State(rule)
        state.is_decision = state.is_loop_end = True
        state.choose = choose
        first = part(rule, state)
        state.edges = [Edge(first), Edge(end)]
        return first

    return build
