from typing import final

from quarterdeck._kernels.openssl import Sealer

OPEN: int
ENDED: int
BROKEN: int
HAS_OUTPUT: int

@final
class Records:
    @property
    def sealer(self) -> Sealer: ...
    @property
    def state(self) -> int: ...
    def read(self, data: bytes) -> bytes: ...
    def write(self, data: bytes) -> bytes | None: ...

def prepare(library: str | None) -> bool: ...
def build_records(sealer: Sealer) -> Records | None: ...
