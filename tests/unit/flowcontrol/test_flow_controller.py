"""What the configuration makes of the seats of a server, and how they are lent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.controllers.flowcontrol import suggested
from quarterdeck.endpoints.filters.flowcontrol import asked_by
from quarterdeck.endpoints.request_info import RequestInfo, parse_path
from quarterdeck.flowcontrol.controller import FlowController, read_level
from quarterdeck.flowcontrol.flows import Flow
from quarterdeck.flowcontrol.work import Work
from quarterdeck.metrics import exposition
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.flowcontrol import mandatory
from support import virtual_time

Object = dict[str, Any]


def limited(shares: int, lendable: int = 0, borrowing: int | None = None, queues: int = 0) -> Object:
    response: Object = {"type": "Reject"}
    if queues:
        response = {"type": "Queue", "queuing": {"queues": queues, "handSize": 4, "queueLengthLimit": 50}}
    spec = {"nominalConcurrencyShares": shares, "lendablePercent": lendable, "limitResponse": response}
    if borrowing is not None:
        spec["borrowingLimitPercent"] = borrowing
    return {"type": "Limited", "limited": spec}


def name(kind: dict[str, Object]) -> list[Object]:
    return [{"metadata": {"name": each, "uid": f"uid-{each}"}, "spec": spec} for each, spec in kind.items()]


class Stored:
    def __init__(self, levels: dict[str, Object], schemas: dict[str, Object] | None = None) -> None:
        self.levels = levels
        self.schemas = schemas or {}

    def build(self, seats: int) -> FlowController:
        def load() -> tuple[list[Object], list[Object]]:
            return name(self.levels), name(self.schemas)

        clock = asyncio.get_running_loop().time
        self.registry = Registry()
        return FlowController(seats, load, mandatory.LEVELS, mandatory.SCHEMAS, self.registry, clock)


def find(controller: FlowController, user: User, path: str, verb: str = "get") -> Flow:
    return controller.classifier.find(user, asked_by(RequestInfo(verb, parse_path(path), path)))


def limits(controller: FlowController) -> dict[str, int]:
    return {each: level.queues.limit for each, level in controller.levels.items()}


def test_the_usual_levels_share_600_seats_as_kube_apiservers_do() -> None:
    async def run() -> None:
        controller = Stored(suggested.LEVELS, suggested.SCHEMAS).build(600)
        assert {each: level.nominal for each, level in controller.levels.items()} == {
            "exempt": 0,
            "catch-all": 13,
            "global-default": 49,
            "leader-election": 25,
            "node-high": 98,
            "system": 74,
            "workload-high": 98,
            "workload-low": 245,
        }
        level = controller.levels["workload-low"]
        assert (level.lower, level.upper, level.seats_max) == (24, 845, 37)

    virtual_time.run(run())


def test_seats_follow_demand_within_what_may_be_lent_and_borrowed() -> None:
    """Two levels of 50 seats (and 1 of catch-all's 5 shares in 205). One may lend half of its own."""

    async def run() -> None:
        levels = {"quiet": limited(100, lendable=50), "busy": limited(100, borrowing=20, queues=8)}
        controller = Stored(levels).build(100)
        quiet, busy, rest = (controller.levels[each] for each in ("quiet", "busy", "catch-all"))
        assert (quiet.nominal, busy.nominal, rest.nominal) == (49, 49, 3)
        assert (quiet.lower, quiet.upper, busy.lower, busy.upper) == (24, 149, 49, 59)
        flow = find(controller, User("jane", groups=("system:authenticated",)), "/api/v1/pods")
        flow.queues = busy.queues
        for _ in range(8):
            busy.queues.enqueue(flow, Work(10), None, 0.0)
        await asyncio.sleep(10.0)
        controller.adjust()
        # The demand was 80 for all of the time: its target is 80, its bound 59. Of 101 seats 42 are left for the
        # others, whose targets are 24 and 3, each at its lower bound: they get 42/27 of those.
        assert busy.target == pytest.approx(80)
        assert limits(controller) == {"exempt": 0, "catch-all": 5, "quiet": 37, "busy": 59}
        assert busy.queues.seats_in_use == 50

    virtual_time.run(run())


def test_an_exempt_level_takes_what_it_uses() -> None:
    async def run() -> None:
        controller = Stored({"a": limited(100, lendable=50)}).build(100)
        flow = find(controller, User("root", groups=("system:masters",)), "/api/v1/pods")
        ends = [flow.begin(Work(), None, 0.0) for _ in range(30)]
        controller.adjust()
        # Of 101 nominal seats 71 are left; those with demand in mind (48 of a, 5) allow 101.
        assert controller.levels["exempt"].queues.limit == 30
        for end in ends:
            end()
        assert flow.queues.is_idle

    virtual_time.run(run())


def test_what_every_server_has_is_there_without_objects() -> None:
    async def run() -> None:
        controller = Stored({}).build(10)
        assert find(controller, User("root", groups=("system:masters",)), "/version").is_exempt
        flow = find(controller, User("jane", groups=("system:authenticated",)), "/api/v1/pods", "list")
        assert (flow.schema, flow.level.spec.name, flow.level.nominal) == ("catch-all", "catch-all", 10)

    virtual_time.run(run())


def test_a_schema_whose_level_is_missing_is_passed_over_until_the_level_comes() -> None:
    async def run() -> None:
        schema = mandatory.build_schema("mine", 100, "ByUser", *mandatory.ANYBODY)
        stored = Stored({}, {"s": schema})
        controller = stored.build(10)
        user = User("jane", groups=("system:authenticated",))
        assert find(controller, user, "/api/v1/pods").schema == "catch-all"
        stored.levels = {"mine": limited(10, queues=8)}
        controller.note_change()
        await asyncio.sleep(0.1)
        flow = find(controller, user, "/api/v1/pods")
        assert (flow.schema, flow.level.spec.name) == ("s", "mine")
        assert flow.headers == [
            ("X-Kubernetes-PF-PriorityLevel-UID", "uid-mine"),
            ("X-Kubernetes-PF-FlowSchema-UID", "uid-s"),
        ]

    virtual_time.run(run())


@pytest.mark.parametrize(("count", "is_in_force"), [(1, True), (100, False)])
def test_a_change_of_few_objects_is_in_force_at_the_next_request(count: int, *, is_in_force: bool) -> None:
    async def run() -> None:
        stored = Stored(suggested.LEVELS, dict(suggested.SCHEMAS))
        level, user = "workload-high", User("jane", groups=("system:authenticated",))
        for position in range(count):
            stored.schemas[f"s{position}"] = mandatory.build_schema(level, 5000 + position, "", *mandatory.ANYBODY)
        controller = stored.build(600)
        assert find(controller, user, "/api/v1/pods").schema == "s0"
        stored.schemas["first"] = mandatory.build_schema(level, 2, "", *mandatory.ANYBODY)
        controller.note_change()
        assert find(controller, user, "/api/v1/pods").schema == ("first" if is_in_force else "s0")
        await asyncio.sleep(0.1)
        assert find(controller, user, "/api/v1/pods").schema == "first"

    virtual_time.run(run())


def test_a_change_that_is_of_no_use_fails_one_request_and_no_more() -> None:
    async def run() -> None:
        stored = Stored({}, {"s": mandatory.build_schema("catch-all", 2, "", *mandatory.ANYBODY)})
        controller = stored.build(10)
        stored.schemas = {"s": {}}
        controller.note_change()
        user = User("jane", groups=("system:authenticated",))
        with pytest.raises(KeyError):
            find(controller, user, "/api/v1/pods")
        assert find(controller, user, "/api/v1/pods").schema == "s"

    virtual_time.run(run())


def test_schemas_are_asked_in_the_order_of_their_precedence_then_of_their_names() -> None:
    async def run() -> None:
        def schema(precedence: int) -> Object:
            return mandatory.build_schema("catch-all", precedence, "", *mandatory.ANYBODY)

        stored = Stored({}, {"z": schema(5), "b": schema(7), "a": schema(7)})
        controller = stored.build(10)
        user = User("jane", groups=("system:authenticated",))
        assert find(controller, user, "/api/v1/pods").schema == "z"
        del stored.schemas["z"]
        controller.digest()
        assert find(controller, user, "/api/v1/pods").schema == "a"

    virtual_time.run(run())


def test_a_level_that_nobody_wants_stays_until_its_last_request_is_answered() -> None:
    async def run() -> None:
        stored = Stored({"mine": limited(10)}, {"s": mandatory.build_schema("mine", 1, "", *mandatory.ANYBODY)})
        controller = stored.build(10)
        controller.start()
        end = find(controller, User("jane", groups=("system:authenticated",)), "/api").begin(Work(), None, 0.0)
        stored.levels = {}
        controller.digest()
        assert controller.levels["mine"].is_leaving
        end()
        await asyncio.sleep(11.0)
        assert "mine" not in controller.levels

    virtual_time.run(run())


def test_a_spec_that_makes_no_sense_is_none() -> None:
    assert read_level("a", "", {"type": "Limited"}) is None
    assert read_level("a", "", {"type": "Exempt", "limited": {}}) is None
    assert read_level("a", "", {"type": "Limited", "limited": {"limitResponse": {"type": "Queue"}}}) is None


def test_utilization_is_told_over_time_until_the_level_is_gone() -> None:
    async def run() -> None:
        stored = Stored(
            {"busy": limited(1, queues=4)}, {"s": mandatory.build_schema("busy", 1, "", *mandatory.ANYBODY)}
        )
        controller = stored.build(4)
        flow = find(controller, User("alice", groups=("system:authenticated",)), "/api/v1/pods")
        assert flow.level.spec.name == "busy"
        seats = flow.queues.limit

        def tell() -> dict[str, float]:
            lines = b"".join(exposition.format_pieces(stored.registry)).decode().splitlines()
            found = dict(line.rsplit(" ", 1) for line in lines if '"busy"' in line or "read_vs_write" in line)
            values = {name: value for name, value in found.items() if "_seconds" not in name and name[0] != "#"}
            return {name.removeprefix("apiserver_flowcontrol_"): float(value) for name, value in values.items()}

        begin = tell()
        tickets = [flow.queues.begin(flow, Work(is_write=True), None, 0.0) for _ in range(seats)]
        waits = flow.queues.enqueue(flow, Work(), None, 0.0)
        assert waits is not None
        await asyncio.sleep(2)
        end = tell()

        def grown(name: str) -> float:
            return end[name] - begin[name]

        executing = '{phase="executing",priority_level="busy"}'
        for name in ("priority_level_seat_utilization", "priority_level_request_utilization"):
            assert grown(f"{name}_count{executing}") == pytest.approx(2e9)
            assert grown(f"{name}_sum{executing}") == pytest.approx(2e9)
        waiting = '{phase="waiting",priority_level="busy"}'
        assert grown(f"priority_level_request_utilization_sum{waiting}") == pytest.approx(2e9 / (4 * 50))
        assert grown('demand_seats_sum{priority_level="busy"}') == pytest.approx(2e9 * (seats + 1) / seats)
        kinds = "read_vs_write_current_requests_sum"
        all_seats = sum(level.nominal for level in controller.levels.values())
        assert grown(f'{kinds}{{phase="executing",request_kind="mutating"}}') == pytest.approx(2e9 * seats / all_seats)
        assert grown(f'{kinds}{{phase="waiting",request_kind="readOnly"}}') == pytest.approx(2e9 / (4 * 50))
        for phase, kind in (("executing", "readOnly"), ("waiting", "mutating")):
            assert grown(f'{kinds}{{phase="{phase}",request_kind="{kind}"}}') == 0
        for ticket in (*tickets, waits):
            ticket.end()
        stored.levels, stored.schemas = {}, {}
        controller.digest()
        assert not [name for name in tell() if "utilization" in name or name.startswith("demand_seats_sum")]

    virtual_time.run(run())
