"""Addresses of the floor's API, below /api/v1/."""

from django.urls import include, path

from tables.api.views import RoundsView, RoundView

urlpatterns = [
    path("rounds", RoundsView.as_view(), name="rounds"),
    path("rounds/<uuid:uuid>", RoundView.as_view(), name="round"),
    path("", include("tables.api.paytable_urls")),
]
