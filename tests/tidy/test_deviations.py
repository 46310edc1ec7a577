"""Deliberate differences are told twice: marked where they are made, and with a row in tests/golden/DEVIATIONS.md."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/golden/DEVIATIONS.md"
MARKER = "Differs from upstream:"

# The files with a marker, and the rows (by their first cell) that tell of what is made there.
ROWS = {
    "controllers/serving.py": ["a definition named as a resource of the server's own"],
    "apiextensions/strategy.py": ["a deleted collection of definitions"],
    "admission/pluginnames.py": ["the admission plugin ServiceAccount"],
    "admission/plugins/noderestriction.py": ["what NodeRestriction says of a claim's status"],
    "admission/webhooks/reviews.py": ["a refusal by a webhook with a code that HTTP does not have"],
    "registry/builtin/certificates/trustbundles.py": [
        "a trust anchor with names of other kinds than X.509 clients look at (ediPartyName, x400Address)"
    ],
    "registry/builtin/apiserverinternal/storageversion.py": [
        "versions that a server of a StorageVersion serves and cannot read"
    ],
    "ext/http1framing.pyx": ["Transfer-Encoding with other codings, or twice"],
    "ext/fieldset.pyx": ["integers beyond 2^53 as items of sets and as keys of lists, in managedFields"],
    "ext/jsondecode.pyx": ["texts of duplicate fields"],
    "aggregator/answers.py": ["an answer 404 about an owner at a server behind an APIService"],
    "aggregator/client.py": ["documents of discovery and OpenAPI of the servers behind APIServices"],
    "aggregator/openapi.py": ["OpenAPI of the servers behind APIServices"],
    "apimachinery/codec/body.py": ["a protobuf body of a custom resource, unless fieldValidation is Ignore"],
    "apimachinery/codec/protobuf_decode.py": ["protobuf bodies"],
    "apimachinery/codec/yamlbuild.py": ["texts that YAML aliases stand for"],
    "apimachinery/codec/yamlresult.py": ["items in very many YAML brackets"],
    "apimachinery/addresses.py": ["addresses and ranges of more than 64 characters"],
    "apimachinery/quantity.py": ["amounts (`cpu: 000…1`)"],
    "apimachinery/errors.py": ["causes of a refused object's metadata"],
    "apimachinery/certificaterequest.py": ["an issued certificate that cannot be read"],
    "apimachinery/keypair.py": ["the warning of a TLS secret whose certificate cannot be read"],
    "apimachinery/patternheight.py": ["the depth of regular expressions above 64 KiB"],
    "apimachinery/requirements.py": ["selectors in a query"],
    "apimachinery/patch/jsonpatch.py": ["operations of a JSON patch on long lists"],
    "apimachinery/patch/strategic.py": ["strategic merge patches"],
    "audit/failures.py": ["audit events that could not be kept"],
    "audit/logbackend.py": ["`RequestReceived` in blocking mode of the audit log"],
    "audit/objects.py": ["a patch that is no JSON (an apply in YAML) at audit level Request"],
    "audit/truncation.py": ["`--audit-webhook-truncate-max-batch-size`"],
    "audit/webhookbackend.py": ["calls of an audit webhook at once"],
    "authentication/cache.py": ["a token whose service account, pod, secret or node is gone"],
    "authentication/oidc/fetch.py": ["documents of an issuer of tokens"],
    "authorization/rbac/covers.py": ["rights of a role that somebody gives away"],
    "cmd/authorization_flags.py": ["`--authorization-mode` where it is not given"],
    "controllers/availability.py": ["the condition Available of an APIService"],
    "controllers/garbage/collector.py": ["the event OwnerRefInvalidNamespace"],
    "controllers/garbage/following.py": [
        "foreground and orphan deletions while a server behind an APIService has not told of its objects"
    ],
    "controllers/garbage/reflector.py": ["an owner at a server behind an APIService that a new list does not show"],
    "controllers/garbage/remote.py": ["patches of owner references at servers behind APIServices"],
    "controllers/namespace.py": ["when a deleted namespace is emptied"],
    "controllers/tokenuses.py": ["the day of the last use of a secret's token"],
    "cel/parse_depth.py": ["parts of a CEL expression within one another"],
    "cel/planner.py": ["a map of constants in CEL with a key of type bytes"],
    "cel/lib_format_string.py": ["what CEL's `%.Ne` pads numbers with"],
    "metrics/limits.py": ["a gauge of several values of a label that `--allow-metric-labels` leaves out"],
    "endpoints/delete_options.py": ["`ignoreStoreReadErrorWithClusterBreakingPotential`"],
    "endpoints/handlers/get.py": ["`resourceVersionMatch=Exact` with the resourceVersion of a GET of one object"],
    "endpoints/handlers/converted_lists.py": ["selectors and objects that a webhook converts"],
    "endpoints/metrics.py": ["metrics of refusals before a resource is found"],
    "endpoints/handlers/podconnect.py": ["exec, attach and portforward over WebSockets"],
    "endpoints/handlers/proxies.py": ["bodies of requests to the `proxy` of a pod, a service or a node"],
    "endpoints/proxy/calls.py": ["answers of the servers behind APIServices"],
    "endpoints/proxy/messages.py": ["`Upgrade: h2c` on the way to another server"],
    "endpoints/respond.py": ["indented JSON (`pretty`, curl, browsers)"],
    "endpoints/scrape.py": ["DELETE /metrics"],
    "endpoints/table/jsonpath.py": ["a printer column whose path has a `{range …}`"],
    "fieldmanager/pathelement.py": ["lists and maps in path elements of managedFields"],
    "openapi/documents.py": [
        "documents of OpenAPI v3 of versions that a definition does not serve any more",
        "the index and the documents of OpenAPI v3 for clients that take gzip",
    ],
    "openapi/custom_schemas.py": ["OpenAPI of schemas, defaults, examples or enums deeper than 100 levels"],
    "registry/store.py": ["an object that an apply makes and that admission renames"],
    "flowcontrol/fairqueues.py": ["a flow that begins to wait"],
    "flowcontrol/meters.py": [
        "`apiserver_flowcontrol_…_utilization`, `…_demand_seats`, `…_read_vs_write_current_requests`"
    ],
    "flowcontrol/queueset.py": ["requests that are answered at once, to priority and fairness"],
    "registry/customresource/webhook.py": ["objects of a list that a conversion webhook converts"],
    "registry/builtin/batch/jobpolicies.py": ["a job's success policy without completions"],
    "registry/builtin/batch/schedules.py": ["time zones of cron jobs"],
    "registry/builtin/core/podvalidation/gonames.py": ["refusal of a changed pod of more than 2,000 lines"],
    "registry/builtin/core/podvalidation/pathwarnings.py": ["warnings of overlapping paths in a pod's volume"],
    "registry/builtin/core/podvalidation/resources.py": [
        "huge pages of more bytes than 64 bits hold (`hugepages-100E`)"
    ],
    "registry/builtin/core/podvalidation/warnings.py": ["warnings of pods"],
    "registry/builtin/resource/capacities.py": ["a step of zero between the amounts of a device's capacity"],
    "registry/builtin/flowcontrol/schemas.py": ["whether the priority level of a flow schema exists"],
    "registry/customresource/codec.py": ["custom resources with a member `items` beside `metadata`"],
    "registry/builtin/spelling.py": [
        "how parameters for drivers of devices and the data of a ControllerRevision are spelled (blanks, the order of "
        "members), and whether an empty caBundle was sent",
        "integers beyond int64 and lone surrogates in parameters for drivers of devices and the data of a "
        "ControllerRevision",
        "owner references and finalizers that the garbage collector takes from claim templates, claims and "
        "ControllerRevisions that are spelled with blanks, or with members out of order",
    ],
    "registry/emptymembers.py": [
        "an object applied with empty metadata (`labels: {}`)",
        "what an apply sets in an object of which the schema has no fields (`type: object` alone)",
    ],
    "endpoints/filters/impersonation.py": [
        "somebody who was allowed to act as somebody else in a narrow way (`impersonate:user-info`) just before, and is"
        " not any more"
    ],
    "endpoints/handlers/token_request.py": ["a token of 3,607 s that is bound to a pod and meant for the API"],
    "schema/engine.py": ["causes in one answer"],
    "apimachinery/patterns.py": ["regular expressions of a program that is large (`\\pL{1000}`)"],
    "schema/objectmeta.py": ["owner references with several controllers"],
    "server/health.py": ["the check `autoregister-completion` of /livez and /healthz"],
    "server/admissionconfig/pods.py": ["selectors for PodNodeSelector that cannot be read"],
    "server/admissionconfig/quota.py": [
        "`matchScopes` of ResourceQuota's configuration with an operator that there is not, or values that no label has"
    ],
    "server/encryption/configuration.py": ["an encryption configuration without its kind"],
    "server/encryption/running.py": ["a start whose own objects a plugin cannot encrypt"],
    "server/encryption/validation.py": ["an encryption configuration with several providers in one element"],
    "server/tracing/configuration.py": [
        "an endpoint `dns://SERVER/NAME` in a TracingConfiguration",
        "a trace that a request carries, without `--tracing-config-file`",
    ],
    "server/reload.py": ["files of static tokens and of service accounts' keys"],
    "server/servicemetrics.py": ["metrics of the addresses and ports of services"],
    "server/cache_counts.py": ["`version` of `apiserver_watch_events_total` and `…_sizes`"],
    "storage/cacher/aging.py": ["changes of more than five minutes ago"],
    "storage/cacher/cacher.py": ["`--watch-cache`, `--watch-cache-sizes`"],
    "storage/cacher/history.py": ["the window of a resource's history"],
    "storage/cacher/resource.py": ["a watch resumed after a restart"],
    "storage/sqlite/store.py": ["objects of more than 1.5 MiB"],
    "transport/ranges.py": ["several ranges of an OpenAPI document (`Range: bytes=0-1,5-6`)"],
    "transport/client/answers.py": ["an endless answer of a webhook"],
    "transport/limits.py": ["a client that does not read", "bodies of requests, all together"],
    "webhook/services.py": ["a service that a webhook or an APIService names"],
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
