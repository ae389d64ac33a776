-- Delete the steps of an ASK with it, so that no sweep has to look for steps without an ASK.

DELETE FROM trace WHERE key NOT IN (SELECT key FROM asked);

CREATE TRIGGER asked_goes AFTER DELETE ON asked BEGIN
    DELETE FROM trace WHERE key = OLD.key;
END;
