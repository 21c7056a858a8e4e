"""The settlement engine. Pure: the standard library, casino.{money, odds, errors, canonical} (NumPy in batch and edge) and nothing else."""
