"""Addresses of paytables, below /api/v1/paytables."""

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_view

from tables.api import paytables as views
from tables.services import paytables, placements


def _end(view: type, verb: object, name: str) -> object:
    """Return the view that ends a proposal or placement by `verb`, under its own name in the OpenAPI document."""
    named = extend_schema_view(post=extend_schema(operation_id=name))(type(name, (view,), {"verb": staticmethod(verb), "__doc__": view.__doc__}))
    return named.as_view()


urlpatterns = [
    path("paytables", views.VersionsView.as_view(), name="paytables"),
    path("paytables/edges", views.EdgesView.as_view(), name="paytable-edges"),
    path("paytables/drafts", views.DraftsView.as_view(), name="paytable-drafts"),
    path("paytables/drafts/<uuid:uuid>", views.DraftView.as_view(), name="paytable-draft"),
    path("paytables/drafts/<uuid:uuid>/propose", views.DraftProposalView.as_view(), name="paytable-draft-propose"),
    path("paytables/proposals", views.ProposalsView.as_view(), name="paytable-proposals"),
    path("paytables/proposals/<uuid:uuid>", views.ProposalView.as_view(), name="paytable-proposal"),
    path("paytables/proposals/<uuid:uuid>/approve", views.ProposalApproveView.as_view(), name="paytable-proposal-approve"),
    path("paytables/proposals/<uuid:uuid>/refuse", _end(views.ProposalEndView, paytables.refuse, "paytable_proposals_refuse")),
    path("paytables/proposals/<uuid:uuid>/withdraw", _end(views.ProposalEndView, paytables.withdraw, "paytable_proposals_withdraw")),
    path("paytables/placements", views.PlacementsView.as_view(), name="paytable-placements"),
    path("paytables/placements/<uuid:uuid>", views.PlacementView.as_view(), name="paytable-placement"),
    path("paytables/placements/<uuid:uuid>/approve", views.PlacementApproveView.as_view(), name="paytable-placement-approve"),
    path("paytables/placements/<uuid:uuid>/refuse", _end(views.PlacementEndView, placements.refuse_in_force, "paytable_placements_refuse")),
    path("paytables/placements/<uuid:uuid>/withdraw", _end(views.PlacementEndView, placements.withdraw_in_force, "paytable_placements_withdraw")),
    path("paytables/<str:reference>", views.VersionView.as_view(), name="paytable"),
    path("paytables/<str:reference>/export", views.VersionExportView.as_view(), name="paytable-export"),
    path("paytables/<str:reference>/place", views.PlaceView.as_view(), name="paytable-place"),
]
