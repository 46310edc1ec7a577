"""What /statusz and /flagz tell of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from quarterdeck.endpoints.zpages import Process, ZPages
from quarterdeck.metrics.process import read_start_time_s
from quarterdeck.server.config import Config
from quarterdeck.server.version import build_info


def build(config: Config, paths: Callable[[], Iterable[str]]) -> ZPages:
    version = config.version
    language = build_info(version)["goVersion"]
    number = version.git_version.removeprefix("v").partition("+")[0]
    process = Process(read_start_time_s, language, number, f"{version.major}.{version.minor}")
    return ZPages(process, paths, config.flags)
