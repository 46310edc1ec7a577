"""What /metrics tells of the controllers' queues, in the names and buckets of client-go."""

from __future__ import annotations

import asyncio

from quarterdeck.controllers.workqueue import Controller
from quarterdeck.metrics.exposition import format_pieces
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import instruments
from support.fake_clock import FakeClock


def test_a_queue_tells_of_its_work() -> None:
    clock = FakeClock()
    seen: list[str] = []

    def read() -> list[str]:
        return b"".join(format_pieces(registry)).decode().splitlines()

    async def sync(key: str) -> None:
        clock.advance(0.5)
        seen.extend(read())
        if key == "bad":
            raise ValueError(key)

    queue = Controller("q", sync, clock=clock)
    registry = Registry()
    instruments.register_queues(registry, [queue])
    queue.add("good")
    queue.add("bad")
    clock.advance(2)
    assert 'workqueue_depth{name="q"} 2' in read()
    asyncio.run(queue.work_on_next())
    for line in ("unfinished_work", "longest_running_processor"):
        assert f'workqueue_{line}_seconds{{name="q"}} 0.5' in seen
    asyncio.run(queue.work_on_next())
    found = read()
    for line in (
        'workqueue_depth{name="q"} 0',
        'workqueue_adds_total{name="q"} 2',
        'workqueue_retries_total{name="q"} 1',
        'workqueue_unfinished_work_seconds{name="q"} 0',
        'workqueue_longest_running_processor_seconds{name="q"} 0',
        'workqueue_queue_duration_seconds_bucket{name="q",le="1"} 0',
        'workqueue_queue_duration_seconds_bucket{name="q",le="10"} 2',
        'workqueue_queue_duration_seconds_sum{name="q"} 4.5',
        'workqueue_work_duration_seconds_sum{name="q"} 1',
    ):
        assert line in found
    buckets = [line for line in found if line.startswith("workqueue_work_duration_seconds_bucket")]
    bounds = [line.split('le="')[1].split('"')[0] for line in buckets]
    small = ["1e-08", "1e-07", "1e-06", "1e-05", "0.0001", "0.001", "0.01", "0.1"]
    assert bounds == [*small, "1", "10", "100", "1000", "+Inf"]
