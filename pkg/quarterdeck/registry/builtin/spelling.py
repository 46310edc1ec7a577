"""How members are spelled that Go keeps as they were sent, and compares so.

A RawExtension holds the text of a request: `{"x": 1}` is no `{"x":1}`. Whoever reads the object gets it without the
blanks, so that a patch, which is made of what was read, changes it; how numbers are written (`1.0`) stays. A strategic
merge patch and server-side apply sort its members, too. A field of bytes that was sent empty is another one than one
that was not sent until the next write, which leaves it out. What is stored here has one spelling alone; how it was
spelled is kept beside it.

Differs from upstream: integers that no int64 holds become floats in what is stored, and lone surrogates U+FFFD, as they
do wherever an object may hold anything.

Invariant: an object that is not remembered is spelled as it is stored: without blanks, its members in their order.

Source: apimachinery/pkg/runtime/extension.go, encoding/json (compact), encoding/base64.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import GoText
from quarterdeck.apimachinery.patch import texts
from quarterdeck.registry.builtin import checks, membertexts
from quarterdeck.registry.builtin.membertexts import Place
from quarterdeck.registry.strategy import Object

# Differs from upstream: it is forgotten with the process, and of the oldest objects beyond these of one kind.
OBJECTS_MAX: Final = 10_000

Texts = tuple[tuple[Place, str], ...]  # what stands where
_NO_LENGTHS: Final[Mapping[str, int]] = {}

# No field holds such a number: they stand for texts while what is around those is written.
_STANDS_FOR: Final = 1 << 80
_stand_in = re.compile(r'(?<=[^\\]":)(\d{25})(?=[,}])').sub


class Hashes(NamedTuple):
    """Of the texts of a part: as they are, and as a patch that does not touch them leaves them."""

    texts: int
    patched: int


class Spelling:
    """Of one kind. `parts`: where such members are, by the member of the object that they are in; "*" is any item of a
    list (`spec.config.*.opaque.parameters`). `measured`: those of which no more than the length is asked for."""

    def __init__(self, *paths: str, measured: Sequence[str] = ()) -> None:
        self._paths = [tuple(path.split(".")) for path in paths]
        self._measured = [tuple(path.split(".")) for path in measured]
        # None: of an object that is as it was. Differs from upstream: so it is where the server itself writes it.
        self._sent: ContextVar[Texts | None] = ContextVar("texts of the object that was decoded last", default=None)
        # By path: of the texts that a request's JSON has, in bytes.
        self._lengths: ContextVar[Mapping[str, int]] = ContextVar("lengths of its texts", default=_NO_LENGTHS)
        # What a text says that is the stored one, where it was made of what this server shows.
        self._shown_as: ContextVar[Callable[[Hashes], Hashes] | None] = ContextVar("how it was shown", default=None)
        # By uid: the revision that an update began with, and hashes of the texts before and after it.
        self._known: dict[str, tuple[str, dict[str, Hashes], dict[str, Hashes]]] = {}

    def note(self, body: Object) -> None:
        """Of an object that was decoded: what a patch gave, for one."""
        self._sent.set(self._texts(body))
        self._lengths.set(_NO_LENGTHS)
        self._shown_as.set(None)

    def note_text(self, data: bytes) -> None:
        """The JSON that it was decoded from. What cannot be read again counts as spelled without blanks."""
        try:
            text = data.decode()
            found, measured = membertexts.find(text, self._paths), membertexts.find(text, self._measured)
        except (ValueError, IndexError, RecursionError):
            return
        self._sent.set(tuple(each for each in found if each[1] != "null"))
        self._lengths.set({_path_of(place): len(text.encode()) for place, text in (*found, *measured)})

    def note_patched(self, data: bytes, body: Object) -> None:
        """The JSON that a JSON patch or a merge patch made of the live object as it is stored here, and what was
        decoded from it: its members get the order that they have there, since a merge patch sorts what it writes."""
        self.note_text(data)
        self._shown_as.set(_patched)
        sent = dict(self._sent.get() or ())
        for path in self._paths:
            for holder, place in _places(body, path):
                with suppress(RecursionError):  # of what nests so deeply the order does not matter
                    holder[place[-1]] = _ordered_as(json.loads(sent.get(place, "null")), holder[place[-1]])

    def note_protobuf(self) -> None:
        """That it was decoded from protobuf, which upstream writes with the texts that are kept, here as it is stored:
        what is sent as it was read is spelled as it was."""
        self._shown_as.set(_unchanged)

    def note_kept(self) -> None:
        """That the object is as it was: an apply that changes nothing gives back what is stored."""
        self._sent.set(None)

    def sort(self, body: Object) -> None:
        """Members of the members in the order of their names, in place: what Go has read into a map."""
        for path in self._paths:
            for holder, place in _places(body, path):
                holder[place[-1]] = _sorted(holder[place[-1]])

    def is_changed(self, part: str, old: Object) -> bool:
        """Whether the request spells the part otherwise than the object has it."""
        sent = self._given(old)
        return sent is not None and part in _changed_parts(sent, self._of(old), {part})

    def respelled(self, live: Object) -> Object:
        """The live object as a comparison of texts sees it: with other values where the request spells them otherwise,
        whose owners lose them to the writer."""
        sent, known = self._given(live), self._of(live)
        if sent is None or (changed := _changed_parts(sent, known, sent.keys() & known.keys())) == set():
            return live
        marked = copy.deepcopy({part: live[part] for part in changed if part in live})
        for path in self._paths:
            for holder, place in _places(marked, path):
                holder[place[-1]] = _STANDS_FOR
        return {**live, **marked}

    def length(self, path: str, value: Any) -> int:
        """Bytes of the request's text of a value, whose path is a field's (`spec.config[0].opaque.parameters`)."""
        sent = self._lengths.get().get(path)
        return len(_text_of(value).encode("utf-8", "surrogatepass")) if sent is None else sent

    def shown(self, *place: str | int) -> str:
        """The request's text of what stands there, as Go prints it."""
        return next((texts.compact(text) for at, text in self._sent.get() or () if at == place), "null")

    def show(self, value: Object, *place: str, make: Callable[[Object], str]) -> GoText:
        """The object's part at that place as `make` prints it, with the request's texts in it."""
        marked = copy.deepcopy(value)
        around: Object = marked
        for name in reversed(place):
            around = {name: around}
        sent, shown = dict(self._sent.get() or ()), list[str]()
        for path in self._paths:
            for holder, at in _places(around, path):
                if at in sent:
                    holder[at[-1]] = _STANDS_FOR + len(shown)
                    shown.append(texts.compact(sent[at]))
        return GoText(_stand_in(lambda found: shown[int(found[1]) - _STANDS_FOR], make(marked)))

    def remember_new(self, obj: Object) -> None:
        sent = self._sent.get()
        self._remember(obj, "", {}, self._stored(obj) if sent is None else _hashes(sent))

    def settle(self, obj: Object) -> None:
        """A stored object is about to be written by no update: none that failed says what it is from then on."""
        if (uid := meta.uid(obj)) in self._known:
            known = self._of(obj)
            self._known[uid] = ("", known, known)

    def remember(self, new: Object, old: Object, *parts: str) -> None:
        """An update that takes these parts from the request, and leaves the others as they are. It may still fail."""
        before, given = self._of(old), self._given(old)
        sent = before if given is None else given
        after = {part: number for part, number in before.items() if part not in parts}
        after |= {part: number for part, number in sent.items() if part in parts}
        self._remember(new, old["metadata"].get("resourceVersion", ""), before, after)

    def _remember(self, obj: Object, revision: str, before: dict[str, Hashes], after: dict[str, Hashes]) -> None:
        uid = meta.uid(obj)
        if not uid:  # another hand has stored it without one
            return
        self._known.pop(uid, None)  # the newest stand last
        if after == self._stored(obj) and (not revision or after == before):
            return
        self._known[uid] = (revision, before, after)
        if len(self._known) > OBJECTS_MAX:
            del self._known[next(iter(self._known))]

    def _given(self, live: Object) -> dict[str, Hashes] | None:
        """Hashes of what the request writes, None where it leaves the object as it was."""
        sent = self._sent.get()
        if sent is None:
            return None
        given = _hashes(sent)
        if (shown_as := self._shown_as.get()) is not None:
            stored, known = self._stored(live), self._of(live)
            for part in known if shown_as is _unchanged else given.keys() & stored.keys() & known.keys():
                if _texts_of(given, part) == _texts_of(stored, part):
                    given[part] = shown_as(known[part])
        return given

    def _of(self, obj: Object) -> dict[str, Hashes]:
        """Hashes of the texts of a stored object, by part."""
        found = self._known.get(meta.uid(obj))
        if found is None:
            return self._stored(obj)
        revision, before, after = found
        # An update that was refused has not moved the revision.
        return before if revision and revision == obj["metadata"].get("resourceVersion") else after

    def _stored(self, obj: Object) -> dict[str, Hashes]:
        return _hashes(self._texts(obj))

    def _texts(self, body: Object) -> Texts:
        return tuple(
            (place, _text_of(holder[place[-1]]))
            for path in self._paths
            for holder, place in _places(body, path)
            if holder[place[-1]] is not None
        )


class EmptyBytes(Spelling):
    """Which fields of bytes are there, but empty."""

    def note_text(self, data: bytes) -> None:
        """They are seen in the object as well."""

    def respelled(self, live: Object) -> Object:
        """Neither is written down, so that nobody owns them."""
        return live

    def _texts(self, body: Object) -> Texts:
        return tuple(each for each in super()._texts(body) if each[1] == '""')


def _path_of(place: Place) -> str:
    path = ""
    for each in place:
        path = field.index(path, each) if isinstance(each, int) else f"{path}.{each}"
    return path.removeprefix(".")


def _text_of(value: Any) -> str:
    try:
        return checks.escape(json_codec.encode(value).decode("utf-8", "surrogatepass"))
    except ValueError:  # a number that is too large: the object is refused for it later
        return ""


def _hashes(found: Texts) -> dict[str, Hashes]:
    by_part: dict[str, list[tuple[Place, str]]] = {}
    for place, text in found:
        by_part.setdefault(str(place[0]), []).append((place, text))
    return {part: Hashes(hash(tuple(those)), hash(_compact(those))) for part, those in by_part.items()}


def _patched(known: Hashes) -> Hashes:
    return Hashes(known.patched, known.patched)


def _unchanged(known: Hashes) -> Hashes:
    return known


def _compact(found: Sequence[tuple[Place, str]]) -> Texts:
    return tuple((place, texts.compact(text)) for place, text in found)


def _changed_parts(sent: dict[str, Hashes], known: dict[str, Hashes], parts: Collection[str]) -> set[str]:
    return {part for part in parts if _texts_of(sent, part) != _texts_of(known, part)}


def _texts_of(hashes: dict[str, Hashes], part: str) -> int | None:
    found = hashes.get(part)
    return None if found is None else found.texts


def _places(body: Any, path: Sequence[str], at: Place = ()) -> Iterator[tuple[Any, Place]]:
    """What holds each member that is there, and the place of that member."""
    name, rest = path[0], path[1:]
    keys: Sequence[str | int] = ()
    if name == "*":
        keys = range(len(body)) if isinstance(body, list) else ()
    elif isinstance(body, dict) and name in body:
        keys = (name,)
    for key in keys:
        if rest:
            yield from _places(body[key], rest, (*at, key))
        else:
            yield body, (*at, key)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in longsteps.sort(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _ordered_as(like: Any, value: Any) -> Any:
    if isinstance(value, dict) and isinstance(like, dict):
        return {name: _ordered_as(like[name], value[name]) for name in like if name in value}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [_ordered_as(one, item) for one, item in zip(like, value, strict=True)]
    return value
