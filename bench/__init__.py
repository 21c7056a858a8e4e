"""Measurements, each beside its peers in the same run. `make bench` runs them all."""
