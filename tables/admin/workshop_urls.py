"""Addresses of the workshop and of replays, below those of paytable versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from tables.admin import (
    replays,
    workshop,
    workshop_diff,
    workshop_drafts,
    workshop_files,
    workshop_limits,
    workshop_placements,
    workshop_proposals,
    workshop_solves,
)


def workshop_urls(admin_view: Callable[..., Any]) -> list[URLPattern]:
    """Return the addresses, each behind the admin's sign-in."""
    views: list[tuple[str, Callable[..., Any], str]] = [
        ("workshop/", workshop.workshop, "tables_workshop"),
        ("workshop/import/", workshop.import_file, "tables_workshop_import"),
        ("workshop/new/", workshop_drafts.new_draft, "tables_workshop_new"),
        ("workshop/look/", workshop_drafts.look, "tables_workshop_look"),
        ("workshop/draft/<uuid:uuid>/", workshop_drafts.draft, "tables_workshop_draft"),
        ("workshop/draft/<uuid:uuid>/propose/", workshop_drafts.propose_draft, "tables_workshop_propose"),
        ("workshop/draft/<uuid:uuid>/solve/", workshop_solves.ask_solve, "tables_workshop_solve"),
        ("workshop/job/<uuid:uuid>/", workshop_solves.order_job, "tables_workshop_job"),
        ("workshop/job/<uuid:uuid>/progress/", workshop_solves.job_progress, "tables_workshop_progress"),
        ("workshop/proposal/<uuid:uuid>/", workshop_proposals.proposal, "tables_workshop_proposal"),
        ("workshop/placement/<uuid:uuid>/", workshop_placements.placement, "tables_workshop_placement"),
        ("workshop/limits/", workshop_limits.limits, "tables_workshop_limits"),
        ("workshop/compare/", workshop_diff.compare, "tables_workshop_compare"),
        ("replay/", replays.replays, "tables_replay"),
        ("replay/month/", workshop_diff.replay_month, "tables_replay_month"),
        ("replay/<uuid:uuid>/", replays.replay_run, "tables_replay_run"),
        ("<int:pk>/place/", workshop_placements.place, "tables_paytableversion_place"),
        ("<int:pk>/json/", workshop_files.json_file, "tables_paytableversion_json"),
        ("<int:pk>/sheet/", workshop_files.sheet_file, "tables_paytableversion_sheet"),
    ]
    return [path(route, admin_view(view), name=name) for route, view, name in views]
