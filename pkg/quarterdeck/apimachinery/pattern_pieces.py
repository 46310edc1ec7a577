r"""What a pattern of Go's regexp/syntax has in it that hides other syntax, as texts for Python's `re` (with DOTALL).

Whoever looks for something in a pattern passes over these in one step: nothing within means what it does outside.
"""

from __future__ import annotations

from typing import Final

QUOTED: Final = r"\\Q.*?(?:\\E|\Z)"
"""Text without syntax; the end of the pattern ends it, too."""

UNICODE_CLASS: Final = r"\\[pP](?:\{[^}]*\}|[^{])"
"""A class by its name: `\\pN`, `\\p{Greek}`."""

SET: Final = r"\[\^?\]?(?:\[:\^?[a-z]{1,8}:\]|\\.|[^\]\\])*\]"
"""Characters in brackets, in a pattern without mistakes. A bracket that is the first of them closes nothing."""
