"""The books: accounts, entries, transfers, sealed segments. Knows nothing of tables or games; imports casino only."""
