"""Random bytes to the readers of request bodies: they may refuse, but only with their own errors.

python tests/fuzz/fuzz_json.py -max_total_time=60        (needs atheris; `make fuzz`)
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import atheris

with atheris.instrument_imports():
    from quarterdeck.apimachinery import errors, fields, labels, quantity, requirements
    from quarterdeck.apimachinery.codec import json, protobuf, yaml
    from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch, strategic

POD = ("", "v1", "Pod")


def read_json(data: bytes) -> None:
    try:
        decoded = json.decode(data)
    except json.DecodeError:
        return
    again = json.decode(json.encode(decoded.value))
    assert not again.duplicates


def read_yaml(data: bytes) -> None:
    try:
        yaml.write(yaml.decode(data).value)
    except yaml.DecodeError:
        return


def read_protobuf(data: bytes) -> None:
    try:
        protobuf.encode(protobuf.decode(protobuf.MAGIC + data))
    except protobuf.DecodeError:
        return


def read_patches(data: bytes) -> None:
    document = {"metadata": {"labels": {"a": "b"}, "finalizers": ["x"]}, "spec": {"containers": [{"name": "a"}]}}
    for apply in (
        lambda: jsonpatch.apply_to_object(json.decode(json.encode(document)).value, jsonpatch_body.decode(data)),
        lambda: mergepatch.apply(json.decode(json.encode(document)).value, mergepatch.decode(data).value),
        lambda: strategic.apply(json.decode(json.encode(document)).value, strategic.decode(data)[0], POD),
    ):
        try:
            apply()
        except errors.APIStatus:
            continue


def read_texts(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for parse in (labels.parse, fields.parse, quantity.parse):
        try:
            str(parse(text))
        except (requirements.SelectorError, quantity.ParseError):
            continue


READERS = (read_json, read_yaml, read_protobuf, read_patches, read_texts)


def one_input(data: bytes) -> None:
    if data:
        READERS[data[0] % len(READERS)](data[1:])


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
