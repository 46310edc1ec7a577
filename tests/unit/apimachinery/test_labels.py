"""Label selectors: their text and object forms, matching, upstream's error texts."""

import pytest

from quarterdeck.apimachinery import labels, requirements

KEY_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("", ""),
        ("x=a,y!=b,z==c", "x=a,y!=b,z==c"),
        ("z,!y,x in (b,a)", "x in (a,b),!y,z"),
        ("x notin (a) , y", "x notin (a),y"),
        ("x in ()", "x in ()"),
        ("x in (,)", "x in ()"),
        ("x in (a,,b)", "x in (,a,b)"),
        ("x in (a,,)", "x in (,a)"),
        ("x in (,,,a)", "x in (,a)"),
        ("x in (a, ,,)", "x in (,a)"),
        ("x=,y", "x=,y"),
        ("x>1,y<2", "x>1,y<2"),
        ("in=notin", "in=notin"),
        ("x in (in,notin)", "x in (in,notin)"),
        (" \tx = a\n", "x=a"),
        ("a.b/c=d", "a.b/c=d"),
        ("x=a\0,y\0=\0b", "x=a,y=b"),  # a NUL ends a token, and the text where no token ends
        ("x=a \0,y", "x=a"),
        ("\0x=a", ""),
    ],
)
def test_a_selector_is_written_in_its_canonical_form(text, canonical):
    assert str(labels.parse(text)) == canonical


@pytest.mark.parametrize(
    "text, message",
    [
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("bad!selector=x", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("x in a", "unable to parse requirement: found 'a' expected: '('"),
        ("x in (a", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("x in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("x in (a,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
        ("a,", "found '', expected: identifier after ','"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!x=1", "found '=', expected: ',' or 'end of string'"),
        ("x=(", "unable to parse requirement: found '(', expected: identifier"),
        ("-x=1", f'unable to parse requirement: <nil>: Invalid value: "-x": name part {KEY_RULE}'),
        ("x=%", f'unable to parse requirement: values[0][x]: Invalid value: "%": {VALUE_RULE}'),
        (
            "x>a",
            "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must "
            "be an integer",
        ),
        (
            "x" * 64,
            f'unable to parse requirement: <nil>: Invalid value: "{"x" * 64}": name part must be no more than 63 bytes',
        ),
    ],
)
def test_parse_refuses_in_upstreams_words(text, message):
    with pytest.raises(requirements.SelectorError) as caught:
        labels.parse(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "text, matching, others",
    [
        ("x=1", [{"x": "1"}], [{}, {"x": "2"}]),
        ("x!=1", [{}, {"x": "2"}], [{"x": "1"}]),
        ("x in (1,2)", [{"x": "2"}], [{}, {"x": "3"}]),
        ("x notin (1,2)", [{}, {"x": "3"}], [{"x": "1"}]),
        ("x", [{"x": ""}], [{}]),
        ("!x", [{}], [{"x": ""}]),
        ("x>5", [{"x": "6"}, {"x": "+7"}], [{}, {"x": "5"}, {"x": "a"}, {"x": "9223372036854775808"}]),
        ("x<5", [{"x": "-6"}], [{"x": "5"}, {"x": "--6"}, {"x": ""}]),
        ("x,y=1", [{"x": "", "y": "1"}], [{"y": "1"}, {"x": ""}]),
        ("", [{}, {"a": "b"}], []),
    ],
)
def test_a_selector_matches_labels_that_meet_all_requirements(text, matching, others):
    selector = labels.parse(text)
    assert all(map(selector.matches, matching))
    assert not any(map(selector.matches, others))


def test_selectors_of_objects():
    selector = labels.from_label_selector(
        {
            "matchLabels": {"b": "1"},
            "matchExpressions": [
                {"key": "a", "operator": "In", "values": ["x"]},
                {"key": "c", "operator": "NotIn", "values": ["z", "y", "z"]},
                {"key": "d", "operator": "Exists"},
                {"key": "e", "operator": "DoesNotExist"},
            ],
        }
    )
    assert str(selector) == "a in (x),b=1,c notin (y,z,z),d,!e"
    assert selector.matches({"a": "x", "b": "1", "d": ""})


def test_absent_selector_matches_nothing_and_an_empty_one_everything():
    assert labels.from_label_selector(None) is labels.NOTHING
    assert not labels.NOTHING.matches({})
    assert not labels.NOTHING.is_empty
    assert labels.from_label_selector({}).is_empty


@pytest.mark.parametrize(
    "expression, message",
    [
        ({"key": "a", "operator": "Like"}, '"Like" is not a valid label selector operator'),
        (
            {"key": "a", "operator": "In"},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["x"]},
            'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
        ),
    ],
)
def test_selectors_of_objects_are_refused(expression, message):
    with pytest.raises(requirements.SelectorError) as caught:
        labels.from_label_selector({"matchExpressions": [expression]})
    assert caught.value.message == message
