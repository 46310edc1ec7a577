"""The rules of a schema, compiled: a tree beside the schema's own, of the nodes with rules in or below them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quarterdeck._kernels import celeval
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel.values import Reader

Schema = Mapping[str, Any]


@dataclass(slots=True)
class Rule:
    """One rule, ready to run. `kernel` is None where it did not compile: then `fault` is told at every evaluation."""

    text: str
    message: str | None
    reason: str | None
    field_path: str
    uses_old: bool
    optional_old: bool
    kernel: celeval.Program | None
    fault: str = ""
    message_kernel: celeval.Program | None = None
    message_text: str = ""

    @property
    def shown(self) -> str:
        return self.text if self.message is None else self.message


@dataclass(slots=True)
class RuleNode:
    """The rules of one schema node and of what is below it. `fault`: why no rule of the node can be compiled, told of
    each of its values."""

    schema: Schema
    reader: Reader | None
    rules: tuple[Rule, ...]
    is_resource_root: bool
    items: RuleNode | None = None
    values: RuleNode | None = None
    properties: dict[str, RuleNode] | None = None
    all_of: tuple[RuleNode, ...] = ()
    fault: str = ""


@dataclass(slots=True)
class Compilation:
    """What compiling a schema's rules found. `root` is None where there are no rules at all."""

    root: RuleNode | None = None
    schema_errors: list[FieldError] = field(default_factory=list)
    cel_errors: list[FieldError] = field(default_factory=list)
