"""Other projects' own test suites, run against PostgreSQL directly and through the proxy."""
