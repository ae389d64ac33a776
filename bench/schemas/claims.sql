-- A health insurer's claims as a warehouse extract: headers, lines, diagnoses, members and providers with five-letter names, reference tables for
-- codes, dates as text, open ends as empty text or a far year, indicators Y and N, no key declared, one comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/claims.sql
BEGIN;
DROP SCHEMA IF EXISTS claims CASCADE;
CREATE SCHEMA claims;
SET LOCAL search_path = claims;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE clm_hdr (clm_id text, mbr_id int, prov_npi text, svc_fr_dt text, svc_to_dt text, plc_svc_cd text, clm_stat text, dnl_rsn_cd text, tot_chrg_amt numeric(10,2), tot_alwd_amt numeric(10,2), tot_pd_amt numeric(10,2), mbr_resp_amt numeric(10,2), ld_ts timestamp);
CREATE TABLE clm_ln (clm_id text, ln_no int, proc_cd text, unts int, chrg_amt numeric(10,2));
CREATE TABLE clm_dx (clm_id text, dx_seq int, dx_cd text);
CREATE TABLE mbr (mbr_id int, fst_nm text, lst_nm text, dob text, gndr text, zip text, pln_cd text, eff_dt text, term_dt text);
CREATE TABLE prov (npi text, prov_nm text, spcl_cd text, ntwk_ind text, cty text, st text);
CREATE TABLE ref_dx (dx_cd text, dx_dsc text, chrnc_ind text);
CREATE TABLE ref_proc (proc_cd text, proc_dsc text);
CREATE TABLE ref_spcl (spcl_cd text, spcl_dsc text);
CREATE TABLE ref_plc (plc_svc_cd text, plc_dsc text);
CREATE TABLE ref_pln (pln_cd text, pln_nm text, lob text);
CREATE TABLE ref_dnl (dnl_rsn_cd text, dnl_dsc text);
COMMENT ON COLUMN clm_hdr.clm_stat IS 'P paid, D denied, S suspended';

INSERT INTO ref_dx VALUES ('E11.9','Type 2 diabetes mellitus','Y'),('I10','Essential hypertension','Y'),('J06.9','Acute upper respiratory infection','N'),('M54.5','Low back pain','N'),('J45.909','Asthma','Y'),('S93.401','Sprained ankle','N'),('K21.9','Acid reflux','Y'),('F41.1','Generalized anxiety disorder','Y'),('N39.0','Urinary tract infection','N'),('Z00.00','Routine checkup','N'),('I21.9','Heart attack','N'),('O80','Normal delivery','N');
INSERT INTO ref_proc VALUES ('99213','Office visit'),('99285','Emergency visit, high severity'),('80053','Metabolic panel'),('71046','Chest X-ray'),('93000','Electrocardiogram'),('97110','Physical therapy'),('59400','Obstetric care'),('36415','Blood draw'),('90686','Flu shot'),('70551','Brain MRI');
INSERT INTO ref_spcl VALUES ('08','Family practice'),('06','Cardiology'),('20','Orthopedic surgery'),('37','Pediatrics'),('93','Emergency medicine'),('16','Obstetrics'),('30','Radiology'),('65','Physical therapy');
INSERT INTO ref_plc VALUES ('11','Office'),('21','Inpatient hospital'),('22','Outpatient hospital'),('23','Emergency room'),('81','Independent lab'),('02','Telehealth');
INSERT INTO ref_pln VALUES ('B1','Bronze Basic','IND'),('S2','Silver Plus','IND'),('G3','Gold Choice','GRP'),('P4','Platinum Care','GRP'),('M5','Medicare Advantage','MCR');
INSERT INTO ref_dnl VALUES ('16','Missing information'),('18','Duplicate claim'),('27','Coverage terminated'),('50','Not medically necessary'),('197','No prior authorization');
INSERT INTO prov SELECT (1000000000 + i * 7919)::text, CASE WHEN i % 4 = 0 THEN (ARRAY['Lakeside','Mercy','Valley','Northgate','Summit'])[1 + i % 5] || ' ' || (ARRAY['Clinic','Medical Group','Associates'])[1 + i % 3] || ' ' || i ELSE 'Dr. ' || (ARRAY['Adams','Baker','Chen','Diaz','Evans','Foster','Gupta','Hill','Ito','Jones','Khan'])[1 + i % 11] || ', ' || chr(65 + i % 26) || chr(65 + i % 7) END,
  (ARRAY['08','08','06','20','37','93','16','30','65','08'])[1 + pg_temp.pick(i,'sp',10)], CASE WHEN pg_temp.pick(i,'nw',4) = 0 THEN 'N' ELSE 'Y' END, (ARRAY['Dayton','DAYTON','Columbus','Toledo','Akron','Cincinnati','Columbus'])[1 + pg_temp.pick(i,'cy',7)], 'OH' FROM generate_series(1, 90) AS i;
INSERT INTO mbr SELECT i, (ARRAY['Ann','Bob','Carla','Dev','Ella','Frank','Gina','Hal','Iris','Jack','Kim','Leo','Mia'])[1 + i % 13], (ARRAY['Abbott','Barnes','Cole','Dunn','Ellis','Ford','Grant','Hayes','Irwin','Jensen','Kerr'])[1 + i % 11] || CASE WHEN i > 143 THEN '-' || (ARRAY['Roy','Lane','Moss','Pike'])[1 + i / 143] ELSE '' END,
  CASE WHEN i = 77 THEN '1921-03-09' ELSE to_char(date '1932-01-01' + pg_temp.pick(i,'db',30000), 'YYYY-MM-DD') END, CASE WHEN i % 40 = 0 THEN 'U' ELSE (ARRAY['F','M'])[1 + pg_temp.pick(i,'gn',2)] END, '45' || lpad(pg_temp.pick(i,'zp',60)::text, 3, '0'), (ARRAY['B1','S2','S2','S2','G3','G3','P4','M5'])[1 + pg_temp.pick(i,'pl',8)],
  to_char(date '2018-01-01' + 30 * pg_temp.pick(i,'ef',40), 'YYYY-MM-DD'), CASE WHEN pg_temp.pick(i,'tm',6) = 0 THEN to_char(date '2022-06-30' + 31 * pg_temp.pick(i,'tn',15), 'YYYY-MM-DD') ELSE '' END FROM generate_series(1, 420) AS i;
INSERT INTO clm_hdr SELECT 'C' || lpad(i::text, 7, '0'), m, p.npi, to_char(d, 'YYYY-MM-DD'), to_char(d + CASE WHEN plc = '21' THEN 1 + pg_temp.pick(i,'ls',7) ELSE 0 END, 'YYYY-MM-DD'), plc, s, CASE WHEN s = 'D' THEN (ARRAY['16','16','18','27','50','197','197','197'])[1 + pg_temp.pick(i,'dn',8)] END, c, CASE WHEN s <> 'D' THEN round(c * 0.62, 2) ELSE 0 END, CASE WHEN s = 'P' THEN round(c * 0.62 * 0.85, 2) ELSE 0 END, CASE WHEN s = 'P' THEN round(c * 0.62, 2) - round(c * 0.62 * 0.85, 2) ELSE 0 END, d + interval '9 days 3 hours' + i * interval '7 minutes'
  FROM (SELECT i, 1 + pg_temp.pick(i,'mb',405) AS m, 1 + pg_temp.pick(i,'pv',86) AS q, date '2021-01-04' + pg_temp.pick(i,'sd',1040) AS d, plc, (ARRAY['P','P','P','P','P','D','S'])[1 + pg_temp.pick(i,'st',7)] AS s, round((CASE plc WHEN '21' THEN 9000 WHEN '23' THEN 1800 WHEN '22' THEN 1200 ELSE 120 END) * (0.6 + pg_temp.pick(i,'ch',200) / 100.0) + i / 100.0, 2) AS c
    FROM (SELECT i, (ARRAY['11','11','11','11','22','23','23','21','81','02'])[1 + pg_temp.pick(i,'pc',10)] AS plc FROM generate_series(1, 2400) AS i) AS y) AS x JOIN (SELECT npi, row_number() OVER (ORDER BY npi) AS n FROM prov) AS p ON p.n = x.q;
INSERT INTO clm_ln SELECT clm_id, l, (ARRAY['99213','99213','80053','71046','93000','97110','36415','90686','70551','99213'])[1 + pg_temp.pick(substr(clm_id, 2)::int * 10 + l,'pr',10)], 1 + pg_temp.pick(substr(clm_id, 2)::int * 10 + l,'un',4) / 3, round(tot_chrg_amt / n, 2) FROM (SELECT clm_id, tot_chrg_amt, 1 + pg_temp.pick(substr(clm_id, 2)::int,'nl',4) AS n FROM clm_hdr) AS h, LATERAL generate_series(1, n) AS l;
INSERT INTO clm_dx SELECT clm_id, q, (ARRAY['E11.9','I10','J06.9','M54.5','J45.909','S93.401','K21.9','F41.1','N39.0','Z00.00','I10','I21.9'])[1 + (pg_temp.pick(substr(clm_id, 2)::int,'dx',12) + 5 * (q - 1)) % 12] FROM clm_hdr, LATERAL generate_series(1, 1 + pg_temp.pick(substr(clm_id, 2)::int,'nd',3) / 2) AS q;
ANALYZE clm_hdr; ANALYZE clm_ln; ANALYZE clm_dx; ANALYZE mbr; ANALYZE prov; ANALYZE ref_dx; ANALYZE ref_proc; ANALYZE ref_spcl; ANALYZE ref_plc; ANALYZE ref_pln; ANALYZE ref_dnl;
COMMIT;
