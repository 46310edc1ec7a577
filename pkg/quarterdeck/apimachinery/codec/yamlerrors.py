"""Syntax errors of YAML in go-yaml v2's words, and those of it that libyaml does not see.

Source: go-yaml v2 decode.go (parser.fail), scannerc.go, parserc.go.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from quarterdeck.apimachinery.codec.yamlresult import DecodeError

_slash_escape = re.compile(r'"(?:[^\\]|\\[^/])*\\/').match


def check_slash_escapes(event: Any, text: str) -> None:
    """Raises DecodeError for the escape `\\/` in a quoted scalar of `text`, which go-yaml does not know."""
    raw = text[event.start_mark.index : event.end_mark.index]
    found = _slash_escape(raw)
    if found is not None:
        line = event.start_mark.line + raw.count("\n", 0, found.end())
        raise DecodeError(f"yaml: {place_text(line + 1 if line else 0)}found unknown escape character")


def check_version(event: Any) -> None:
    """go-yaml knows YAML 1.1 alone; libyaml takes 1.2 as well."""
    if event.version not in (None, (1, 1)):
        raise DecodeError(f"yaml: {place_text(event.start_mark.line)}found incompatible YAML document")


def place_text(line: int) -> str:
    """go-yaml leaves the first line out."""
    return f"line {line}: " if line else ""


def describe(error: yaml.MarkedYAMLError) -> str:
    """go-yaml's text: the line is counted from 0 for errors of the parser, from 1 for those of the scanner, and left
    out where it is the first."""
    line = 0
    for mark in (error.problem_mark, error.context_mark):
        if mark is not None and mark.line:
            line = mark.line
            if mark is error.problem_mark and isinstance(error, yaml.scanner.ScannerError):
                line += 1
            break
    problem = (error.problem or "unknown problem parsing YAML content").replace("intendation", "indentation")
    return f"yaml: {place_text(line)}{problem}"
