-- Circulation of a city's libraries as their system exports it: table names of a few letters, statuses, formats and languages as codes that small
-- tables explain, dates as text and empty while a loan lasts, years as text and empty where unknown, no key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/library.sql
BEGIN;
DROP SCHEMA IF EXISTS library CASCADE;
CREATE SCHEMA library;
SET LOCAL search_path = library;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE ptrn (ptrn_id int, l_nm text, f_nm text, ptrn_typ text, hm_br text, reg_dt text, exp_dt text, brth_yr int, fines_owed numeric(7,2), eml text);
CREATE TABLE ptrn_typ_lkp (ptrn_typ text, dscr text);
CREATE TABLE br (br_cd text, br_nm text, addr text, hrs_wk int, sqft int);
CREATE TABLE bib (bib_no int, ttl text, auth text, pub_yr text, lang_cd text, fmt_cd text, pgs int);
CREATE TABLE fmt_lkp (fmt_cd text, fmt text);
CREATE TABLE lang_lkp (lang_cd text, lang_nm text);
CREATE TABLE itm (itm_bc text, bib_no int, br_cd text, stat text, acq_dt text, prc numeric(6,2));
CREATE TABLE stat_lkp (stat text, dscr text);
CREATE TABLE circ (trx_no int, itm_bc text, ptrn_id int, co_dt text, due_dt text, ci_dt text, rnw_cnt int);
CREATE TABLE hold (hold_no int, bib_no int, ptrn_id int, plc_dt text, pckup_br text, hold_stat text);

INSERT INTO ptrn_typ_lkp VALUES ('A','Adult'),('J','Juvenile'),('S','Senior'),('T','Staff');
INSERT INTO fmt_lkp VALUES ('BK','Book'),('DV','DVD'),('CD','Audiobook on CD'),('MG','Magazine'),('LP','Large print');
INSERT INTO lang_lkp VALUES ('eng','English'),('spa','Spanish'),('fre','French'),('ger','German'),('chi','Chinese'),('rus','Russian'),('swe','Swedish');
INSERT INTO stat_lkp VALUES ('A','Available'),('L','Lost'),('M','Missing'),('W','Withdrawn'),('R','In repair');
INSERT INTO br VALUES ('CEN','Central','100 Main St',66,82000),('EAS','Eastside','42 River Rd',48,14500),('HIL','Hillcrest','9 Oak Ave',40,9800),('LAK','Lakeview','310 Shore Dr',44,12100),('WES','Westgate','77 Mill St',52,21000);
INSERT INTO ptrn SELECT i, (ARRAY['ABEL','Brandt','CRUZ','Doyle','ELLIS','Fong','GREER','Hart','IVERSON','Jain','KEMP','Lowe','MOSS'])[1 + i % 13], (ARRAY['Amy','Bruno','Cara','Dean','Elsa','Felix','Gwen','Hugh','Ines','Jack','Kate'])[1 + i % 11] || CASE WHEN i > 143 THEN ' ' || chr(65 + i / 143) || '.' ELSE '' END, (ARRAY['A','A','A','J','J','S','T'])[1 + pg_temp.pick(i,'pt',7)],
  (ARRAY['CEN','CEN','CEN','EAS','HIL','LAK','WES','WES'])[1 + pg_temp.pick(i,'br',8)], to_char(date '2012-01-02' + pg_temp.pick(i,'rd',4300), 'YYYY-MM-DD'), to_char(date '2024-01-02' + pg_temp.pick(i,'ed',1200), 'YYYY-MM-DD'), 1935 + pg_temp.pick(i,'by',82), CASE WHEN pg_temp.pick(i,'fo',5) = 0 THEN round(pg_temp.pick(i,'fp',7000) / 100.0 + i / 1000.0, 2) ELSE 0 END, CASE WHEN i % 7 = 0 THEN '' ELSE 'p' || i || '@example.org' END FROM generate_series(1, 420) AS i;
INSERT INTO bib SELECT i, (ARRAY['The Silent','A Distant','Winter','The Last','Beyond the','Secrets of the','Return to'])[1 + i % 7] || ' ' || (ARRAY['River','Garden','Harbor','Mountain','City','Forest','Letter','House','Road'])[1 + i % 9] || CASE WHEN i > 63 THEN ' ' || (ARRAY['II','III','IV','V','VI','VII'])[i / 63] ELSE '' END, (ARRAY['Marsh, Ellen','Okafor, Ben','Lindqvist, Sara','Ruiz, Tomas','Chen, Li','Hale, Peter','Dubois, Anne'])[1 + pg_temp.pick(i,'au',7)],
  CASE WHEN i = 301 THEN '1899' WHEN pg_temp.pick(i,'py',12) = 0 THEN '' ELSE (1950 + pg_temp.pick(i,'pz',74))::text END, (ARRAY['eng','eng','eng','eng','spa','spa','fre','ger','chi'])[1 + pg_temp.pick(i,'lg',9)], f, CASE WHEN f IN ('BK','LP') THEN 90 + pg_temp.pick(i,'pg',600) + CASE WHEN i = 205 THEN 900 ELSE 0 END END
  FROM (SELECT i, CASE WHEN i = 205 THEN 'BK' ELSE (ARRAY['BK','BK','BK','BK','DV','CD','MG','LP'])[1 + pg_temp.pick(i,'fm',8)] END AS f FROM generate_series(1, 380) AS i) AS x;
INSERT INTO itm SELECT '3' || lpad((i * 17)::text, 9, '0'), 1 + pg_temp.pick(i,'bb',375), (ARRAY['CEN','CEN','CEN','EAS','HIL','LAK','WES'])[1 + pg_temp.pick(i,'ib',7)], (ARRAY['A','A','A','A','A','A','L','M','W','R'])[1 + pg_temp.pick(i,'is',10)], to_char(date '2004-02-01' + pg_temp.pick(i,'ia',7000), 'YYYY-MM-DD'), round(6 + pg_temp.pick(i,'ip',3900) / 100.0, 2) FROM generate_series(1, 1500) AS i;
INSERT INTO circ SELECT i, '3' || lpad(((CASE WHEN i % 60 = 0 THEN 77 ELSE 1 + pg_temp.pick(i,'ci',1480) END) * 17)::text, 9, '0'), 1 + pg_temp.pick(i,'cp',400), to_char(d, 'YYYY-MM-DD'), to_char(d + 21, 'YYYY-MM-DD'), CASE WHEN pg_temp.pick(i,'cr',16) = 0 THEN '' ELSE to_char(d + 1 + pg_temp.pick(i,'cs',40), 'YYYY-MM-DD') END, pg_temp.pick(i,'cn',9) / 3 FROM (SELECT i, date '2021-01-04' + pg_temp.pick(i,'cd',1250) AS d FROM generate_series(1, 4200) AS i) AS x;
INSERT INTO hold SELECT i, 1 + pg_temp.pick(i,'hb',375), 1 + pg_temp.pick(i,'hp',415), to_char(date '2023-01-03' + pg_temp.pick(i,'hd',500), 'YYYY-MM-DD'), (ARRAY['CEN','CEN','EAS','HIL','LAK','WES','WES','CEN'])[1 + pg_temp.pick(i,'hr',8)], (ARRAY['FILLED','FILLED','FILLED','WAITING','WAITING','EXPIRED','CANCELLED'])[1 + pg_temp.pick(i,'hs',7)] FROM generate_series(1, 640) AS i;
ANALYZE ptrn; ANALYZE ptrn_typ_lkp; ANALYZE br; ANALYZE bib; ANALYZE fmt_lkp; ANALYZE lang_lkp; ANALYZE itm; ANALYZE stat_lkp; ANALYZE circ; ANALYZE hold;
COMMIT;
