"""One file a game. Dropping a module in here that has a `GAME` is all it takes to add one; tables.engine.game finds it."""
