"""Where a watch's frames go that has no socket of its own. Body: ext/outlet.pyx."""

class Outlet:
    def __new__(cls) -> Outlet: ...
