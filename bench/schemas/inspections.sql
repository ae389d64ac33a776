-- Two exports side by side: restaurant inspections (one row per violation found) and a football season's matches, with the
-- columns as they were in the spreadsheet. No key, no comment; dates as text, results and grades as letters.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/inspections.sql
BEGIN;
DROP SCHEMA IF EXISTS inspections CASCADE;
CREATE SCHEMA inspections;
SET LOCAL search_path = inspections;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE estab (lic_no int, dba text, addr text, boro text, zip text, cuis_cd text, opn_yr int, seats int, chain_flg text);
CREATE TABLE cuis (cuis_cd text, cuis_desc text);
CREATE TABLE insp_res (
  insp_id int, lic_no int, insp_dt text, insp_typ text, viol_cd text, crit_flg text, scr int, grd text, insptr text, reinsp_dt text);
CREATE TABLE viol_cd_ref (viol_cd text, viol_txt text, pts int);
CREATE TABLE mtch (
  seasn text, dt text, hm_tm text, aw_tm text, hm_gls int, aw_gls int, res text, ref text, att int, hm_yc int, aw_yc int, hm_rc int, aw_rc int);
CREATE TABLE tm_info (tm text, cty text, stad text, cap int, fnd_yr int, mgr_nm text);

INSERT INTO cuis VALUES ('ITA','Italian'),('CHN','Chinese'),('MEX','Mexican'),('IND','Indian'),('AMR','American'),('THA','Thai'),('BAK','Bakery'),('VEG','Vegetarian');
INSERT INTO viol_cd_ref VALUES ('04L','Evidence of mice',7),('04N','Filth flies',7),('06C','Food not protected from contamination',5),
  ('10F','Non-food contact surface improperly constructed',2),('02G','Cold food held above 41 F',7),('08A','Facility not vermin proof',4),('06D','Dirty food contact surface',6);
INSERT INTO estab SELECT 40300 + i, (ARRAY['Golden','Blue','Little','Corner','Old Town','Royal','Happy','Sunrise'])[1 + pg_temp.pick(i,'e',8)] || ' '
    || (ARRAY['Kitchen','Cafe','Grill','Garden','Bistro','Noodle House','Pizzeria'])[1 + pg_temp.pick(i,'f',7)] || ' ' || i,
  (10 + pg_temp.pick(i,'a',900)) || ' ' || (ARRAY['Broadway','Grand St','5 Ave','Court St'])[1 + pg_temp.pick(i,'s',4)],
  (ARRAY['Manhattan','Brooklyn','Queens','Bronx','Staten Island'])[1 + pg_temp.pick(i,'b',5)], (10001 + pg_temp.pick(i,'z',400))::text,
  (ARRAY['ITA','CHN','MEX','IND','AMR','THA','BAK'])[1 + pg_temp.pick(i,'c',7)], 1975 + pg_temp.pick(i,'y',48), 8 + pg_temp.pick(i,'n',190),
  CASE WHEN pg_temp.pick(i,'h',5) = 0 THEN 'Y' ELSE 'N' END FROM generate_series(1, 180) AS i;
INSERT INTO insp_res SELECT 7000 + i, 40300 + 1 + pg_temp.pick(i,'l',170), to_char(date '2021-01-04' + pg_temp.pick(i,'d',1000), 'MM/DD/YYYY'),
  (ARRAY['Initial','Cycle','Re-inspection','Complaint'])[1 + pg_temp.pick(i,'t',4)],
  CASE WHEN pg_temp.pick(i,'v',8) < 7 THEN (ARRAY['04L','04N','06C','10F','02G','08A','06D'])[1 + pg_temp.pick(i,'v',8)] END,
  CASE WHEN pg_temp.pick(i,'v',8) IN (0, 1, 4) THEN 'Y' ELSE 'N' END, 2 + pg_temp.pick(i,'x',45),
  (ARRAY['A','A','A','B','C'])[1 + pg_temp.pick(i,'g',5)], (ARRAY['J. Ortiz','K. Lund','M. Adeyemi','P. Novak','S. Roy'])[1 + pg_temp.pick(i,'i',5)],
  CASE WHEN pg_temp.pick(i,'g',5) > 2 THEN to_char(date '2021-01-04' + pg_temp.pick(i,'d',1000) + 30 + pg_temp.pick(i,'r',60), 'MM/DD/YYYY') END
  FROM generate_series(1, 900) AS i;
INSERT INTO tm_info VALUES ('Northgate','Leeds','Mill Lane',24500,1901,'A. Reid'),('Riverside','London','Dock Park',38200,1888,'T. Boyle'),
  ('Albion','Bristol','Ashfield',19800,1911,'C. Mensah'),('Castle','Newcastle','Keep End',41000,1892,'L. Varga'),
  ('Harriers','Leeds','Moor Road',12100,1923,'D. Quinn'),('Wanderers','London','Elm Field',29900,1899,'R. Sousa');
INSERT INTO mtch SELECT s.seasn, to_char(s.d0 + pg_temp.pick(n,'d',260), 'DD/MM/YYYY'), h.tm, a.tm, g.h, g.a,
  CASE WHEN g.h > g.a THEN 'H' WHEN g.h < g.a THEN 'A' ELSE 'D' END, (ARRAY['M. Dean','A. Taylor','P. Kovacs'])[1 + pg_temp.pick(n,'f',3)],
  h.cap - pg_temp.pick(n,'t',9000), pg_temp.pick(n,'1',5), pg_temp.pick(n,'2',5), pg_temp.pick(n,'3',14) / 13, pg_temp.pick(n,'4',11) / 10
  FROM (VALUES ('2020/21', date '2020-08-15', 0), ('2021/22', date '2021-08-14', 100), ('2022/23', date '2022-08-13', 200)) AS s (seasn, d0, k)
  CROSS JOIN tm_info AS h JOIN tm_info AS a ON a.tm <> h.tm
  CROSS JOIN LATERAL (SELECT s.k + ascii(h.tm) * 31 + ascii(a.tm) * 7 + length(h.tm) * 3 + h.fnd_yr + a.fnd_yr * 2 AS n) AS x
  CROSS JOIN LATERAL (SELECT pg_temp.pick(n,'h',5) AS h, pg_temp.pick(n,'a',4) AS a) AS g;
ANALYZE estab; ANALYZE cuis; ANALYZE insp_res; ANALYZE viol_cd_ref; ANALYZE mtch; ANALYZE tm_info;
COMMIT;
