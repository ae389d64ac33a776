-- What an ASK sent to models, in kinds and numbers.

ALTER TABLE asked ADD COLUMN left_the_house TEXT NOT NULL DEFAULT '';
