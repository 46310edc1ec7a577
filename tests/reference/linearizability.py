"""Whether answers fit one order of operations, each of which took effect between its call and its answer.

The model of a key is a register with compare-and-swap by revision. Keys are judged one by one, for an order that fits
each key is an order of all. A key is judged by all states that it can be in: at each answer, the operations under way
are put in every order that explains it. What follows from revisions, which all keys share, is judged over all of them.

Source of the method: G. Lowe, Testing for Linearizability (2017), just-in-time linearization.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

ANY: Final = -1
"""The revision of a write whose answer was never heard."""


class Result(NamedTuple):
    """`outcome`: done, exists, missing, conflict (`revision` is the current one), found, absent; unknown: it took
    effect before `returned`, or never."""

    outcome: str
    revision: int = 0
    value: bytes = b""


_UNHEARD: Final = Result("unknown")
State = tuple[bytes, int] | None


@dataclass(slots=True)
class Operation:
    """`called` and `returned` are places in one order of all calls and answers."""

    kind: str
    key: str
    value: bytes
    expected: int
    called: int
    returned: int = 0
    result: Result = _UNHEARD


_Configuration = tuple[frozenset[int], State]


def follow(state: State, operation: Operation) -> Iterator[State]:
    """The states after the operation took effect in `state` with its result; none, if it cannot."""
    kind, result = operation.kind, operation.result
    outcome = result.outcome
    if outcome == "unknown":
        yield state
        if kind == "create":
            if state is None:
                yield operation.value, ANY
        elif kind != "get" and state is not None and state[1] in (operation.expected, ANY):
            yield (operation.value, ANY) if kind == "update" else None
    elif outcome in ("absent", "missing"):
        if state is None:
            yield None
    elif state is None:
        if outcome == "done" and kind == "create":
            yield operation.value, result.revision
    else:
        value, revision = state
        if outcome == "found":
            if value == result.value and revision in (result.revision, ANY):
                yield value, result.revision
        elif outcome == "exists":
            yield state
        elif outcome == "conflict":
            if revision in (result.revision, ANY) and result.revision != operation.expected:
                yield value, result.revision
        elif outcome == "done" and kind != "create" and revision in (operation.expected, ANY):
            yield (operation.value, result.revision) if kind == "update" else None


def check(operations: Iterable[Operation]) -> list[str]:
    """What cannot be: nothing, if there is such an order."""
    by_key: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        by_key[operation.key].append(operation)
    problems = [problem for history in by_key.values() for problem in check_key(history)]
    return problems + check_revisions([each for history in by_key.values() for each in history])


def check_key(history: Sequence[Operation]) -> list[str]:
    """One key that did not exist before."""
    steps = sorted([(each.called, number) for number, each in enumerate(history)]) + sorted(
        [(each.returned, ~number) for number, each in enumerate(history)]
    )
    possible: set[_Configuration] = {(frozenset(), None)}
    under_way: set[int] = set()
    for _, step in sorted(steps):
        if step >= 0:
            under_way.add(step)
            continue
        answered = ~step
        before, possible = possible, _explain(history, possible, under_way, answered)
        under_way.discard(answered)
        if not possible:
            states = sorted({repr(state) for _, state in before})[:5]
            return [f"{history[answered]} fits none of {states}"]
    return []


def _explain(
    history: Sequence[Operation], possible: set[_Configuration], under_way: set[int], answered: int
) -> set[_Configuration]:
    """The configurations in which the answered operation has taken effect. A configuration's set holds operations under
    way that have."""
    found: set[_Configuration] = set()
    seen = set(possible)
    left = list(possible)
    while left:
        done, state = left.pop()
        if answered in done:
            found.add((done - {answered}, state))
            continue
        for number in under_way - done:
            for after in follow(state, history[number]):
                reached = (done | {number}, after)
                if reached not in seen:
                    seen.add(reached)
                    left.append(reached)
    return found


def check_revisions(operations: Sequence[Operation]) -> list[str]:
    """Each write has a revision of its own, above those of all writes that were answered before it was called."""
    writes = [each for each in operations if each.result.outcome == "done"]
    problems: list[str] = []
    owners: dict[int, Operation] = {}
    for each in writes:
        other = owners.setdefault(each.result.revision, each)
        if other is not each:
            problems.append(f"two writes have one revision: {other} and {each}")
    newest = 0
    for _, is_answer, revision in sorted(
        [(each.called, False, each.result.revision) for each in writes]
        + [(each.returned, True, each.result.revision) for each in writes]
    ):
        if is_answer:
            newest = max(newest, revision)
        elif revision <= newest:
            problems.append(f"a write got {revision}, but {newest} had been answered when it was called")
    return problems
