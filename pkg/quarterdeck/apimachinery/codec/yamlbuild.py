"""YAML values built from libyaml's events, as go-yaml v2 builds them. Loaded when the first YAML body comes.

The first document alone is read; an error of the syntax goes before an error of the meaning, and both before what has
no JSON form. An explicit stack, no recursion. Aliases are copied; go-yaml's limit on their share of the document keeps
that bounded.

Source: go-yaml v2 decode.go, yaml.go; sigs.k8s.io/yaml yaml.go (convertToJSONableObject).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Final

import yaml
from yaml import _yaml
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsonwrite
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import yamlerrors, yamlinput, yamljson, yamlscalar
from quarterdeck.apimachinery.codec.yamlresult import DEPTH_MAX, NESTED_MAX, Decoded, DecodeError
from quarterdeck.apimachinery.codec.yamlscalar import Scalar

_ALL: Final = 1 << 62
_MANY: Final = 1000
# Differs from upstream: an alias costs its text again in the JSON that is made of the document. A body's limit for what
# all aliases stand for refuses nothing that could be stored.
_ALIASED_BYTES_MAX: Final = 3 * 1024 * 1024
_INT64: Final = range(-(2**63), 2**63)

# libyaml 0.2.6 and later refuse 1,000 levels unless told otherwise. Builder counts them, with go-yaml's limit; libyaml
# looks ahead of it by the length of a simple key at most.
_set_levels_max: Any = getattr(_yaml, "_set_max_nest_level", None)
if _set_levels_max is not None:
    _set_levels_max(2 * DEPTH_MAX)

_Members = dict[str, tuple[Scalar, int]]
"""What a mapping holds, for finding duplicates: the text of a key -> (the key, the line of its value)."""


@dataclass(slots=True)
class _Anchor:
    """A node that can be referred to. `size`: how many nodes its decoding visits; 0 while it is open. `length`: of its
    texts together."""

    value: Any = None
    key: Scalar = None  # the value before it became JSON, for use as a key
    is_scalar: bool = False
    size: int = 0
    length: int = 0
    members: _Members | None = None


@dataclass(slots=True)
class _Frame:
    """An open collection. A mapping takes keys and values in turn."""

    container: Any
    anchor: _Anchor | None
    size_before: int
    length_before: int
    is_mapping: bool
    is_key: bool  # the collection itself stands where a key is due
    is_merged: bool  # it stands below <<
    line: int  # where it begins
    has_key: bool = False  # a value is due
    key: Scalar = None
    is_merge: bool = False  # the key is <<
    members: _Members = dataclass_field(default_factory=dict)
    merged: list[_Members] = dataclass_field(default_factory=list)  # of a list below <<: the items' members


class Builder:
    def __init__(self, data: bytes) -> None:
        self._parser = CParser(yamlinput.source_of(data))
        # go-yaml v2 does not know the escape \\/, libyaml does. The text is kept only where it occurs at all.
        self._slash_escapes = data.decode("utf-8", "replace") if b"\\/" in data else ""
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Anchor] = {}
        self._root: Any = None
        self._duplicates: list[str] = []
        self._error = ""  # the first error of the meaning
        self._json_error = ""  # the first key without a JSON form
        self._may_be_infinite = False
        self._visited = 1  # nodes decoded so far, as go-yaml counts them (the document is one)
        self._visited_in_aliases = 0
        self._length = 0  # of all texts so far, those of aliases again
        self._aliased_length = 0
        self._nested_events = 0
        self._leftovers: list[object] = [self._anchors]  # what takes long to free

    def build(self) -> Decoded:
        while not self.read_events(_ALL):
            pass
        return self.result()

    def read_events(self, count: int) -> bool:
        """Read so many events, each of which takes some microseconds; True: there are no more. Raises DecodeError;
        the builder is of no use after that."""
        is_done = True
        try:
            is_done = self._run(count)
            return is_done
        except yaml.reader.ReaderError as error:
            raise DecodeError(f"yaml: {error.reason}") from error
        except yaml.MarkedYAMLError as error:
            raise DecodeError(yamlerrors.describe(error)) from error
        finally:
            if is_done:
                self._parser.dispose()

    def result(self) -> Decoded:
        if self._error:
            raise DecodeError(f"yaml: {self._error}")
        unsupported = self._json_error or (yamljson.explain_unsupported(self._root) if self._may_be_infinite else "")
        if unsupported:
            raise DecodeError(unsupported)
        offload.hold(*self._leftovers)
        return Decoded(self._root, self._duplicates)

    def _fail(self, message: str) -> None:
        self._error = self._error or message

    def _run(self, count: int) -> bool:
        next_event: Any = self._parser.get_event
        for _ in range(count):
            event: Any = next_event()
            kind = type(event)
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, is_mapping=kind is MappingStartEvent)
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentEndEvent or kind is StreamEndEvent:
                return True
            elif kind is DocumentStartEvent:
                yamlerrors.check_version(event)
            elif self._frames:
                self._close()
                continue
            self._nested_events += len(self._frames)
            if self._nested_events > NESTED_MAX:
                raise DecodeError("yaml: too many items are nested too deeply")
        return False

    def _scalar(self, event: Any) -> None:
        self._visited += 1
        self._length += len(event.value)
        if self._slash_escapes and event.style == '"':
            yamlerrors.check_slash_escapes(event, self._slash_escapes)
        tag = yamlscalar.short_tag(event.tag)
        value: Scalar = event.value
        frame = self._frames[-1] if self._frames else None
        is_key = frame is not None and frame.is_mapping and not frame.has_key
        is_merge = is_key and value == "<<" and (event.implicit[0] or tag == yamlscalar.MERGE_TAG)
        if not is_merge and (tag or event.implicit[0]):
            try:
                tag, value = yamlscalar.resolve(tag, event.value)
            except yamlscalar.ScalarError as error:
                self._fail(str(error))
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchor(
                self._as_json(value), value, is_scalar=True, size=1, length=len(event.value)
            )
        if frame is not None and is_key:
            self._set_key(frame, value, is_merge=is_merge)
        else:
            self._place(self._as_json(value), event.start_mark.line)

    def _as_json(self, value: Scalar) -> Any:
        """What is left of a value after json.Marshal and kjson.Unmarshal."""
        if isinstance(value, float):
            if math.isfinite(value):
                return jsonwrite.integers_for_floats(value)
            self._may_be_infinite = True
        if isinstance(value, int) and value not in _INT64:
            return float(value)
        return value

    def _open(self, event: Any, *, is_mapping: bool) -> None:
        line = event.start_mark.line
        if len(self._frames) >= DEPTH_MAX:
            place = yamlerrors.place_text(line + 1 if line else 0)
            raise DecodeError(f"yaml: {place}exceeded max depth of {DEPTH_MAX}")
        self._visited += 1
        anchor = None
        if event.anchor is not None:
            anchor = self._anchors[event.anchor] = _Anchor()
        parent = self._frames[-1] if self._frames else None
        is_key = parent is not None and parent.is_mapping and not parent.has_key
        container: Any = {} if is_mapping else []
        is_merged = parent is not None and parent.has_key and parent.is_merge
        visited, length = self._visited - 1, self._length
        self._frames.append(_Frame(container, anchor, visited, length, is_mapping, is_key, is_merged, line))

    def _close(self) -> None:
        frame = self._frames.pop()
        self._leftovers += [each for each in (frame.members, frame.merged) if len(each) > _MANY]
        if frame.anchor is not None:
            frame.anchor.value = frame.container
            frame.anchor.size = self._visited - frame.size_before
            frame.anchor.length = self._length - frame.length_before
            frame.anchor.members = frame.members
        if frame.is_key:
            self._fail(f"invalid map key: {yamlscalar.go_syntax(frame.container)}")
            self._set_key(self._frames[-1], "", is_merge=False)
        else:
            self._place(frame.container, frame.line, [frame.members] if frame.is_mapping else frame.merged)

    def _alias(self, event: Any) -> None:
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise DecodeError(f"yaml: unknown anchor '{event.anchor}' referenced")
        self._visited += 1
        if anchor.size == 0:
            self._fail(f"anchor '{event.anchor}' value contains itself")
        self._visited += anchor.size
        self._visited_in_aliases += anchor.size
        self._length += anchor.length
        self._aliased_length += anchor.length
        if self._aliased_length > _ALIASED_BYTES_MAX or self._has_excessive_aliasing():
            # What would follow is not worth reading: go-yaml has read the whole text by now, and says the same.
            raise DecodeError("yaml: document contains excessive aliasing")
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.is_mapping and not frame.has_key:
            if not anchor.is_scalar:
                self._fail(f"invalid map key: {yamlscalar.go_syntax(anchor.value)}")
            self._set_key(frame, anchor.key, is_merge=False)
        else:
            value = kernel.copy(anchor.value)
            if frame is not None and frame.is_merge and not isinstance(value, dict):
                value = None  # a list that is merged cannot be referred to
            self._place(value, event.start_mark.line, [anchor.members or {}])

    def _has_excessive_aliasing(self) -> bool:
        if self._visited_in_aliases <= 100 or self._visited <= 1000:
            return False
        position = min(max(self._visited - 400_000, 0) / 3_600_000, 1.0)
        return self._visited_in_aliases / self._visited > 0.99 - 0.89 * position

    def _set_key(self, frame: _Frame, key: Scalar, *, is_merge: bool) -> None:
        frame.has_key = True
        frame.is_merge = is_merge
        frame.key = key

    def _place(self, value: Any, line: int, members: Sequence[_Members] = ()) -> None:
        if not self._frames:
            self._root = value
            return
        frame = self._frames[-1]
        if not frame.is_mapping:
            frame.container.append(value)
            if frame.is_merged:  # of other lists they would be many, and be freed all at once
                frame.merged.extend(members)
            return
        frame.has_key = False
        if frame.is_merge:
            self._merge(frame, value, members)
            return
        key = yamlscalar.format_key(frame.key)
        if key is None:
            name = "%!s(<nil>)" if frame.key is None else "uint64"
            shown = f"key: {yamlscalar.go_syntax(frame.key)}, value: {yamlscalar.go_syntax(value)}"
            self._json_error = self._json_error or f"unsupported map key of type: {name}, {shown}"
            return
        self._add_member(frame, key, frame.key, line)
        frame.container[key] = value

    def _add_member(self, frame: _Frame, key: str, typed_key: Scalar, line: int) -> None:
        # 1 and "1" are two keys to YAML, though their texts are one.
        known = frame.members.get(key)
        if known is not None and type(known[0]) is type(typed_key):
            self._duplicates.append(f"line {line + 1}: key {yamlscalar.go_syntax(typed_key)} already set in map")
        frame.members[key] = (typed_key, line)

    def _merge(self, frame: _Frame, value: Any, members: Sequence[_Members]) -> None:
        """`<<`: the members of a map, or of maps of which the earlier go before the later."""
        maps = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in maps):
            self._fail("map merge requires map or sequence of maps as the value")
            return
        for item, item_members in zip(reversed(maps), reversed(members), strict=True):
            for key, (typed_key, line) in item_members.items():
                self._add_member(frame, key, typed_key, line)
            frame.container.update(item)
