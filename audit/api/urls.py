"""Addresses of the audit's API, below /api/v1/."""

from django.urls import path

from audit.api.views import ShiftReportView

urlpatterns = [path("shifts/<uuid:uuid>/report", ShiftReportView.as_view(), name="shift-report")]
