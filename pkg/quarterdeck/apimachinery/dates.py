"""The formats date and date-time, of schemas and of CEL's format library.

Source: kube-openapi/pkg/validation/strfmt (default.go: IsDate; time.go: IsDateTime).
"""

from __future__ import annotations

import datetime
import re

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")


def is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    try:
        datetime.date(year or 4, month, day)  # Go has a year 0, a leap year as 4 is
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """What follows a second "t" is not looked at, and offsets may be of any size: upstream's own looseness."""
    parts = text.lower().split("t")
    if len(text.encode("utf-8", "surrogatepass")) < 4 or len(parts) < 2 or not is_date(parts[0]):
        return False
    match = _TIME.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"
