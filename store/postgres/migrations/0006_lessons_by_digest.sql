-- Find confirmed SQL by its question and by plain paraphrases of it, and feedback by its reading, however much there is on
-- others. The digests of what is kept so far are computed once this step is taken.

ALTER TABLE {schema}.demonstration ADD COLUMN "question_digest" text NOT NULL DEFAULT '',
    ADD COLUMN "paraphrase_digest" text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE {schema}.feedback ADD COLUMN "reading_digest" text NOT NULL DEFAULT '';

CREATE INDEX demonstration_about ON {schema}.demonstration ("question_digest");
CREATE INDEX demonstration_like ON {schema}.demonstration ("paraphrase_digest");
CREATE INDEX feedback_reading ON {schema}.feedback ("reading_digest");
