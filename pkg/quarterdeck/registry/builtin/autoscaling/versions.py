"""The versions of autoscaling."""

from __future__ import annotations

from typing import Final

V1: Final = "autoscaling/v1"
V2: Final = "autoscaling/v2"
