"""Members of objects are picked as they are, in their order."""

from quarterdeck._kernels import members


def test_members_are_picked():
    value = {"kind": "A", "spec": {"x": 1}, "status": {}, "items": [], "text": "", "number": 0}
    assert list(members.without(value, ("kind", "status")).items()) == [
        ("spec", {"x": 1}),
        ("items", []),
        ("text", ""),
        ("number", 0),
    ]
    assert members.without(value, ())["spec"] is value["spec"]
    assert members.empty(value) == {"status": {}, "items": []}
    assert members.empty({}) == {}
