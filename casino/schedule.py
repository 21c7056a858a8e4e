"""What beat does: one static plan, in UTC. What is due is asked of our own tables, once a minute."""

from __future__ import annotations

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "minute": {"task": "casino.tasks.minute", "schedule": 60.0, "options": {"expires": 50}},
}
