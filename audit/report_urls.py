"""Addresses of the reports' pages, below /admin/reports/."""

from django.contrib import admin
from django.urls import path

from audit import report_views as views

seen = admin.site.admin_view
urlpatterns = [
    path("", seen(views.reports), name="reports"),
    path("files/<uuid:uuid>", seen(views.report_kept_file), name="report-file"),
    path("mailings/<uuid:uuid>/end/", seen(views.report_unsubscribe), name="report-unsubscribe"),
    path("<slug:key>/", seen(views.report), name="report-page"),
    path("<slug:key>/file.<str:fmt>", seen(views.report_download), name="report-download"),
    path("<slug:key>/export/", seen(views.report_export), name="report-export"),
    path("<slug:key>/mail/", seen(views.report_subscribe), name="report-subscribe"),
]
