"""What is told of entries of managedFields that cannot be read: the words of json-iterator."""

import pytest

from quarterdeck.fieldmanager import managed

ENTRY = {"manager": "w", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
LONG_A, LONG_B = "f:" + "a" * 40, "f:" + "b" * 44


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"bad": {}}, 'parsing key as path element: missing colon: bad, error found in #7 byte of ...|{"bad":{}}|..., '
         'bigger context ...|{"bad":{}}|...'),
        ({"f:a": 1}, 'ReadMapCB: expect { or n, but found 1, error found in #8 byte of ...|{"f:a":1}|..., bigger '
         'context ...|{"f:a":1}|...'),
        ("x", 'ReadMapCB: expect { or n, but found ", error found in #1 byte of ...|"x"|..., bigger context '
         '...|"x"|...'),
        ({"i:x": {}}, 'parsing key as path element: strconv.Atoi: parsing "x": invalid syntax, error found in #7 byte '
         'of ...|{"i:x":{}}|..., bigger context ...|{"i:x":{}}|...'),
        ({"k:x": {}}, "parsing key as path element: ReadObjectCB: expect { or n, but found x, error found in #1 byte "
         'of ...|x|..., bigger context ...|x|..., error found in #7 byte of ...|{"k:x":{}}|..., bigger context '
         '...|{"k:x":{}}|...'),
        ({"v: x": {}}, "parsing key as path element: Read: unexpected value type: 0, error found in #1 byte of ...| "
         'x|..., bigger context ...| x|..., error found in #8 byte of ...|{"v: x":{}}|..., bigger context '
         '...|{"v: x":{}}|...'),
        ({"f:a": {".": 1, "x:y": {"bad": {}}}, "f:b": None, "f:c": {"f:d": {}}, "f:e": True},
         'ReadMapCB: expect { or n, but found t, error found in #10 byte of ...|}},"f:e":true}|..., bigger context '
         '...|y":{"bad":{}}},"f:b":null,"f:c":{"f:d":{}},"f:e":true}|...'),
        ({LONG_A: {LONG_B: {"f": {}}}}, "parsing key as path element: key must be 2 characters long:, error found in "
         f'#10 byte of ...|bbb":{{"f":{{}}}}}}}}|..., bigger context ...|{"b" * 43}":{{"f":{{}}}}}}}}|...'),
    ],
)  # fmt: skip
def test_a_mistake_in_a_set_is_told_with_its_place(fields, text):
    with pytest.raises(managed.DecodeError) as error:
        managed.decode([ENTRY, {**ENTRY, "fieldsV1": fields}], trusted=False)
    shown = str(error.value).partition(" }: ")
    assert shown[0].startswith("error decoding versioned set from {w Update v1 <nil> FieldsV1 ")
    assert shown[2] == "error decoding set: " + text


def test_the_entry_is_shown_as_a_struct():
    entry = {**ENTRY, "time": "2020-01-02T03:04:05Z", "subresource": "status", "fieldsV1": {"bad": {}}}
    with pytest.raises(managed.DecodeError) as error:
        managed.decode([entry], trusted=False)
    shown = '{w Update v1 2020-01-02 03:04:05 +0000 UTC FieldsV1 {"bad":{}} status}'
    assert str(error.value).startswith(f"error decoding versioned set from {shown}: error decoding set: ")
