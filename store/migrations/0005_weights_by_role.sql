-- Weights count for the role whose feedback is behind them. Those kept so far were everybody's: they are worked
-- out anew from the feedback when the next is given.

DELETE FROM weight;
ALTER TABLE weight ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE weight ADD COLUMN acting_as TEXT NOT NULL DEFAULT '';
ALTER TABLE outcome ADD COLUMN acting_as TEXT NOT NULL DEFAULT '';
