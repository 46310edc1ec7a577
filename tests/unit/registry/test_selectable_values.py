"""The selectable fields of a custom resource as text."""

import pytest

from quarterdeck.registry.customresource.selectable import selectable_values


@pytest.mark.parametrize(
    "value, text", [("x", "x"), (1, "1"), (1.0, "1"), (1e3, "1000"), (True, "true"), (False, "false"), (None, "")]
)
def test_a_value_is_written_as_it_will_be_stored(value, text):
    assert selectable_values({"spec": {"a": value}}, (".spec.a",)) == {"spec.a": text}


def test_what_is_absent_is_empty():
    assert selectable_values({"spec": "x"}, (".spec.a", ".status.b.c")) == {"spec.a": "", "status.b.c": ""}
