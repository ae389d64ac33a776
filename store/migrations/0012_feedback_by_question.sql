-- Find feedback by its question in any spelling, however much there is on others.

ALTER TABLE feedback ADD COLUMN question_digest TEXT NOT NULL DEFAULT '';

UPDATE feedback SET question_digest = question_digest(server, database, question);

CREATE INDEX feedback_about ON feedback (question_digest);
