"""Addresses of the floor's API, below /api/v1/."""

from django.urls import include, path, re_path

from tables.api import chip_slips, corrections, counts, limits, movements, replays, sessions, shifts
from tables.api.imports import ImportsView, ImportView
from tables.api.views import RoundsView, RoundView

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

urlpatterns = [
    path("rounds/imports", ImportsView.as_view(), name="imports"),
    path("rounds/imports/<uuid:uuid>", ImportView.as_view(), name="import"),
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
    path("", include("tables.api.paytable_urls")),
    path("shifts", shifts.ShiftsView.as_view(), name="shifts"),
    path("shifts/<uuid:uuid>", shifts.ShiftView.as_view(), name="shift"),
    path("shifts/<uuid:uuid>/end", shifts.EndShiftView.as_view(), name="shift-end"),
    path("tables/<str:code>/limits", limits.TableLimitsView.as_view(), name="table-limits"),
    path("properties/<str:code>/edge-limits", limits.EdgeLimitsView.as_view(), name="edge-limits"),
    path("properties/<str:code>/settings", limits.SettingsView.as_view(), name="property-settings"),
    path("replays", replays.ReplaysView.as_view(), name="replays"),
    path("replays/<uuid:uuid>", replays.ReplayView.as_view(), name="replay"),
    path("replays/<uuid:uuid>/differences", replays.ReplayDifferencesView.as_view(), name="replay-differences"),
    path("solves/<str:sha256>", replays.SolveView.as_view(), name="solve"),
    path("solves/<str:sha256>/cancel", replays.SolveCancelView.as_view(), name="solve-cancel"),
    path("solves/<str:sha256>/resume", replays.SolveResumeView.as_view(), name="solve-resume"),
    path("sessions", sessions.SessionsView.as_view(), name="sessions"),
    path("sessions/<uuid:uuid>", sessions.SessionView.as_view(), name="session"),
    path("sessions/<uuid:uuid>/blockers", sessions.BlockersView.as_view(), name="session-blockers"),
    path("sessions/<uuid:uuid>/turns", sessions.TurnsView.as_view(), name="session-turns"),
    path("sessions/<uuid:uuid>/close", sessions.CloseView.as_view(), name="session-close"),
    path("sessions/<uuid:uuid>/slips", chip_slips.RequestSlipView.as_view(), name="session-slips"),
    path("sessions/<uuid:uuid>/buy-ins", movements.BuyInsView.as_view(), name="session-buy-ins"),
    path("sessions/<uuid:uuid>/markers", movements.MarkersView.as_view(), name="session-markers"),
    path("sessions/<uuid:uuid>/box", counts.BoxView.as_view(), name="session-box"),
    path("sessions/<uuid:uuid>/drop-count", counts.DropCountView.as_view(), name="session-drop-count"),
    path("sessions/<uuid:uuid>/reopenings", counts.ReopeningsView.as_view(), name="session-reopenings"),
    path("slips", chip_slips.SlipsView.as_view(), name="slips"),
    path("slips/<uuid:uuid>", chip_slips.SlipView.as_view(), name="slip"),
    path("slips/<uuid:uuid>/issue", chip_slips.IssueView.as_view(), name="slip-issue"),
    path("slips/<uuid:uuid>/send", chip_slips.SendView.as_view(), name="slip-send"),
    path("slips/<uuid:uuid>/receive", chip_slips.ReceiveView.as_view(), name="slip-receive"),
    path("slips/<uuid:uuid>/void", chip_slips.VoidView.as_view(), name="slip-void"),
    path("properties/<str:code>/slip-gaps", chip_slips.SlipGapsView.as_view(), name="slip-gaps"),
    path("markers/<uuid:uuid>/redemptions", movements.RedemptionsView.as_view(), name="marker-redemptions"),
    path("cash-outs", movements.CashOutsView.as_view(), name="cash-outs"),
    re_path(rf"^reopenings/(?P<uuid>{UUID})/(?P<ruling>{'|'.join(counts.RULINGS)})$", counts.RulingView.as_view(), name="reopening-ruling"),
    path("reopenings/<uuid:uuid>/count", counts.RecountView.as_view(), name="reopening-count"),
    path("dealers/<str:number>/pin", sessions.PinView.as_view(), name="dealer-pin"),
]
