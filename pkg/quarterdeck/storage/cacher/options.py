"""What lists and watches of the cache are asked, and what a list answers.

Texts of the wire (resourceVersion, continue) come as they were sent: their errors are part of the answer.
Source: apiserver/pkg/storage/{interfaces,util}.go (ListOptions, ValidateListOptions).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import gofmt, strconv
from quarterdeck.storage.cacher import refusals
from quarterdeck.storage.cacher.kept import KeptList

EXACT: Final = "Exact"
NOT_OLDER_THAN: Final = "NotOlderThan"

EVERYTHING: Final = watchobject.Selection()


class ListOptions(NamedTuple):
    """`namespace` is the listed collection's ("": all), to which continue tokens are relative; `selection` repeats it.
    `has_selectors`: there is a label or a field selector, so that what remains is not counted. `is_single`: the options
    tell the key of one object, so that there are no pages (upstream: SelectionPredicate.MatchesSingle)."""

    namespace: str = ""
    selection: watchobject.Selection = EVERYTHING
    has_selectors: bool = False
    resource_version: str = ""
    resource_version_match: str = ""
    limit: int = 0
    continue_token: str = ""
    is_single: bool = False


class WatchOptions(NamedTuple):
    """`send_initial_events` None: the old rule (only from resourceVersion 0 or none)."""

    selection: watchobject.Selection = EVERYTHING
    resource_version: str = ""
    send_initial_events: bool | None = None
    allow_bookmarks: bool = False
    timeout_s: float = 0.0  # 0: no deadline


class ListResult(NamedTuple):
    """`entries` in key order as of `revision`; `remaining` is None where it is not told (the last page, selectors).
    `kept`: the same entries, for all who list them."""

    entries: list[watchobject.Entry]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    kept: KeptList | None = None


def parse_revision(text: str) -> int:
    """The revision that a resourceVersion names; "" is 0. Raises ValueError with upstream's text."""
    if not text:
        return 0
    try:
        return strconv.parse_uint(text)
    except strconv.NumError as error:
        raise ValueError(f"resourceVersion: Invalid value: {gofmt.quote(text)}: {error}") from error


def parse_watch_revision(text: str) -> int:
    """As watches (and reads of one object) refuse it: 500 without a reason."""
    try:
        return parse_revision(text)
    except ValueError as error:
        raise refusals.bad_watch_revision(error) from error


def parse_list_revision(text: str) -> int:
    """As lists refuse it."""
    try:
        return parse_revision(text)
    except ValueError as error:
        raise refusals.bad_list_revision(error) from error
