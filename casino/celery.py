"""The Celery app. It only wakes somebody up: the job's row is the truth (design/foundations.md, 5)."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init, worker_ready

from casino.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("pitbook")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["casino", "tables", "audit"])
app.conf.beat_scheduler = "celery.beat:Scheduler"  # the plan is static: nothing to keep in a file
app.conf.beat_schedule = SCHEDULE


@worker_init.connect
@beat_init.connect
def servers_first(**_: Any) -> None:
    """Start or join the embedded broker before a worker or beat connects."""
    from casino.jobs import ensure_broker

    ensure_broker()


@worker_ready.connect
def take_up(sender: Any, **_: Any) -> None:
    """Send what is due and not done as soon as a worker is ready: a killed job is taken up by the next one."""
    from casino.jobs import send_due

    send_due()
