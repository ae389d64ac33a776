CREATE TABLE buyer (id int PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE sale (
    id int PRIMARY KEY, buyer int NOT NULL REFERENCES buyer, helper int REFERENCES buyer,
    amount numeric(8, 1) NOT NULL CHECK (amount > 0), note text, CHECK (note IS NULL OR length(note) > 1)
);
CREATE TABLE line (sale int REFERENCES sale, number int, quantity int, PRIMARY KEY (sale, number));
CREATE TABLE parcel (sale int, number int, sent date, FOREIGN KEY (sale, number) REFERENCES line (sale, number));
INSERT INTO buyer VALUES (1, 'A', 'X'), (2, 'B', 'Y'), (3, 'C', NULL);
INSERT INTO sale VALUES (1, 1, NULL, 10, NULL), (2, 1, 3, 20, 'hi'), (3, 2, 1, 30, NULL);
INSERT INTO line VALUES (1, 1, 2), (1, 2, 3), (2, 1, 4), (3, 1, 9);
INSERT INTO parcel VALUES (1, 1, '2024-01-01'), (1, 2, NULL), (2, 1, '2024-01-05');
CREATE TABLE worker (id int PRIMARY KEY, boss int REFERENCES worker, pay int);
INSERT INTO worker VALUES (1, NULL, 100), (2, 1, 80), (3, 1, 80), (4, 2, 60), (5, 4, 90);
CREATE TABLE booked (id int PRIMARY KEY, room int, EXCLUDE USING btree (room WITH =));
INSERT INTO booked VALUES (1, 1), (2, 2);
CREATE TABLE code (id int PRIMARY KEY, code text, active bool);
CREATE UNIQUE INDEX ON code (code) WHERE active;
INSERT INTO code VALUES (1, 'a', true), (2, 'b', false), (3, 'c', true);
CREATE TABLE twice (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED);
INSERT INTO twice VALUES (1, 1), (2, 5);
CREATE TABLE region (id int, k text, v int) PARTITION BY LIST (k);
CREATE TABLE region_a PARTITION OF region FOR VALUES IN ('a');
CREATE TABLE region_b PARTITION OF region FOR VALUES IN ('b', NULL);
INSERT INTO region VALUES (1, 'a', 1), (2, 'b', 2);
CREATE TABLE share (id int PRIMARY KEY, v int CHECK (10 / v > 0));
INSERT INTO share VALUES (1, 1), (2, 5);
CREATE TABLE orphan (id int PRIMARY KEY, buyer int);
INSERT INTO orphan VALUES (1, 1), (2, 99);
ALTER TABLE orphan ADD FOREIGN KEY (buyer) REFERENCES buyer NOT VALID;
CREATE FUNCTION cheap(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 < 100';
CREATE TABLE judged (id int PRIMARY KEY, v int CHECK (cheap(v)), w int);
INSERT INTO judged VALUES (1, 1, 1), (2, 2, 2);
CREATE TABLE above (id int PRIMARY KEY, v int);
CREATE TABLE below () INHERITS (above);
INSERT INTO above VALUES (1, 1), (2, 2);
INSERT INTO below VALUES (1, 5), (3, 3);
ANALYZE;
