"""A quantity reads the text of a number itself, where that has not been through a float before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import in_process

QUOTAS = "/api/v1/namespaces/default/resourcequotas"
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
STRATEGIC, APPLY, YAML = (
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/yaml",
)


def quota(number: str) -> bytes:
    text = '{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"cpu":N}}}'
    return text.replace("N", number).encode()


@pytest.mark.parametrize(
    ("number", "expected", "through_float"),
    [
        ("3", "3", "3"),
        ("0.5", "500m", "500m"),
        ("1.50", "1500m", "1500m"),
        ("1e3", "1e3", "1k"),
        ("1E3", "1E3", "1k"),
        ("5e-1", "500e-3", "500m"),
        ("9223372036854775808", "9223372036854775808", None),
        ("18446744073709551616", "18446744073709551616", "18446744073709552k"),
        ("100000000000000000000", "100E", "100E"),
    ],
)
async def test_a_number_is_a_quantity(tmp_path: Path, number: str, expected: str, through_float: str | None) -> None:
    async with in_process.running(tmp_path) as server:

        async def send(method: str, path: str, body: bytes, content_type: str = in_process.JSON) -> str:
            answer = await server.call(method, path, body, content_type)
            assert answer.status in (200, 201), answer.body
            assert isinstance(answer.body, bytes)
            cpu: str = json.loads(answer.body)["spec"]["hard"]["cpu"]
            return cpu

        assert await send("POST", QUOTAS, quota(number)) == expected
        at, reset = f"{QUOTAS}/q", quota("7")
        assert await send("PUT", at, reset) == "7"
        assert await send("PUT", at, quota(number)) == expected
        assert await send("PUT", at, reset) == "7"
        patch = ('{"spec":{"hard":{"cpu":N}}}').replace("N", number).encode()
        assert await send("PATCH", at, patch, MERGE) == expected
        assert await send("PUT", at, reset) == "7"
        operation = '[{"op":"replace","path":"/spec/hard/cpu","value":N}]'.replace("N", number).encode()
        assert await send("PATCH", at, operation, JSON_PATCH) == expected
        if through_float is not None:
            assert await send("PUT", at, reset) == "7"
            assert await send("PATCH", at, patch, STRATEGIC) == through_float
            applied = await send("PATCH", f"{at}?fieldManager=m&force=true", quota(number), APPLY)
            assert applied == through_float


@pytest.mark.parametrize("number", ["1" + "0" * 5000, "1e400", "-1e400", "1e99999999999"])
async def test_a_number_beyond_all_is_read_as_its_text_is(tmp_path: Path, number: str) -> None:
    async with in_process.running(tmp_path) as server:
        answers = [await server.call("POST", QUOTAS, quota(text)) for text in (number, f'"{number}"')]
        assert [answer.status for answer in answers] in ([201, 409], [400, 400], [422, 422])


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("12345678901234567890", "12345678901234567890"),
        ("0xffffffffffffffff", "18446744073709551615"),
        ("01000000000000000000000", "9223372036854775808"),
        ("18446744073709551616", "18446744073709552k"),
        ("1.50", "1500m"),
        ("1e3", "1k"),
    ],
)
async def test_yaml_keeps_the_digits_of_integers_of_64_bits_alone(tmp_path: Path, number: str, expected: str) -> None:
    async with in_process.running(tmp_path) as server:
        body = f"apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q}}\nspec: {{hard: {{cpu: {number}}}}}\n"
        answer = await server.call("POST", QUOTAS, body.encode(), YAML)
        assert answer.status == 201, answer.body
        assert isinstance(answer.body, bytes)
        assert json.loads(answer.body)["spec"]["hard"]["cpu"] == expected
