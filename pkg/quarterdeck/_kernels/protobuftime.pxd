"""Moments as protobuf has them: seconds since 1970."""

from libc.stdint cimport int64_t


cdef inline int two_digits(const char *text) noexcept:
    """-1: they are none."""
    if not c'0' <= text[0] <= c'9' or not c'0' <= text[1] <= c'9':
        return -1
    return (text[0] - c'0') * 10 + text[1] - c'0'


cdef inline bint read_rfc3339(const char *text, Py_ssize_t size, int64_t *seconds) noexcept:
    """A moment as `2006-01-02T15:04:05Z`, of the years 1000 to 9999. False: it is written otherwise, or there is no
    such moment."""
    cdef int century, year, month, day, hour, minute, second, days_max
    if size != 20 or text[4] != c'-' or text[7] != c'-' or text[10] != c'T' or text[13] != c':' or text[16] != c':':
        return False
    century, year, month, day = two_digits(text), two_digits(text + 2), two_digits(text + 5), two_digits(text + 8)
    hour, minute, second = two_digits(text + 11), two_digits(text + 14), two_digits(text + 17)
    if text[19] != c'Z' or century < 10 or year < 0 or not 0 <= hour < 24 or not 0 <= minute < 60:
        return False
    if not 0 <= second < 60 or not 1 <= month <= 12:
        return False
    year += century * 100
    days_max = 30 + ((month + (month >> 3)) & 1)
    if month == 2:
        days_max = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    if not 1 <= day <= days_max:
        return False
    # Days of the civil calendar, whose years begin in March.
    if month < 3:
        year -= 1
        month += 12
    day += (153 * (month - 3) + 2) // 5 + 365 * year + year // 4 - year // 100 + year // 400 - 719469
    seconds[0] = (<int64_t>day * 24 + hour) * 3600 + minute * 60 + second
    return True
