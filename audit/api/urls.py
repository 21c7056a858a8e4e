"""Addresses of the audit's API, below /api/v1/."""

from django.urls import path

from audit.api.draws import DrawView, OutcomesView, RevealView
from audit.api.findings import FindingStepView, FindingsView, FindingView
from audit.api.mailings import EndMailingView, MailingsView
from audit.api.notes import NotesView
from audit.api.sealed import CheckpointAlarmView, ProofView, SealedShiftsView, SealedShiftView
from audit.api.signing import DealerProfileView, ExplanationsView, ReconcileView, SignaturesView, SigningView, StatisticsView
from audit.api.views import ExportsView, ReportFileView, ReportsView, ReportView, ShiftReportView

STEPS = ("assign", "answer", "review", "close", "evidence")

urlpatterns = [
    path("shifts/<uuid:uuid>/report", ShiftReportView.as_view(), name="shift-report"),
    path("shifts/<uuid:uuid>/signing", SigningView.as_view(), name="shift-signing"),
    path("shifts/<uuid:uuid>/explanations", ExplanationsView.as_view(), name="shift-explanations"),
    path("shifts/<uuid:uuid>/signatures", SignaturesView.as_view(), name="shift-signatures"),
    path("shifts/<uuid:uuid>/reconcile", ReconcileView.as_view(), name="shift-reconcile"),
    path("shifts/<uuid:uuid>/notes", NotesView.as_view(), name="shift-notes"),
    path("shifts/<uuid:uuid>/draw", DrawView.as_view(), name="shift-draw"),
    path("shifts/<uuid:uuid>/draw/reveal", RevealView.as_view(), name="shift-draw-reveal"),
    path("shifts/<uuid:uuid>/draw/outcomes", OutcomesView.as_view(), name="shift-draw-outcomes"),
    path("mailings", MailingsView.as_view(), name="mailings"),
    path("mailings/<uuid:uuid>/end", EndMailingView.as_view(), name="mailing-end"),
    path("findings", FindingsView.as_view(), name="findings"),
    path("findings/<uuid:uuid>", FindingView.as_view(), name="finding"),
    *[path(f"findings/<uuid:uuid>/{verb}", FindingStepView.as_view(verb=verb), name=f"finding-{verb}") for verb in STEPS],
    path("statistics", StatisticsView.as_view(), name="statistics"),
    path("dealers/<str:code>/profile", DealerProfileView.as_view(), name="dealer-profile"),
    path("reports", ReportsView.as_view(), name="api-reports"),
    path("reports/files/<uuid:uuid>", ReportFileView.as_view(), name="api-report-file"),
    path("reports/<slug:key>", ReportView.as_view(), name="api-report"),
    path("reports/<slug:key>/exports", ExportsView.as_view(), name="api-report-export"),
    path("sealed", SealedShiftsView.as_view(), name="sealed"),
    path("sealed/alarm", CheckpointAlarmView.as_view(), name="sealed-alarm"),
    path("sealed/<uuid:uuid>", SealedShiftView.as_view(), name="sealed-shift"),
    path("rounds/<uuid:uuid>/proof", ProofView.as_view(), name="round-proof"),
]
