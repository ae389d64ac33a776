-- Find feedback by its question in any spelling, however much there is on others. The digests of what is kept so far
-- are computed once this step is taken.

ALTER TABLE {schema}.feedback ADD COLUMN "question_digest" text NOT NULL DEFAULT '';

CREATE INDEX feedback_about ON {schema}.feedback ("question_digest");
