"""What differs from run to run gets a name in order of its first appearance, so that two runs can be compared.

resourceVersions are named by their rank among all that the scenario showed: older, same and newer are still compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from support.golden import ages
from support.golden.echoes import order_managed_fields
from support.golden.quickjson import write_sorted

_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_SHORTEST = len("2026-01-01T00:00:00Z")  # shorter texts, which most are, hold neither
# Revisions and storage prefixes inside texts are each server's own.
_REVISION_IN_TEXT = re.compile(
    r"(ResourceVersion in (?:precondition: |object meta: |the precondition \(|record \()"
    r'|resource version: \d+, current: |resource version: \d+ \(|resourceVersion\\*"?: ?\\*")\d+'
)
_KEY_IN_TEXT = re.compile(r"Key: /[\w.-]+/")


class Placeholders:
    """`own`: the values of the run's own names (group, namespace …), by placeholder."""

    def __init__(self, own: dict[str, str]) -> None:
        self._own = [(value, "${" + name + "}") for name, value in own.items() if value]
        self._uids: dict[str, str] = {}
        self._ranks: dict[int, int] = {0: 0}

    def rank_revisions(self, answers: Any, same: Mapping[int, int] = MappingProxyType({})) -> None:
        """`same`: the revisions that others count as."""
        found = set(_revisions(answers)) - {0}
        ranks = {revision: rank for rank, revision in enumerate(sorted({same.get(each, each) for each in found}), 1)}
        self._ranks |= {revision: ranks[same.get(revision, revision)] for revision in found}

    def apply(self, value: Any, member: str = "") -> Any:
        if isinstance(value, dict):
            return {self._text(name): self.apply(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.apply(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if member == "resourceVersion" and value.isdigit():
            return "0" if value == "0" else f"<rv-{self._ranks[int(value)]}>"
        if member == "continue" and value:
            return "<continue>"
        return self._text(value)

    def _text(self, text: str) -> str:
        for value, placeholder in self._own:
            text = text.replace(value, placeholder)
        if len(text) < _SHORTEST:
            return text
        text = _UID.sub(self._name_uid, text)
        return _TIME.sub("<time>", text)

    def _name_uid(self, match: re.Match[str]) -> str:
        return self._uids.setdefault(match[0], f"<uid-{len(self._uids) + 1}>")


def _revisions(value: Any, member: str = "") -> list[int]:
    if isinstance(value, dict):
        return [revision for name, inner in value.items() for revision in _revisions(inner, name)]
    if isinstance(value, list):
        return [revision for inner in value for revision in _revisions(inner)]
    is_revision = member == "resourceVersion" and isinstance(value, str) and value.isdigit()
    return [int(value)] if is_revision else []


def level(value: Any) -> Any:
    """Take out what hangs on the moment of a write: the order of managedFields, revisions inside texts, ages."""
    if isinstance(value, dict):
        levelled = {name: level(inner) for name, inner in value.items()}
        if isinstance(levelled.get("managedFields"), list):
            levelled["managedFields"].sort(key=write_sorted)
        if levelled.get("kind") == "Table":
            ages.name_in_table(levelled)
        return levelled
    if isinstance(value, list):
        return [level(inner) for inner in value]
    return _level_text(value) if isinstance(value, str) else value


@lru_cache(maxsize=20_000)
def _level_text(text: str) -> str:
    text = _KEY_IN_TEXT.sub("Key: /<prefix>/", _REVISION_IN_TEXT.sub(r"\1<rv>", text))
    return order_managed_fields(ages.name_in_text(text))


def order_causes(value: Any) -> None:
    """kube-apiserver gives several causes in no fixed order: bring them, and the text made of them, into one."""
    if isinstance(value, list):
        for inner in value:
            order_causes(inner)
    elif isinstance(value, dict):
        details = value.get("details") if value.get("kind") == "Status" else None
        causes = (details or {}).get("causes") if isinstance(details, dict) else None
        if causes and len(causes) > 1:
            causes.sort(key=lambda cause: (cause.get("field", ""), cause.get("message", ""), cause.get("reason", "")))
            message = value.get("message", "")
            if message.endswith("]") and ": [" in message:
                texts = dict.fromkeys(f"{cause.get('field')}: {cause.get('message')}" for cause in causes)
                value["message"] = f"{message.partition(': [')[0]}: [{', '.join(texts)}]"
        for inner in value.values():
            order_causes(inner)
