"""What the expressions of policies have to evaluate to, and what is said where they do not."""

from __future__ import annotations

import pytest

from quarterdeck.admission.policy.expressions import BOOL, TEXT_OR_NULL, Compiler


@pytest.mark.parametrize(
    ("expression", "given"),
    [
        ("duration('1s')", "google.protobuf.Duration"),
        ("[timestamp('2020-01-01T00:00:00Z')]", "list(google.protobuf.Timestamp)"),
        ("{'a': [null]}", "map(string, list(null_type))"),
        ("google.protobuf.Any{}", "google.protobuf.Any"),
        ("google.protobuf.Int64Value{}", "wrapper(int)"),
        ("1", "int"),
    ],
)
def test_types_are_named_as_they_are_declared(expression: str, given: str) -> None:
    compiler = Compiler(has_params=False)
    assert compiler.compile(expression, BOOL).fault == f"must evaluate to bool but got {given}"
    told = f"must evaluate to one of [string null_type] but got {given}"
    assert compiler.compile(expression, TEXT_OR_NULL).fault == told
    assert compiler.compile_patch(expression, is_list=True).fault == f"must evaluate to list(JSONPatch) but got {given}"
    assert compiler.compile_patch(expression, is_list=False).fault == f"must evaluate to Object but got {given}"


@pytest.mark.parametrize("form", ["{}", "[{}][0]", "true ? {} : null", "optional.of({}).value()"])
def test_wrappers_count_as_what_they_hold(form: str) -> None:
    compiler = Compiler(has_params=False)
    for name, results in (("BoolValue", BOOL), ("StringValue", TEXT_OR_NULL)):
        compiled = compiler.compile(form.replace("{}", f"google.protobuf.{name}{{}}"), results)
        assert (compiled.fault, compiled.program is None) == ("", False)
