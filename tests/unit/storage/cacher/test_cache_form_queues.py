"""Forms whose bytes are awaited: no change is lost, none comes twice, and the other watchers do not wait."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from quarterdeck.storage.cacher import EncodingError, Entry
from support.watch_client import API_VERSION, Harness, RenamedForm, select_fields


class WebhookForm(RenamedForm):
    """Bytes come after a while; `encode` alone is a mistake."""

    def __init__(self) -> None:
        super().__init__("test.io/v2", "Widget")
        self.fails = False

    async def prepare(self, entries: list[Entry]) -> None:
        await asyncio.sleep(random.random() * 0.002)
        if self.fails:
            raise EncodingError("conversion webhook failed")
        for entry in entries:
            entry.keep_encoding(self, super().encode(entry))

    def encode(self, entry: Entry) -> bytes:
        raise AssertionError("not prepared")


def test_awaited_watches_see_what_the_others_see(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        random.seed(11)
        form = WebhookForm()
        pairs = []
        for n in range(60):
            if n % 4 == 0:
                options: dict[str, object] = {"label_selector": "app=1"} if n % 8 else {}
                if n % 3 == 0:
                    options |= {"send_initial_events": True, "allow_bookmarks": True}
                elif n % 3 == 1:
                    options |= {"resource_version": str(max(harness.cacher.revision - 3, 1))}
                else:
                    options |= {"resource_version": str(harness.cacher.revision + 2)}
                plain, slow = (harness.watch(form=each, **options)[1] for each in (harness.form, form))  # type: ignore[arg-type]
                pairs.append((plain, slow))
            await harness.put(f"o{n % 5}", labels={"app": random.choice("12")}, n=n)
            if n % 7 == 0:
                await harness.delete(f"o{n % 5}")
            await asyncio.sleep(random.random() * 0.001)
        await asyncio.sleep(1)  # of the test's own clock
        for plain, slow in pairs:
            assert slow.shown == plain.shown
            assert {event.obj["apiVersion"] for event in slow.events if not event.is_bookmark} <= {"test.io/v2"}
            assert plain.shown

    run(body)


def test_a_failing_conversion_ends_its_watches_only(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        form = WebhookForm()
        (slow_watch, slow), (_, plain) = (
            harness.watch(resource_version="1", form=form),
            harness.watch(resource_version="1"),
        )
        await harness.put("a")
        await asyncio.sleep(0.02)
        assert slow.shown == ["ADDED ns/a 2"]
        form.fails = True
        await harness.put("a", n=1)
        await asyncio.sleep(0.02)
        assert slow.is_ended
        assert slow_watch.is_ended
        assert plain.shown == ["ADDED ns/a 2", "MODIFIED ns/a 3"]
        assert not harness.cache._queues
        form.fails = False
        _, again = harness.watch(send_initial_events=True, form=form)
        await asyncio.sleep(0.02)
        assert again.shown == ["ADDED ns/a 3"]

    run(body)


def test_other_selectable_fields_are_found_in_old_objects(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        await harness.put("a", color="red", size="big")
        assert [entry.path for entry in harness.list(field_selector="spec.color=red").entries] == ["ns/a"]

        def select_sizes(obj: dict[str, object]) -> dict[str, str]:
            return {**select_fields(obj), "spec.size": str(obj["spec"]["size"])}  # type: ignore[index]

        harness.cacher.resource("test.io", "widgets", select_sizes)
        assert [entry.path for entry in harness.list(field_selector="spec.size=big").entries] == ["ns/a"]
        assert harness.form.encode_bookmark(5, is_initial_end=False, is_first=False).count(API_VERSION.encode()) == 1

    run(body)
