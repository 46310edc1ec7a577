"""The fan-out of changes to watchers, slow and obvious: every change is shown to every watcher, each has its own queue.

What the kernel (ext/watch.pyx) does with an index, shared frames and cursors must look the same from outside.
"""

from dataclasses import dataclass, field

ADDED, MODIFIED, DELETED = 0, 1, 2


@dataclass(frozen=True)
class Thing:
    """An object at a revision."""

    path: str
    labels: tuple[tuple[str, str], ...]
    fields: tuple[tuple[str, str], ...]
    revision: int

    @property
    def namespace(self) -> str:
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def name(self) -> str:
        return self.path.partition("/")[2] if "/" in self.path else self.path


@dataclass(frozen=True)
class Wish:
    """A selection: namespace, name, label requirements (key, operator, values), field requirements."""

    namespace: str = ""
    name: str = ""
    labels: tuple[tuple[str, int, frozenset[str]], ...] = ()
    fields: tuple[tuple[str, bool, str], ...] = ()

    def matches(self, thing: Thing) -> bool:
        if self.namespace and thing.namespace != self.namespace:
            return False
        if self.name and thing.name != self.name:
            return False
        return all(self._label(thing, *wanted) for wanted in self.labels) and all(
            self._field(thing, *wanted) for wanted in self.fields
        )

    @staticmethod
    def _label(thing: Thing, key: str, operator: int, values: frozenset[str]) -> bool:
        value = dict(thing.labels).get(key)
        if operator == 0:
            return value in values
        if operator == 1:
            return value not in values
        if operator == 2:
            return value is not None
        if operator == 3:
            return value is None
        try:
            number, bound = int(value or ""), int(next(iter(values)))
        except ValueError:
            return False
        return number > bound if operator == 4 else number < bound

    @staticmethod
    def _field(thing: Thing, key: str, negated: bool, wanted: str) -> bool:
        known = {"metadata.name": thing.name, "metadata.namespace": thing.namespace, **dict(thing.fields)}
        return (known.get(key, "") == wanted) != negated


@dataclass(eq=False)
class ReferenceWatcher:
    wish: Wish
    form: str
    wants_header: bool
    queue: list[bytes] = field(default_factory=list)
    header: bytes | None = None  # the first event, outside of the bounds
    is_ended: bool = False

    def take(self, left: int) -> bytes:
        """What is handed over until so many frames are left."""
        data = b""
        while len(self.queue) + (self.header is not None) > left:
            if self.header is not None:
                data, self.header = data + self.header, None
            else:
                data += self.queue.pop(0)
        return data


def frame(form: str, kind: int, thing: Thing, revision: int, with_header: bool) -> bytes:
    return f"<{form}{'!' if with_header else ''} {kind} {thing.path} {thing.revision} @{revision}>".encode()


class ReferenceHub:
    def __init__(self, frames_max: int, bytes_max: int) -> None:
        self.frames_max = frames_max
        self.bytes_max = bytes_max
        self.watchers: list[ReferenceWatcher] = []

    def open(self, wish: Wish, form: str, wants_header: bool) -> ReferenceWatcher:
        watcher = ReferenceWatcher(wish, form, wants_header)
        self.watchers.append(watcher)
        return watcher

    def publish(self, new: Thing | None, old: Thing | None, revision: int) -> None:
        for watcher in self.watchers:
            was = old is not None and watcher.wish.matches(old)
            now = new is not None and watcher.wish.matches(new)
            if now and new is not None:
                self._push(watcher, MODIFIED if was else ADDED, new, revision)
            elif was and old is not None:
                self._push(watcher, DELETED, old, revision)

    def _push(self, watcher: ReferenceWatcher, kind: int, thing: Thing, revision: int) -> None:
        if watcher.is_ended:
            return
        data = frame(watcher.form, kind, thing, revision, False)
        queued = sum(map(len, watcher.queue))
        if watcher.queue and (len(watcher.queue) >= self.frames_max or queued + len(data) > self.bytes_max):
            watcher.is_ended = True
        elif watcher.wants_header:
            watcher.wants_header = False
            watcher.header = frame(watcher.form, kind, thing, revision, True)
        else:
            watcher.queue.append(data)
