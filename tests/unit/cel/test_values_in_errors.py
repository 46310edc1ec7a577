"""How errors show the values and the types of values that they speak of: Go's %v and %T."""

import pytest

from unit.cel.test_keys_of_maps import outcome_of


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("b'ab'", "[97 98]"),
        ("null", "0"),
        ("true", "true"),
        ("1e7", "1e+07"),
        ("2u", "2"),
        ("[dyn(1), dyn('b'), dyn([null])]", "[1, b, [0]]"),
        ("{'a': b'a'}", "{a: [97]}"),
        ("type(1)", "int"),
        ("optional.of('x')", "optional(x)"),
        ("optional.none()", "optional.none()"),
        ("duration('1h1s')", "1h0m1s"),
        ("duration('1.5ms')", "1.5ms"),
        ("timestamp('2020-01-01T00:00:00Z')", "2020-01-01 00:00:00 +0000 UTC"),
        ("timestamp('2020-01-01T00:00:00.5+01:30')", "2020-01-01 00:00:00.5 +0130 +0130"),
        ("url('http://a/b?c')", "http://a/b?c"),
        ("semver('1.2.3-a.1+b')", "1.2.3-a.1+b"),
        ("ip('::1')", "::1"),
    ],
)
def test_a_value_is_shown_as_go_prints_it(value, shown):
    assert outcome_of(f"[dyn('a'), dyn({value})].join()").error == f"join: invalid input: {shown}"
    refused = outcome_of(f"[?dyn({value})]").error
    if "optional" in value:
        assert refused is None
    else:
        assert refused == f"cannot initialize optional list element from non-optional value {shown}"


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("{?true: dyn(null)}", "cannot initialize optional entry 'true' from non-optional value 0"),
        ("[1, 2].transformMapEntry(i, v, {dyn(null): 1})", "insert failed: key 0 already exists"),
        ("[1, 2].transformMapEntry(i, v, {dyn(duration('1s')): 1})", "insert failed: key 1s already exists"),
        ("[1].transformMapEntry(i, v, dyn(1))", "no such overload: cel.@mapInsert(map, int)"),
        ("dyn(type(1)).all(x, true)", "got '*types.Type', expected iterable type"),
        ("dyn(optional.of(1)).all(x, true)", "got '*types.Optional', expected iterable type"),
        ("dyn(url('http://a')).map(x, x)", "got 'cel.URL', expected iterable type"),
        ("dyn(format.uuid()).all(i, v, true)", "unsupported comprehension range type: cel.Format"),
        ("[1][dyn(ip('::1'))]", "invalid qualifier type: cel.IP"),
        ("{'a': 1}[dyn(semver('1.2.3'))]", "invalid qualifier type: cel.Semver"),
    ],
)
def test_parts_of_expressions_are_shown_so(expression, error):
    assert outcome_of(expression).error == error


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("dyn(1).distinct()", "types.Int is not traits.Lister: missing method Contains"),
        ("dyn('a').distinct()", "types.String is not traits.Lister: missing method Contains"),
        ("dyn(true).distinct()", "types.Bool is not traits.Lister: missing method Add"),
        ("dyn({'a': 1}).distinct()", "*types.baseMap is not traits.Lister: missing method Add"),
        ("dyn(ip('::1')).distinct()", "cel.IP is not traits.Lister: missing method Add"),
        ("[1].flatten(dyn('a'))", "ref.Val is types.String, not types.Int"),
        ("dyn(1).flatten(dyn(null))", "ref.Val is types.Null, not types.Int"),
    ],
)
def test_costs_of_what_is_no_list_end_the_evaluation(expression, error):
    assert outcome_of(expression).error == f"internal error: interface conversion: {error}"


@pytest.mark.parametrize("value", ["b'a'", "semver('1.2.3')", "format.uuid()"])
@pytest.mark.parametrize("keys", ["{'a': 1}", "{1: 1}", "['a'].transformMap(i, v, v)"])
def test_what_go_cannot_hash_is_looked_up_in_no_map(value, keys):
    name = {"b": "types.Bytes", "s": "cel.Semver", "f": "cel.Format"}[value[0]]
    error = f"internal error: runtime error: hash of unhashable type {name}"
    assert outcome_of(f"dyn({value}) in {keys}").error == error
    assert outcome_of(f"dyn({value}) in {{}}").value is False
