-- A university registry: students, courses and prerequisites, sections, enrolments, grades, instructors, departments.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/campus.sql
BEGIN;
DROP SCHEMA IF EXISTS campus CASCADE;
CREATE SCHEMA campus;
SET LOCAL search_path = campus;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE department (dept_id int PRIMARY KEY, dept_name text NOT NULL, building text, annual_budget numeric(12,2) NOT NULL);
CREATE TABLE instructor (instructor_id int PRIMARY KEY, full_name text NOT NULL, dept_id int REFERENCES department, academic_rank text NOT NULL, salary numeric(10,2) NOT NULL, hired_on date NOT NULL);
CREATE TABLE student (student_id int PRIMARY KEY, student_number text NOT NULL UNIQUE, full_name text NOT NULL, dept_id int REFERENCES department, date_of_birth date NOT NULL, enrolled_on date NOT NULL, graduated_on date, advisor_id int REFERENCES instructor, home_country text NOT NULL);
COMMENT ON COLUMN student.dept_id IS 'Major department, empty while undeclared';
CREATE TABLE course (course_id int PRIMARY KEY, course_code text NOT NULL UNIQUE, title text NOT NULL, dept_id int NOT NULL REFERENCES department, credits int NOT NULL);
CREATE TABLE prerequisite (course_id int NOT NULL REFERENCES course, prereq_course_id int NOT NULL REFERENCES course, PRIMARY KEY (course_id, prereq_course_id));
CREATE TABLE section (section_id int PRIMARY KEY, course_id int NOT NULL REFERENCES course, instructor_id int REFERENCES instructor, semester text NOT NULL, year int NOT NULL, room text, capacity int NOT NULL);
CREATE TABLE grade (letter varchar(2) PRIMARY KEY, points numeric(3,1), is_passing boolean NOT NULL);
CREATE TABLE enrolment (student_id int NOT NULL REFERENCES student, section_id int NOT NULL REFERENCES section, enrolled_at date NOT NULL, letter varchar(2) REFERENCES grade, PRIMARY KEY (student_id, section_id));
COMMENT ON COLUMN enrolment.letter IS 'Final grade, empty until graded';

INSERT INTO department VALUES (1,'Computer Science','Turing Hall',2400000),(2,'Mathematics','Gauss Building',1350000),(3,'Physics','Curie Building',1900000),(4,'History','Old Library',720000),(5,'Biology','Darwin Center',2100000),(6,'Economics','Smith Hall',1480000),(7,'English','Old Library',650000),(8,'Philosophy',NULL,390000);
INSERT INTO instructor SELECT i, n, (ARRAY[1,1,1,1,2,2,2,3,3,3,4,4,5,5,5,6,6,7,7,1,NULL])[i], (ARRAY['Professor','Associate Professor','Assistant Professor','Lecturer'])[1 + pg_temp.r(i,1,4)], 48000 + 250 * pg_temp.r(i,2,340), date '1992-09-01' + pg_temp.r(i,3,10800)
  FROM unnest(ARRAY['Alan Whitfield','Barbara Ng','Cyrus Mehta','Dagmar Holm','Edwin Osei','Francesca Bruno','Gordon Blake','Hiroko Sato','Ivan Markovic','Jane Abbott','Kofi Mensah','Lydia Grant','Miguel Torres','Nora Jensen','Omar Farouk','Penelope Shaw','Quentin Moreau','Rosa Delgado','Simon Archer','Tara Singh','Ursula Brandt']) WITH ORDINALITY AS u(n, i);
INSERT INTO student SELECT i, 'S' || (202000 + i * 7), (ARRAY['Adam','Bella','Caleb','Daisy','Elias','Freya','Gavin','Holly','Isaac','Jade','Kevin','Lily','Mason'])[1 + (i - 1) % 13] || ' ' || (ARRAY['Young','Patel','Nguyen','Scott','Garcia','Ali','Cooper'])[1 + (i - 1) % 7], CASE WHEN pg_temp.r(i,11,10) > 0 THEN 1 + pg_temp.r(i,12,8) * pg_temp.r(i,13,8) / 8 END, date '1998-01-15' + pg_temp.r(i,14,2600), e, CASE WHEN e < '2020-01-01' AND i % 4 > 0 THEN make_date(extract(year FROM e)::int + 4, 6, 15) END, CASE WHEN pg_temp.r(i,16,6) > 0 THEN 1 + pg_temp.r(i,17,19) END, (ARRAY['United States','United States','United States','India','China','Canada','Nigeria','Germany'])[1 + pg_temp.r(i,18,8)]
  FROM generate_series(1, 85) AS i CROSS JOIN LATERAL (SELECT make_date(2018 + pg_temp.r(i,15,5), 9, 1) AS e) AS x;
INSERT INTO course SELECT i, split_part(t, '|', 1), split_part(t, '|', 2), split_part(t, '|', 3)::int, split_part(t, '|', 4)::int FROM unnest(ARRAY['CS101|Introduction to Programming|1|4','CS201|Data Structures|1|4','CS301|Algorithms|1|3','CS305|Databases|1|3','CS340|Operating Systems|1|4','CS420|Machine Learning|1|3','MA101|Calculus I|2|4','MA102|Calculus II|2|4','MA201|Linear Algebra|2|3','MA310|Probability|2|3','PH101|Mechanics|3|4','PH102|Electromagnetism|3|4','PH301|Quantum Physics|3|3','HI101|World History|4|3','HI220|The Roman Empire|4|3','BI101|General Biology|5|4','BI210|Genetics|5|4','BI330|Ecology|5|3','EC101|Microeconomics|6|3','EC102|Macroeconomics|6|3','EC310|Econometrics|6|4','EN101|Academic Writing|7|2','EN230|Shakespeare|7|3','PL101|Logic|8|3','PL200|Ethics|8|2','CS499|Senior Project|1|6']) WITH ORDINALITY AS u(t, i);
INSERT INTO prerequisite VALUES (2,1),(3,2),(4,2),(5,2),(6,3),(6,9),(6,10),(8,7),(9,7),(10,8),(12,11),(13,12),(13,9),(17,16),(18,16),(20,19),(21,20),(21,10),(26,3);
INSERT INTO section SELECT i, c, CASE WHEN pg_temp.r(i,21,11) > 0 THEN (SELECT instructor_id FROM instructor WHERE dept_id = co.dept_id ORDER BY (instructor_id * 7 + i) % 5, instructor_id LIMIT 1) END, CASE WHEN i % 2 = 0 THEN 'Fall' ELSE 'Spring' END, 2021 + i % 3, CASE WHEN pg_temp.r(i,22,7) > 0 THEN (ARRAY['A','B','C'])[1 + pg_temp.r(i,23,3)] || (100 + pg_temp.r(i,24,40)) END, (ARRAY[5,8,10,20,30])[1 + pg_temp.r(i,25,5)]
  FROM generate_series(1, 52) AS i CROSS JOIN LATERAL (SELECT 1 + (i * 5 + pg_temp.r(i,26,4)) % 25 AS c) AS x JOIN course AS co ON co.course_id = c;
INSERT INTO grade VALUES ('A',4.0,true),('A-',3.7,true),('B+',3.3,true),('B',3.0,true),('B-',2.7,true),('C+',2.3,true),('C',2.0,true),('D',1.0,true),('F',0.0,false),('W',NULL,false);
INSERT INTO enrolment SELECT DISTINCT ON (st, s.section_id) st, s.section_id, CASE s.semester WHEN 'Fall' THEN make_date(s.year, 8, 20) ELSE make_date(s.year, 1, 10) END + pg_temp.r(i,33,14), CASE WHEN s.year < 2023 OR s.semester = 'Spring' OR i % 5 = 0 THEN (ARRAY['A','A','A-','B+','B','B','B-','C+','C','D','F','W'])[1 + pg_temp.r(i,34,12)] END
  FROM generate_series(1, 200) AS i CROSS JOIN LATERAL (SELECT 1 + pg_temp.r(i,31,80) AS st) AS x JOIN section AS s ON s.section_id = 1 + pg_temp.r(i,32,50) JOIN student AS u ON u.student_id = st AND u.enrolled_on < make_date(s.year, 12, 1) AND (u.graduated_on IS NULL OR u.graduated_on > make_date(s.year, 8, 1)) ORDER BY st, s.section_id, i;
ANALYZE department; ANALYZE instructor; ANALYZE student; ANALYZE course; ANALYZE prerequisite; ANALYZE section; ANALYZE grade; ANALYZE enrolment;
COMMIT;
