"""Types of flags for argparse, which takes what is wrong as an ArgumentTypeError."""

from __future__ import annotations

import argparse
import math
import re
from typing import Final

from quarterdeck.cmd.values import parse_duration_s

_PERCENT_MAX: Final = 100
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")


def parse_bool(text: str) -> bool:
    """As strconv.ParseBool, which kube-apiserver's flags are read with."""
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def parse_int64(text: str) -> int:
    """A whole number as pflag's Int64 reads it, in decimal digits."""
    if not _INTEGER.fullmatch(text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 64 bits")
    return int(text)


def parse_insecure_port(text: str) -> int | None:
    """None for 0, which is off, as it was for kube-apiserver while it had this flag; envtest passes it."""
    if text == "auto":
        return 0
    try:
        return int(text) or None
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor auto") from error


def parse_duration(text: str) -> float:
    try:
        return parse_duration_s(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def parse_percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _PERCENT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 100")
    return value
