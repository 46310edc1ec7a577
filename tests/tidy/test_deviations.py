"""Deliberate differences are told twice: marked where they are made, and with a row in tests/golden/DEVIATIONS.md."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/golden/DEVIATIONS.md"
MARKER = "Differs from upstream:"

# The files with a marker, and the rows (by their first cell) that tell of what is made there.
ROWS = {
    "admission/webhooks/reviews.py": ["a refusal by a webhook with a code that HTTP does not have"],
    "ext/http1.pyx": ["Transfer-Encoding with other codings, or twice"],
    "ext/json.pyx": ["texts of duplicate fields"],
    "apimachinery/codec/body.py": ["a protobuf body of a custom resource, unless fieldValidation is Ignore"],
    "apimachinery/codec/protobuf_decode.py": ["protobuf bodies"],
    "apimachinery/codec/yamlbuild.py": ["texts that YAML aliases stand for"],
    "apimachinery/codec/yamlresult.py": ["items in very many YAML brackets"],
    "apimachinery/errors.py": ["causes of a refused object's metadata"],
    "apimachinery/keypair.py": ["the warning of a TLS secret whose certificate cannot be read"],
    "apimachinery/requirements.py": ["selectors in a query"],
    "apimachinery/patch/jsonpatch.py": ["operations of a JSON patch on long lists"],
    "apimachinery/patch/strategic.py": ["strategic merge patches"],
    "authentication/requestheader.py": ["repeated X-Remote-Group fields"],
    "controllers/availability.py": ["the condition Available of an APIService"],
    "controllers/garbage/collector.py": ["the event OwnerRefInvalidNamespace"],
    "endpoints/delete_options.py": ["`ignoreStoreReadErrorWithClusterBreakingPotential`"],
    "endpoints/filters/impersonation.py": ["Impersonate-Extra-… alone"],
    "endpoints/handlers/converted_lists.py": ["selectors and objects that a webhook converts"],
    "endpoints/metrics.py": ["metrics of refusals before a resource is found"],
    "endpoints/respond.py": ["indented JSON (`pretty`, curl, browsers)"],
    "endpoints/scrape.py": ["DELETE /metrics"],
    "openapi/custom_schemas.py": ["OpenAPI of schemas, defaults, examples or enums deeper than 100 levels"],
    "openapi/library/described.py": ["descriptions of pods, services, deployments, webhooks and policies in OpenAPI"],
    "registry/builtin/pod.py": ["pods that are written", "the ephemeralcontainers and resize of a pod"],
    "registry/builtin/podvalidation/gonames.py": ["refusal of a changed pod of more than 2,000 lines"],
    "registry/builtin/podvalidation/warnings.py": ["warnings of pods"],
    "registry/emptymembers.py": ["an object applied with empty metadata (`labels: {}`)"],
    "schema/engine.py": ["causes in one answer"],
    "schema/objectmeta.py": ["owner references with several controllers"],
    "server/instruments.py": ["`version` of `apiserver_watch_events_total`"],
    "storage/cacher/cacher.py": ["`--watch-cache-sizes`"],
    "storage/cacher/history.py": ["the window of a resource's history"],
    "storage/cacher/resource.py": ["a watch resumed after a restart"],
    "transport/client/answers.py": ["an endless answer of a webhook"],
    "transport/limits.py": ["a client that does not read"],
    "transport/refusals.py": ["a body that comes slowly", "a body that is too large"],
}


def marked() -> set[str]:
    paths = [*ROOT.glob("pkg/quarterdeck/**/*.py"), *ROOT.glob("ext/*.pyx")]
    found = (path for path in paths if MARKER in path.read_text())
    return {str(path.relative_to(ROOT)).removeprefix("pkg/quarterdeck/") for path in found}


def rows() -> list[str]:
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip() for line in lines[1:]]


def test_every_marker_has_its_row() -> None:
    assert marked() == set(ROWS), "a marker came or went: see to its row, and to ROWS"


def test_every_row_has_its_marker() -> None:
    assert sorted(rows()) == sorted(row for told in ROWS.values() for row in told)
