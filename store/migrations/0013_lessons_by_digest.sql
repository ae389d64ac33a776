-- Find confirmed SQL by its question and by plain paraphrases of it, feedback by its reading, and the latest feedback of
-- all databases, however much there is of the rest.

ALTER TABLE demonstration ADD COLUMN question_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE demonstration ADD COLUMN paraphrase_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE feedback ADD COLUMN reading_digest TEXT NOT NULL DEFAULT '';

UPDATE demonstration SET question_digest = question_digest(server, database, question),
    paraphrase_digest = paraphrase_digest(server, database, question);
UPDATE feedback SET reading_digest = reading_digest(question, sql);

CREATE INDEX demonstration_about ON demonstration (question_digest);
CREATE INDEX demonstration_like ON demonstration (paraphrase_digest);
CREATE INDEX feedback_reading ON feedback (reading_digest);
CREATE INDEX feedback_at ON feedback (at);
