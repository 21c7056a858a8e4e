"""The audit's doors for machines: /api/v1/shifts/{id}/report."""
