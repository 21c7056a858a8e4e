"""What templates may say of the house's figures and people."""
