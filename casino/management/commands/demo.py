"""The whole job with one command: a swing shift played, reconciled and audited by a real worker, reported, then served."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from casino import jobs
from casino.append_only import make_partitions
from casino.management.children import SEALER, WORKER, Children, refuse_busy, stopped_by_signals
from casino.management.commands.serve import serve
from casino.management.demo.house import build
from casino.management.demo.night import open_tables_now, play_night
from casino.management.demo.telling import tell_findings, tell_pins, tell_reports, tell_shift, tell_sign_ins
from casino.models import Job, RoleEvent
from tables.models import Shift

SEED = 7
PATIENCE = 180.0


class Command(BaseCommand):
    """`manage.py demo [--no-serve] [--reset] [--port N] [--seed N] [--rounds N]`."""

    help = "Play one swing shift with ten planted faults, reconcile and audit it by a worker, write its report, and serve."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what `make demo` hands on."""
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--seed", type=int, default=SEED)
        parser.add_argument("--rounds", type=int, default=120, help="rounds at each hold'em table; half as many at Payroll (at least 20)")
        parser.add_argument("--no-serve", action="store_true", help="end after the reports")
        parser.add_argument("--reset", action="store_true", help="renew the data")

    def handle(self, *args: Any, port: int, seed: int, rounds: int, no_serve: bool, reset: bool, **options: Any) -> None:
        """Play, or keep what was played; tell; serve."""
        if rounds < 20:
            raise CommandError("--rounds: a night has at least 20 rounds a table.")
        self.console = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
        self.note = settings.STATE / "demo.json"
        if not no_serve:
            refuse_busy(port)
        kept = self._kept()
        if reset or (kept is None and self.note.exists()):
            self._renew(reset=reset)
        with stopped_by_signals(), Children(settings.STATE / "logs") as children:
            try:
                self._run(children, kept, seed=seed, rounds=rounds, port=port, no_serve=no_serve)
            except KeyboardInterrupt:
                self.console.print("\nStopped.")
                sys.exit(130)

    def _run(self, children: Children, kept: dict[str, Any] | None, *, seed: int, rounds: int, port: int, no_serve: bool) -> None:
        jobs.ensure_broker()
        call_command("migrate", verbosity=0)
        make_partitions("default", range(-2, 3))
        call_command("make_seal_key", verbosity=0, stdout=StringIO())
        children.start("worker", WORKER)
        children.start("sealer", SEALER)
        if kept is None:
            kept = self._play(seed, rounds)
        shift = Shift.objects.select_related("property").get(uuid=kept["shift"])
        self._wait_for_reports(shift, children)
        tell_shift(self.console, shift)
        good = tell_findings(self.console, shift, kept["planted"])
        tell_reports(self.console, shift)
        tell_sign_ins(self.console, kept["sign_ins"], port)
        tell_pins(self.console, kept.get("pins", {}))
        connection.close()
        if not good:
            raise CommandError("The audit did not find exactly what was planted.")
        if not no_serve:
            serve(port, say=self.console.print, children=children)

    def _kept(self) -> dict[str, Any] | None:
        """Return what an earlier run left, where it was played to its end."""
        try:
            kept: dict[str, Any] = json.loads(self.note.read_text())
        except (OSError, ValueError):
            return None
        return kept if kept.get("finished") else None

    def _renew(self, *, reset: bool) -> None:
        """Delete the state, and begin again as a fresh process: the secrets are new, too."""
        if not settings.EMBEDDED:
            raise CommandError("RESET deletes the embedded servers' data only; a database elsewhere is its owner's to renew.")
        if not reset:
            self.console.print("The last run did not finish; starting afresh.")
        wiped = subprocess.run([sys.executable, "-m", "casino.embedded", "wipe", str(settings.STATE)], check=False)  # noqa: S603
        if wiped.returncode:
            raise CommandError("The data was not renewed: see above.")
        os.execv(sys.executable, [sys.executable, *(argument for argument in sys.argv if argument != "--reset")])  # noqa: S606

    def _play(self, seed: int, rounds: int) -> dict[str, Any]:
        if RoleEvent.objects.exists():
            raise CommandError("This database has people in it already, and they are not the demo's. Point DATABASE_URL at an empty one.")
        self._keep({"finished": False})
        now = timezone.now()
        with self.console.status("Hiring people, laying out tables …"):
            cast = build(now)
        with self._bars() as bars:
            tasks = {code: bars.add_task(code, total=None) for code in cast.tables}
            night = play_night(
                cast, seed=seed, rounds=rounds, now=now, tell=lambda code, done, total: bars.update(tasks[code], completed=done, total=total)
            )
        open_tables_now(cast, now=timezone.now())
        kept = {
            "finished": True,
            "seed": seed,
            "shift": str(night.shift.uuid),
            "planted": [asdict(planted) for planted in night.planted],
            "sign_ins": [asdict(sign_in) for sign_in in cast.sign_ins],
            "pins": dict(cast.pins),
        }
        self._keep(kept)
        return kept

    def _keep(self, what: dict[str, Any]) -> None:
        """Write the note for the next run, for nobody else's eyes."""
        beside = Path(f"{self.note}.new")
        beside.touch(mode=0o600)
        beside.write_text(json.dumps(what))
        beside.replace(self.note)

    @contextmanager
    def _bars(self) -> Iterator[Progress]:
        columns = (TextColumn("{task.description:<22}"), BarColumn(40), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console) as bars:
            yield bars

    def _wait_for_reports(self, shift: Shift, children: Children) -> None:
        """Show the worker's progress until the shift's reports are written. Raises CommandError where it fails or takes too long."""
        steps = {
            "close_shift": "auditing every payout",
            "reconcile_shift": "reconciling",
            "shift_report": "writing reports",
            "shift_statistics": "adding up",
        }
        until = time.monotonic() + PATIENCE
        with self._bars() as bars:
            tasks = {kind: bars.add_task(words, total=None) for kind, words in steps.items()}
            while True:
                chain = list(Job.objects.filter(args__shift=str(shift.uuid), kind__in=steps).order_by("id"))
                for job in chain:
                    step = jobs.progress_of(job) if job.state == Job.State.RUNNING else None
                    if step:
                        bars.update(tasks[job.kind], completed=step.done, total=step.total)
                    if job.state == Job.State.DONE:
                        bars.update(tasks[job.kind], completed=1, total=1)
                    if job.state == Job.State.FAILED:
                        raise CommandError(f"{job.kind} failed: {job.error}")
                if {job.kind for job in chain} == set(steps) and all(job.state == Job.State.DONE for job in chain):
                    return
                children.check()
                if time.monotonic() > until:
                    raise CommandError(f"The worker did not finish within {PATIENCE:.0f} s:\n{children.tail('worker')}")
                time.sleep(0.1)
