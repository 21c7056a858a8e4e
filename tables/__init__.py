"""What happens on the floor: rounds, wagers, chips, paytables. Imports ledger and casino; audit imports it, never the other way."""
