"""Lists by selector, slow and obvious: all states that there have ever been, each object of one looked at in turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from quarterdeck.apimachinery import fields, labels


@dataclass(frozen=True)
class Thing:
    labels: dict[str, str]
    fields: dict[str, str]
    revision: int


@dataclass
class EveryState:
    """`states`: by revision, the objects by path."""

    states: dict[int, dict[str, Thing]] = field(default_factory=dict)
    newest: int = 0

    def put(self, path: str, thing: Thing) -> None:
        self._add(thing.revision, {**self.states.get(self.newest, {}), path: thing})

    def remove(self, path: str, revision: int) -> None:
        self._add(revision, {key: thing for key, thing in self.states[self.newest].items() if key != path})

    def _add(self, revision: int, state: dict[str, Thing]) -> None:
        self.states[revision] = state
        self.newest = revision

    def select(
        self, revision: int, namespace: str, label_selector: labels.Selector, field_selector: fields.Selector
    ) -> list[tuple[str, int]]:
        """The paths and revisions of what is selected, in the order of a list."""
        found = []
        for path, thing in sorted(self.states.get(revision, {}).items()):
            inside, _, name = path.partition("/")
            shown = {**thing.fields, "metadata.name": name, "metadata.namespace": inside}
            if namespace in ("", inside) and label_selector.matches(thing.labels) and field_selector.matches(shown):
                found.append((path, thing.revision))
        return found
