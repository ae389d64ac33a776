-- A state's school test results as its education department publishes them: file-like table names, one wide table of schools, one long
-- table of results, percentages as numbers and as text with stars where a group is too small, school years as text, codes for
-- subjects and student groups, no foreign key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/assessments.sql
BEGIN;
DROP SCHEMA IF EXISTS assessments CASCADE;
CREATE SCHEMA assessments;
SET LOCAL search_path = assessments;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE schl_dir (schl_cd text, schl_nm text, dist_cd int, schl_type text, grd_span text, charter_yn text, magnet_yn text, addr_city text, opn_yr int, prncpl text);
CREATE TABLE dist_dir (dist_cd int, dist_nm text, cnty text, supt text, exp_per_pupil numeric, tchr_avg_sal int, locale text);
CREATE TABLE assmt_rslt (schl_cd text, sch_yr text, subj_cd text, grd int, grp_cd text, num_tst int, num_prof int, pct_prof numeric, avg_scl_scr numeric);
CREATE TABLE subj_lkp (subj_cd text, subj_desc text);
CREATE TABLE stu_grp (grp_cd text, grp_desc text);
CREATE TABLE enr_demog (schl_cd text, sch_yr text, tot_enr int, pct_frl numeric, pct_ell numeric, pct_swd numeric, attnd_rt numeric, stu_tchr_ratio text);
CREATE TABLE grad_rt (schl_cd text, cohort_yr int, cohort_n int, grads int, grad_pct text, dropouts int);

INSERT INTO subj_lkp VALUES ('MAT','Mathematics'),('ELA','English Language Arts'),('SCI','Science'),('SOC','Social Studies');
INSERT INTO stu_grp VALUES ('ALL','All Students'),('ECD','Economically Disadvantaged'),('ELL','English Learners'),('SWD','Students with Disabilities'),('FEM','Female'),('MAL','Male');
INSERT INTO dist_dir SELECT 100 + i * 10, n, (ARRAY['Adair','Boone','Clay','Dunn'])[1 + (i::int - 1) % 4], (ARRAY['L. Marsh','P. Okoye','D. Reyes','S. Bauer','G. Tran','H. Lund','C. Abbott','V. Singh'])[i],
  8200 + 137 * pg_temp.pick(i,'dx',40), 43000 + 250 * pg_temp.pick(i,'ds',80), (ARRAY['City','Suburb','Town','Rural'])[1 + (i::int * 3) % 4]
  FROM unnest(ARRAY['Riverton Unified','Maple Grove','Cedar Falls','North Plains','Hillcrest','Lakeside','Stonebridge','Fairmont']) WITH ORDINALITY AS u(n, i);
INSERT INTO schl_dir SELECT lpad((1000 + i * 3)::text, 6, '0'),
  (ARRAY['Lincoln','Washington','Roosevelt','Jefferson','Franklin','Edison','Carver','Keller','Whitman','Curie','Banneker','Earhart'])[1 + i % 12] || ' '
   || (ARRAY['Elementary','Middle School','High School','Academy'])[1 + (i / 12) % 4], 110 + 10 * pg_temp.pick(i,'sd',8),
  (ARRAY['Elementary','Middle','High','Elementary'])[1 + (i / 12) % 4], (ARRAY['KG-05','06-08','09-12','KG-08'])[1 + (i / 12) % 4],
  CASE WHEN pg_temp.pick(i,'sc',8) = 0 THEN 'Y' ELSE 'N' END, CASE WHEN pg_temp.pick(i,'sm',5) = 0 THEN 'Y' ELSE 'N' END,
  (ARRAY['Riverton','Ashford','Kingsport','Milton','Dover'])[1 + pg_temp.pick(i,'sa',5)], 1921 + pg_temp.pick(i,'so',95),
  (ARRAY['A. Novak','B. Castillo','C. Dietrich','D. Huang','E. Farrow','F. Gomez','G. Ibsen'])[1 + pg_temp.pick(i,'sp',7)] FROM generate_series(0, 47) AS i;
INSERT INTO assmt_rslt SELECT schl_cd, yr, subj_cd, g, grp_cd, n, p, round(100.0 * p / n, 1), round(180 + 60.0 * p / n + pg_temp.pick(k,'av',90) / 10.0, 1)
  FROM (SELECT s.schl_cd, y.yr, b.subj_cd, g, r.grp_cd, 20 + pg_temp.pick(k,'n',110) AS n, (20 + pg_temp.pick(k,'n',110)) * (15 + pg_temp.pick(k,'p',75)) / 100 AS p, k
   FROM schl_dir AS s CROSS JOIN unnest(ARRAY['2016-17','2017-18','2018-19']) AS y(yr) CROSS JOIN subj_lkp AS b CROSS JOIN stu_grp AS r
   CROSS JOIN LATERAL (SELECT ('x' || substr(md5(s.schl_cd || y.yr || b.subj_cd || r.grp_cd), 1, 7))::bit(28)::int AS k) AS h
   CROSS JOIN LATERAL (SELECT CASE s.schl_type WHEN 'Elementary' THEN 3 + h.k % 3 WHEN 'Middle' THEN 6 + h.k % 3 ELSE 10 END AS g) AS gg
   WHERE NOT (b.subj_cd = 'SOC' AND s.schl_type = 'Elementary')) AS x;
INSERT INTO enr_demog SELECT s.schl_cd, y, 180 + pg_temp.pick(k,'e',1400), 5 + pg_temp.pick(k,'f',900) / 10.0, pg_temp.pick(k,'l',400) / 10.0, 4 + pg_temp.pick(k,'w',200) / 10.0,
  86 + pg_temp.pick(k,'a',130) / 10.0, (11 + pg_temp.pick(k,'r',14)) || ':1'
  FROM schl_dir AS s CROSS JOIN unnest(ARRAY['2016-17','2017-18','2018-19']) AS u(y) CROSS JOIN LATERAL (SELECT ('x' || substr(md5(s.schl_cd || y), 1, 7))::bit(28)::int AS k) AS h;
INSERT INTO grad_rt SELECT s.schl_cd, y, n, g, CASE WHEN n < 45 THEN '*' ELSE round(100.0 * g / n, 1)::text END, (n - g) / 2
  FROM schl_dir AS s CROSS JOIN generate_series(2016, 2019) AS y CROSS JOIN LATERAL (SELECT ('x' || substr(md5(s.schl_cd || y), 1, 7))::bit(28)::int AS k) AS h
  CROSS JOIN LATERAL (SELECT 30 + pg_temp.pick(k,'gn',400) AS n) AS nn CROSS JOIN LATERAL (SELECT n * (60 + pg_temp.pick(k,'gp',39)) / 100 AS g) AS gg WHERE s.schl_type = 'High';
ANALYZE schl_dir; ANALYZE dist_dir; ANALYZE assmt_rslt; ANALYZE subj_lkp; ANALYZE stu_grp; ANALYZE enr_demog; ANALYZE grad_rt;
COMMIT;
