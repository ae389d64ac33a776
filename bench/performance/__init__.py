"""What relaying costs: processor time per query, bulk, memory per connection."""
