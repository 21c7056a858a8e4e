"""Addresses of the books' pages and files, below /admin/books/."""

from django.contrib import admin
from django.urls import path

from audit.book_views import accounting_view, journal_view, statement_view, trial_balance_view

app_name = "books"
seen = admin.site.admin_view

urlpatterns = [
    path("account/<int:pk>/", seen(statement_view), name="statement"),
    path("account/<int:pk>/statement.<str:fmt>", seen(statement_view), name="statement"),
    path("journal/", seen(journal_view), name="journal"),
    path("journal.<str:fmt>", seen(journal_view), name="journal"),
    path("trial-balance/", seen(trial_balance_view), name="trial_balance"),
    path("trial-balance.<str:fmt>", seen(trial_balance_view), name="trial_balance"),
    path("accounting/", seen(accounting_view), name="accounting"),
    path("accounting.<str:fmt>", seen(accounting_view), name="accounting"),
]
