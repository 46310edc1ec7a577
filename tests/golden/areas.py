"""Which areas of the recordings pass as a whole: a difference in one of these fails the tests.

For the others the tests hold the number that passes, so that none is lost on the way.
"""

WHOLE = ("crud", "verbs", "pruning", "strict", "watchlist")

# Recordings that pass in the areas that do not pass as a whole yet.
PARTIAL: dict[str, int] = {}
