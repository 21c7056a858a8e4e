"""Addresses of paytables, below /api/v1/paytables."""

from django.urls import path

from tables.api import paytable_approvals as approvals
from tables.api import paytables as views
from tables.api.replays import DraftSolveView

urlpatterns = [
    path("paytables", views.VersionsView.as_view(), name="paytables"),
    path("paytables/edges", views.EdgesView.as_view(), name="paytable-edges"),
    path("paytables/drafts", views.DraftsView.as_view(), name="paytable-drafts"),
    path("paytables/drafts/<uuid:uuid>", views.DraftView.as_view(), name="paytable-draft"),
    path("paytables/drafts/<uuid:uuid>/propose", views.DraftProposalView.as_view(), name="paytable-draft-propose"),
    path("paytables/drafts/<uuid:uuid>/solve", DraftSolveView.as_view(), name="paytable-draft-solve"),
    path("paytables/proposals", approvals.ProposalsView.as_view(), name="paytable-proposals"),
    path("paytables/proposals/<uuid:uuid>", approvals.ProposalView.as_view(), name="paytable-proposal"),
    path("paytables/proposals/<uuid:uuid>/approve", approvals.ProposalApproveView.as_view(), name="paytable-proposal-approve"),
    path("paytables/proposals/<uuid:uuid>/refuse", approvals.ProposalRefuseView.as_view()),
    path("paytables/proposals/<uuid:uuid>/withdraw", approvals.ProposalWithdrawView.as_view()),
    path("paytables/placements", approvals.PlacementsView.as_view(), name="paytable-placements"),
    path("paytables/placements/<uuid:uuid>", approvals.PlacementView.as_view(), name="paytable-placement"),
    path("paytables/placements/<uuid:uuid>/approve", approvals.PlacementApproveView.as_view(), name="paytable-placement-approve"),
    path("paytables/placements/<uuid:uuid>/refuse", approvals.PlacementRefuseView.as_view()),
    path("paytables/placements/<uuid:uuid>/withdraw", approvals.PlacementWithdrawView.as_view()),
    path("paytables/<str:reference>", views.VersionView.as_view(), name="paytable"),
    path("paytables/<str:reference>/export", views.VersionExportView.as_view(), name="paytable-export"),
    path("paytables/<str:reference>/place", views.PlaceView.as_view(), name="paytable-place"),
]
