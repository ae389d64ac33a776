-- An aircraft register as an authority hands it out: a master file, reference files for models and engines that are linked by codes under other
-- names, look-up tables of two columns each, dates as eight digits, years as text and empty where unknown, no key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/airreg.sql
BEGIN;
DROP SCHEMA IF EXISTS airreg CASCADE;
CREATE SCHEMA airreg;
SET LOCAL search_path = airreg;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE acft_mstr (tail_no text, ser_no text, mdl_cd text, eng_cd text, yr_mfr text, rgst_typ text, own_nm text, cty text, st text, cert_iss_dt text, exp_dt text, stat_cd text);
CREATE TABLE acft_ref (code text, mfr text, mdl text, acft_typ text, eng_typ int, no_eng int, no_seats int, wt_lbs int, cruise_mph int);
CREATE TABLE eng_ref (code text, mfr text, mdl text, typ int, hp int);
CREATE TABLE lk_rgst_typ (cd text, dscr text);
CREATE TABLE lk_acft_typ (cd text, dscr text);
CREATE TABLE lk_eng_typ (cd int, dscr text);
CREATE TABLE lk_stat (cd text, dscr text);
CREATE TABLE dereg (tail_no text, ser_no text, mdl_cd text, own_nm text, cncl_dt text, rsn text, exp_ctry text);

INSERT INTO lk_rgst_typ VALUES ('1','Individual'),('2','Partnership'),('3','Corporation'),('4','Co-owned'),('5','Government'),('7','LLC');
INSERT INTO lk_acft_typ VALUES ('1','Glider'),('2','Balloon'),('3','Blimp'),('4','Fixed wing single engine'),('5','Fixed wing multi engine'),('6','Rotorcraft'),('9','Gyroplane');
INSERT INTO lk_eng_typ VALUES (0,'None'),(1,'Reciprocating'),(2,'Turbo-prop'),(3,'Turbo-shaft'),(5,'Turbo-fan'),(8,'Electric');
INSERT INTO lk_stat VALUES ('V','Valid registration'),('X','Expired'),('R','Revoked'),('P','Pending'),('D','Sale reported');
INSERT INTO acft_ref VALUES ('2072704','CESSNA','172N','4',1,1,4,2300,122),('2072738','CESSNA','182T','4',1,1,4,3100,145),('2076505','CESSNA','208B','4',2,1,11,8750,186),('2077901','CESSNA','560XL','5',5,2,12,20200,507),('7102802','PIPER','PA-28-140','4',1,1,4,2150,125),
 ('7104601','PIPER','PA-46-350P','4',1,1,6,4340,213),('7103115','PIPER','PA-31','5',1,2,8,6500,210),('1151016','BEECH','A36','4',1,1,6,3650,174),('1152015','BEECH','B200','5',2,2,10,12500,303),('1390009','BOEING','737-700','5',5,2,149,154500,530),('1391141','BOEING','747-8','5',5,4,467,987000,562),
 ('3930312','LOCKHEED','L-1049H','5',1,4,95,137500,305),('7960122','SCHWEIZER','SGS 2-33A','1',0,0,2,1040,43),('8230101','SCHLEICHER','ASW-20','1',0,0,1,1000,68),('0580115','BALLOON WORKS','Firefly 7','2',0,0,3,1500,8),('1740022','CAMERON','O-84','2',0,0,4,1650,8),('4430009','GOODYEAR','GZ-20','3',1,2,7,12840,30),
 ('7791010','ROBINSON','R44','6',1,1,4,2400,125),('7791011','ROBINSON','R22','6',1,1,2,1370,110),('1180712','BELL','407','6',3,1,7,5250,153),('8130022','SIKORSKY','S-76C','6',3,2,14,11700,178),('0270050','AIR & SPACE','18A','9',1,1,2,1800,86),('7100900','PIPISTREL','VELIS ELECTRO','4',8,1,2,1320,104),('3240077','DOUGLAS','DC-7','5',1,4,105,143000,359);
INSERT INTO eng_ref VALUES ('41508','LYCOMING','O-320 SERIES',1,160),('41514','LYCOMING','IO-540 SERIES',1,300),('41533','LYCOMING','TIO-541 SER',1,380),('17026','CONT MOTOR','IO-520 SERIES',1,285),('17032','CONT MOTOR','O-200 SERIES',1,100),('52041','P&W CANADA','PT6A-114A',2,675),('52078','P&W CANADA','PT6A-42',2,850),
 ('03007','ALLISON','250-C47',3,650),('67001','TURBOMECA','ARRIEL 2S',3,922),('14005','CFM INTL','CFM56-7B',5,NULL),('30077','GE','GENX-2B',5,NULL),('52110','P&W CANADA','PW545B',5,NULL),('70003','WRIGHT','R3350 SERIES',1,3250),('69010','PIPISTREL','E-811',8,77);
INSERT INTO acft_mstr SELECT 'N' || (100 + i * 37) || (ARRAY['A','P','','W','CT'])[1 + pg_temp.pick(i,'tn',5)], CASE WHEN i % 50 = 7 THEN '' ELSE (1000 + pg_temp.pick(i,'sn',9000))::text || '-' || i END, r.code,
  CASE r.code WHEN '2072704' THEN '41508' WHEN '2072738' THEN '41514' WHEN '2076505' THEN '52041' WHEN '2077901' THEN '52110' WHEN '7102802' THEN '41508' WHEN '7104601' THEN '41533' WHEN '7103115' THEN '41514' WHEN '1151016' THEN '17026' WHEN '1152015' THEN '52078' WHEN '1390009' THEN '14005' WHEN '1391141' THEN '30077'
   WHEN '3930312' THEN '70003' WHEN '4430009' THEN '17026' WHEN '7791010' THEN '41514' WHEN '7791011' THEN '41508' WHEN '1180712' THEN '03007' WHEN '8130022' THEN '67001' WHEN '0270050' THEN '41508' WHEN '7100900' THEN '69010' WHEN '3240077' THEN '70003' END,
  CASE WHEN i = 611 THEN '1938' WHEN pg_temp.pick(i,'yn',15) = 0 THEN '' ELSE (1946 + pg_temp.pick(i,'ym',75))::text END, t,
  CASE t WHEN '1' THEN (ARRAY['SMITH JOHN R','JOHNSON MARY','Garcia Luis','NGUYEN TRAN','Miller Beth A','BROWN DAVID','Wilson Pat','LEE SUSAN','Clark Tom','YOUNG ANNE'])[1 + pg_temp.pick(i,'ow',10)] || ' ' || (ARRAY['JR','','II','M','K'])[1 + pg_temp.pick(i,'ox',5)] || CASE WHEN i % 3 = 0 THEN i::text ELSE '' END
    WHEN '5' THEN (ARRAY['STATE OF ALASKA','US FOREST SERVICE','CITY OF HOUSTON'])[1 + pg_temp.pick(i,'og',3)] ELSE (ARRAY['SKYLINE AVIATION','Blue Ridge Flyers','PRAIRIE AIR','Summit Charter','DELTA LEASING','Lone Star Helicopters','BAYSIDE AERO'])[1 + pg_temp.pick(i,'oc',7)] || (CASE t WHEN '2' THEN ' & PARTNERS' WHEN '3' THEN ' INC' WHEN '4' THEN ' GROUP' ELSE ' LLC' END) END,
  (ARRAY['HOUSTON','DALLAS','ANCHORAGE','COLUMBUS','DAYTON','RENO','BOISE','MIAMI','TAMPA','DENVER'])[c], (ARRAY['TX','TX','AK','OH','OH','NV','ID','FL','FL','CO'])[c], to_char(d, 'YYYYMMDD'), CASE WHEN i % 21 > 0 THEN to_char(d + 2555, 'YYYYMMDD') ELSE '' END, (ARRAY['V','V','V','V','V','V','X','X','P','D','V','R'])[1 + pg_temp.pick(i,'sc',12)]
  FROM (SELECT i, (ARRAY[0,0,0,0,1,1,2,3,4,4,4,5,6,7,7,8,9,12,12,13,14,15,16,17,17,18,18,19,20,21,22,11])[1 + pg_temp.pick(i,'md',32)] AS m, (ARRAY['1','1','1','1','2','3','3','4','5','7','7'])[1 + pg_temp.pick(i,'rt',11)] AS t, 1 + pg_temp.pick(i,'ct',10) AS c, date '2012-01-10' + pg_temp.pick(i,'dt',4300) AS d FROM generate_series(1, 1400) AS i) AS x
  JOIN (SELECT code, row_number() OVER (ORDER BY code) - 1 AS n FROM acft_ref) AS r ON r.n = x.m;
INSERT INTO dereg SELECT 'N' || (90000 + i * 11), (7000 + i)::text, r.code, (ARRAY['SKYLINE AVIATION INC','HOOVER PAUL','Prairie Air LLC','GREENE ALICE','Delta Leasing LLC','BAXTER ROY'])[1 + pg_temp.pick(i,'do',6)] , to_char(date '2010-02-03' + pg_temp.pick(i,'dd',5000), 'YYYYMMDD'), s, CASE WHEN s = 'EXPORTED' THEN (ARRAY['Canada','MEXICO','Brazil','Germany','Canada'])[1 + pg_temp.pick(i,'de',5)] ELSE '' END
  FROM (SELECT i, (ARRAY['EXPORTED','Destroyed','Scrapped','EXPORTED','Owner request',''])[1 + pg_temp.pick(i,'dr',6)] AS s, pg_temp.pick(i,'dm',20) AS m FROM generate_series(1, 240) AS i) AS x JOIN (SELECT code, row_number() OVER (ORDER BY code) - 1 AS n FROM acft_ref) AS r ON r.n = x.m;
ANALYZE acft_mstr; ANALYZE acft_ref; ANALYZE eng_ref; ANALYZE lk_rgst_typ; ANALYZE lk_acft_typ; ANALYZE lk_eng_typ; ANALYZE lk_stat; ANALYZE dereg;
COMMIT;
