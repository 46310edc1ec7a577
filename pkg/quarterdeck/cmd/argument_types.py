"""Types of flags for argparse, which takes what is wrong as an ArgumentTypeError."""

from __future__ import annotations

import argparse

from quarterdeck.cmd.values import parse_duration_s


def parse_bool(text: str) -> bool:
    """As strconv.ParseBool, which kube-apiserver's flags are read with."""
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


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
