"""What relaying costs: processor time per query, bulk, memory per connection; and round trips of an ASK."""
