"""Wiring, and the few small things that everyone shares. The plain modules (money, odds, gaming_day, errors) import the standard library only."""
