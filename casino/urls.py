"""Every address of the house."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from audit.views import tonight
from casino.health import health

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("healthz", health, name="health"),
    path("admin/", admin.site.admin_view(tonight)),
    path("admin/books/", include("audit.book_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/", include("tables.api.urls")),
    path("api/v1/", include("audit.api.urls")),
]
