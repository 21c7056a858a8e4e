"""Looks, compares, reports. Reads tables and ledger through their selectors; writes only its own rows."""
