"""What a control plane tells of a failed test, while it still writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quarterdeck.testing import report


def answer(method: str, path: str, body: object = None) -> tuple[int, Any]:
    asked = path.partition("?")[0]
    return 200, {"/apis": {"groups": []}, "/api/v1": {"resources": []}, "/api/v1/events": {"items": []}}[asked]


def test_a_line_that_is_not_written_to_its_end_is_left_out(tmp_path: Path) -> None:
    audit = tmp_path / "audit.log"
    event = {
        "stage": "ResponseComplete",
        "verb": "get",
        "requestURI": "/api/v1/pods",
        "requestReceivedTimestamp": "2026-01-01T00:00:00Z",
        "responseStatus": {"code": 200},
    }
    line = json.dumps(event) + "\n"
    for text, told in ((line + line[:30], 1), (line[:30], 0), ("", 0)):
        audit.write_text(text)
        requests = dict(report.describe(answer, audit, 0))["last requests"]
        assert requests.count("/api/v1/pods 200") == told


def test_what_reports_have_asked_is_no_request_of_a_test(tmp_path: Path) -> None:
    """A control plane outlives the report of a test before, which asks for everything."""
    audit = tmp_path / "audit.log"
    asked: list[str] = []

    def note(method: str, path: str, body: object = None) -> tuple[int, Any]:
        asked.append(path)
        return answer(method, path, body)

    list(report.describe(note, audit, 0))
    assert asked
    event = {"stage": "ResponseComplete", "verb": "get", "requestReceivedTimestamp": "2026-01-01T00:00:00Z"}
    lines = [json.dumps({**event, "requestURI": uri}) for uri in ("/api/v1/pods", *asked)]
    audit.write_text("\n".join(lines) + "\n")
    assert dict(report.describe(answer, audit, 0))["last requests"] == "2026-01-01T00:00:00Z get /api/v1/pods  "
