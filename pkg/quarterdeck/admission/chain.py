"""The admission chain: plugins in a fixed order, a mutating pass and a validating pass.

A plugin answers at once (None) or hands back an awaitable, so that a chain of local plugins costs no task switch.
A refusal is an APIStatus that the plugin raises. One that has to ask another server who may do what raises Unanswered
before it changes anything, and is called again. Source: apiserver/pkg/admission/{chain,interfaces,reinvocation}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol

from quarterdeck._kernels.metrics import now_s
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.timings import ADMIT, VALIDATE, Timing, Timings
from quarterdeck.apimachinery import questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apis.resource import APIResource

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_now_s: Final = now_s


class MutatingPlugin(Protocol):
    """`admit` sees the object before it is prepared and validated, and may change it."""

    def admit(self, attributes: Attributes) -> Awaitable[None] | None: ...


class ValidatingPlugin(Protocol):
    """`validate` sees the object as it is to be stored."""

    def validate(self, attributes: Attributes) -> Awaitable[None] | None: ...


class Plugins(NamedTuple):
    """The plugins of both passes. One that does both stands in both. `timed`: how long each takes, None for those that
    are not timed; empty where nothing is."""

    mutating: tuple[MutatingPlugin, ...]
    validating: tuple[ValidatingPlugin, ...]
    mutating_timed: tuple[Timing | None, ...] = ()
    validating_timed: tuple[Timing | None, ...] = ()


class Chain:
    """`particular`: the plugins of the resources that more are asked about than about all, by group and name. Where a
    mutating plugin asks for it (Attributes.reinvocation), all of them run once more. `timings` None: nobody wants to
    know how long it takes."""

    def __init__(
        self,
        general: Plugins,
        particular: Mapping[tuple[str, str], Plugins] | None = None,
        timings: Timings | None = None,
    ) -> None:
        admitting = timings.of_pass(ADMIT) if timings is not None else None
        checking = timings.of_pass(VALIDATE) if timings is not None else None
        self._general = _build_passes(general, admitting, checking)
        self._particular = {
            resource: _build_passes(plugins, admitting, checking) for resource, plugins in (particular or {}).items()
        }
        # Whose were found last: both passes of a write ask, and many writes of one resource.
        self._last: tuple[APIResource | None, _Passes] = None, self._general

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """The mutating pass: done (None) unless a plugin has to be awaited."""
        waiting = self._find(attributes).mutating.run(attributes)
        if waiting is not None:
            return self._admit_on(waiting, attributes)
        return self._reinvoke(attributes) if attributes.reinvoking is not None else None

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """The validating pass, likewise."""
        return self._find(attributes).validating.run(attributes)

    def _find(self, attributes: Attributes) -> _Passes:
        resource = attributes.resource
        last, passes = self._last
        if resource is not last:
            passes = self._particular.get((resource.group, resource.name)) or self._general
            self._last = resource, passes
        return passes

    async def _admit_on(self, waiting: Awaitable[None], attributes: Attributes) -> None:
        await waiting
        if attributes.reinvoking is not None:
            more = self._reinvoke(attributes)
            if more is not None:
                await more

    def _reinvoke(self, attributes: Attributes) -> Awaitable[None] | None:
        reinvocation = attributes.reinvocation
        if reinvocation.is_reinvoke or not reinvocation.is_requested:
            return None
        reinvocation.is_reinvoke = True
        return self.admit(attributes)


Call = Callable[[Attributes], Awaitable[None] | None]


class _Pass:
    """Its plugins, asked one after the other. `is_mutating`: it may run once more, and is noted once."""

    def __init__(
        self, calls: tuple[Call, ...], timed: tuple[Timing | None, ...], whole: Timing | None, is_mutating: bool
    ) -> None:
        self._is_mutating = is_mutating
        self._calls = calls
        self._timed = timed if timed else (None,) * len(calls)
        self._whole = whole

    def run(self, attributes: Attributes) -> Awaitable[None] | None:
        whole = self._whole
        begin_s = _now_s() if whole is not None else 0.0
        at_s = begin_s
        for position, call in enumerate(self._calls):
            try:
                waiting = call(attributes)
            except Unanswered:
                waiting = questions.settle_later(partial(call, attributes))
            except Exception:
                self._refuse(position, attributes, begin_s, at_s)
                raise
            if waiting is not None:
                return self._run_on(waiting, position, attributes, begin_s, at_s)
            if whole is not None:
                timing = self._timed[position]
                at_s = timing.note(attributes.operation, at_s) if timing is not None else _now_s()
        self._end(attributes, begin_s)
        return None

    async def _run_on(
        self, waiting: Awaitable[None], position: int, attributes: Attributes, begin_s: float, at_s: float
    ) -> None:
        """From the plugin at `position` on, which is awaited."""
        whole = self._whole
        try:
            while True:
                await waiting
                if whole is not None:
                    timing = self._timed[position]
                    at_s = timing.note(attributes.operation, at_s) if timing is not None else _now_s()
                position += 1
                if position == len(self._calls):
                    break
                waiting = questions.settle_later(partial(self._calls[position], attributes))
        except Exception:
            self._refuse(position, attributes, begin_s, at_s)
            raise
        self._end(attributes, begin_s)

    def _end(self, attributes: Attributes, begin_s: float) -> None:
        reinvoking = attributes.reinvoking if self._is_mutating else None
        if self._whole is not None and (reinvoking is None or not reinvoking.is_reinvoke):
            self._whole.note(attributes.operation, begin_s)

    def _refuse(self, position: int, attributes: Attributes, begin_s: float, at_s: float) -> None:
        timing = self._timed[position]
        if self._whole is not None and timing is not None:
            self._whole.refuse(attributes.operation, begin_s)
            timing.refuse(attributes.operation, at_s)
        else:  # upstream refuses it where objects are stored
            self._end(attributes, begin_s)


class _Passes(NamedTuple):
    mutating: _Pass
    validating: _Pass


def _build_passes(plugins: Plugins, admitting: Timing | None, checking: Timing | None) -> _Passes:
    return _Passes(
        _Pass(tuple(each.admit for each in plugins.mutating), plugins.mutating_timed, admitting, True),
        _Pass(tuple(each.validate for each in plugins.validating), plugins.validating_timed, checking, False),
    )
