"""The values behind metrics: counters, gauges and histograms, as cheap as a call from Python can be.

No names, no labels, no text: those belong to quarterdeck/metrics, which reads the values when they are asked for. The
caller holds the value object and calls it; under the interpreter's lock each call is atomic, so that threads may share
one. Amounts are doubles: counts are exact up to 2**53.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

cdef extern from "<time.h>":
    ctypedef long time_t
    ctypedef int clockid_t
    cdef struct timespec:
        time_t tv_sec
        long tv_nsec
    clockid_t CLOCK_MONOTONIC
    int clock_gettime(clockid_t clock, timespec* now) noexcept nogil

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object mapping, object key) except? NULL


cdef inline double _now_s() noexcept:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + now.tv_nsec * 1e-9


def now_s():
    """The clock that durations are told from. It never goes back, and says nothing of the time of day."""
    return _now_s()


@cython.final
cdef class Counter:
    """Only rises. `add` of a negative amount is a bug of the caller and changes nothing but raises ValueError."""

    cdef readonly double value

    def inc(self):
        self.value += 1

    def add(self, double amount):
        if not amount >= 0:
            raise ValueError("a counter cannot be decreased")
        self.value += amount


@cython.final
cdef class Gauge:
    cdef readonly double value

    def inc(self):
        self.value += 1

    def dec(self):
        self.value -= 1

    def add(self, double amount):
        self.value += amount

    def set(self, double value):
        self.value = value


@cython.final
cdef class Buckets:
    """Upper bounds, rising, that many histograms share. The bucket without a bound is every histogram's last one."""

    def __cinit__(self, bounds):
        self.bounds = tuple([float(bound) for bound in bounds])
        self._size = len(self.bounds)
        self._bounds = <double*>PyMem_Malloc((self._size + 1) * sizeof(double))
        if self._bounds is NULL:
            raise MemoryError
        cdef Py_ssize_t index
        for index in range(self._size):
            self._bounds[index] = self.bounds[index]
            if index and not self._bounds[index] > self._bounds[index - 1]:
                raise ValueError("bounds must rise")

    def __dealloc__(self):
        PyMem_Free(self._bounds)


@cython.final
cdef class Histogram:
    """How many observations fell into each bucket, and their sum. A bound belongs to the bucket below it."""

    def __cinit__(self, Buckets buckets not None):
        cdef Py_ssize_t size = buckets._size + 1
        self._buckets = buckets
        self._counts = <uint64_t*>PyMem_Malloc(size * sizeof(uint64_t))
        if self._counts is NULL:
            raise MemoryError
        cdef Py_ssize_t index
        for index in range(size):
            self._counts[index] = 0

    def __dealloc__(self):
        PyMem_Free(self._counts)

    def observe(self, double value):
        self._observe(value)

    def observe_since(self, double begin_s):
        """What began at `begin_s`, on the clock of now_s, has ended."""
        self._observe(_now_s() - begin_s)

    def lap(self, double begin_s):
        """As observe_since; when it has ended, which is where the next thing begins."""
        cdef double end_s = _now_s()
        self._observe(end_s - begin_s)
        return end_s

    cdef void _observe(self, double value) noexcept:
        """Most of what is observed is small, so the buckets are tried from the first one."""
        cdef const double* bounds = self._buckets._bounds
        cdef Py_ssize_t size = self._buckets._size
        cdef Py_ssize_t index = 0
        while index < size and not value <= bounds[index]:
            index += 1
        self._counts[index] += 1
        self.sum += value

    cdef void observe_often(self, double value, uint64_t times) noexcept:
        cdef const double* bounds = self._buckets._bounds
        cdef Py_ssize_t size = self._buckets._size
        cdef Py_ssize_t index = 0
        while index < size and not value <= bounds[index]:
            index += 1
        self._counts[index] += times
        self.sum += value * times

    @property
    def bounds(self):
        return self._buckets.bounds

    @property
    def count(self):
        cdef uint64_t total = 0
        cdef Py_ssize_t index
        for index in range(self._buckets._size + 1):
            total += self._counts[index]
        return total

    def cumulate(self):
        """For each bucket the observations in it and in those below; the last is the number of all."""
        cdef uint64_t total = 0
        cdef Py_ssize_t index
        cdef list counts = []
        for index in range(self._buckets._size + 1):
            total += self._counts[index]
            counts.append(total)
        return counts


@cython.final
cdef class Meter:
    """All values of one kind of event that ends with a code after some time, told in one call.

    `count` makes the counter of a code at its first event; `response_sizes` and `body_sizes` may be None.
    """

    cdef dict _by_code
    cdef object _count
    cdef Histogram _durations
    cdef Histogram _slis
    cdef Histogram _response_sizes
    cdef Histogram _body_sizes

    def __cinit__(
        self,
        count,
        Histogram durations not None,
        Histogram slis not None,
        Histogram response_sizes,
        Histogram body_sizes,
    ):
        self._by_code = {}
        self._count = count
        self._durations = durations
        self._slis = slis
        self._response_sizes = response_sizes
        self._body_sizes = body_sizes

    def finish(self, code, double seconds, double response_bytes, double body_bytes):
        cdef PyObject* found = PyDict_GetItemWithError(self._by_code, code)
        if found is NULL:
            self._by_code[code] = <Counter?>self._count(code)
            found = PyDict_GetItemWithError(self._by_code, code)
        (<Counter>found).value += 1
        self._durations._observe(seconds)
        self._slis._observe(seconds)
        if self._response_sizes is not None:
            self._response_sizes._observe(response_bytes)
        if self._body_sizes is not None:
            self._body_sizes._observe(body_bytes)


cdef enum:
    USES = 4


@cython.final
cdef class Utilization:
    """How much of four things was in use, over time: each nanosecond is an observation of what is in use at its end, as
    a share of its bound."""

    cdef Histogram _first
    cdef Histogram _second
    cdef Histogram _third
    cdef Histogram _fourth
    cdef double _used[USES]
    cdef double _bounds[USES]
    cdef double _since_s

    def __cinit__(
        self,
        Histogram first not None,
        Histogram second not None,
        Histogram third not None,
        Histogram fourth not None,
        double now_s,
    ):
        self._first, self._second, self._third, self._fourth = first, second, third, fourth
        self._since_s = now_s
        cdef int index
        for index in range(USES):
            self._used[index] = 0
            self._bounds[index] = 1

    def note(self, Py_ssize_t first, Py_ssize_t second, Py_ssize_t third, Py_ssize_t fourth, double now_s):
        """So much is in use from `now_s` (seconds, of any clock that never goes back) on."""
        self._pass(now_s)
        self._used[0] = first
        self._used[1] = second
        self._used[2] = third
        self._used[3] = fourth

    def bound(self, Py_ssize_t first, Py_ssize_t second, Py_ssize_t third, Py_ssize_t fourth, double now_s):
        """From `now_s` on there is so much. ValueError where there is nothing."""
        if not (first > 0 and second > 0 and third > 0 and fourth > 0):
            raise ValueError("bounds must be positive")
        self._pass(now_s)
        self._bounds[0] = first
        self._bounds[1] = second
        self._bounds[2] = third
        self._bounds[3] = fourth

    cdef void _pass(self, double now_s) noexcept:
        cdef double elapsed_s = now_s - self._since_s
        cdef uint64_t times
        if not elapsed_s > 0:
            return
        self._since_s = now_s
        times = <uint64_t> (elapsed_s * 1e9)
        self._first.observe_often(self._used[0] / self._bounds[0], times)
        self._second.observe_often(self._used[1] / self._bounds[1], times)
        self._third.observe_often(self._used[2] / self._bounds[2], times)
        self._fourth.observe_often(self._used[3] / self._bounds[3], times)
