"""Addresses of the floor's API, below /api/v1/."""

from django.urls import path

from tables.api import corrections
from tables.api.views import RoundsView, RoundView

urlpatterns = [
    path("rounds", RoundsView.as_view(), name="rounds"),
    path("rounds/late", corrections.LateRoundView.as_view(), name="round_late"),
    path("rounds/<uuid:uuid>/void", corrections.VoidView.as_view(), name="round_void"),
    path("rounds/<uuid:uuid>/dead-hand", corrections.DeadHandView.as_view(), name="round_dead_hand"),
    path("rounds/<uuid:uuid>/correct", corrections.CorrectView.as_view(), name="round_correct"),
    path("rounds/<uuid:uuid>/ruling", corrections.RulingView.as_view(), name="round_ruling"),
    path("rounds/<uuid:uuid>/story", corrections.StoryView.as_view(), name="round_story"),
    path("proposals", corrections.ProposalsView.as_view(), name="proposals"),
    path("proposals/<uuid:uuid>", corrections.ProposalView.as_view(), name="proposal"),
    path("proposals/<uuid:uuid>/approve", corrections.DecisionView.as_view(verb="approve"), name="proposal_approve"),
    path("proposals/<uuid:uuid>/reject", corrections.DecisionView.as_view(verb="reject"), name="proposal_reject"),
    path("proposals/<uuid:uuid>/withdraw", corrections.DecisionView.as_view(verb="withdraw"), name="proposal_withdraw"),
    path("rounds/<uuid:uuid>", RoundView.as_view(), name="round"),
]
