"""Fair queuing by virtual time, as arithmetic: nothing here waits or wakes.

A meter of progress, R, grows with the seat-seconds that each active queue gets. A queue has a reading of R at which its
next request is due; the queue whose oldest request would end first is served next. A request is reckoned with an
estimate when it is dispatched, and its queue is given back the difference when it has ended.

R is a float of seat-seconds, exact enough for centuries, so that it needs no epochs.

Source: apiserver/pkg/util/flowcontrol/fairqueuing/queueset/{doc,queueset}.go.
"""

from __future__ import annotations

from quarterdeck.flowcontrol.dealer import deal
from quarterdeck.flowcontrol.tickets import Queue, QueuedLane, Ticket
from quarterdeck.flowcontrol.work import SERVICE_S


class FairQueues:
    """`wanted` queues, of which each flow has `hand_size`; there may be more while those are not empty. `wanted` 0: one
    queue for everybody. They are made when the first request needs one: many levels never see any."""

    __slots__ = ("_active", "_dealt", "_made", "_robin", "_since_s", "hand_size", "r", "wanted")

    def __init__(self, now_s: float) -> None:
        self.wanted = self.hand_size = 0
        self._made: list[Queue] = []
        self.r = 0.0
        self._since_s = now_s
        self._active = 0
        self._robin = 0
        self._dealt = 0

    @property
    def all(self) -> list[Queue]:
        made = self._made
        if len(made) < self.wanted or not made:
            made += [Queue() for _ in range(max(self.wanted, 1) - len(made))]
        return made

    def configure(self, wanted: int, hand_size: int) -> None:
        self.wanted, self.hand_size = wanted, hand_size
        self.drop_empty()

    def advance(self, now_s: float, seats: int) -> None:
        """Move R on for the time since somebody looked, before anything changes. `seats`: how many were used."""
        if self._active:
            self.r += (now_s - self._since_s) * seats / self._active
        self._since_s = now_s

    def pick(self, flow: QueuedLane, *, is_anybody_waiting: bool = True) -> Queue:
        """The one of the flow's queues with the least work; each time another one is looked at first. Where nobody
        waits there is no work: that one it is."""
        if not self.wanted:
            return self.all[0]
        if flow.dealt != (self.wanted, self.hand_size):
            flow.dealt = (self.wanted, self.hand_size)
            flow.hand = deal(flow.key, self.wanted, self.hand_size)
        first = self._dealt % self.hand_size
        self._dealt += 1
        hand, queues = flow.hand, self.all
        if not is_anybody_waiting:
            return queues[hand[first]]
        return min((queues[card] for card in hand[first:] + hand[:first]), key=_amount_of)

    def add(self, queue: Queue, ticket: Ticket) -> None:
        """To those that wait. Differs from upstream: one that comes is not due after those that are behind R already,
        which wide requests let them be, but with them (start-time fair queuing)."""
        due = min((each.next_r for each in self.all if each.waiting), default=self.r)
        self._wake(queue, min(due, self.r))
        ticket.queue = queue
        ticket.arrival_r = min(due, self.r)
        queue.add(ticket)
        self._bound(queue)

    def remove(self, queue: Queue, ticket: Ticket) -> None:
        """It does not wait any more, and nobody serves it."""
        queue.remove(ticket)
        self._rest(queue)
        self._bound(queue)

    def find_next(self) -> Ticket:
        """Of the queues whose oldest request would end first, that of the first one after the one served last. Some
        request waits."""
        queues, count = self.all, len(self.all)
        best: Ticket | None = None
        end_of_best = 0.0
        for step in range(1, count + 1):
            queue = queues[(self._robin + step) % count]
            if queue.waiting:
                ticket = next(iter(queue.waiting))
                end = queue.next_r + ticket.work.amount
                if best is None or end < end_of_best:
                    best, end_of_best = ticket, end
        assert best is not None
        return best

    def dispatch(self, ticket: Ticket) -> None:
        """It was the next one, and is served from now on."""
        queue = ticket.queue
        assert queue is not None
        self._robin = self.all.index(queue)
        queue.remove(ticket)
        self._execute(queue, ticket)
        self._bound(queue)

    def execute(self, queue: Queue, ticket: Ticket) -> None:
        """It is served without having waited."""
        self._wake(queue, self.r)
        ticket.queue = queue
        self._execute(queue, ticket)

    def finish(self, ticket: Ticket, took_s: float) -> None:
        """It is answered; its seats are still taken."""
        queue = ticket.queue
        assert queue is not None
        queue.executing.pop(ticket, None)
        queue.next_r -= ticket.work.seats * (SERVICE_S - took_s)
        self._bound(queue)
        self._rest(queue)

    def release(self, ticket: Ticket) -> None:
        queue = ticket.queue
        assert queue is not None
        queue.seats_in_use -= ticket.work.width
        if len(self._made) > max(self.wanted, 1):
            self.drop_empty()

    def drop_empty(self) -> None:
        """Of the queues that are too many."""
        wanted = max(self.wanted, 1)
        self._made[wanted:] = [queue for queue in self._made[wanted:] if queue.is_active or queue.seats_in_use]
        self._robin %= max(len(self._made), wanted)

    def _execute(self, queue: Queue, ticket: Ticket) -> None:
        queue.executing[ticket] = None
        queue.seats_in_use += ticket.work.width
        queue.next_r += ticket.work.amount

    def _wake(self, queue: Queue, due: float) -> None:
        if not queue.is_active:
            self._active += 1
            queue.next_r = due

    def _rest(self, queue: Queue) -> None:
        if not queue.is_active:
            self._active -= 1

    def _bound(self, queue: Queue) -> None:
        """A queue saves up nothing: none of its requests is due before it came."""
        if queue.waiting:
            queue.next_r = max(queue.next_r, next(iter(queue.waiting)).arrival_r)


def _amount_of(queue: Queue) -> float:
    return queue.amount
