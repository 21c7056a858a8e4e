"""The house's reports, a file each: a module with a `REPORT` is in the catalogue, has its page, its API and its exports. No list is kept."""
