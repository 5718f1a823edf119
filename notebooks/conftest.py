"""What strict nbval leaves out of the comparison."""

from __future__ import annotations

from typing import Any


def pytest_collectstart(collector: Any) -> None:
    """Do not compare stderr: it carries the kernel's process id."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("stderr",)
