-- A university's admissions as tables without a declared key: applicants, schools, programmes, applications, interviews, offers and fees.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/admissions.sql
BEGIN;
DROP SCHEMA IF EXISTS admissions CASCADE;
CREATE SCHEMA admissions;
SET LOCAL search_path = admissions;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE faculty (faculty_no int, faculty_name text, dean text);
CREATE TABLE programme (prog_code text, prog_title text, faculty_no int, degree text, places int, tuition_fee numeric);
CREATE TABLE school (school_no int, school_name text, town text, school_type text);
CREATE TABLE applicant (applicant_no int, given_name text, family_name text, sex text, born date, nationality text, school_no int, grade_avg numeric);
CREATE TABLE application (app_no int, applicant_no int, prog_code text, intake_year int, submitted_on date, decided_on date, decision text, priority int);
CREATE TABLE interview (app_no int, interviewer text, held_on date, minutes int, mark int);
CREATE TABLE offer (app_no int, offered_on date, expires_on date, accepted_on date, scholarship numeric);
CREATE TABLE fee_payment (receipt_no int, applicant_no int, paid_on date, amount numeric, method text);

INSERT INTO faculty VALUES (1,'Science','Prof. Arnold'),(2,'Arts','Prof. Bellamy'),(3,'Engineering','Prof. Chandra'),(4,'Medicine','Prof. Duval'),(5,'Law','Prof. Eriksen'),(6,'Theology','Prof. Fox');
INSERT INTO programme VALUES ('PHY1','Physics',1,'BSc',60,9000),('CHE1','Chemistry',1,'BSc',50,9200),('MAT2','Mathematics',1,'MSc',25,11000),('HIS1','History',2,'BA',70,7800),('LIT1','English Literature',2,'BA',65,7700),('CIV1','Civil Engineering',3,'BEng',80,10400),('MEC1','Mechanical Engineering',3,'BEng',75,10500),('ROB2','Robotics',3,'MSc',20,13500),('MED1','Medicine',4,'MD',40,22000),('NUR1','Nursing',4,'BSc',90,8600),('LAW1','Law',5,'LLB',85,9900),('TAX2','Tax Law',5,'LLM',15,14500);
INSERT INTO school SELECT i, n, (ARRAY['Exeter','Bath','Bristol','Truro','Plymouth'])[1 + i::int % 5], (ARRAY['state','state','private','grammar'])[1 + pg_temp.pick(i,'ty',4)]
  FROM unnest(ARRAY['Abbey School','Bridge Academy','Castle High','Dartmoor College','Elm Grove School','Ferry Road School','Grange High','Hill House','Ivybridge College','Jubilee School','Kings Academy','Lakeside School','Moor End High']) WITH ORDINALITY AS u(n, i);
INSERT INTO applicant SELECT i, (ARRAY['Amy','Ben','Chloe','Dan','Ella','Fay','George','Holly','Ian','Jess','Karl','Lucy'])[1 + i % 12], (ARRAY['Adams','Brook','Clark','Drew','Evans','Field','Green','Hunt','Irwin','James','King'])[1 + i % 11], (ARRAY['F','M','F'])[1 + pg_temp.pick(i,'sx',3)], date '1998-01-01' + pg_temp.pick(i,'bo',3000), (ARRAY['British','British','British','Irish','French','Indian','Chinese'])[1 + pg_temp.pick(i,'na',7)], CASE WHEN pg_temp.pick(i,'sc',9) > 0 THEN 1 + pg_temp.pick(i,'sn',12) END, 2 + pg_temp.pick(i,'gr',300) / 100.0
  FROM generate_series(1, 500) AS i;
INSERT INTO application SELECT i, 1 + pg_temp.pick(i,'ap',480), p, y, s, d, CASE WHEN d IS NULL THEN NULL ELSE (ARRAY['offer','offer','reject','reject','reject','waitlist'])[1 + pg_temp.pick(i,'dc',6)] END, 1 + pg_temp.pick(i,'pr',3)
  FROM generate_series(1, 1100) AS i, LATERAL (SELECT (ARRAY['PHY1','CHE1','MAT2','HIS1','LIT1','CIV1','MEC1','MED1','MED1','NUR1','LAW1','LAW1','ROB2'])[1 + pg_temp.pick(i,'pg',13)] AS p, 2022 + pg_temp.pick(i,'yr',3) AS y) AS a, LATERAL (SELECT make_date(y - 1, 9, 1) + pg_temp.pick(i,'sb',200) AS s) AS b, LATERAL (SELECT CASE WHEN pg_temp.pick(i,'nd',14) > 0 THEN s + 10 + pg_temp.pick(i,'dd',80) END AS d) AS c;
INSERT INTO interview SELECT app_no, (ARRAY['Dr. Hale','Dr. Inman','Dr. Joyce','Dr. Kemp','Dr. Lowe'])[1 + pg_temp.pick(app_no,'iv',5)], submitted_on + 5 + pg_temp.pick(app_no,'ih',5), 15 + 5 * pg_temp.pick(app_no,'im',7), 1 + pg_temp.pick(app_no,'mk',10) FROM application WHERE pg_temp.pick(app_no,'ii',3) = 0;
INSERT INTO offer SELECT app_no, decided_on + 2, decided_on + 32, CASE WHEN pg_temp.pick(app_no,'ac',5) > 1 THEN decided_on + 3 + pg_temp.pick(app_no,'ad',28) END, CASE WHEN pg_temp.pick(app_no,'sh',5) = 0 THEN 500 * (1 + pg_temp.pick(app_no,'sa',8)) ELSE 0 END FROM application WHERE decision = 'offer';
INSERT INTO fee_payment SELECT row_number() OVER (ORDER BY a.app_no, k)::int, a.applicant_no, o.accepted_on + 20 * k, round((SELECT tuition_fee FROM programme AS p WHERE p.prog_code = a.prog_code) / 3 - o.scholarship / 3, 2), (ARRAY['card','transfer','transfer','cheque'])[1 + pg_temp.pick(a.app_no * 4 + k,'me',4)] FROM application AS a JOIN offer AS o USING (app_no), LATERAL generate_series(1, 1 + pg_temp.pick(a.app_no,'np',3)) AS k WHERE o.accepted_on IS NOT NULL;
ANALYZE faculty; ANALYZE programme; ANALYZE school; ANALYZE applicant; ANALYZE application; ANALYZE interview; ANALYZE offer; ANALYZE fee_payment;
COMMIT;
