"""Addresses of the audit's API, below /api/v1/."""

from django.urls import path

from audit.api.sealed import ProofView, SealedShiftsView, SealedShiftView
from audit.api.views import ShiftReportView

urlpatterns = [
    path("shifts/<uuid:uuid>/report", ShiftReportView.as_view(), name="shift-report"),
    path("sealed", SealedShiftsView.as_view(), name="sealed"),
    path("sealed/<uuid:uuid>", SealedShiftView.as_view(), name="sealed-shift"),
    path("rounds/<uuid:uuid>/proof", ProofView.as_view(), name="round-proof"),
]
