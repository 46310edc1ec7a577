"""What reading YAML gives: a value with the keys that were given twice, or an error."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Final

DEPTH_MAX: Final = 10_000  # go-yaml's max_flow_level and max_indents
# Differs from upstream: items times the collections around them, as libyaml looks at each open bracket at every token.
# Brackets as deep as allowed are read, and not very many items within them as well.
NESTED_MAX: Final = 110_000_000


class DecodeError(ValueError):
    """`message` is what go-yaml or sigs.k8s.io/yaml says, `yaml: line 3: …`."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class Decoded:
    """`duplicates`: `line 4: key "s" already set in map`, in the order of the document."""

    value: Any
    duplicates: list[str] = dataclass_field(default_factory=list)

    @property
    def strict_error(self) -> str:
        """All duplicates as the one error that go-yaml makes of them; "" without any."""
        return "yaml: unmarshal errors:\n  " + "\n  ".join(self.duplicates) if self.duplicates else ""
