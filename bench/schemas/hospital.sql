-- A hospital's system with names cut short, codes, flags as Y and N or 1 and 0, some comments, and keys of which some are not declared.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/hospital.sql
BEGIN;
DROP SCHEMA IF EXISTS hospital CASCADE;
CREATE SCHEMA hospital;
SET LOCAL search_path = hospital;

CREATE TABLE pyr (
    pyr_cd  varchar(8) PRIMARY KEY,
    pyr_nm  varchar(60) NOT NULL,
    pyr_typ char(1) NOT NULL
);
COMMENT ON TABLE pyr IS 'Payers (insurance companies)';
COMMENT ON COLUMN pyr.pyr_typ IS 'C = commercial, G = government, S = self-pay';

CREATE TABLE ward (
    ward_cd varchar(6) PRIMARY KEY,
    ward_nm varchar(60) NOT NULL,
    bldg    varchar(30),
    flr_no  integer,
    bed_cnt integer NOT NULL,
    isol_flg char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON COLUMN ward.bed_cnt IS 'number of staffed beds';
COMMENT ON COLUMN ward.isol_flg IS 'Y if the ward has isolation rooms';

CREATE TABLE prov (
    prov_id integer PRIMARY KEY,
    lst_nm  varchar(40) NOT NULL,
    fst_nm  varchar(40) NOT NULL,
    spec_cd varchar(5) NOT NULL,
    ward_cd varchar(6),
    hire_dt date NOT NULL,
    actv_flg char(1) NOT NULL
);
COMMENT ON TABLE prov IS 'Providers (physicians)';
COMMENT ON COLUMN prov.spec_cd IS 'CARD cardiology, ORTH orthopedics, NEUR neurology, ONC oncology, PED pediatrics, OBG obstetrics/gynecology, GS general surgery, IM internal medicine, PULM pulmonology, EM emergency medicine, FM family medicine';
COMMENT ON COLUMN prov.ward_cd IS 'home ward, NULL if not ward based';

CREATE TABLE pat_mst (
    pat_id   integer PRIMARY KEY,
    mrn      varchar(12) NOT NULL,
    lst_nm   varchar(40) NOT NULL,
    fst_nm   varchar(40) NOT NULL,
    sex_cd   char(1) NOT NULL,
    dob      date NOT NULL,
    city_nm  varchar(40),
    pyr_cd   varchar(8),
    pcp_id   integer,
    bld_grp  varchar(3),
    smkr_flg smallint,
    dcsd_flg char(1) NOT NULL DEFAULT 'N',
    reg_dt   date NOT NULL
);
COMMENT ON TABLE pat_mst IS 'Patient master';
COMMENT ON COLUMN pat_mst.mrn IS 'medical record number';
COMMENT ON COLUMN pat_mst.pcp_id IS 'primary care provider, see prov';
COMMENT ON COLUMN pat_mst.smkr_flg IS '1 = smoker, 0 = non-smoker, NULL = unknown';
COMMENT ON COLUMN pat_mst.dcsd_flg IS 'deceased Y/N';

CREATE TABLE enc (
    enc_id    integer PRIMARY KEY,
    pat_id    integer NOT NULL REFERENCES pat_mst(pat_id),
    enc_typ   char(1) NOT NULL,
    ward_cd   varchar(6) REFERENCES ward(ward_cd),
    att_prov  integer NOT NULL,
    adm_dt    date NOT NULL,
    disch_dt  date,
    disch_disp varchar(4),
    icu_flg   smallint NOT NULL DEFAULT 0,
    amb_flg   char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON TABLE enc IS 'Encounters (visits / hospital stays)';
COMMENT ON COLUMN enc.enc_typ IS 'I = inpatient, O = outpatient, E = emergency';
COMMENT ON COLUMN enc.ward_cd IS 'ward for inpatient stays only';
COMMENT ON COLUMN enc.att_prov IS 'attending provider';
COMMENT ON COLUMN enc.disch_dt IS 'discharge date, NULL = still admitted';
COMMENT ON COLUMN enc.disch_disp IS 'HOME = home, HHC = home health care, SNF = nursing facility, TRF = transferred to other hospital, AMA = against medical advice, EXP = died';
COMMENT ON COLUMN enc.icu_flg IS '1 if the patient spent time in intensive care';
COMMENT ON COLUMN enc.amb_flg IS 'Y = arrived by ambulance';

CREATE TABLE dx_cd (
    icd_cd varchar(8) PRIMARY KEY,
    descr  varchar(100) NOT NULL,
    chap   varchar(40) NOT NULL,
    chrn_flg smallint NOT NULL
);
COMMENT ON TABLE dx_cd IS 'ICD-10 diagnosis codes';
COMMENT ON COLUMN dx_cd.chrn_flg IS '1 = chronic condition';

CREATE TABLE enc_dx (
    enc_id  integer NOT NULL,
    seq_no  smallint NOT NULL,
    icd_cd  varchar(8) NOT NULL,
    prim_flg char(1) NOT NULL,
    PRIMARY KEY (enc_id, seq_no)
);
COMMENT ON COLUMN enc_dx.prim_flg IS 'Y = primary diagnosis';

CREATE TABLE prc_log (
    prc_id   integer PRIMARY KEY,
    enc_id   integer NOT NULL,
    prc_nm   varchar(60) NOT NULL,
    prov_id  integer NOT NULL,
    st_ts    timestamp NOT NULL,
    end_ts   timestamp,
    anes_cd  varchar(2),
    cmpl_flg char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON TABLE prc_log IS 'Procedures / surgeries performed';
COMMENT ON COLUMN prc_log.anes_cd IS 'GA general, RA regional, LA local anesthesia, NULL none';
COMMENT ON COLUMN prc_log.cmpl_flg IS 'Y = complication occurred';

CREATE TABLE lab_rslt (
    rslt_id integer PRIMARY KEY,
    enc_id  integer NOT NULL,
    tst_nm  varchar(40) NOT NULL,
    rslt_val numeric(8,2),
    unit_cd varchar(10) NOT NULL,
    abn_flg char(1),
    coll_ts timestamp NOT NULL,
    rslt_ts timestamp
);
COMMENT ON TABLE lab_rslt IS 'Laboratory results';
COMMENT ON COLUMN lab_rslt.abn_flg IS 'H = above range, L = below range, N = normal, NULL = result pending';
COMMENT ON COLUMN lab_rslt.coll_ts IS 'specimen collected at';
COMMENT ON COLUMN lab_rslt.rslt_ts IS 'result reported at';

CREATE TABLE bill_hdr (
    bill_no varchar(12) PRIMARY KEY,
    enc_id  integer NOT NULL,
    bill_dt date NOT NULL,
    tot_amt numeric(10,2) NOT NULL,
    ins_amt numeric(10,2) NOT NULL,
    pat_amt numeric(10,2) NOT NULL,
    stat_cd varchar(2) NOT NULL,
    pd_dt   date
);
COMMENT ON TABLE bill_hdr IS 'One bill per encounter';
COMMENT ON COLUMN bill_hdr.tot_amt IS 'total billed amount in USD';
COMMENT ON COLUMN bill_hdr.ins_amt IS 'part covered by the payer';
COMMENT ON COLUMN bill_hdr.pat_amt IS 'part owed by the patient';
COMMENT ON COLUMN bill_hdr.stat_cd IS 'PD = paid, OP = open, DN = denied, WO = written off';

INSERT INTO pyr VALUES
 ('MCARE','Medicare','G'),('MCAID','Medicaid','G'),('AETNA','Aetna','C'),('BCBS','Blue Cross Blue Shield','C'),
 ('UHC','UnitedHealthcare','C'),('CIGNA','Cigna','C'),('TRIC','Tricare','G'),('SELF','Self Pay','S');

INSERT INTO ward VALUES
 ('CAR','Cardiology','Main Tower',4,28,'N'),('ORT','Orthopedics','Main Tower',5,24,'N'),('NEU','Neurology','Main Tower',6,20,'N'),
 ('ONC','Oncology','West Pavilion',3,22,'Y'),('PED','Pediatrics','Children''s Wing',1,18,'Y'),('MAT','Maternity','Children''s Wing',2,16,'N'),
 ('SUR','General Surgery','Main Tower',3,30,'N'),('MED','Internal Medicine','West Pavilion',2,36,'Y'),('PUL','Pulmonology','West Pavilion',4,14,'Y'),
 ('RHB','Rehabilitation','Annex',NULL,12,'N');

INSERT INTO prov VALUES
 (101,'Reynolds','Margaret','CARD','CAR','2009-06-15','Y'),(102,'Patel','Anil','CARD','CAR','2015-09-01','Y'),(103,'Okafor','Chidi','CARD','CAR','2021-02-08','Y'),
 (104,'Brennan','Sean','ORTH','ORT','2011-04-18','Y'),(105,'Lindqvist','Karin','ORTH','ORT','2018-10-01','Y'),
 (106,'Nakamura','Hiroshi','NEUR','NEU','2008-01-14','Y'),(107,'Delgado','Isabel','NEUR','NEU','2019-07-22','Y'),
 (108,'Goldberg','Miriam','ONC','ONC','2012-03-05','Y'),(109,'Fitzgerald','Thomas','ONC','ONC','2017-11-13','N'),(110,'Chaudhry','Sana','ONC','ONC','2023-05-02','Y'),
 (111,'Whitfield','Laura','PED','PED','2010-08-30','Y'),(112,'Moreno','Carlos','PED','PED','2022-01-10','Y'),
 (113,'Hartley','Joanne','OBG','MAT','2014-05-19','Y'),(114,'Adeyemi','Folake','OBG','MAT','2020-09-14','Y'),
 (115,'Kowalczyk','Piotr','GS','SUR','2007-02-26','Y'),(116,'Sullivan','Erin','GS','SUR','2016-06-06','Y'),(117,'Tran','Minh','GS','SUR','2024-03-18','Y'),
 (118,'Abrams','David','IM','MED','2005-10-03','N'),(119,'Castellano','Gina','IM','MED','2013-12-02','Y'),(120,'Osei','Kwame','IM','MED','2020-04-27','Y'),(121,'Bergstrom','Nils','IM','MED','2023-09-11','Y'),
 (122,'Iyer','Lakshmi','PULM','PUL','2016-02-15','Y'),(123,'Donnelly','Patrick','PULM','PUL','2021-08-23','Y'),
 (124,'Vasquez','Ramon','EM',NULL,'2013-07-08','Y'),(125,'Klein','Rebecca','EM',NULL,'2018-03-12','Y'),(126,'Johansson','Erik','EM',NULL,'2022-11-28','Y'),
 (127,'Washington','Denise','FM',NULL,'2006-09-18','Y'),(128,'Murphy','Kevin','FM',NULL,'2012-05-21','Y'),(129,'Hassan','Leila','FM',NULL,'2019-01-07','Y'),
 (130,'Carter','Brian','FM',NULL,'2025-01-13','Y');

INSERT INTO pat_mst
SELECT g, 'MRN' || lpad((700000 + g * 37)::text, 7, '0'),
       (ARRAY['Smith','Johnson','Williams','Brown','Jones','Garcia','Miller','Davis','Rodriguez','Martinez','Hernandez','Lopez','Wilson','Anderson','Taylor','Moore','Jackson','Martin','Lee','Thompson','White','Harris','Clark','Lewis','Robinson','Walker','Young','Allen','King','Wright','Scott','Nguyen','Hill','Flores','Green','Adams','Nelson','Baker','Hall','Rivera','Campbell','Mitchell','Roberts'])[1 + g % 43],
       (ARRAY['Mary','James','Patricia','Robert','Jennifer','John','Linda','Michael','Elizabeth','William','Barbara','David','Susan','Richard','Jessica','Joseph','Karen','Charles','Nancy','Daniel','Betty','Matthew','Sandra','Anthony','Ashley','Mark','Emily','Steven','Donna','Andrew','Michelle','Joshua','Carol','Kenneth','Amanda','George','Melissa','Edward'])[1 + g % 38],
       CASE WHEN g % 2 = 0 THEN 'F' ELSE 'M' END,
       CASE WHEN abs(hashtext('age' || g)) % 100 < 14 THEN date '2008-06-01' + abs(hashtext('kid' || g)) % 5600
            WHEN abs(hashtext('age' || g)) % 100 < 45 THEN date '1978-02-01' + abs(hashtext('mid' || g)) % 9500
            ELSE date '1936-03-01' + abs(hashtext('old' || g)) % 15000 END,
       CASE WHEN abs(hashtext('cty' || g)) % 25 = 0 THEN NULL
            ELSE (ARRAY['Columbus','Columbus','Columbus','Columbus','Dublin','Westerville','Newark','Delaware','Lancaster','Grove City','Hilliard','Gahanna'])[1 + abs(hashtext('cit' || g)) % 12] END,
       NULL,
       CASE WHEN abs(hashtext('pcp' || g)) % 5 = 0 THEN NULL ELSE 127 + (ARRAY[0,0,0,1,1,2])[1 + abs(hashtext('pcq' || g)) % 6] END,
       CASE WHEN abs(hashtext('bg' || g)) % 9 = 0 THEN NULL ELSE (ARRAY['O+','O+','O+','O+','A+','A+','A+','B+','AB+','O-','A-','B-'])[1 + abs(hashtext('bgx' || g)) % 12] END,
       CASE WHEN abs(hashtext('smk' || g)) % 10 = 0 THEN NULL WHEN abs(hashtext('smk' || g)) % 10 < 4 THEN 1 ELSE 0 END,
       'N',
       date '2023-01-02' + abs(hashtext('reg' || g)) % 1040
FROM generate_series(1, 210) g;
UPDATE pat_mst SET smkr_flg = 0 WHERE dob > date '2011-01-01';
UPDATE pat_mst SET pyr_cd = CASE WHEN dob < date '1959-01-01' AND pat_id % 5 <> 0 THEN 'MCARE'
       ELSE (ARRAY['MCAID','MCAID','AETNA','AETNA','BCBS','BCBS','BCBS','BCBS','UHC','UHC','UHC','CIGNA','CIGNA','SELF','BCBS'])[1 + abs(hashtext('pyr' || pat_id)) % 15] END
WHERE abs(hashtext('nopyr' || pat_id)) % 30 <> 0;

INSERT INTO dx_cd VALUES
 ('I10','Essential hypertension','Circulatory',1),('I21.4','Acute NSTEMI myocardial infarction','Circulatory',0),('I48.91','Atrial fibrillation','Circulatory',1),('I50.9','Heart failure','Circulatory',1),
 ('I63.9','Ischemic stroke','Circulatory',0),('G40.909','Epilepsy','Nervous system',1),('G43.909','Migraine','Nervous system',1),('G20','Parkinson''s disease','Nervous system',1),
 ('J18.9','Pneumonia','Respiratory',0),('J44.1','COPD with acute exacerbation','Respiratory',1),('J45.909','Asthma','Respiratory',1),('J06.9','Upper respiratory infection','Respiratory',0),
 ('E11.9','Type 2 diabetes mellitus','Endocrine',1),('E78.5','Hyperlipidemia','Endocrine',1),('E66.9','Obesity','Endocrine',1),
 ('S72.001A','Femoral neck fracture','Injury',0),('S52.501A','Distal radius fracture','Injury',0),('S06.0X0A','Concussion','Injury',0),('M16.11','Osteoarthritis of the hip','Musculoskeletal',1),('M17.11','Osteoarthritis of the knee','Musculoskeletal',1),
 ('K35.80','Acute appendicitis','Digestive',0),('K80.20','Gallstones','Digestive',0),('K40.90','Inguinal hernia','Digestive',0),
 ('C50.911','Breast cancer','Neoplasms',1),('C34.90','Lung cancer','Neoplasms',1),('C18.9','Colon cancer','Neoplasms',1),
 ('O80','Uncomplicated delivery','Pregnancy',0),('O82','Cesarean delivery','Pregnancy',0),
 ('N39.0','Urinary tract infection','Genitourinary',0),('N18.3','Chronic kidney disease stage 3','Genitourinary',1),
 ('A41.9','Sepsis','Infectious',0),('B05.9','Measles','Infectious',0);

INSERT INTO enc
SELECT row_number() OVER (ORDER BY t.adm, t.g) + 5000, t.pat_id, t.typ, w.ward_cd,
       CASE WHEN t.typ = 'E' THEN 124 + (ARRAY[0,0,1,1,1,2])[1 + abs(hashtext('em' || t.g)) % 6]
            WHEN t.typ = 'I' THEN (SELECT p.prov_id FROM prov p WHERE p.ward_cd = w.ward_cd AND p.hire_dt <= t.adm ORDER BY abs(hashtext('att' || t.g || p.prov_id)) LIMIT 1)
            ELSE (SELECT p.prov_id FROM prov p WHERE p.spec_cd IN ('FM','CARD','NEUR','ONC','PULM') AND p.hire_dt <= t.adm AND p.actv_flg = 'Y' ORDER BY abs(hashtext('out' || t.g || p.prov_id)) LIMIT 1) END,
       t.adm,
       CASE WHEN t.typ = 'O' THEN t.adm
            WHEN t.typ = 'E' THEN t.adm + CASE WHEN abs(hashtext('eov' || t.g)) % 4 = 0 THEN 1 ELSE 0 END
            ELSE t.adm + 1 + floor(w.base * (0.3 + (abs(hashtext('los' || t.g)) % 1000) / 600.0))::int END,
       NULL,
       CASE WHEN t.typ = 'I' AND w.ward_cd NOT IN ('MAT') AND abs(hashtext('icu' || t.g)) % 100 < 17 THEN 1 ELSE 0 END,
       CASE WHEN t.typ = 'E' AND abs(hashtext('amb' || t.g)) % 100 < 38 THEN 'Y' WHEN t.typ = 'I' AND abs(hashtext('amb' || t.g)) % 100 < 15 THEN 'Y' ELSE 'N' END
FROM (SELECT g, p.pat_id, p.sex_cd, p.dob,
             (ARRAY['I','I','I','I','I','E','E','E','O','O'])[1 + abs(hashtext('typ' || g)) % 10] AS typ,
             p.reg_dt + floor(power((abs(hashtext('adm' || g)) % 10000) / 10000.0, 1.3) * (date '2025-12-29' - p.reg_dt))::int AS adm
      FROM generate_series(1, 390) g
      JOIN pat_mst p ON p.pat_id = 1 + floor(210 * power((abs(hashtext('pt' || g * 13)) % 10000) / 10000.0, 1.35))::int
      WHERE p.pat_id % 17 <> 5) t
LEFT JOIN LATERAL (
   SELECT x.ward_cd, x.base FROM (VALUES ('CAR',5.5),('ORT',6.5),('NEU',6.0),('ONC',8.5),('SUR',4.5),('MED',5.0),('MED',4.6),('PUL',6.2),('PED',3.2),('MAT',2.6)) x(ward_cd, base)
   WHERE t.typ = 'I'
     AND CASE WHEN t.dob > t.adm - 6570 THEN x.ward_cd = 'PED'
              WHEN t.sex_cd = 'F' AND t.dob BETWEEN t.adm - 15300 AND t.adm - 7300 AND t.g % 2 = 0 THEN x.ward_cd = 'MAT'
              ELSE x.ward_cd NOT IN ('PED','MAT') END
   ORDER BY hashtext('wd' || t.g || x.ward_cd || x.base) LIMIT 1) w ON true;
DELETE FROM enc b USING enc a WHERE a.pat_id = b.pat_id AND a.enc_id < b.enc_id AND a.enc_typ = 'I' AND b.adm_dt < a.disch_dt;
UPDATE enc SET disch_dt = NULL WHERE disch_dt >= date '2025-12-31' OR (enc_typ = 'I' AND adm_dt > date '2025-12-21');
UPDATE enc SET disch_disp = CASE WHEN enc_typ <> 'I' THEN 'HOME'
       ELSE (ARRAY['HOME','HOME','HOME','HOME','HOME','HOME','HOME','HHC','HHC','HHC','SNF','SNF','TRF','AMA'])[1 + abs(hashtext('dsp' || enc_id)) % 14] END
WHERE disch_dt IS NOT NULL;
UPDATE enc SET disch_disp = 'EXP' WHERE enc_id IN (SELECT e.enc_id FROM enc e JOIN pat_mst p USING (pat_id)
   WHERE e.enc_typ = 'I' AND e.disch_dt IS NOT NULL AND p.dob < date '1965-01-01'
     AND NOT EXISTS (SELECT 1 FROM enc l WHERE l.pat_id = e.pat_id AND l.adm_dt >= e.adm_dt AND l.enc_id <> e.enc_id)
     AND abs(hashtext('exp' || e.enc_id)) % 5 = 0);
UPDATE enc SET disch_disp = 'HOME' WHERE ward_cd = 'MAT' AND disch_dt IS NOT NULL;
UPDATE pat_mst SET dcsd_flg = 'Y' WHERE pat_id IN (SELECT pat_id FROM enc WHERE disch_disp = 'EXP');

INSERT INTO enc_dx
SELECT e.enc_id, row_number() OVER (PARTITION BY e.enc_id ORDER BY z.pr DESC, z.icd_cd), z.icd_cd, CASE WHEN z.pr = 1 THEN 'Y' ELSE 'N' END
FROM enc e
JOIN pat_mst p USING (pat_id)
CROSS JOIN LATERAL (SELECT string_to_array(CASE
      WHEN e.ward_cd = 'CAR' THEN 'I21.4,I48.91,I50.9,I50.9,I10'
      WHEN e.ward_cd = 'ORT' THEN 'S72.001A,M17.11,M16.11,M17.11,M17.11'
      WHEN e.ward_cd = 'NEU' THEN 'I63.9,I63.9,G40.909,G20,S06.0X0A'
      WHEN e.ward_cd = 'ONC' THEN CASE WHEN p.sex_cd = 'F' THEN 'C50.911,C50.911,C34.90,C18.9' ELSE 'C34.90,C34.90,C18.9' END
      WHEN e.ward_cd = 'SUR' THEN 'K35.80,K80.20,K80.20,K40.90,C18.9'
      WHEN e.ward_cd = 'MED' THEN 'A41.9,N39.0,J18.9,E11.9,I50.9,N18.3'
      WHEN e.ward_cd = 'PUL' THEN 'J18.9,J44.1,J44.1,J45.909,C34.90'
      WHEN e.ward_cd = 'PED' THEN 'J45.909,J18.9,K35.80,J06.9,S52.501A'
      WHEN e.ward_cd = 'MAT' THEN 'O80,O80,O82'
      WHEN e.enc_typ = 'E' THEN 'J06.9,S52.501A,S06.0X0A,N39.0,G43.909,I48.91,J45.909'
      ELSE 'I10,E11.9,E78.5,G43.909,J45.909,M17.11,N39.0,I10' END, ',') AS a,
      string_to_array('I10,E11.9,E78.5,E66.9,N18.3,I10,J44.1,E11.9', ',') AS b) k
CROSS JOIN LATERAL (
   SELECT k.a[1 + abs(hashtext('dx1' || e.enc_id)) % cardinality(k.a)] AS icd_cd, 1 AS pr
   UNION
   SELECT s.c, 0 FROM (SELECT k.b[1 + abs(hashtext('dx2' || e.enc_id || n)) % 8] AS c
                       FROM generate_series(1, (ARRAY[0,0,1,1,2])[1 + abs(hashtext('dxn' || e.enc_id)) % 5]) n) s
   WHERE s.c <> k.a[1 + abs(hashtext('dx1' || e.enc_id)) % cardinality(k.a)] AND p.dob < date '2000-01-01') z
WHERE NOT (e.enc_typ = 'I' AND e.disch_dt IS NULL AND e.enc_id % 2 = 0);

INSERT INTO prc_log
SELECT row_number() OVER (ORDER BY q.st, q.enc_id) + 80000, q.enc_id, q.nm,
       q.prov, q.st,
       CASE WHEN abs(hashtext('noend' || q.enc_id)) % 25 = 0 THEN NULL ELSE q.st + (q.mins * (0.7 + (abs(hashtext('dur' || q.enc_id || q.nm)) % 80) / 100.0))::int * interval '1 minute' END,
       q.an,
       CASE WHEN abs(hashtext('cmp' || q.enc_id || q.nm)) % 100 < 9 THEN 'Y' ELSE 'N' END
FROM (SELECT e.enc_id, m.nm, m.mins, m.an,
             CASE WHEN e.ward_cd IN ('CAR','ORT','SUR','MAT','ONC','NEU','PUL') THEN e.att_prov ELSE 115 + abs(hashtext('pp' || e.enc_id)) % 2 END AS prov,
             e.adm_dt + (7 + abs(hashtext('hr' || e.enc_id)) % 10) * interval '1 hour' + (abs(hashtext('mi' || e.enc_id)) % 12) * interval '5 minutes' + CASE WHEN e.enc_typ = 'I' THEN interval '1 day' ELSE interval '0' END AS st
      FROM enc e
      JOIN enc_dx d ON d.enc_id = e.enc_id AND d.prim_flg = 'Y'
      JOIN (VALUES ('I21.4','Coronary angioplasty',95,'LA'),('I48.91','Cardioversion',40,'GA'),('I50.9','Echocardiogram',35,NULL),
                   ('S72.001A','Hip replacement',130,'GA'),('M16.11','Hip replacement',125,'RA'),('M17.11','Knee replacement',115,'RA'),('S52.501A','Fracture fixation',75,'GA'),
                   ('K35.80','Appendectomy',60,'GA'),('K80.20','Cholecystectomy',85,'GA'),('K40.90','Hernia repair',70,'RA'),('C18.9','Colectomy',190,'GA'),
                   ('C50.911','Lumpectomy',100,'GA'),('C34.90','Bronchoscopy',45,'LA'),('O82','Cesarean section',55,'RA'),('I63.9','Brain MRI',50,NULL),('G40.909','EEG',65,NULL),('J44.1','Bronchoscopy',40,'LA')) m(icd, nm, mins, an) ON m.icd = d.icd_cd
      WHERE (e.enc_typ = 'I' OR (e.enc_typ = 'E' AND m.nm = 'Fracture fixation')) AND abs(hashtext('doprc' || e.enc_id)) % 10 < 9) q;

INSERT INTO lab_rslt
SELECT row_number() OVER (ORDER BY q.coll, q.enc_id, q.tst) + 300000, q.enc_id, q.tst,
       CASE WHEN q.pend THEN NULL ELSE q.val END, q.unit,
       CASE WHEN q.pend THEN NULL WHEN q.val > q.hi THEN 'H' WHEN q.val < q.lo THEN 'L' ELSE 'N' END,
       q.coll,
       CASE WHEN q.pend THEN NULL ELSE q.coll + (q.tat * (0.6 + (abs(hashtext('tat' || q.enc_id || q.tst)) % 100) / 80.0))::int * interval '1 minute' END
FROM (SELECT e.enc_id, t.tst, t.unit, t.lo, t.hi, t.tat,
             round((t.lo - (t.hi - t.lo) * 0.25 + (t.hi - t.lo) * 1.7 * power((abs(hashtext('lv' || e.enc_id || t.tst)) % 1000) / 1000.0, 1.1))::numeric, t.dec) AS val,
             e.adm_dt + (6 + abs(hashtext('lc' || e.enc_id || t.tst)) % 15) * interval '1 hour' + (abs(hashtext('lm' || e.enc_id || t.tst)) % 60) * interval '1 minute' AS coll,
             (abs(hashtext('pnd' || e.enc_id || t.tst)) % 60 = 0 OR e.adm_dt > date '2025-12-27') AS pend
      FROM enc e
      JOIN (VALUES ('Hemoglobin','g/dL',12.0,16.5,45,1,70),('White blood cells','10^9/L',4.0,11.0,45,1,60),('Glucose','mg/dL',70,140,30,0,65),('Creatinine','mg/dL',0.6,1.3,55,2,45),
                   ('Potassium','mmol/L',3.5,5.1,40,1,40),('CRP','mg/L',1.0,10.0,80,1,35),('Troponin','ng/L',3,40,65,0,15)) t(tst, unit, lo, hi, tat, dec, pct)
        ON abs(hashtext('lab' || e.enc_id || t.tst)) % 100 < t.pct * (CASE e.enc_typ WHEN 'I' THEN 0.62 WHEN 'E' THEN 0.40 ELSE 0.16 END)) q;

INSERT INTO bill_hdr
SELECT 'B' || to_char(b.bd, 'YY') || lpad((e.enc_id - 5000)::text, 6, '0'), e.enc_id, b.bd, b.amt,
       round(b.amt * b.cov, 2), b.amt - round(b.amt * b.cov, 2), b.st,
       CASE WHEN b.st = 'PD' THEN b.bd + 5 + abs(hashtext('pdd' || e.enc_id)) % 70 END
FROM enc e
JOIN pat_mst p USING (pat_id)
CROSS JOIN LATERAL (SELECT e.disch_dt + 1 + abs(hashtext('bld' || e.enc_id)) % 12 AS bd,
       round((CASE e.enc_typ WHEN 'O' THEN 140 + abs(hashtext('amt' || e.enc_id)) % 420 WHEN 'E' THEN 650 + abs(hashtext('amt' || e.enc_id)) % 2600
              ELSE 2200 + 1450 * (e.disch_dt - e.adm_dt) + 6800 * e.icu_flg + abs(hashtext('amt' || e.enc_id)) % 5200 END + (abs(hashtext('cts' || e.enc_id)) % 100) / 100.0)::numeric, 2) AS amt,
       CASE WHEN p.pyr_cd IS NULL OR p.pyr_cd = 'SELF' THEN 0 ELSE (ARRAY[0.8,0.85,0.9,0.7,1.0])[1 + abs(hashtext('cov' || p.pat_id)) % 5] END AS cov,
       CASE WHEN e.disch_dt > date '2025-10-15' AND abs(hashtext('bst' || e.enc_id)) % 100 < 70 THEN 'OP'
            ELSE (ARRAY['PD','PD','PD','PD','PD','PD','PD','PD','PD','PD','OP','DN','WO','PD'])[1 + abs(hashtext('bst' || e.enc_id)) % 14] END AS st) b
WHERE e.disch_dt IS NOT NULL AND b.bd <= date '2025-12-31' AND abs(hashtext('nobill' || e.enc_id)) % 40 <> 0;
UPDATE bill_hdr SET stat_cd = 'OP', pd_dt = NULL WHERE pd_dt > date '2025-12-31';

COMMIT;
