"""The floor's doors for machines: /api/v1/rounds."""
