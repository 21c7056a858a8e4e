"""The floor's rows. Imports ledger.models and casino only."""

from tables.models.boxes import BoxPull, DropCount
from tables.models.cash_outs import CashOut
from tables.models.chip_slips import ChipSlip, ChipSlipEvent
from tables.models.chips import ChipMovement, SlipCounter, TrayCount
from tables.models.corrections import RoundChange, RoundProposal, RoundProposalEvent, RoundRuling
from tables.models.dealer_pins import DealerPin, DealerPinFailure
from tables.models.floor import Dealer, DealerTurn, Pit, Property, SessionEvent, Shift, ShiftEvent, Table, TableLimit, TableSession
from tables.models.imports import ImportedRound, ImportFile, RoundImport
from tables.models.paytables import (
    EdgeLimit,
    PaytableDraft,
    PaytableEvent,
    PaytablePlacement,
    PaytableProposal,
    PaytableSolve,
    PaytableVersion,
    PlacementEvent,
    TablePaytable,
)
from tables.models.play import Round, Wager
from tables.models.recounts import CountReopening, CountReopeningEvent
from tables.models.replays import ReplayDifference, ReplayRun
from tables.models.settings import PropertySetting

__all__ = [
    "BoxPull",
    "CashOut",
    "ChipMovement",
    "ChipSlip",
    "ChipSlipEvent",
    "CountReopening",
    "CountReopeningEvent",
    "Dealer",
    "DealerPin",
    "DealerPinFailure",
    "DealerTurn",
    "DropCount",
    "EdgeLimit",
    "ImportFile",
    "ImportedRound",
    "PaytableDraft",
    "PaytableEvent",
    "PaytablePlacement",
    "PaytableProposal",
    "PaytableSolve",
    "PaytableVersion",
    "Pit",
    "PlacementEvent",
    "Property",
    "PropertySetting",
    "ReplayDifference",
    "ReplayRun",
    "Round",
    "RoundChange",
    "RoundImport",
    "RoundProposal",
    "RoundProposalEvent",
    "RoundRuling",
    "SessionEvent",
    "Shift",
    "ShiftEvent",
    "SlipCounter",
    "Table",
    "TableLimit",
    "TablePaytable",
    "TableSession",
    "TrayCount",
    "Wager",
]
