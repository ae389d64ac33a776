-- The report of each decision beside its steps: what it was made from, for a page about one ASK.

ALTER TABLE trace ADD COLUMN report TEXT NOT NULL DEFAULT '{}';
