-- Whether the support of a recorded outcome is made of calibrated confidences: as the feedback says that it came with.

ALTER TABLE outcome ADD COLUMN confident INTEGER NOT NULL DEFAULT 0;

UPDATE outcome SET confident = EXISTS (
    SELECT 1 FROM feedback
    WHERE feedback.role = outcome.role AND feedback.server = outcome.server AND feedback.database = outcome.database
        AND feedback.confidence IS NOT NULL AND abs(feedback.at - outcome.at) < 1
);
