"""Instances as they are read: tables for people, JSON for programs, scripts for psql, values masked."""
