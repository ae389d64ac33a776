-- Building permits of a city as an export from its permit system: upper-case quoted names, codes with their own little tables,
-- dates as YYYYMMDD numbers and as text, amounts as text with blanks, statuses cut short, no key declared, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/permits.sql
BEGIN;
DROP SCHEMA IF EXISTS permits CASCADE;
CREATE SCHEMA permits;
SET LOCAL search_path = permits;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE "BLDG_PRMT" (
  "PRMT_NUM" text, "PRMT_TYP_CD" int, "APPL_DT" text, "ISS_DT" text, "CMPL_DT" text, "STAT" text, "ADDR_ST_NUM" int,
  "ADDR_ST_NAME" text, "NBHD" text, "ZIP" text, "EST_COST" numeric, "REV_COST" numeric, "EXIST_UNITS" int, "PROP_UNITS" int,
  "EXIST_USE" text, "PROP_USE" text, "STORIES" int, "CONTR_LIC" text, "SOLAR_FLG" text, "FEE_PD" numeric);
CREATE TABLE "PRMT_TYP" ("PRMT_TYP_CD" int, "PRMT_TYP_DEF" text);
CREATE TABLE "CONTR" ("LIC_NUM" text, "BUS_NM" text, "CITY" text, "ST" text, "LIC_EXP_YR" int, "EMPL_CNT" int);
CREATE TABLE "INSP" ("INSP_ID" int, "PRMT_NUM" text, "INSP_DT" text, "INSP_TYP" text, "RSLT" text, "INSPR_NM" text, "DURN_MIN" int);
CREATE TABLE "CMPLNT" ("CASE_NO" int, "NBHD" text, "RCVD_DT" text, "CLSD_DT" text, "CATG" text, "SRC" text, "VIOL_CNT" int);
CREATE TABLE "NBHD_STAT" ("NBHD" text, "POP" int, "HH_INCM" int, "AREA_SQMI" numeric, "SUPV_DIST" int);

INSERT INTO "PRMT_TYP" VALUES (1,'new construction'),(2,'new construction wood frame'),(3,'additions alterations or repairs'),(4,'sign - erect'),
  (5,'grade or quarry or fill or excavate'),(6,'demolitions'),(7,'wall or painted sign'),(8,'otc alterations permit');
INSERT INTO "NBHD_STAT" SELECT n, 4000 + pg_temp.pick(i,'np',60000), 41000 + 500 * pg_temp.pick(i,'ni',220), round(0.4 + pg_temp.pick(i,'na',30) / 10.0, 1), 1 + i::int % 11
  FROM unnest(ARRAY['Mission','Sunset','Marina','Chinatown','Bayview','Noe Valley','Russian Hill','Excelsior','Presidio','Potrero Hill','Glen Park','Tenderloin'])
  WITH ORDINALITY AS u(n, i);
INSERT INTO "CONTR" SELECT 'B' || (500100 + i * 13), (ARRAY['Apex','Bayline','Cornerstone','Delgado','Evergreen','Fog City','Granite','Harmon','Ironwood','Juniper'])[1 + i % 10]
  || ' ' || (ARRAY['Builders','Construction','Electric','Roofing','Plumbing'])[1 + i / 10], (ARRAY['San Francisco','Oakland','Daly City','San Jose','Reno'])[1 + pg_temp.pick(i,'cc',5)],
  CASE WHEN pg_temp.pick(i,'cc',5) = 4 THEN 'NV' ELSE 'CA' END, 2016 + pg_temp.pick(i,'cy',8), 2 + pg_temp.pick(i,'ce',140) FROM generate_series(0, 49) AS i;
INSERT INTO "BLDG_PRMT" SELECT '2013' || lpad((i * 17)::text, 7, '0'), 1 + pg_temp.pick(i,'t',20) % 8,
  to_char(d, 'YYYY-MM-DD'), CASE WHEN s < 9 THEN to_char(d + 4 + pg_temp.pick(i,'di',120), 'YYYY-MM-DD') END,
  CASE WHEN s < 5 THEN to_char(d + 150 + pg_temp.pick(i,'dc',400), 'YYYY-MM-DD') END,
  CASE WHEN s < 5 THEN 'complete' WHEN s < 9 THEN 'issued' WHEN s = 9 THEN 'filed' WHEN s = 10 THEN 'withdrawn' ELSE 'cancelled' END,
  10 + pg_temp.pick(i,'an',3900), (ARRAY['Market','Valencia','Geary','Lombard','Irving','Judah','Castro','Folsom','Bryant'])[1 + pg_temp.pick(i,'as',9)],
  n."NBHD", '941' || lpad((2 + n."SUPV_DIST" * 2)::text, 2, '0'), 500 * (1 + pg_temp.pick(i,'ec',900)) + pg_temp.pick(i,'ec2',97),
  500 * (1 + pg_temp.pick(i,'ec',900)) + 250 * pg_temp.pick(i,'rc',40) + pg_temp.pick(i,'ec2',97), pg_temp.pick(i,'eu',6), pg_temp.pick(i,'eu',6) + pg_temp.pick(i,'pu',4),
  (ARRAY['1 family dwelling','2 family dwelling','apartments','office','retail sales','vacant lot'])[1 + pg_temp.pick(i,'xu',6)],
  (ARRAY['1 family dwelling','2 family dwelling','apartments','office','retail sales','food/beverage hndlng'])[1 + pg_temp.pick(i,'yu',6)],
  1 + pg_temp.pick(i,'st',7) + CASE WHEN i % 211 = 0 THEN 20 + i / 211 ELSE 0 END, 'B' || (500100 + pg_temp.pick(i,'co',47) * 13), CASE WHEN pg_temp.pick(i,'sf',9) = 0 THEN 'Y' ELSE 'N' END,
  120 + 5 * pg_temp.pick(i,'fe',400)
  FROM (SELECT i, date '2013-01-02' + pg_temp.pick(i,'d',1800) AS d, pg_temp.pick(i,'s',12) AS s FROM generate_series(1, 1400) AS i) AS x
  JOIN LATERAL (SELECT * FROM "NBHD_STAT" ORDER BY "NBHD" OFFSET (pg_temp.pick(x.i,'nb',17) % 12) LIMIT 1) AS n ON true;
INSERT INTO "INSP" SELECT i, '2013' || lpad(((1 + pg_temp.pick(i,'ip',1400)) * 17)::text, 7, '0'), to_char(date '2014-01-05' + pg_temp.pick(i,'id',1500), 'YYYY-MM-DD'),
  (ARRAY['Electrical','Plumbing','Framing','Foundation','Final'])[1 + pg_temp.pick(i,'it',7) % 5], (ARRAY['PASS','PASS','PASS','FAIL','PARTIAL'])[1 + pg_temp.pick(i,'ir',5)],
  (ARRAY['R. Okafor','T. Lindqvist','M. Santos','J. Whitfield','A. Petrov','K. Yamada'])[1 + pg_temp.pick(i,'in',8) % 6], 15 + 5 * pg_temp.pick(i,'im',20) FROM generate_series(1, 1100) AS i;
INSERT INTO "CMPLNT" SELECT 30000 + i, n."NBHD", to_char(date '2015-01-01' + pg_temp.pick(i,'cd',1000), 'MM/DD/YYYY'),
  CASE WHEN pg_temp.pick(i,'cz',4) > 0 THEN to_char(date '2015-01-01' + pg_temp.pick(i,'cd',1000) + 1 + pg_temp.pick(i,'ce',90), 'MM/DD/YYYY') END,
  (ARRAY['Noise','Work without permit','Unsafe structure','Blocked exit','Illegal unit'])[1 + pg_temp.pick(i,'cg',9) % 5],
  (ARRAY['Phone','Web','Letter','Walk-in'])[1 + pg_temp.pick(i,'cs',6) % 4], pg_temp.pick(i,'cv',5) FROM generate_series(1, 420) AS i
  JOIN LATERAL (SELECT * FROM "NBHD_STAT" ORDER BY "NBHD" OFFSET (pg_temp.pick(i,'cn',15) % 12) LIMIT 1) AS n ON true;
ANALYZE "BLDG_PRMT"; ANALYZE "PRMT_TYP"; ANALYZE "CONTR"; ANALYZE "INSP"; ANALYZE "CMPLNT"; ANALYZE "NBHD_STAT";
COMMIT;
