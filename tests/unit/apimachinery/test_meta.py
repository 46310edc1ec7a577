"""Helpers over decoded objects."""

import re
import uuid

from quarterdeck.apimachinery import meta


def test_absent_metadata_reads_as_empty():
    for obj in ({}, {"metadata": None}, {"metadata": {"labels": None, "name": None}}):
        assert meta.name(obj) == ""
        assert meta.labels(obj) == {}
        assert meta.finalizers(obj) == []
        assert meta.generation(obj) == 0


def test_metadata_is_made_for_writing():
    obj: dict = {"metadata": None}
    meta.ensure_metadata(obj)["name"] = "a"
    assert obj == {"metadata": {"name": "a"}}


def test_uids_are_random_uuids():
    uids = {meta.new_uid() for _ in range(100)}
    assert len(uids) == 100
    assert all(uuid.UUID(uid).version == 4 and str(uuid.UUID(uid)) == uid for uid in uids)


def test_generated_names_have_a_suffix_and_a_bounded_length():
    assert re.fullmatch(r"a-[bcdfghjklmnpqrstvwxz2456789]{5}", meta.generate_name("a-"))
    assert len(meta.generate_name("x" * 300)) == 63


def test_api_versions_are_split_and_joined():
    assert meta.split_api_version("apps/v1") == ("apps", "v1")
    assert meta.split_api_version("v1") == ("", "v1")
    assert meta.join_api_version("", "v1") == "v1"
