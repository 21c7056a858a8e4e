"""The floor's rows. Imports ledger.models and casino only."""

from tables.models.chips import ChipMovement, DropCount, SlipCounter, TrayCount
from tables.models.floor import Dealer, DealerTurn, Pit, Property, SessionEvent, Shift, ShiftEvent, Table, TableSession
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

__all__ = [
    "ChipMovement",
    "Dealer",
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
    "Round",
    "RoundImport",
    "SessionEvent",
    "Shift",
    "ShiftEvent",
    "SlipCounter",
    "Table",
    "TablePaytable",
    "TableSession",
    "TrayCount",
    "Wager",
]
