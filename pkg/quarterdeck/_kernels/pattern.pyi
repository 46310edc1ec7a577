"""One regular expression, searched for in texts. Body: ext/pattern.pyx."""

from collections.abc import Callable
from typing import Any, final

@final
class Matcher:
    """`compile_pattern(text)`: RE2's `Match` of the compiled pattern, None for a bad one; called at the first use.

    `build_table(text)`: `(classes, class_count, moves, ends)` of an automaton (apimachinery.automata.Table), or None;
    called at use number `uses_before_table`. `anchor`: what RE2's `Match` takes for "anywhere".
    """

    text: str

    def __new__(
        cls,
        text: str,
        compile_pattern: Callable[[str], Callable[..., Any] | None],
        build_table: Callable[[str], tuple[bytes, int, bytes, bytes] | None],
        anchor: object,
        uses_before_table: int,
    ) -> Matcher: ...
    def search(self, text: str) -> bool:
        """Whether the pattern occurs in the text; a pattern that is none occurs nowhere."""
