"""The fan-out kernel does what the obvious implementation does, whatever happens in whatever order."""

import socket

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quarterdeck._kernels import watch, watchchannel, watchobject
from reference.watch_reference import ReferenceHub, ReferenceWatcher, Thing, Wish, frame
from support import watch_hubs
from support.watch_history import unframe

PATHS = ["a/x", "a/y", "b/x", "c"]
KEYS = ["app", "tier"]
VALUES = ["1", "2", "", "z"]

label_requirements = st.one_of(
    st.tuples(
        st.sampled_from(KEYS),
        st.sampled_from([watchobject.IN, watchobject.NOT_IN]),
        st.frozensets(st.sampled_from(VALUES), min_size=1),
    ),
    st.tuples(
        st.sampled_from(KEYS), st.sampled_from([watchobject.EXISTS, watchobject.NOT_EXISTS]), st.just(frozenset[str]())
    ),
    st.tuples(
        st.sampled_from(KEYS),
        st.sampled_from([watchobject.GREATER, watchobject.LESS]),
        st.sampled_from([frozenset({"1"})]),
    ),
)
field_requirements = st.tuples(
    st.sampled_from(["spec.node", "metadata.name", "metadata.namespace"]),
    st.booleans(),
    st.sampled_from(["", "x", "n1", "a"]),
)
wishes = st.builds(
    Wish,
    namespace=st.sampled_from(["", "a", "b"]),
    name=st.sampled_from(["", "", "x", "c"]),
    labels=st.lists(label_requirements, max_size=2).map(tuple),
    fields=st.lists(field_requirements, max_size=2).map(tuple),
)
attributes = st.tuples(
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=2),
    st.dictionaries(st.just("spec.node"), st.sampled_from(["", "n1", "n2"]), max_size=1),
)


class Client:
    """A watcher of the kernel with what it has got, beside the reference's."""

    def __init__(self, watcher: watchchannel.Watcher, reference: ReferenceWatcher, direct: bool) -> None:
        self.watcher = watcher
        self.reference = reference
        self.got = b""
        self.expected = b""
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # the smallest there is
        self.direct = direct
        self.is_held = True

    def read(self) -> None:
        try:
            while data := self.theirs.recv(1 << 16):
                self.got += data
        except BlockingIOError:
            pass

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


class WatchMachine(RuleBasedStateMachine):
    @initialize(frames_max=st.sampled_from([1, 3, 20, 1000]), bytes_max=st.sampled_from([10, 120, 100_000]))
    def begin(self, frames_max: int, bytes_max: int) -> None:
        self.attributes: dict[int, tuple[dict[str, str], dict[str, str]]] = {}
        self.hub = watch_hubs.build(self.encode, self.decode, frames_max, bytes_max)
        self.reference = ReferenceHub(frames_max, bytes_max)
        self.clients: list[Client] = []
        self.things: dict[str, tuple[Thing, watchobject.Entry]] = {}
        self.revision = 1

    def encode(self, form: str, kind: int, change: watchobject.Change, with_header: bool) -> bytes:
        entry = change.tombstone if kind == watch.DELETED else change.entry
        assert entry is not None
        # The tombstone has the change's revision and the old object's bytes, which begin with its own.
        thing = Thing(entry.path, (), (), int(entry.data))
        return frame(form, kind, thing, change.revision, with_header)

    def decode(self, entry: watchobject.Entry) -> None:
        entry.labels, entry.fields = self.attributes[entry.revision]

    @rule(wish=wishes, form=st.sampled_from(["plain", "other", "table"]), fresh=st.booleans(), direct=st.booleans())
    def open(self, wish: Wish, form: str, fresh: bool, direct: bool) -> None:
        has_header = form == "table"
        selection = watchobject.Selection(wish.namespace, wish.name, wish.labels, wish.fields)
        watcher = self.hub.open(selection, form, has_header, fresh)
        self.clients.append(Client(watcher, self.reference.open(wish, form, has_header and fresh), direct))

    @precondition(lambda self: self.clients)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(self.clients))
        client.read()
        self.hub.release(client.watcher, client.ours.fileno() if client.direct else -1)
        client.is_held = False

    @precondition(lambda self: self.clients)
    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(self.clients))
        self.hub.hold(client.watcher)
        client.is_held = True

    @precondition(lambda self: self.clients)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from(self.clients))
        self.hub.close(client.watcher)
        self.hub.close(client.watcher)
        self.forget(client)

    def forget(self, client: Client) -> None:
        self.clients.remove(client)
        self.reference.watchers.remove(client.reference)
        assert not client.watcher.is_open
        client.close()

    @rule(path=st.sampled_from(PATHS), attributes=attributes, lazy=st.booleans(), count=st.sampled_from([1, 1, 1, 9]))
    def put(self, path: str, attributes: tuple[dict[str, str], dict[str, str]], lazy: bool, count: int) -> None:
        for _ in range(count):
            self.revision += 1
            labels, fields = attributes
            self.attributes[self.revision] = attributes
            thing = Thing(path, tuple(labels.items()), tuple(fields.items()), self.revision)
            namespace = path.partition("/")[0] if "/" in path else ""
            entry = watchobject.Entry(
                path,
                namespace,
                b"%d" % self.revision,
                self.revision,
                1,
                None if lazy else labels,
                None if lazy else fields,
            )
            old = self.things.get(path)
            self.things[path] = (thing, entry)
            self.publish(thing, entry, old)

    @precondition(lambda self: self.things)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.things)))
        self.revision += 1
        self.publish(None, None, self.things.pop(path))

    def publish(
        self, thing: Thing | None, entry: watchobject.Entry | None, old: tuple[Thing, watchobject.Entry] | None
    ) -> None:
        old_thing, old_entry = old or (None, None)
        self.hub.publish(watchobject.Change(entry, old_entry, self.revision))
        self.reference.publish(thing, old_thing, self.revision)
        ended = self.hub.take_ended()
        assert all(watcher.end_reason == "overflow" for watcher in ended)
        for client in [client for client in self.clients if client.watcher in ended]:
            assert client.reference.is_ended
            self.forget(client)

    @rule(sends_max=st.sampled_from([1, 3, 1000]), bytes_max=st.sampled_from([1, 60, 100_000]))
    def flush(self, sends_max: int, bytes_max: int) -> None:
        of = {client.watcher: client for client in self.clients}
        for watcher, rest in self.hub.flush(sends_max, bytes_max):
            client = of[watcher]
            assert not client.is_held
            client.read()
            client.got += rest
        for client in self.clients:
            client.read()
            client.expected += client.reference.take(client.watcher.lag)
            assert unframe(client.got) == client.expected

    @invariant()
    def same(self) -> None:
        """Nobody has been ended by one side only, and nobody is missing."""
        if not hasattr(self, "hub"):
            return
        assert not any(client.reference.is_ended for client in self.clients)
        assert self.hub.watcher_count == len(self.clients)
        # A watcher that may be sent to and has not got everything is never forgotten.
        assert self.hub.has_work or not any(each.watcher.is_live and each.watcher.lag for each in self.clients)

    @rule()
    def settle(self) -> None:
        while self.hub.has_work:
            self.flush(1000, 100_000)
        for client in self.clients:
            if client.is_held:
                continue
            assert client.watcher.lag == 0

    def teardown(self) -> None:
        if not hasattr(self, "hub"):
            return
        for client in list(self.clients):
            self.hub.close(client.watcher)
            self.forget(client)
        assert self.hub.watcher_count == 0
        assert not self.hub.watchers()
        self.things.clear()
        self.clients.clear()


TestWatchMachine = WatchMachine.TestCase
TestWatchMachine.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
