"""MutatingAdmissionWebhook: webhooks are asked one after the other, each sees what those before it made.

Source: apiserver/pkg/admission/plugin/webhook/mutating/{dispatcher,reinvocationcontext}.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import orjson

from quarterdeck.admission import auditnotes
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.webhooks import calls, versioned
from quarterdeck.admission.webhooks.hookmatcher import HookMatcher
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.plugin import WebhookPlugin
from quarterdeck.admission.webhooks.reviews import Verdict
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import errors, gofmt, questions
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.patch import jsonpatch
from quarterdeck.webhook.client import WebhookFailed

Object = dict[str, Any]
_NAME: Final = "MutatingAdmissionWebhook"
_MUTATION: Final = "mutation.webhook.admission.k8s.io/"
_PATCH: Final = "patch.webhook.admission.k8s.io/"


class _Rounds:
    """What a request's first round leaves for its second. `eligible`: webhooks that were asked since the object last
    changed and want to be asked again; `again`: those that will be. `output`: the object as the last round left it."""

    __slots__ = ("again", "eligible", "output")

    def __init__(self) -> None:
        self.eligible: set[str] = set()
        self.again: set[str] = set()
        self.output = b""

    def require(self) -> None:
        self.again |= self.eligible
        self.eligible = set()


class MutatingWebhooks(WebhookPlugin):
    """A plugin of the chain."""

    admit = WebhookPlugin._look_at  # no call more than it takes: every write comes here

    async def _ask(self, attributes: Attributes, hooks: tuple[Hook, ...]) -> None:
        reinvocation = attributes.reinvocation
        rounds: _Rounds = reinvocation.values.setdefault(_NAME, _Rounds())
        if reinvocation.is_reinvoke and rounds.eligible and rounds.output != _snapshot(attributes.obj):
            rounds.require()
        run = _Run(attributes, self._matcher, rounds)
        for index, hook in enumerate(hooks):
            await self._ask_one(run, hook, index)
        await run.finish()
        if rounds.eligible and not reinvocation.is_reinvoke:
            rounds.output = _snapshot(attributes.obj)

    async def _ask_one(self, run: _Run, hook: Hook, index: int) -> None:
        matched = await run.match(hook)
        reinvocation, rounds = run.attributes.reinvocation, run.rounds
        if matched is None or (reinvocation.is_reinvoke and hook.uid not in rounds.again):
            return
        place = f"round_{int(reinvocation.is_reinvoke)}_index_{index}"
        key = f"{_MUTATION}{place}"
        shown = await run.show(matched)
        changed = False
        try:
            with self._counts.counting(hook, run.attributes.operation):
                verdict = await calls.call(self._client, hook, shown, matched, is_mutating=True)
                changed = run.apply(hook, verdict)
            if verdict.patch:
                _note_patch(run.attributes, hook, verdict.patch, place)
        except WebhookFailed as failure:
            if not hook.is_ignorable:
                raise calls.describe_failure(hook, failure) from failure
            calls.pass_over(hook, failure, run.attributes, key)
        finally:
            told = {"configuration": hook.configuration, "webhook": hook.name, "mutated": changed}
            auditnotes.note(run.attributes, key, json.encode(told).decode())
        if changed:
            self._counts.note_change(hook)
            rounds.require()
            reinvocation.is_requested = True
        if hook.is_reinvocable:
            rounds.eligible.add(hook.uid)


class _Run:
    """One round: the object in the version of the webhook that was asked last."""

    __slots__ = ("_is_dirty", "_matcher", "_shown", "attributes", "rounds")

    def __init__(self, attributes: Attributes, matcher: HookMatcher, rounds: _Rounds) -> None:
        self.attributes = attributes
        self.rounds = rounds
        self._matcher = matcher
        self._shown: VersionedAttributes | None = None
        self._is_dirty = False

    async def match(self, hook: Hook) -> Matched | None:
        obj = self.attributes.obj if self._shown is None else self._shown.obj
        matched = hook.selection.match(self.attributes, obj, self._matcher.labels_of)
        if matched is None or hook.conditions.is_empty:
            return matched
        seen_so = await self.show(matched)
        fits = await questions.settle(partial(self._matcher.fit_conditions, hook, seen_so))
        return matched if fits else None

    async def show(self, matched: Matched) -> VersionedAttributes:
        if self._shown is None or self._shown.kind != matched.kind:
            try:
                await self.finish()
                self._shown = await versioned.see(self.attributes, matched.kind)
            except errors.APIStatus as error:
                # Who asks for the version and who asks the webhook both say that this is an error of the server.
                inner = errors.InternalError.of(error.message)
                raise errors.InternalError.of(inner.message) from error
        return self._shown

    def apply(self, hook: Hook, verdict: Verdict) -> bool:
        """Whether the patch changed anything. Raises WebhookFailed, InternalError."""
        operations = _decode_patch(verdict.patch)
        if not operations:
            return False
        shown = self._shown
        assert shown is not None
        before = shown.obj
        if before is None:
            raise errors.InternalError.of(
                f"admission webhook {gofmt.quote(hook.name)} attempted to modify the object, which is not supported "
                "for this operation"
            )
        verdict.check_patch_type()
        try:
            patched = jsonpatch.apply(versioned.copy(before), operations)
        except jsonpatch.PatchError as error:
            raise errors.InternalError.of(error.message) from error
        changed = _snapshot(patched) != _snapshot(before) or self._loses_precision()
        try:
            after = self.attributes.read_mutated(patched, shown.kind)
        except errors.InternalError as error:
            raise _with_number(error, verdict.patch) from error
        self._shown = VersionedAttributes(self.attributes, shown.kind, after, shown.old)
        self._is_dirty = True
        return changed

    def _loses_precision(self) -> bool:
        """Upstream has nanoseconds in the moment of what this request comes to own until something is made of the
        object: then seconds are left, and that counts as a change. Custom resources have text there."""
        if self._is_dirty or self.attributes.is_replaced or self.attributes.interfaces.is_custom:
            return False
        owned = _managed_fields(self.attributes.obj)
        return bool(owned) and owned != _managed_fields(self.attributes.old)

    async def finish(self) -> None:
        """The object becomes what webhooks made of it."""
        if not self._is_dirty:
            return
        self._is_dirty = False
        assert self._shown is not None
        assert self._shown.obj is not None
        self.attributes.replace_object(await versioned.bring_back(self.attributes, self._shown.obj))


def _note_patch(attributes: Attributes, hook: Hook, patch: bytes, place: str) -> None:
    """For an audit that tells what requests hold, not for one of their metadata alone."""
    operations = [dict(sorted(operation.items())) for operation in _decode_patch(patch) if operation]
    if operations and not json.decode(patch, keeps_huge=True).huge:
        told = {
            "configuration": hook.configuration,
            "webhook": hook.name,
            "patch": operations,
            "patchType": "JSONPatch",
        }
        auditnotes.note(attributes, f"{_PATCH}{place}", json.encode(told).decode())


def _snapshot(obj: Any) -> bytes:
    """Equal for equal objects."""
    return orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)


def _with_number(error: errors.InternalError, patch: bytes) -> errors.InternalError:
    """A refusal that names a number which no float64 holds, as the patch has it."""
    text = error.message.partition("Internal error occurred: ")[2]
    huge = json.decode(patch, keeps_huge=True).huge
    return errors.InternalError.of(text.replace(" number inf ", f" number {huge} ", 1)) if huge else error


def _managed_fields(obj: Object | None) -> Any:
    return ((obj or {}).get("metadata") or {}).get("managedFields")


def _decode_patch(patch: bytes) -> list[Any]:
    if not patch:
        return []
    try:
        operations = json.decode(patch, keeps_huge=True).value
    except json.DecodeError as error:
        raise WebhookFailed(f"received undecodable patch in webhook response: {error.message}") from error
    found = None if isinstance(operations, list) or operations is None else operations
    target = "jsonpatch.Patch"
    if found is None:
        wrong = [each for each in operations or () if each is not None and not isinstance(each, dict)]
        if not wrong:
            return operations or []
        found, target = wrong[0], "jsonpatch.Operation"
    raise WebhookFailed(
        "received undecodable patch in webhook response: json: cannot unmarshal "
        f"{gofmt.json_type(found)} into Go value of type {target}"
    )
