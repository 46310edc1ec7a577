"""What a rule does to a request that it has chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Moment(StrEnum):
    """BEFORE: nothing has been done. AFTER: it has been done, and only the answer suffers. MIDWAY: so too, and the
    client has got the answer's head and half of its body."""

    BEFORE = "Before"
    AFTER = "After"
    MIDWAY = "Midway"


class Conflict(NamedTuple):
    """409, as of an object that somebody else has changed."""


class TooManyRequests(NamedTuple):
    """429 with Retry-After."""

    retry_after_s: int = 1


# Of a Status that clients know the reason of.
CODES: Final = (400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504)


class Error(NamedTuple):
    """A Status of this code. Empty `message`: what Kubernetes says with the code."""

    code: int = 500
    moment: Moment = Moment.BEFORE
    message: str = ""
    retry_after_s: int = 0


class Delay(NamedTuple):
    seconds: float
    moment: Moment = Moment.BEFORE


class Drop(NamedTuple):
    """The connection is cut; of HTTP/2, the stream."""

    moment: Moment = Moment.BEFORE


class Ending(StrEnum):
    """How a watch ends: as one whose time is over, with its connection, or with 410 Gone as an ERROR event."""

    END = "End"
    CUT = "Cut"
    GONE = "Gone"


class Watch(NamedTuple):
    """`events`: how many a watch is sent until it ends, None: it does not. `late_s`: how long each is held back.
    `has_bookmarks` False: none of them is sent."""

    events: int | None = None
    ending: Ending = Ending.CUT
    late_s: float = 0.0
    has_bookmarks: bool = True


class Stale(NamedTuple):
    """A get or list shows an older state: that of `revision`, or so many revisions ago; neither: that of when the rule
    was put."""

    revision: int = 0
    revisions_behind: int = 0


class WebhookTimeout(NamedTuple):
    """A call of a webhook fails at once, as if no answer had come in time."""


class ClockStep(NamedTuple):
    """The time of day jumps when the request comes, which then goes on."""

    seconds: float


Action = Conflict | TooManyRequests | Error | Delay | Drop | Watch | Stale | ClockStep | WebhookTimeout
