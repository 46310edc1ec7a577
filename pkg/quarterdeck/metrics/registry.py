"""Metrics by name: families of counters, gauges and histograms, each with a fixed set of label names.

There are two ways to provide values. A hot path holds the value object of its label values (`labels(...)`, once) and
calls it; what keeps plain integers anyway (a cache, a queue) is read when somebody asks for the metrics (`reads`).
Nothing here knows the text that is served (exposition.py) or what is measured.

Label values must come from a bounded set: names of resources, verbs, status codes, never a path, a user or anything
else that a client makes up (CVE-2020-8552). As a second line of defence a family has at most `CHILDREN_MAX` children;
what comes after them shares one whose label values are all "other".

Source of the names: k8s.io/component-base/metrics and the `metrics.go` beside each of upstream's packages; help begins
with upstream's stability level where it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, TypeVar

from quarterdeck._kernels import metrics as kernel
from quarterdeck.metrics.limits import ALL_SHOWN

CHILDREN_MAX: Final = 20_000
OTHER: Final = "other"

COUNTER: Final = "counter"
GAUGE: Final = "gauge"
HISTOGRAM: Final = "histogram"

Counter = kernel.Counter
Gauge = kernel.Gauge
Histogram = kernel.Histogram
Meter = kernel.Meter
Utilization = kernel.Utilization
LabelValues = tuple[str, ...]
# Label values and the value for each child, asked for at each scrape; raising is a bug.
Read = Callable[[], Iterable[tuple[LabelValues, float]]]
ReadHistograms = Callable[[], Iterable[tuple[LabelValues, kernel.Histogram]]]
V = TypeVar("V", kernel.Counter, kernel.Gauge, kernel.Histogram)


class Family(Generic[V]):
    """The children of one name. `make` builds the value of a new child."""

    def __init__(self, name: str, kind: str, help_text: str, label_names: LabelValues, make: Callable[[], V]) -> None:
        self.name = name
        self.kind = kind
        self.help_text = help_text
        self.label_names = label_names
        self.buckets: tuple[float, ...] = ()
        self._make: Callable[[], V] = make
        self._children: dict[LabelValues, V] = {}

    def labels(self, *values: str) -> V:
        """The value object of these label values, made at the first call. To be kept by whoever calls it often."""
        child = self._children.get(values)
        if child is None:
            if len(values) != len(self.label_names):
                raise ValueError(f"{self.name} has the labels {self.label_names}, not {len(values)} of them")
            if len(self._children) >= CHILDREN_MAX:
                values = (OTHER,) * len(values)
            child = self._children.setdefault(values, self._make())
        return child

    def children(self) -> list[tuple[LabelValues, V]]:
        """A snapshot: children that are added later are not in it."""
        return list(self._children.items())

    def remove(self, values: LabelValues) -> None:
        """Forget a child whose subject is gone. A value object that is still held counts on unseen."""
        self._children.pop(values, None)


class ReadFamily:
    """A counter, a gauge or histograms that somebody else keeps: `reads` are asked at each scrape."""

    def __init__(self, name: str, kind: str, help_text: str, label_names: LabelValues) -> None:
        self.name = name
        self.kind = kind
        self.help_text = help_text
        self.label_names = label_names
        self.reads: list[Read | ReadHistograms] = []

    def children(self) -> list[tuple[LabelValues, float | kernel.Histogram]]:
        return [child for read in self.reads for child in read()]


AnyFamily = Family[kernel.Counter] | Family[kernel.Gauge] | Family[kernel.Histogram] | ReadFamily


class Registry:
    """All families of one exposition, by name. Asking twice for the same family gives the same one."""

    def __init__(self) -> None:
        self._families: dict[str, AnyFamily] = {}
        self.limits = ALL_SHOWN
        self.preparations: list[Callable[[], None]] = []
        """Called before the values are read: for what changes with time alone."""

    def counter(self, name: str, help_text: str, labels: LabelValues = ()) -> Family[kernel.Counter]:
        return self._add(Family(name, COUNTER, help_text, labels, kernel.Counter))

    def gauge(self, name: str, help_text: str, labels: LabelValues = ()) -> Family[kernel.Gauge]:
        return self._add(Family(name, GAUGE, help_text, labels, kernel.Gauge))

    def histogram(
        self, name: str, help_text: str, buckets: Iterable[float], labels: LabelValues = ()
    ) -> Family[kernel.Histogram]:
        """`buckets`: the upper bounds, rising, without the infinite one."""
        bounds = kernel.Buckets(buckets)
        family = Family(name, HISTOGRAM, help_text, labels, lambda: kernel.Histogram(bounds))
        family.buckets = bounds.bounds
        return self._add(family)

    def read_counter(self, name: str, help_text: str, read: Read, labels: LabelValues = ()) -> None:
        """A counter whose values are asked for at each scrape. Several may provide parts of one family."""
        self._add(ReadFamily(name, COUNTER, help_text, labels)).reads.append(read)

    def read_gauge(self, name: str, help_text: str, read: Read, labels: LabelValues = ()) -> None:
        self._add(ReadFamily(name, GAUGE, help_text, labels)).reads.append(read)

    def read_histogram(self, name: str, help_text: str, read: ReadHistograms, labels: LabelValues = ()) -> None:
        self._add(ReadFamily(name, HISTOGRAM, help_text, labels)).reads.append(read)

    def families(self) -> list[AnyFamily]:
        """In the order of their names."""
        return [family for _, family in sorted(self._families.items())]

    def _add(self, family: F) -> F:
        known = self._families.setdefault(family.name, family)
        if type(known) is not type(family) or (known.kind, known.label_names) != (family.kind, family.label_names):
            raise ValueError(f"{family.name} is registered already, as another metric")
        return known


F = TypeVar("F", Family[kernel.Counter], Family[kernel.Gauge], Family[kernel.Histogram], ReadFamily)


def read_one(read: Callable[[], float]) -> Read:
    """For a metric without labels."""
    return lambda: (((), read()),)


def read_mapping(read: Callable[[], Mapping[str, float]]) -> Read:
    """For a metric with one label whose values are the keys."""
    return lambda: (((key,), value) for key, value in read().items())
