"""Which errors of calls on values of no known type tell the function: cel-go's common/decls and interpretable.go."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"x": types.DYN, "y": types.DYN})


def run(expression, x, y="a"):
    program = environment.compile_expression(expression, ENV)
    assert not isinstance(program, environment.Failure), program
    return program.evaluate({"x": x, "y": y})


@pytest.mark.parametrize(
    ("expression", "x", "error"),
    [
        ("x.getMonth()", "2024-02-29T01:02:03Z", "no such overload: getMonth(string)"),
        ("x.getHours('UTC')", "2024-02-29T01:02:03Z", "no such overload: getHours(string, string)"),
        ("timestamp(0).getHours(x)", 1, "no such overload: getHours(google.protobuf.Timestamp, int)"),
        ("x.matches(y)", 1, "no such overload: matches"),
        ("x.matches(y)", [1], "no such overload: matches"),
        ("dyn(timestamp(x)).matches(y)", 0, "no such overload"),
        ("'a'.matches(x)", 1, "no such overload"),
        ("x % dyn(2.5)", 1.5, "no such overload: _%_"),
        ("x % 2", 1.5, "no such overload: _%_"),
        ("x + 2", 1.5, "no such overload"),
        ("x - 1", [1], "no such overload: _-_"),
        ("x + 1", [1], "no such overload"),
        ("dyn(bytes(x)) * 1", "a", "no such overload: _*_"),
        ("dyn(bytes(x)) + 1", "a", "no such overload"),
        ("dyn(ip(x)) / 1", "::1", "no such overload: _/_"),
        ("dyn(type(x)) + 1", 1, "no such overload: _+_"),
        ("dyn(timestamp(x)) * 1", 0, "no such overload"),
        ("-x", [1], "no such overload: -_"),
        ("-x", None, "no such overload: -_"),
        ("-dyn(uint(x))", 1, "no such overload: -_"),
        ("-x", True, "no such overload"),
        ("-x", "a", "no such overload"),
        ("size(dyn(timestamp(x)))", 0, "no such overload"),
        ("dyn(duration(x)).size()", "1s", "no such overload"),
        ("x.size()", 5, "no such overload: size"),
        ("x.sort()", 1, "no such overload: sort"),
        ("x.sort()", "a", "no such overload"),
        ("dyn({'a': 1}).sortBy(k, k)", None, "no such overload: @sortByAssociatedKeys"),
        ("dyn({'a': 1}).flatten(1)", None, "no such overload: map(dyn, dyn).flatten(int)"),
        ("x.flatten()", 1, "no such overload: int.flatten()"),
        ("x.unwrapOpt()", [1], "no such overload: unwrapOpt(list)"),
        ("optional.unwrap([x])", 1, "no such overload: optional.unwrap(list)"),
        ("optional.unwrap([dyn(optional.of(1)), x])", None, "value 0 is not optional"),
    ],
)
def test_the_function_is_told_where_upstream_tells_it(expression, x, error):
    assert run(expression, x).error == error
