-- Weights count for the role whose feedback is behind them. Those kept so far were shared by all roles: they are
-- computed again from the feedback when the next is given.

DELETE FROM weight;
ALTER TABLE weight ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE weight ADD COLUMN acting_as TEXT NOT NULL DEFAULT '';
ALTER TABLE outcome ADD COLUMN acting_as TEXT NOT NULL DEFAULT '';
