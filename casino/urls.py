"""Every address of the house."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView
from django.views.i18n import set_language
from drf_spectacular.views import SpectacularAPIView

from audit.search_views import search_page
from audit.views import tonight
from casino.api import no_such_address
from casino.health import health

admin.autodiscover()

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("language/", set_language, name="set_language"),
    path("healthz", health, name="health"),
    path("admin/", admin.site.admin_view(tonight)),
    path("admin/search/", admin.site.admin_view(search_page), name="search"),
    path("admin/reports/", include("audit.report_urls")),
    path("admin/books/", include("audit.book_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/", include("casino.house_api")),
    path("api/v1/", include("casino.token_api")),
    path("api/v1/", include("tables.api.urls")),
    path("api/v1/", include("audit.api.urls")),
    re_path(r"^api/", no_such_address),
]
