"""What templates may ask of the audit."""
