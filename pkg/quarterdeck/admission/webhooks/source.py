"""The webhooks of the moment, read from the watch cache: a change of a configuration compiles that one anew.

Source: apiserver/pkg/admission/configuration/{mutating,validating}_webhook_manager.go.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from quarterdeck.admission.webhooks.hooks import Hook, compile_hooks
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.requirements import SelectorError
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

Watch = Callable[[tuple[Hook, ...]], tuple[Hook, ...]]

_LOG: Final = logging.getLogger(__name__)


class WebhookSource:
    """`hooks` are all webhooks of one kind of configuration, in the order in which they are asked. `watch` is given
    those of a configuration that has just been compiled, where somebody wants to know of them."""

    def __init__(self, configurations: ResourceCache, watch: Watch | None = None) -> None:
        self._watch = watch
        self._compiled: dict[str, tuple[Hook, ...]] = {}
        self._changed: dict[str, Entry | None] = {entry.path: entry for entry in configurations.state.all()}
        self._hooks: tuple[Hook, ...] = ()
        configurations.listeners.append(self._on_change)

    def hooks(self) -> tuple[Hook, ...]:
        if self._changed:
            self._take_changes()
        return self._hooks

    def _on_change(self, change: Change) -> None:
        """In the feed, which nothing may hold up: what changed is compiled when it is first asked for."""
        if change.entry is not None:
            self._changed[change.entry.path] = change.entry
        elif change.old is not None:
            self._changed[change.old.path] = None

    def _take_changes(self) -> None:
        for name, entry in self._changed.items():
            self._compiled.pop(name, None)
            if entry is not None:
                hooks = _compile(name, entry)
                self._compiled[name] = hooks if self._watch is None else self._watch(hooks)
        self._changed = {}
        self._hooks = tuple(hook for name in sorted(self._compiled) for hook in self._compiled[name])


def _compile(name: str, entry: Entry) -> tuple[Hook, ...]:
    try:
        return compile_hooks(json.load(entry.data))
    except SelectorError:  # only what another program has stored
        _LOG.exception("the webhook configuration %s cannot be used", name)
        return ()
