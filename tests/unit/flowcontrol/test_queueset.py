"""Seats and fair queues, on a clock that moves only when there is nothing left to do."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from quarterdeck.flowcontrol.flows import Flow
from quarterdeck.flowcontrol.tickets import Ticket
from quarterdeck.flowcontrol.work import ONE_SEAT, Work
from support import virtual_time
from support.flow_levels import build_flow, build_level


def enqueue(flow: Flow, work: Work = ONE_SEAT) -> Ticket:
    ticket = flow.queues.enqueue(flow, work, None, asyncio.get_running_loop().time())
    assert ticket is not None
    return ticket


async def go_round() -> None:
    """The loop."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def is_in(ticket: Ticket) -> bool:
    assert ticket.decision is not None
    return ticket.decision.done() and ticket.decision.result()


def test_requests_wait_for_seats_and_get_them_in_turn() -> None:
    async def run() -> None:
        flow = build_flow(build_level(2, 8, 1, 5), "a")
        tickets = [enqueue(flow) for _ in range(4)]
        assert [is_in(each) for each in tickets] == [True, True, False, False]
        await go_round()
        tickets[1].end()
        assert is_in(tickets[2])
        assert not is_in(tickets[3])
        assert (flow.queues.executing, flow.queues.waiting, flow.counts.executing, flow.counts.waiting) == (2, 1, 2, 1)
        for each in (tickets[0], tickets[2], tickets[3]):
            each.end()
            each.end()
        assert flow.queues.is_idle
        assert (flow.queues.seats_in_use, flow.counts.executing_seats, flow.counts.dispatched) == (0, 0, 4)

    virtual_time.run(run())


def test_a_full_queue_refuses_while_the_seats_are_taken() -> None:
    async def run() -> None:
        flow = build_flow(build_level(1, 1, 1, 2), "a")
        first = enqueue(flow)
        enqueue(flow)
        enqueue(flow)
        assert flow.queues.enqueue(flow, ONE_SEAT, None, 0.0) is None
        assert flow.counts.rejected == {"queue-full": 1}
        await go_round()
        first.end()
        assert flow.queues.enqueue(flow, ONE_SEAT, None, 0.0) is not None

    virtual_time.run(run())


def test_without_queues_what_finds_no_seat_is_refused() -> None:
    async def run() -> None:
        flow = build_flow(build_level(2), "a")
        first = enqueue(flow)
        enqueue(flow)
        assert flow.queues.enqueue(flow, ONE_SEAT, None, 0.0) is None
        assert flow.counts.rejected == {"concurrency-limit": 1}
        await go_round()
        first.end()
        assert is_in(enqueue(flow))

    virtual_time.run(run())


def test_a_wide_request_waits_for_as_many_seats_and_holds_up_narrow_ones_behind_it() -> None:
    async def run() -> None:
        flow = build_flow(build_level(4, 1, 1, 10), "a")
        running = [enqueue(flow) for _ in range(3)]
        wide, narrow = enqueue(flow, Work(3)), enqueue(flow)
        await go_round()
        running[0].end()
        assert not is_in(wide)
        running[1].end()
        assert is_in(wide)
        assert not is_in(narrow)
        await go_round()
        wide.end()
        assert is_in(narrow)

    virtual_time.run(run())


def test_what_is_wider_than_the_level_is_let_in_alone() -> None:
    async def run() -> None:
        flow = build_flow(build_level(4, 1, 1, 10), "a")
        running = enqueue(flow)
        wide = enqueue(flow, Work(9))
        assert not is_in(wide)
        await go_round()
        running.end()
        assert is_in(wide)

    virtual_time.run(run())


def test_seats_stay_taken_for_what_a_request_leaves_to_do() -> None:
    async def run() -> None:
        flow = build_flow(build_level(4, 1, 1, 10), "a")
        write, second = enqueue(flow, Work(1, 4, 0.05)), enqueue(flow)
        await go_round()
        write.end()
        assert (flow.queues.executing, flow.queues.seats_in_use, is_in(second)) == (0, 4, False)
        await asyncio.sleep(0.04)
        assert not is_in(second)
        await asyncio.sleep(0.02)
        assert is_in(second)

    virtual_time.run(run())


def test_who_leaves_makes_room_in_the_queue() -> None:
    async def run() -> None:
        flow = build_flow(build_level(1, 1, 1, 2), "a")
        first, second, third = enqueue(flow), enqueue(flow), enqueue(flow)
        flow.queues.leave(second, is_late=True)
        assert second.decision is not None
        assert second.decision.result() is False
        assert (flow.queues.waiting, flow.queues.timed_out, flow.counts.rejected) == (1, 1, {"time-out": 1})
        flow.queues.leave(first, is_late=True)  # it runs: too late
        assert flow.queues.executing == 1
        await go_round()
        first.end()
        assert is_in(third)

    virtual_time.run(run())


def test_a_mouse_goes_before_what_an_elephant_has_waiting() -> None:
    async def run() -> None:
        level = build_level(10, 64, 4, 1000)
        elephant, mouse = build_flow(level, "elephant"), build_flow(level, "mouse")
        big = [enqueue(elephant, Work(5)) for _ in range(50)]
        assert sum(map(is_in, big)) == 2
        small = enqueue(mouse)
        await go_round()
        big[0].end()
        assert is_in(small)

    virtual_time.run(run())


def test_what_is_ready_takes_no_more_of_a_turn_of_the_loop_than_its_seats() -> None:
    async def run() -> None:
        level = build_level(4, 16, 2, 1000)
        elephant, mouse = build_flow(level, "elephant"), build_flow(level, "mouse")
        queues = level.queues
        queues.turn_seats = 4  # answered at once, in this turn
        big = [enqueue(elephant) for _ in range(100)]
        small = enqueue(mouse)
        assert not any(map(is_in, (*big, small)))
        await go_round()
        assert is_in(small)
        assert sum(map(is_in, big)) == 3
        assert elephant.counts.rejected == {}

    virtual_time.run(run())


def test_a_level_without_queues_makes_nobody_leave_for_the_loops_sake() -> None:
    async def run() -> None:
        flow = build_flow(build_level(2), "a")
        flow.queues.turn_seats = 2
        first, second, third = (enqueue(flow) for _ in range(3))
        assert not is_in(first)
        await go_round()
        assert (is_in(first), is_in(second)) == (True, True)
        assert third.decision is not None
        assert third.decision.result() is False

    virtual_time.run(run())


def test_queues_that_are_too_many_go_when_they_are_empty() -> None:
    async def run() -> None:
        level = build_level(1, 32, 2, 10)
        flows = [build_flow(level, str(number)) for number in range(20)]
        tickets = [enqueue(flow) for flow in flows]
        level.queues.configure(4, 1, 10)
        assert 4 < len(level.queues.fair.all) <= 32
        tickets += [enqueue(flow) for flow in flows]
        while running := [each for each in tickets if is_in(each) and each.end.__class__.__name__ == "partial"]:
            await go_round()
            running[0].end()
        assert len(level.queues.fair.all) == 4
        assert level.queues.is_idle

    virtual_time.run(run())


@pytest.mark.parametrize(
    "flows",
    [[(1, 1), (1, 20)], [(1, 5), (4, 5)], [(1, 1), (1, 8), (1, 14), (4, 4)], [(5, 3), (2, 3), (3, 1)]],
)
def test_busy_flows_get_equal_shares_of_the_seats(flows: list[tuple[int, int]]) -> None:
    """The model: as much time with as many seats for each flow, however wide and long its requests are; about so, since
    requests are not cut, and a wide one leaves seats empty while it waits."""

    async def run() -> None:
        level = build_level(40, 16, 1, 10_000)
        hands: dict[tuple[int, ...], Flow] = {}
        for number in itertools.count():
            flow = build_flow(level, str(number))
            level.queues.fair.pick(flow)
            hands.setdefault(flow.hand, flow)  # each in a queue of its own
            if len(hands) == len(flows):
                break
        used = [0.0] * len(flows)
        loop = asyncio.get_running_loop()
        end_s = loop.time() + 5.0

        async def keep_busy(index: int, flow: Flow, width: int, takes_s: float) -> None:
            while loop.time() < end_s:
                ticket = enqueue(flow, Work(width))
                assert ticket.decision is not None
                await ticket.decision
                await asyncio.sleep(takes_s)
                ticket.end()
                if loop.time() < end_s:
                    used[index] += width * takes_s

        tasks = [
            keep_busy(index, flow, width, 0.01 * length)
            for index, (flow, (width, length)) in enumerate(zip(hands.values(), flows, strict=True))
            for _ in range(80)
        ]
        await asyncio.gather(*tasks)
        mean = sum(used) / len(used)
        assert all(share == pytest.approx(mean, rel=0.15) for share in used), used

    virtual_time.run(run())
