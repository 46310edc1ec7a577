"""The fan-out of writes to watchers: the hub and its index. Channels and watchers are in watchchannel.pyx.
An event's frame is the same for every transport: a socket gets it as a chunk of HTTP/1.1, an Outlet as it is.

Sans I/O but for send(2) (watchsend.pyx) on the sockets it is handed; no clock, no logging, no import from the package.

    Hub (one a resource)
     ├─ index: everything │ namespace │ path │ name │ label=value │ label │ field=value  →  sets of Groups
     └─ Group (one a distinct selection)
         └─ Channel (one a form in which the selection is watched)
             ├─ frames[tail … head)     the frames that members have still to get, each shared by all of them
             └─ members: Watcher, each with a cursor into the frames

Invariants
 1. tail ≤ cursor ≤ head for every member; a member has got, in order, each frame before its cursor.
 2. A Group stands under the one term of the index that its selection makes most selective (under several only for
    `in (a,b)`); whatever else the selection asks is evaluated once for the Group, not once for each watcher.
 3. head - tail ≤ frames_max and the frames' sizes add up to ≤ bytes_max, or to a single frame. A member that stands in
    the way is ended, never waited for: a slow watcher costs its channel's bound and slows nobody.
 4. A channel is queued while one of its live members may lag; `flush` does a bounded part of the queue's work. A pass
    over the members that has gone by somebody with work left is followed by another (`pass_leaves`).

So a write costs the groups that may care, an encoding for each form among them, and for each watcher one send(2) of
all that it has not got. Members of one channel mostly stand at the same cursor: what is sent is joined once for all.
"""

cimport cython
from cpython.bytes cimport PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.stdlib cimport free

from quarterdeck._kernels.metrics cimport Histogram
from quarterdeck._kernels.tlssealer cimport Scratch, Sealer, trim
from quarterdeck._kernels.outlet cimport Outlet
from quarterdeck._kernels.watchchannel cimport ENDED, HELD, LIVE, Channel, Group, Watcher, frame_chunk
from quarterdeck._kernels.watchobject cimport Change, Entry, Selection, decode_entry
from quarterdeck._kernels.watchsend cimport Sending, prepare, send_all, unsent

# What a watcher sees of a change.
ADDED = 0
MODIFIED = 1
DELETED = 2

# What `publish` answers.
IDLE = 0      # nobody has to be woken
WAKE = 1      # flush soon
PRESSURE = 2  # flush before the next publish: a channel has collected a quarter of its bound

cdef enum:
    C_ADDED = 0
    C_MODIFIED = 1
    C_DELETED = 2
    C_IN = 0
    C_NOT_IN = 1
    C_NOT_EXISTS = 3
    C_BATCH = 256
    # A label that may have one of more values than this is looked at through its key alone.
    C_TERMS_MAX = 16


@cython.final
cdef class Hub:
    """All watchers of one resource.

    `encode(form, kind, change, with_header) -> bytes | None` gives the frame of an event (None: it
    cannot be encoded, and the channel's watchers are ended). `decode(entry)` sets the labels and fields of an entry.
    `sizes` observes the bytes of each event, once for each watcher that is given it.
    """

    cdef object encode
    cdef object decode
    cdef Histogram sizes
    cdef uint64_t frames_max
    cdef uint64_t bytes_max
    cdef dict groups           # selection key → Group
    # Sets of groups are dicts without values: a group leaves them at once, however many stand there.
    cdef dict everything
    cdef dict by_namespace
    cdef dict by_path
    cdef dict by_name
    cdef dict by_label         # key → value → Groups
    cdef dict by_label_key
    cdef dict by_field         # key → value → Groups
    cdef uint64_t stamp
    cdef dict frames           # of the event being published: (form, kind) → frame
    cdef list queue            # channels with work, from `queue_start` on
    cdef Py_ssize_t queue_start
    cdef list ended
    cdef readonly Py_ssize_t watcher_count
    cdef readonly uint64_t sends
    cdef Scratch scratch       # records of encrypted connections, between sealing and sending

    def __dealloc__(self):
        free(self.scratch.data)

    def __cinit__(self, encode, decode, Histogram sizes not None, Py_ssize_t frames_max, Py_ssize_t bytes_max):
        if frames_max < 1 or bytes_max < 1:
            raise ValueError("the bounds of a channel are positive")
        self.encode = encode
        self.decode = decode
        self.sizes = sizes
        self.frames_max = frames_max
        self.bytes_max = bytes_max
        self.groups = {}
        self.everything = {}
        self.by_namespace = {}
        self.by_path = {}
        self.by_name = {}
        self.by_label = {}
        self.by_label_key = {}
        self.by_field = {}
        self.frames = {}
        self.queue = []
        self.ended = []

    # - opening and closing

    def open(self, Selection selection not None, form, bint has_header=False, bint wants_header=False):
        """A held watcher that will get every later change. `has_header`: the form's first event differs;
        `wants_header`: this watcher has not got its first event yet."""
        cdef Channel channel = self._channel(selection, form, has_header)
        cdef Watcher watcher = Watcher()
        watcher.channel = channel
        watcher.cursor = watcher.joined = channel.head
        watcher.index = len(channel.members)
        channel.members.append(watcher)
        if has_header and wants_header:
            watcher.wants_header = True
            channel.newcomers.append(watcher)
        self.watcher_count += 1
        return watcher

    def release(self, Watcher watcher not None, int fd, Sealer sealer=None, Outlet outlet=None):
        """Send to this watcher from now on: into its outlet; else by send(2) to `fd`, or through what `flush` returns
        where it is -1. With a sealer what goes to `fd` is encrypted by it."""
        if watcher.channel is None or watcher.state == ENDED:
            return
        watcher.fd = fd
        watcher.sealer = sealer
        watcher.outlet = outlet
        watcher.state = LIVE
        if watcher.cursor < watcher.channel.head or watcher.private is not None:
            if watcher.index < watcher.channel.place:
                watcher.channel.pass_leaves = True  # the pass under way has gone by
            self._enqueue(watcher.channel)

    def hold(self, Watcher watcher not None):
        """Send nothing to this watcher until it is released."""
        if watcher.channel is not None and watcher.state != ENDED:
            watcher.fd = -1
            watcher.state = HELD

    def close(self, Watcher watcher not None):
        """Forget the watcher; closing twice is no error."""
        self._drop(watcher)

    def give_header(self, Watcher watcher not None):
        """The watcher has got its first event outside of the channel."""
        if watcher.wants_header:
            watcher.wants_header = False
            watcher.channel.newcomers.remove(watcher)

    def retire(self):
        """Nothing is published any more: let go of who has made the hub, and refers to it."""
        self.encode = self.decode = None

    def watchers(self):
        """All that are open, for a shutdown."""
        return [watcher for group in self.groups.values() for channel in (<Group>group).channels
                for watcher in (<Channel>channel).members]

    cdef int _drop(self, Watcher watcher) except -1:
        cdef Channel channel = watcher.channel
        if channel is None:
            return 0
        channel.remove(watcher)
        watcher.state = ENDED
        watcher.fd = -1
        watcher.sealer = None
        watcher.outlet = None
        self.watcher_count -= 1
        if not channel.members:
            channel.trim_to(channel.head)
            channel.group.channels.remove(channel)
            if not channel.group.channels:
                self._remove_group(channel.group)
        return 0

    cdef Channel _channel(self, Selection selection, form, bint has_header):
        cdef Group group = self.groups.get(selection.key)
        cdef Channel channel
        if group is None:
            group = Group(selection)
            self.groups[selection.key] = group
            self._index(group)
        for channel in group.channels:
            if channel.form is form:
                return channel
        channel = Channel(group, form, has_header)
        group.channels.append(channel)
        return channel

    cdef int _index(self, Group group) except -1:
        """Put a new group under the most selective term of its selection."""
        cdef Selection selection = group.selection
        cdef tuple requirement
        if selection.path is not None:
            return self._stand(group, self.by_path, selection.path, None, None)
        if selection.name:
            return self._stand(group, self.by_name, selection.name, None, None)
        for requirement in selection.fields:
            if not requirement[1] and requirement[2] and requirement[0] not in ("metadata.name", "metadata.namespace"):
                return self._stand(group, self.by_field.setdefault(requirement[0], {}), requirement[2],
                                   self.by_field, requirement[0])
        for requirement in selection.labels:
            if requirement[1] == C_IN and len(requirement[2]) <= C_TERMS_MAX:
                values = self.by_label.setdefault(requirement[0], {})
                for value in requirement[2]:
                    self._stand(group, values, value, self.by_label, requirement[0])
                return 0
        for requirement in selection.labels:
            if requirement[1] != C_NOT_IN and requirement[1] != C_NOT_EXISTS:
                return self._stand(group, self.by_label_key, requirement[0], None, None)
        if selection.namespace:
            return self._stand(group, self.by_namespace, selection.namespace, None, None)
        self.everything[group] = None
        return 0

    cdef int _stand(self, Group group, dict terms, term, outer, outer_term) except -1:
        (<dict>terms.setdefault(term, {}))[group] = None
        group.homes.append((terms, term, outer, outer_term))
        return 0

    cdef int _remove_group(self, Group group) except -1:
        del self.groups[group.selection.key]
        if not group.homes:
            del self.everything[group]
        for terms, term, outer, outer_term in group.homes:
            groups = terms[term]
            del groups[group]
            if not groups:
                del terms[term]
            if outer is not None and not terms:
                del outer[outer_term]
        return 0

    # - publishing

    def publish(self, Change change not None):
        """Put a change into the channels of all who may see it. Returns IDLE, or WAKE or PRESSURE where there is
        something to send or somebody was ended."""
        cdef int outcome = 0
        cdef Py_ssize_t ended_before = len(self.ended)
        cdef Entry either = change.entry if change.entry is not None else change.old
        if not self.groups:
            return 0
        self.stamp += 1
        self.frames.clear()
        if self.everything:
            outcome = max(outcome, self._offer(self.everything, change))
        if self.by_namespace:
            outcome = max(outcome, self._offer(self.by_namespace.get(either.namespace), change))
        if self.by_path:
            outcome = max(outcome, self._offer(self.by_path.get(either.path), change))
        if self.by_name:
            outcome = max(outcome, self._offer(self.by_name.get(either.name), change))
        if self.by_label or self.by_label_key or self.by_field:
            if change.entry is not None:
                outcome = max(outcome, self._offer_attributes(change.entry, change))
            if change.old is not None:
                outcome = max(outcome, self._offer_attributes(change.old, change))
        self.frames.clear()
        for watcher in self.ended[ended_before:]:  # not before: the index was being walked
            self._drop(<Watcher>watcher)
            outcome = max(outcome, 1)  # they have to be taken
        return outcome

    cdef int _offer_attributes(self, Entry entry, Change change) except -1:
        cdef int outcome = 0
        if entry.labels is None:
            decode_entry(self.decode, entry)
        if self.by_label or self.by_label_key:
            for key, value in (<dict>entry.labels).items():
                values = self.by_label.get(key)
                if values is not None:
                    outcome = max(outcome, self._offer(values.get(value), change))
                outcome = max(outcome, self._offer(self.by_label_key.get(key), change))
        if self.by_field:
            for key, values in self.by_field.items():
                outcome = max(outcome, self._offer(values.get((<dict>entry.fields).get(key, "")), change))
        return outcome

    cdef int _offer(self, dict groups, Change change) except -1:
        cdef Group group
        cdef bint was, now
        cdef int kind
        cdef int outcome = 0
        if groups is None:
            return 0
        for group in groups:
            if group.stamp == self.stamp:
                continue
            group.stamp = self.stamp
            was = change.old is not None and group.selection.matches(self.decode, change.old)
            now = change.entry is not None and group.selection.matches(self.decode, change.entry)
            if now:
                kind = C_MODIFIED if was else C_ADDED
            elif was:
                kind = C_DELETED
            else:
                continue
            for channel in group.channels:
                outcome = max(outcome, self._push(<Channel>channel, kind, change))
        return outcome

    cdef int _push(self, Channel channel, int kind, Change change) except -1:
        cdef Watcher watcher
        cdef bytes frame, header
        cdef uint64_t size
        key = (channel.form, kind)
        frame = self.frames.get(key)
        if frame is None:
            frame = self.encode(channel.form, kind, change, False)
            if frame is None:
                self._end_all(channel, "encoding")
                return 0
            self.frames[key] = frame
        size = PyBytes_GET_SIZE(frame)
        self._make_room(channel, size)
        channel.frames[channel.head & channel.mask] = frame
        channel.ends[channel.head & channel.mask] = channel.bytes_to(channel.head) + size
        channel.head += 1
        self.sizes.observe_often(<double>size, len(channel.members))
        if channel.newcomers:
            header = self.encode(channel.form, kind, change, True)
            if header is None:
                self._end_all(channel, "encoding")
                return 0
            for watcher in channel.newcomers:
                if watcher.state == ENDED:
                    continue
                watcher.private = header
                watcher.wants_header = False
                watcher.cursor = channel.head
            channel.newcomers.clear()
        self._enqueue(channel)
        if (channel.head - channel.flushed) * 4 > self.frames_max:
            return 2
        if channel.flushed >= channel.tail:
            if (channel.bytes_to(channel.head) - channel.bytes_to(channel.flushed)) * 4 > self.bytes_max:
                return 2
        return 1

    cdef int _make_room(self, Channel channel, uint64_t size) except -1:
        """Trim, grow, and at the last end those who stand in the way, so that one more frame fits the bounds."""
        cdef Watcher watcher
        if channel.head - channel.tail <= channel.mask and channel.head - channel.tail < self.frames_max and (
                channel.bytes_to(channel.head) - channel.bytes_before + size <= self.bytes_max):
            return 0
        channel.trim()
        while channel.head > channel.tail and (
                channel.head - channel.tail >= self.frames_max
                or channel.bytes_to(channel.head) - channel.bytes_before + size > self.bytes_max):
            for watcher in channel.members:
                if watcher.cursor == channel.tail:
                    self._end(watcher, "overflow")
            channel.trim()
        if channel.head - channel.tail > channel.mask:
            channel.grow()
        return 0

    cdef int _end(self, Watcher watcher, str reason) except -1:
        """Give up on a watcher; `publish` takes it out of its channel when it is done."""
        if watcher.state != ENDED:
            watcher.state = ENDED
            watcher.end_reason = reason
            watcher.private = None
            watcher.cursor = watcher.channel.head
            self.ended.append(watcher)
        return 0

    cdef int _end_all(self, Channel channel, str reason) except -1:
        for watcher in channel.members:
            self._end(<Watcher>watcher, reason)
        return 0

    def take_ended(self):
        """The watchers that the hub has ended since it was last asked; `end_reason` tells why."""
        if not self.ended:
            return []
        ended, self.ended = self.ended, []
        return ended

    # - sending

    @property
    def has_work(self):
        return self.queue_start < len(self.queue)

    cdef int _enqueue(self, Channel channel) except -1:
        if not channel.is_queued:
            channel.is_queued = True
            channel.place = 0
            channel.pass_head = channel.head
            channel.pass_leaves = False
            self.queue.append(channel)
        return 0

    def flush(self, Py_ssize_t sends_max, Py_ssize_t bytes_max):
        """Send to live watchers what they have not got: at most `sends_max` sends of `bytes_max` each.

        Returns (watcher, chunks) for what a socket did not take and for watchers without a socket; the caller has to
        write those in this order. Data may be empty where a sealer has a rest, which goes before everything else. A
        watcher whose outlet is full is held, until it is released. `has_work` tells whether another call is needed.
        """
        cdef list indirect = []
        cdef Channel channel
        while sends_max > 0 and self.queue_start < len(self.queue):
            channel = <Channel>self.queue[self.queue_start]
            sends_max -= self._flush_channel(channel, sends_max if sends_max < C_BATCH else C_BATCH, bytes_max,
                                             indirect)
            self.queue[self.queue_start] = None
            self.queue_start += 1
            if channel.place < len(channel.members):
                self.queue.append(channel)
                continue
            channel.is_queued = False
            channel.place = 0
            channel.flushed = channel.pass_head
            channel.trim()
            if channel.members and (channel.pass_leaves or channel.head != channel.pass_head):
                self._enqueue(channel)
        if self.queue_start == len(self.queue):
            self.queue.clear()
            self.queue_start = 0
            trim(&self.scratch)
        elif self.queue_start > 1024:
            del self.queue[:self.queue_start]
            self.queue_start = 0
        return indirect

    cdef Py_ssize_t _flush_channel(self, Channel channel, Py_ssize_t sends_max, uint64_t bytes_max,
                                   list indirect) except -1:
        """Send to the members from `place` on. Between the gathering and the end of sending nothing of the hub may
        change: no Python code runs in between, and other threads have no business with it."""
        cdef Sending batch[C_BATCH]
        cdef list data_of = []
        cdef list targets = []
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t handed = 0
        cdef Py_ssize_t offered = 0
        cdef Py_ssize_t i
        cdef Py_ssize_t total = len(channel.members)
        cdef Watcher watcher
        cdef bytes data
        while channel.place < total and count + handed + offered < sends_max:
            watcher = <Watcher>channel.members[channel.place]
            channel.place += 1
            if watcher.state != LIVE:
                continue
            if watcher.outlet is not None and watcher.outlet.is_full():
                watcher.state = HELD
                continue
            data = channel.take_next(watcher, bytes_max)
            if data is None:
                continue
            if watcher.outlet is not None:
                watcher.outlet.offer(data)
                offered += 1
                continue
            if watcher.fd < 0:
                indirect.append((watcher, data))
                handed += 1
                continue
            prepare(&batch[count], watcher, watcher.fd, data)
            data_of.append(data)
            targets.append(watcher)
            count += 1
        if count:
            with nogil:
                send_all(batch, count, &self.scratch)
            self.sends += count
            for i in range(count):
                if batch[i].is_short:
                    watcher = <Watcher>targets[i]
                    watcher.fd = -1
                    indirect.append((watcher, unsent(&batch[i], <bytes>data_of[i])))
        self.sends += offered
        return count + handed + offered

    def send_one(self, Watcher watcher not None, int fd, bytes data not None):
        """Send `data`, which flush returned, to a watcher that has a socket again. Returns what was not taken; where
        all was (`is_direct`), the watcher is sent to directly from now on."""
        cdef Sending sending
        if watcher.state != LIVE:
            return data
        prepare(&sending, watcher, fd, data)
        send_all(&sending, 1, &self.scratch)
        self.sends += 1
        if not sending.is_short:
            watcher.fd = fd
        return unsent(&sending, data)

    def send_each(self, list watchers not None, bytes frame not None):
        """Send a frame that is in no channel (a bookmark) to those of `watchers` that have got all else.

        Returns (watcher, chunk) as `flush` does; the others are left out.
        """
        cdef bytes chunk = frame_chunk(frame)
        cdef Sending batch[C_BATCH]
        cdef list indirect = []
        cdef list targets = []
        cdef Py_ssize_t i
        cdef Watcher watcher
        for watcher in watchers:
            if watcher.channel is None or watcher.state != LIVE or watcher.private is not None:
                continue
            if watcher.cursor < watcher.channel.head:
                continue
            if watcher.outlet is not None:
                watcher.outlet.offer(frame)
                continue
            if watcher.fd < 0:
                indirect.append((watcher, chunk))
                continue
            i = len(targets)
            prepare(&batch[i], watcher, watcher.fd, chunk)
            targets.append(watcher)
            if i + 1 == C_BATCH:
                self._send_batch(batch, targets, chunk, indirect)
        if targets:
            self._send_batch(batch, targets, chunk, indirect)
        return indirect

    cdef int _send_batch(self, Sending *batch, list targets, bytes frame, list indirect) except -1:
        cdef Py_ssize_t count = len(targets)
        cdef Py_ssize_t i
        with nogil:
            send_all(batch, count, &self.scratch)
        self.sends += count
        for i in range(count):
            if batch[i].is_short:
                (<Watcher>targets[i]).fd = -1
                indirect.append((targets[i], unsent(&batch[i], frame)))
        targets.clear()
        return 0
