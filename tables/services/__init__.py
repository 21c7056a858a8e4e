"""The floor's verbs: each loads, decides, writes and announces. Doors call these and nothing below them."""
