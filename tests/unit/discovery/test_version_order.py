"""The order of versions, as upstream's own documentation of CRD versioning lists it."""

from quarterdeck.discovery import version_order


def test_versions_are_ordered_by_stage_then_newest_first():
    expected = [
        "v10",
        "v2",
        "v1",
        "v0",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v1beta1",
        "v12alpha1",
        "v11alpha2",
        "v1alpha1",
        "foo1",
        "foo10",
        "v1beta",
        "v1gamma1",
        "vfoo",
    ]
    assert version_order.sort_versions(sorted(expected)) == expected


def test_unicode_digits_make_no_kubernetes_version():
    assert version_order.sort_versions(["v٣", "v1alpha1"]) == ["v1alpha1", "v٣"]


def test_a_number_that_go_cannot_hold_makes_no_kubernetes_version():
    expected = ["v9223372036854775807", "v1", "v1beta1", "v1beta9223372036854775808", "v9223372036854775808"]
    assert version_order.sort_versions(reversed(expected)) == expected
