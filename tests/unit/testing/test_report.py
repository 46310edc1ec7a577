"""What a control plane tells of a failed test, while it still writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quarterdeck.testing import report


def answer(method: str, path: str, body: object = None) -> tuple[int, Any]:
    return 200, {"/apis": {"groups": []}, "/api/v1": {"resources": []}, "/api/v1/events": {"items": []}}[path]


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
