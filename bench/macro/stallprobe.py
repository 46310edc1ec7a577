"""A server that notes how late its event loop comes: bench/macro/stalls.py starts it in place of `quarterdeck serve`.

    STALLS_FILE=ticks [STALLS_WHERE=stacks] python bench/macro/stallprobe.py serve …

A timer of the loop comes every millisecond and notes four times, in nanoseconds: when it came; the CPU that the loop's
thread used since it came last; what that thread waited for a core; and what the process' other threads used. The notes
are written when the server ends. With STALLS_WHERE a turn that goes on for 10 ms is interrupted by a signal, and once
more every 5 ms: a handler in C, which needs no lock of the interpreter, writes the stacks of all threads.
"""

from __future__ import annotations

import array
import asyncio
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from quarterdeck.cmd import directories, main, options
from quarterdeck.server import apiserver
from quarterdeck.server.config import Config
from quarterdeck.server.lifecycle import APIServer

TICK_S: Final = 0.001
FIELDS: Final = 4
_FIRST_US: Final = 10_000
_AGAIN_US: Final = 5_000
_WATCH: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static int out;
static void (*dump)(int, void *); /* the interpreter's own, of one thread: frames of others change meanwhile */
static void *(*state)(void);
static volatile int is_busy; /* threads write one after another */
static void note(void) {
    char line[100];
    void *frames[48];
    struct timespec now, cpu;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    long thread = syscall(SYS_gettid);
    int length = snprintf(line, sizeof line, "== %s %ld %lld %lld\\n", thread == getpid() ? "loop" : "thread", thread,
                          now.tv_sec * 1000000000LL + now.tv_nsec, cpu.tv_sec * 1000000000LL + cpu.tv_nsec);
    while (__sync_lock_test_and_set(&is_busy, 1)) usleep(10);
    if (write(out, line, length) == length) {
        backtrace_symbols_fd(frames, backtrace(frames, 48), out);
        if (dump && state && state()) dump(out, state());
    }
    __sync_lock_release(&is_busy);
}
static void on_other(int number) { note(); }
static void on_late(int number) { /* in any thread */
    char entries[4096];
    long own = syscall(SYS_gettid);
    note();
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    long length = syscall(SYS_getdents64, folder, entries, sizeof entries);
    for (long at = 0; at < length; at += *(unsigned short *)(entries + at + 16)) {
        long thread = 0;
        for (char *name = entries + at + 19; *name >= '0' && *name <= '9'; name++) thread = thread * 10 + *name - '0';
        if (thread && thread != own) syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    }
    close(folder);
}
void begin(const char *path) {
    void *frames[2];
    struct sigaction late = {.sa_handler = on_late, .sa_flags = SA_RESTART};
    struct sigaction other = {.sa_handler = on_other, .sa_flags = SA_RESTART};
    sigfillset(&late.sa_mask);
    sigfillset(&other.sa_mask);
    backtrace(frames, 2); /* loads what it needs */
    out = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    dump = dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
    state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    sigaction(SIGALRM, &late, NULL);
    sigaction(SIGUSR2, &other, NULL);
}
void again(long first_us, long again_us) {
    struct itimerval timer = {{0, again_us}, {0, first_us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}
"""


def _load_watch(path: str) -> Callable[[int, int], None]:
    """What is called at each tick: it puts the signal off."""
    folder = Path(tempfile.mkdtemp())
    (folder / "watch.c").write_text(_WATCH)
    subprocess.run(
        ["cc", "-O1", "-w", "-shared", "-fPIC", "-o", folder / "watch.so", folder / "watch.c", "-ldl"], check=True
    )
    library = ctypes.PyDLL(str(folder / "watch.so"))
    library.begin(path.encode())
    again: Callable[[int, int], None] = library.again
    return again


class Probe:
    def __init__(self, again: Callable[[int, int], None] | None) -> None:
        self.notes = array.array("q")
        self._again = again
        # What lets go of the interpreter's lock has to wait for it at each tick.
        self._pread = ctypes.PyDLL(None).pread
        self._text = ctypes.create_string_buffer(100)
        self._loop = asyncio.get_running_loop()
        # Opened by the loop's thread: its own waits for a core.
        self._schedule = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        self._cpu, self._core, self._process = self._read()
        self._loop.call_later(TICK_S, self._tick)

    def _read(self) -> tuple[int, int, int]:
        self._pread(self._schedule, self._text, 100, 0)
        waited = int(self._text.value.split()[1])
        return time.thread_time_ns(), waited, time.process_time_ns()

    def _tick(self) -> None:
        cpu, core, process = self._read()
        own = cpu - self._cpu
        others = max(process - self._process - own, 0)
        self.notes.extend((time.monotonic_ns(), own, core - self._core, others))
        self._cpu, self._core, self._process = cpu, core, process
        if self._again is not None:
            self._again(_FIRST_US, _AGAIN_US)
        self._loop.call_later(TICK_S, self._tick)


def serve() -> int:
    arguments, _ = options.parse(sys.argv[1:])
    where = os.environ.get("STALLS_WHERE")
    again = _load_watch(where) if where else None
    probes: list[Probe] = []

    async def build(config: Config) -> APIServer:
        probes.append(Probe(again))
        return await apiserver.build(config)

    try:
        with directories.choose_data_dir(arguments):
            return main.run(options.build_config(arguments), build)
    finally:
        if again is not None:
            again(0, 0)
        Path(os.environ["STALLS_FILE"]).write_bytes(b"".join(probe.notes.tobytes() for probe in probes))


if __name__ == "__main__":
    sys.exit(serve())
