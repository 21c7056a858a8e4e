"""Addresses of the audit's API, below /api/v1/."""

from django.urls import path

from audit.api.views import ReportsView, ReportView, ShiftReportView

urlpatterns = [
    path("shifts/<uuid:uuid>/report", ShiftReportView.as_view(), name="shift-report"),
    path("reports", ReportsView.as_view(), name="api-reports"),
    path("reports/<slug:key>", ReportView.as_view(), name="api-report"),
]
