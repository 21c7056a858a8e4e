"""The floor's doors for machines: /api/v1/rounds and /api/v1/paytables."""
