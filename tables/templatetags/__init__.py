"""What templates may say of cards and rounds."""
