"""`ask bench combine`: questions made of everyday heads and filters, and how they went by both."""
