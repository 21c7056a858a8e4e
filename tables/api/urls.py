"""Addresses of the floor's API, below /api/v1/."""

from django.urls import path

from tables.api.imports import ImportsView, ImportView
from tables.api.views import RoundsView, RoundView

urlpatterns = [
    path("rounds/imports", ImportsView.as_view(), name="imports"),
    path("rounds/imports/<uuid:uuid>", ImportView.as_view(), name="import"),
    path("rounds", RoundsView.as_view(), name="rounds"),
    path("rounds/<uuid:uuid>", RoundView.as_view(), name="round"),
]
