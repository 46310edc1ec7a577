"""Optionals that a path meets: only the one that it starts at is opened."""

import pytest

from unit.cel.test_keys_of_maps import outcome_of, value_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("has({'foo': optional.none()}.foo)", True),
        ("has(dyn({'foo': optional.none()}).foo)", True),
        ("has({'foo': optional.none()}.foo.value)", False),
        ("has({?'foo': optional.none()}.foo)", False),
        ("has(optional.of({'a': 1}).a)", True),
        ("has(optional.none().a)", False),
        ("[optional.of({'a': 1})].map(x, x.a.orValue(2)) == [1]", True),
        ("[optional.of({'a': 1})][0].?a == optional.none()", True),
        ("has({'a': {'b': optional.none()}}.?a.b)", True),
    ],
)
def test_optionals_on_the_way_of_a_path(expression, value):
    assert value_of(expression) is value


def test_an_optional_on_the_way_has_no_members():
    assert outcome_of("[optional.of({'a': 1})][0].a").error == "no such key: a"


@pytest.mark.parametrize(
    "expression",
    [
        "[optional.of(int)].map(x, x.value()) == [dyn('int')]",
        "[optional.of(optional.of(1))].map(x, dyn(x).value()) == [dyn(1)]",
        "[optional.of(optional.none())].map(x, dyn(x).value()) == [dyn(null)]",
        "optional.of(1).optMap(v, optional.of(2)).value() == dyn(2)",
        "[optional.of(ip('::1'))].all(x, x.hasValue())",
        "[optional.of(ip('::1'))].all(x, x != optional.of(ip('::1')))",
        "(1 > 0 ? optional.of({'a': 1}) : optional.none()).a == optional.of(1)",
        "(1 > 0 ? {'a': 1} : {'a': 2}).a == 1",
        "has((1 > 0 ? {'a': {'b': 1}}.?a : optional.none()).b)",
    ],
)
def test_a_variable_or_branch_opens_the_optional_that_it_holds(expression):
    assert value_of(expression) is True


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("ip('::1')", "(netip.Addr)::1"),
        ("cidr('10.0.0.1/8')", "(netip.Prefix)10.0.0.1/8"),
        ("url('/rel?x')", "(*url.URL)/rel?x"),
        ("semver('1.2.3-a+b')", "(semver.Version)1.2.3-a+b"),
        ("quantity('1.5')", "(*resource.Quantity)1500m"),
    ],
)
def test_what_functions_make_is_lost_where_its_optional_is_opened(value, shown):
    error = f"unsupported conversion to ref.Val: {shown}"
    assert outcome_of(f"optional.of(1).optMap(v, {value}).value() == {value}").error == error
    assert outcome_of(f"optional.of(1).optMap(v, {value}) == optional.of({value})").error == error
    assert outcome_of(f"(1 > 0 ? optional.of({value}) : optional.none()).orValue({value}) == {value}").error == error
    assert value_of(f"optional.of({value}).orValue({value}) == {value}") is True


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("bytes(dyn(['a']).first().value()) == b'a'", "no such overload: bytes(string)"),
        ("int(dyn(['1']).first().value()) == 1", "no such overload: int(string)"),
        ("string(dyn([true]).first().value()) == 'true'", "no such overload: string(bool)"),
        ("dyn(['abc']).first().value().indexOf('b') == 1", "no such overload: indexOf(string, string)"),
    ],
)
def test_a_value_of_no_known_type_fits_the_first_overload_alone(expression, error):
    assert outcome_of(expression).error == error
