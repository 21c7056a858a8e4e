"""What the house shows of itself: people, roles, jobs; and the read-only admin that the books share."""
