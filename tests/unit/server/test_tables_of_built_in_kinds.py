"""Tables of built-in kinds, asked of a whole server."""

import json

from support import in_process

FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


async def test_flow_schemas_are_listed_in_the_order_in_which_requests_try_them(tmp_path):
    async with in_process.running(tmp_path) as server:
        for name, precedence in (("a", 30), ("c", 20), ("b", 20), ("d", 4)):
            spec = {"priorityLevelConfiguration": {"name": "exempt"}, "matchingPrecedence": precedence}
            body = {"metadata": {"name": name, "labels": {"t": "1"}}, "spec": spec}
            assert (await server.call("POST", FLOW, body)).status == 201
        rows = json.loads((await server.call("GET", f"{FLOW}?labelSelector=t", accept=TABLE)).body)["rows"]
        assert [row["cells"][0] for row in rows] == ["d", "b", "c", "a"]
        items = json.loads((await server.call("GET", f"{FLOW}?labelSelector=t")).body)["items"]
        assert [item["metadata"]["name"] for item in items] == ["a", "b", "c", "d"]
