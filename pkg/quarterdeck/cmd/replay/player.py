"""Plays a recording against a server, in the order in which it happened.

Of requests that were under way together the recording tells in which order they were answered, and by the revisions of
the answers what each of them has seen of the others. Each is sent where its answer stands; a write before the first
answer or event that shows its revision or a later one, and before it the reads that had not seen it, whose answers may
stand behind. Of a write whose answer tells no revision it is not known which events are its own: it is sent before one
that nothing else explains. Each request has a thread, a watch for as long as it lasts.
"""

from __future__ import annotations

import http.client
import json
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.cmd.client import connect
from quarterdeck.cmd.kubeconfig import Target
from quarterdeck.cmd.replay.exchange import JSON, Headers, Sent, accepted, decode, read_events, stop, write_request
from quarterdeck.cmd.replay.lines import Line, Lines, revision_of
from quarterdeck.cmd.replay.normal import Difference, Names

_UNDER_WAY_MAX: Final = 10_000
_LOST: Final = (OSError, ValueError, http.client.HTTPException)
_EVERYBODY: Final = "system:authenticated"
_LOOK_S: Final = 0.01


@dataclass(slots=True)
class Result:
    """`skipped`: requests whose user was refused, or whose body is not in the recording."""

    requests: int = 0
    events: int = 0
    skipped: int = 0
    differing: int = 0


class Player:
    """`tell(title, differences)` is called for what is not as it was. `wait_s`: how long an answer or an event is
    waited for. `impersonates`: each request is made as the user who made it. `cluster`: the logical cluster whose
    requests are played; "": those of the server itself."""

    def __init__(
        self,
        target: Target,
        tell: Callable[[str, list[Difference]], None],
        *,
        wait_s: float,
        impersonates: bool,
        cluster: str = "",
    ) -> None:
        self._cluster = cluster
        self._target = target
        self._tell = tell
        self._wait_s = wait_s
        self._impersonates = impersonates
        self._names = Names()
        self._sent: dict[int, Sent] = {}
        self._waiting: dict[int, Sent] = {}  # of those the ones that are not sent yet
        self._lines = Lines(())
        self._newest = 0  # revision that the recording has told of so far
        self.result = Result()

    def play(self, lines: Iterable[Line]) -> Result:
        self._lines = Lines(lines)
        try:
            for line in self._lines:
                if "request" in line:
                    self._send(line)
                elif "answer" in line:
                    self._compare_answer(line)
                elif "event" in line:
                    self._compare_event(line)
                elif "end" in line:
                    self._end(line["end"])
            self._begin_waiting()
        finally:
            for sent in list(self._sent.values()):
                stop(sent)
        return self.result

    def _send(self, line: Line) -> None:
        number = line["request"]
        if line.get("cluster", "") != self._cluster:
            return
        if "user" not in line or "bytes" in line or len(self._sent) >= _UNDER_WAY_MAX:
            self.result.skipped += 1
            return
        sent = self._sent[number] = self._waiting[number] = Sent(line)
        self.result.requests += 1
        if "watch" in line["path"]:
            self._begin(sent)

    def _begin(self, sent: Sent) -> None:
        del self._waiting[sent.line["request"]]
        path, (data, headers) = self._target.root + self._names.path(sent.line["path"]), self._encode(sent.line)
        threading.Thread(target=self._run, args=(sent, path, data, headers), daemon=True).start()

    def _begin_waiting(self) -> None:
        for sent in list(self._waiting.values()):
            self._begin(sent)

    def _begin_writes(self, revision: int) -> bool:
        """Send what had been written when this revision was told of, each write behind the reads that had not seen it,
        and wait until it is. Whether one of these is the write that made the revision."""
        self._newest = max(self._newest, revision)
        known = self._known()
        last_write = max((made for made, is_read, _ in known if not is_read and made <= revision), default=0)
        for made, is_read, number in known:
            if (made, is_read) <= (last_write, False):
                self._perform(number)
        return 0 < last_write == revision

    def _begin_until(self, events: queue.Queue[Any], revision: int) -> None:
        """Send the writes of which no revision is told, one after the other as they were answered, until an event of a
        watch has come; before them the reads that had not seen its revision."""
        unknown = sorted((order, number) for order, made, is_read, number in self._coming() if not made and not is_read)
        for made, is_read, number in self._known() if unknown else ():
            if is_read and made < revision:
                self._perform(number)
        for _, number in unknown:
            sent, end = self._waiting[number], time.monotonic() + self._wait_s
            if not events.empty():
                return
            self._begin(sent)
            while events.empty() and not sent.done.wait(_LOOK_S) and time.monotonic() < end:
                pass

    def _known(self) -> list[tuple[int, bool, int]]:
        """Of what is not sent yet: the revision that its answer will tell, whether it is a read, and its number; in the
        order in which it happened, since a read comes behind the write that it has seen."""
        return sorted((made, is_read, number) for _, made, is_read, number in self._coming() if made)

    def _coming(self) -> Iterator[tuple[int, int, bool, int]]:
        """Of what is not sent yet and is answered soon: the order of the answer, the revision that it tells (0: none),
        whether it is a read, and its number. A deletion tells at most that of what it found."""
        for number, (order, revision) in self._lines.answers(self._waiting).items():
            method = self._waiting[number].line["method"]
            yield order, 0 if method == "DELETE" else revision, method in ("GET", "HEAD"), number

    def _perform(self, number: int) -> None:
        sent = self._waiting[number]
        self._begin(sent)
        sent.done.wait(self._wait_s)

    def _run(self, sent: Sent, path: str, data: bytes | None, headers: Headers) -> None:
        try:
            sent.connection = connect(self._target)
            write_request(sent.connection, sent.line["method"], path, data, headers)
            answer = sent.connection.getresponse()
            is_watch = answer.status == 200 and answer.getheader("Content-Length") is None
            sent.status = answer.status
            if is_watch and "watch" in sent.line["path"]:
                sent.done.set()
                read_events(sent, answer)
            else:
                sent.body = decode(answer.read())
        except _LOST:
            sent.status = 0
        finally:
            sent.done.set()
            sent.events.put(None)
            if sent.connection is not None:
                sent.connection.close()

    def _encode(self, line: Line) -> tuple[bytes | None, Headers]:
        headers = [*self._target.headers.items(), ("Accept", accepted(line.get("accept", "")))]
        if line.get("agent"):
            headers.append(("User-Agent", line["agent"]))
        if self._impersonates:
            headers.append(("Impersonate-User", line["user"]))
            headers += [("Impersonate-Group", each) for each in line["groups"] if each != _EVERYBODY]
        text = line.get("text")
        if "body" in line:
            text = json.dumps(self._names.value(line["body"]), separators=(",", ":"))
        if text is None:
            return None, headers
        kind = line.get("type", "")
        headers.append(("Content-Type", JSON if "protobuf" in kind or kind == "application/yaml" else kind or JSON))
        return text.encode(), headers

    def _compare_answer(self, line: Line) -> None:
        number = line["answer"]
        sent = self._sent.get(number)
        if sent is None:
            return
        self._begin_writes(revision_of(line.get("body")))
        if number in self._waiting:
            self._begin(sent)
        if not sent.done.wait(self._wait_s):
            self._report(sent.title, [("", "was not answered in time")])
        elif not line["status"]:
            pass  # the client had left, or the connection was cut: nobody knows what it would have been told
        elif sent.status != line["status"]:
            message = sent.body.get("message", "") if isinstance(sent.body, dict) else ""
            told = f"is {sent.status}{' ' if message else ''}{message}, was {line['status']}"
            self._report(sent.title, [("status", told)])
        elif "body" in line:
            self._names.learn(line["body"], sent.body)
            if _is_compared(sent.line["path"]):
                self._report(sent.title, self._names.compare(line["body"], sent.body))
        if not _is_watch(line, sent):
            del self._sent[number]

    def _compare_event(self, line: Line) -> None:
        sent = self._sent.get(line["event"])
        recorded = line.get("body")
        if sent is None or recorded is None or recorded.get("type") == "BOOKMARK":
            return
        self.result.events += 1
        revision = revision_of(recorded.get("object"))
        is_known = 0 < revision <= self._newest
        if not self._begin_writes(revision) and not is_known:
            self._begin_until(sent.events, revision)
        title = f"{sent.title}: {recorded.get('type')} {_name_of(recorded)}"
        try:
            met = sent.events.get(timeout=self._wait_s)
        except queue.Empty:
            self._report(title, [("", "did not come in time")])
            return
        if met is None:
            sent.events.put(None)
            self._report(title, [("", "did not come: the watch is over")])
            return
        self._names.learn(recorded, met)
        self._report(title, self._names.compare(recorded, met))

    def _end(self, number: int) -> None:
        sent = self._sent.pop(number, None)
        if sent is None:
            return
        stop(sent)
        while not sent.events.empty():
            met = sent.events.get()
            if met is not None:
                self._report(f"{sent.title}: {met.get('type')} {_name_of(met)}", [("", "came, and had not")])

    def _report(self, title: str, differences: list[Difference]) -> None:
        if differences:
            self.result.differing += 1
            self._tell(title, differences)


def _is_watch(line: Line, sent: Sent) -> bool:
    return line["status"] == 200 and "body" not in line and "watch" in sent.line["path"]


def _is_compared(path: str) -> bool:
    """What is told of the server itself (discovery, OpenAPI, its version) is asked for, and not compared."""
    parts = path.partition("?")[0].strip("/").split("/")
    return (parts[0] == "api" and len(parts) > 2) or (parts[0] == "apis" and len(parts) > 3)


def _name_of(event: Line) -> str:
    metadata = (event.get("object") or {}).get("metadata") or {}
    return "/".join(each for each in (metadata.get("namespace"), metadata.get("name")) if each)
