"""Serve what is there: web, worker and beat, until Ctrl-C."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from casino import jobs
from casino.management.children import BEAT, SEALER, WORKER, Children, refuse_busy, stopped_by_signals, web


class Command(BaseCommand):
    """`manage.py serve [--port 8000]`."""

    help = "Serve the web at http://127.0.0.1:PORT, with a worker and beat, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the port."""
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        """Migrate, start the three, watch them, stop them."""
        refuse_busy(port)
        call_command("migrate", verbosity=0)
        serve(port, say=self.stdout.write)


def serve(port: int, *, say: Any, children: Children | None = None) -> None:
    """Serve until Ctrl-C, with a worker of `children` where there is one already. Raises CommandError where one of the three ends."""
    jobs.ensure_broker()
    with stopped_by_signals(), children or Children(settings.STATE / "logs") as running:
        try:
            if children is None:
                running.start("worker", WORKER)
                running.start("sealer", SEALER)
            running.start("beat", BEAT)
            running.start("web", web(port))
            say(f"Serving at http://127.0.0.1:{port} — Ctrl-C ends it. Logs: {running.logs}")
            while True:
                time.sleep(0.5)
                running.check()
        except KeyboardInterrupt:
            say("\nStopping.")
