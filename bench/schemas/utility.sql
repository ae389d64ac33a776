-- An electricity and water utility with names cut short, codes, flags, and keys of which some are not declared.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/utility.sql
BEGIN;
DROP SCHEMA IF EXISTS utility CASCADE;
CREATE SCHEMA utility;
SET LOCAL search_path = utility;

CREATE OR REPLACE FUNCTION pg_temp.h(k int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(salt||':'||k::text),1,7))::bit(28)::int) % n) $$;

CREATE TABLE zone (
  zone_cd char(3) PRIMARY KEY,
  zone_nm varchar(40) NOT NULL,
  rgn varchar(10) NOT NULL
);
CREATE TABLE emp (
  emp_id integer PRIMARY KEY,
  emp_nm varchar(50) NOT NULL,
  job_cd char(2) NOT NULL,
  depot varchar(20),
  hire_dt date,
  actv_flg char(1) NOT NULL
);
COMMENT ON COLUMN emp.job_cd IS 'MR = meter reader, FT = field technician, CS = customer service, SV = supervisor';
CREATE TABLE cust (
  cust_no integer PRIMARY KEY,
  cust_nm varchar(60) NOT NULL,
  cust_typ char(1) NOT NULL,
  tel varchar(20),
  email varchar(60),
  reg_dt date NOT NULL,
  vuln_flg char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON TABLE cust IS 'Customer master';
COMMENT ON COLUMN cust.cust_typ IS 'R = residential, C = commercial, I = industrial';
COMMENT ON COLUMN cust.vuln_flg IS 'Y if on the vulnerable customer register';
CREATE TABLE prem (
  prem_id integer PRIMARY KEY,
  addr varchar(60) NOT NULL,
  town varchar(30) NOT NULL,
  pcode varchar(8),
  zone_cd char(3) NOT NULL
);
COMMENT ON TABLE prem IS 'Premises (supply addresses)';
CREATE TABLE acct (
  acct_no integer PRIMARY KEY,
  cust_no integer NOT NULL REFERENCES cust(cust_no),
  prem_id integer NOT NULL,
  acct_sts char(1) NOT NULL,
  opn_dt date NOT NULL,
  cls_dt date,
  pay_mthd char(2) NOT NULL,
  ebill_flg char(1) NOT NULL,
  bal_amt numeric(10,2) NOT NULL DEFAULT 0
);
COMMENT ON COLUMN acct.acct_sts IS 'A = active, S = suspended, C = closed';
COMMENT ON COLUMN acct.pay_mthd IS 'DD direct debit, CC card, BT bank transfer, CS cash';
COMMENT ON COLUMN acct.bal_amt IS 'Outstanding balance owed by the customer';
CREATE TABLE tariff (
  trf_cd varchar(6) PRIMARY KEY,
  trf_desc varchar(50) NOT NULL,
  util_typ char(1) NOT NULL,
  unit_rt numeric(7,4) NOT NULL,
  stnd_chg numeric(6,2) NOT NULL,
  eff_dt date NOT NULL,
  end_dt date
);
COMMENT ON COLUMN tariff.stnd_chg IS 'Standing charge per day in pence';
CREATE TABLE mtr (
  mtr_no varchar(10) PRIMARY KEY,
  prem_id integer NOT NULL REFERENCES prem(prem_id),
  util_typ char(1) NOT NULL,
  trf_cd varchar(6) NOT NULL,
  mfr varchar(20),
  inst_dt date NOT NULL,
  rmv_dt date,
  smart_flg smallint NOT NULL
);
COMMENT ON TABLE mtr IS 'Meters; rmv_dt is empty while the meter is in service';
COMMENT ON COLUMN mtr.util_typ IS 'E = electricity (kWh), W = water (m3)';
CREATE TABLE rdg (
  rdg_id integer PRIMARY KEY,
  mtr_no varchar(10) NOT NULL REFERENCES mtr(mtr_no),
  rdg_dt date NOT NULL,
  rdg_val integer NOT NULL,
  cons_qty integer,
  rdg_typ char(1) NOT NULL,
  rdr_id integer
);
COMMENT ON TABLE rdg IS 'Meter readings';
COMMENT ON COLUMN rdg.cons_qty IS 'Consumption since previous reading';
COMMENT ON COLUMN rdg.rdg_typ IS 'A = actual, E = estimated, C = customer-supplied';
CREATE TABLE bill (
  bill_no integer PRIMARY KEY,
  acct_no integer NOT NULL REFERENCES acct(acct_no),
  bill_dt date NOT NULL,
  due_dt date NOT NULL,
  elec_amt numeric(10,2),
  wtr_amt numeric(10,2),
  vat_amt numeric(10,2) NOT NULL,
  tot_amt numeric(10,2) NOT NULL,
  bill_sts char(1) NOT NULL
);
COMMENT ON COLUMN bill.bill_sts IS 'P = paid, O = open, D = disputed';
COMMENT ON COLUMN bill.tot_amt IS 'Total including VAT';
CREATE TABLE pymt (
  pymt_id integer PRIMARY KEY,
  bill_no integer NOT NULL,
  pymt_dt date NOT NULL,
  pymt_amt numeric(10,2) NOT NULL,
  pay_mthd char(2) NOT NULL
);
CREATE TABLE outage (
  outg_id integer PRIMARY KEY,
  zone_cd char(3) NOT NULL REFERENCES zone(zone_cd),
  util_typ char(1) NOT NULL,
  strt_ts timestamp NOT NULL,
  end_ts timestamp,
  cause_cd varchar(4),
  plnd_flg char(1) NOT NULL,
  cust_aff integer
);
COMMENT ON COLUMN outage.cause_cd IS 'WTHR weather, EQPT equipment failure, THRD third-party damage, MNTN maintenance, BRST burst main';
COMMENT ON COLUMN outage.cust_aff IS 'Number of customers affected';
CREATE TABLE svc_ord (
  so_no integer PRIMARY KEY,
  acct_no integer NOT NULL,
  so_typ char(3) NOT NULL,
  so_sts char(1) NOT NULL,
  rqst_dt date NOT NULL,
  cmpl_dt date,
  tech_id integer REFERENCES emp(emp_id)
);
COMMENT ON TABLE svc_ord IS 'Service orders (field jobs)';
COMMENT ON COLUMN svc_ord.so_typ IS 'INS install, RPR repair, MTX meter exchange, DSC disconnection, RCN reconnection, LKG leak check';
COMMENT ON COLUMN svc_ord.so_sts IS 'N new, S scheduled, C completed, X cancelled';

INSERT INTO zone VALUES
('N01','Ashford Moor','North'),('N02','Kirkby Dale','North'),('N03','Thornhill','North'),
('S01','Wexcombe','South'),('S02','Marlford','South'),('S03','Brindle Bay','South'),
('E01','Carrow Fen','East'),('E02','Saltmarsh','East'),
('W01','Penhallow','West'),('W02','Glenross','West'),('W03','Hartwell Reservoir','West');

INSERT INTO emp VALUES
(101,'Alan Prewett','MR','Thornhill','2012-05-14','Y'),
(102,'Dorota Malik','MR','Marlford','2016-09-01','Y'),
(103,'Kevin Stubbs','MR','Saltmarsh','2019-02-18','Y'),
(104,'Femi Adeyemi','MR','Penhallow','2021-11-08','Y'),
(105,'Rachel Lyle','MR','Thornhill','2010-03-22','N'),
(201,'Stuart McBain','FT','Thornhill','2009-07-06','Y'),
(202,'Nadia Rahman','FT','Marlford','2015-01-12','Y'),
(203,'Colin Duffy','FT','Saltmarsh','2018-06-25','Y'),
(204,'Hugh Trevelyan','FT','Penhallow','2020-08-17','Y'),
(205,'Leanne Oakes','FT','Marlford','2023-04-03','Y'),
(206,'Victor Sandoval','FT',NULL,'2024-09-16','Y'),
(301,'Gillian Speight','CS','Thornhill','2014-10-20','Y'),
(302,'Imran Siddiq','CS','Marlford','2022-05-09','Y'),
(401,'Barbara Quill','SV','Thornhill','2006-02-13','Y'),
(402,'Neil Fairbrother','SV','Marlford','2011-12-05','Y');

INSERT INTO tariff VALUES
('ESTD','Electricity Standard','E',0.2740,53.10,'2022-10-01',NULL),
('EECO','Electricity Economy Night','E',0.2115,57.40,'2022-10-01',NULL),
('EGRN','Electricity Green Fixed','E',0.2890,49.90,'2024-04-01',NULL),
('EBUS','Electricity Business','E',0.2460,81.25,'2022-10-01',NULL),
('EIND','Electricity Industrial','E',0.1985,145.00,'2022-10-01',NULL),
('EOLD','Electricity Saver 2020','E',0.1890,41.00,'2020-04-01','2023-09-30'),
('WSTD','Water Standard','W',2.1540,11.80,'2022-10-01',NULL),
('WSOC','Water Social','W',1.2920,8.40,'2023-04-01',NULL),
('WBUS','Water Business','W',1.9870,24.60,'2022-10-01',NULL),
('WIND','Water Industrial','W',1.6450,62.00,'2022-10-01',NULL),
('WSEA','Water Seasonal','W',2.4010,9.95,'2025-04-01',NULL);

INSERT INTO cust
SELECT 10000+i*3,
 CASE WHEN ty='R' THEN
  (ARRAY['Peter','Janet','Wasim','Louise','Robert','Ewa','Michael','Denise','Harjit','Carol','Stephen','Moira','Anthony','Fatima','Keith','Sandra','Owen','Tracey','Patrick','Ngozi','Simon','Linda','Marek'])[1+(i*5)%23]||' '||
  (ARRAY['Ackroyd','Bellamy','Choudhury','Dalton','Eccles','Farrow','Gibbs','Hargreaves','Iqbal','Jessop','Kowalski','Lockwood','Mercer','Naylor','Ogden','Pickering','Quinn','Ramsden','Sutcliffe','Thwaite','Underhill','Varley','Whitaker','Yates','Blackburn','Crossley','Dyson','Entwistle','Foxcroft'])[1+(i*13)%29]
 WHEN ty='C' THEN
  (ARRAY['Ashford','Kirkby','Thornhill','Wexcombe','Marlford','Brindle','Carrow','Saltmarsh','Penhallow','Glenross'])[1+(i/6)%10]||' '||(ARRAY['Bakery','Launderette','Dental Practice','Garden Centre','Motors','Hotel','Primary Academy'])[1+(i/6)%7]
 ELSE (ARRAY['Calder Steel Works Ltd','Brindle Bay Fisheries Ltd','Northmoor Brewery plc','Harrow Plastics Ltd','Fenland Foods Ltd','Glenross Quarry Co','Trident Paper Mills Ltd','Marlford Ceramics Ltd','Saltmarsh Cold Store Ltd','Penhallow Dairy Ltd','Vale Chemicals Ltd'])[1+(i/15)%11] END,
 ty,
 CASE WHEN i%14=5 THEN NULL ELSE '01632 960'||lpad((i*17%1000)::text,3,'0') END,
 CASE WHEN i%4=1 THEN NULL ELSE 'cust'||(10000+i*3)||'@'||(ARRAY['example.com','example.net','example.org'])[1+i%3] END,
 CASE WHEN i<=110 THEN date '2014-01-10' + pg_temp.h(i,'rg',3200) ELSE date '2023-01-02' + pg_temp.h(i,'rg',1040) END,
 CASE WHEN ty='R' AND pg_temp.h(i,'vu',8)=0 THEN 'Y' ELSE 'N' END
FROM (SELECT i, CASE WHEN i%15=4 THEN 'I' WHEN i%6=2 THEN 'C' ELSE 'R' END AS ty FROM generate_series(1,160) i) q;

INSERT INTO prem
SELECT 500+i,
 (1+pg_temp.h(i,'hn',140))||' '||(ARRAY['Mill Lane','Station Road','High Street','Church View','Dock Road','Beech Avenue','Kiln Close','Foundry Way','Moorside','Canal Street','Orchard Rise'])[1+pg_temp.h(i,'sn',11)],
 (ARRAY['Ashford Moor','Kirkby','Thornhill','Wexcombe','Marlford','Brindle Bay','Carrow','Saltmarsh','Penhallow','Glenross'])[z],
 CASE WHEN i%31=0 THEN NULL ELSE (ARRAY['AM','KB','TH','WX','MF','BB','CR','SM','PH','GR'])[z]||(1+i%9)||' '||(1+i*3%8)||chr(65+i%20)||chr(65+i*7%20) END,
 (ARRAY['N01','N02','N03','S01','S02','S03','E01','E02','W01','W02'])[z]
FROM (SELECT i, (ARRAY[1,2,2,3,3,3,4,4,5,5,5,5,6,7,7,8,8,9,9,10])[1+pg_temp.h(i,'z',20)] AS z FROM generate_series(1,175) i) q;

-- accounts: customers 1..148 have one, some have a second; 149..160 none
INSERT INTO acct
SELECT 700000+ n*11, cust_no, 500 + 1 + (n-1)%172, sts, op,
 CASE WHEN sts='C' THEN op + 200 + pg_temp.h(n,'cl', GREATEST(1,(date '2025-10-31' - op) - 200)) END,
 (ARRAY['DD','DD','DD','DD','CC','CC','BT','BT','CS'])[1+pg_temp.h(n,'pm',9)],
 CASE WHEN pg_temp.h(n,'eb',10)<6 THEN 'Y' ELSE 'N' END, 0
FROM (
 SELECT row_number() OVER (ORDER BY k, c.cust_no)::int AS n, c.cust_no, c.cust_typ,
  c.reg_dt + pg_temp.h(c.cust_no,'op'||k,20) AS op,
  CASE WHEN c.reg_dt < '2025-01-01' AND pg_temp.h(c.cust_no,'sts'||k,12)=0 THEN 'C' WHEN pg_temp.h(c.cust_no,'sts'||k,20)=1 THEN 'S' ELSE 'A' END AS sts
 FROM cust c, generate_series(1,3) k
 WHERE (c.cust_no-10000)/3 <= 148 AND (k=1 OR (k=2 AND c.cust_typ<>'R' AND pg_temp.h(c.cust_no,'k2',2)=0) OR (k=2 AND c.cust_typ='R' AND pg_temp.h(c.cust_no,'k2',14)=0) OR (k=3 AND c.cust_typ='I' AND pg_temp.h(c.cust_no,'k3',3)=0))
) q;

-- meters: one electricity meter per occupied premises, water for most
INSERT INTO mtr
SELECT ut||lpad((p.prem_id*37%9000+1000)::text,6,'0'), p.prem_id, ut,
 CASE WHEN ut='E' THEN CASE ct WHEN 'I' THEN 'EIND' WHEN 'C' THEN 'EBUS' ELSE (ARRAY['ESTD','ESTD','ESTD','EECO','EGRN','EOLD'])[1+pg_temp.h(p.prem_id,'te',6)] END
      ELSE CASE ct WHEN 'I' THEN 'WIND' WHEN 'C' THEN 'WBUS' ELSE (ARRAY['WSTD','WSTD','WSTD','WSTD','WSOC'])[1+pg_temp.h(p.prem_id,'tw',5)] END END,
 CASE WHEN p.prem_id%22=3 THEN NULL WHEN ut='E' THEN (ARRAY['Landis','Elster','Itron'])[1+pg_temp.h(p.prem_id,'mf',3)] ELSE (ARRAY['Sensus','Itron','Kamstrup'])[1+pg_temp.h(p.prem_id,'mfw',3)] END,
 CASE WHEN sm=1 THEN date '2021-02-01' + pg_temp.h(p.prem_id,'idt'||ut,1600) ELSE date '2011-01-01' + pg_temp.h(p.prem_id,'idt'||ut,3900) END,
 CASE WHEN pg_temp.h(p.prem_id,'rmv'||ut,22)=0 THEN date '2025-01-15' + pg_temp.h(p.prem_id,'rmd'||ut,330) END,
 sm
FROM prem p
CROSS JOIN (VALUES ('E'),('W')) v(ut)
LEFT JOIN LATERAL (SELECT c.cust_typ AS ct FROM acct a JOIN cust c USING (cust_no) WHERE a.prem_id=p.prem_id ORDER BY a.acct_no LIMIT 1) t ON true
CROSS JOIN LATERAL (SELECT CASE WHEN pg_temp.h(p.prem_id,'sm'||ut,100) < CASE ut WHEN 'E' THEN 58 ELSE 33 END THEN 1 ELSE 0 END AS sm) s
WHERE ct IS NOT NULL AND (ut='E' AND p.prem_id%33<>5 OR ut='W' AND pg_temp.h(p.prem_id,'hw',10)<5);

-- readings: quarterly, 2024 Q1 .. 2025 Q4
INSERT INTO rdg
SELECT row_number() OVER (ORDER BY rd, mtr_no)::int, mtr_no, rd,
 base + sum(q)  OVER (PARTITION BY mtr_no ORDER BY rd),
 CASE WHEN row_number() OVER (PARTITION BY mtr_no ORDER BY rd)=1 THEN NULL ELSE q END,
 rt, CASE WHEN rt='A' AND smart_flg=0 THEN CASE WHEN rd<date '2024-07-01' THEN (ARRAY[101,102,103,104,105])[1+hk%5] ELSE (ARRAY[101,102,102,103,104])[1+hk%5] END END
FROM (
 SELECT m.mtr_no, m.smart_flg,
  (date '2024-01-05' + (k*3||' months')::interval)::date + pg_temp.h(m.prem_id*10+k,'rd'||m.util_typ,20) AS rd,
  1000 + pg_temp.h(m.prem_id,'bs'||m.util_typ,42000) AS base,
  ((CASE m.util_typ WHEN 'E' THEN CASE m.trf_cd WHEN 'EIND' THEN 24000 WHEN 'EBUS' THEN 5200 ELSE 640 END ELSE CASE m.trf_cd WHEN 'WIND' THEN 1500 WHEN 'WBUS' THEN 190 ELSE 24 END END)
   * (60 + pg_temp.h(m.prem_id,'lvl'||m.util_typ,70) + pg_temp.h(m.prem_id*10+k,'q'||m.util_typ,25) + CASE WHEN m.util_typ='E' AND k%4 IN (0,1) THEN 22 WHEN m.util_typ='W' AND k%4 IN (2,3) THEN 9 ELSE 0 END) / 100)::int AS q,
  CASE WHEN m.smart_flg=1 THEN CASE WHEN pg_temp.h(m.prem_id*10+k,'rt',25)=0 THEN 'E' ELSE 'A' END ELSE (ARRAY['A','A','A','A','E','E','E','C','C'])[1+pg_temp.h(m.prem_id*10+k,'rt',9)] END AS rt,
  pg_temp.h(m.prem_id*10+k,'rdr',1000) AS hk, m.inst_dt, m.rmv_dt
 FROM mtr m, generate_series(0,7) k) z
WHERE rd >= inst_dt AND (rmv_dt IS NULL OR rd <= rmv_dt);

-- bills: quarterly 2023-2025
INSERT INTO bill
SELECT row_number() OVER (ORDER BY bd, acct_no)::int + 50000, acct_no, bd, bd+21, e, w, round((coalesce(e,0)+coalesce(w,0))*0.05,2),
 coalesce(e,0)+coalesce(w,0)+round((coalesce(e,0)+coalesce(w,0))*0.05,2), 'O'
FROM (
 SELECT a.acct_no, a.pay_mthd,
  (date '2023-02-01' + (k*3||' months')::interval)::date + pg_temp.h(a.acct_no,'bday',25) AS bd, k, a.opn_dt, a.cls_dt,
  CASE WHEN EXISTS (SELECT 1 FROM mtr m WHERE m.prem_id=a.prem_id AND m.util_typ='E') THEN
   round((CASE c.cust_typ WHEN 'I' THEN 4750 WHEN 'C' THEN 1290 ELSE 178 END * (70 + pg_temp.h(a.acct_no,'be',60) + pg_temp.h(a.acct_no+k,'bk',22) + CASE WHEN k%4 IN (0,3) THEN 20 ELSE 0 END + (k/4)*6) / 100.0)::numeric,2) END AS e,
  CASE WHEN EXISTS (SELECT 1 FROM mtr m WHERE m.prem_id=a.prem_id AND m.util_typ='W') THEN
   round((CASE c.cust_typ WHEN 'I' THEN 2310 WHEN 'C' THEN 402 ELSE 54 END * (70 + pg_temp.h(a.acct_no,'bw',60) + pg_temp.h(a.acct_no+k,'bkw',22) + (k/4)*4) / 100.0)::numeric,2) END AS w
 FROM acct a JOIN cust c USING (cust_no), generate_series(0,11) k) q
WHERE bd >= opn_dt+30 AND (cls_dt IS NULL OR bd <= cls_dt+30) AND (e IS NOT NULL OR w IS NOT NULL);

INSERT INTO pymt
SELECT row_number() OVER (ORDER BY pd, bill_no)::int, bill_no, pd, tot_amt, pm
FROM (
 SELECT b.bill_no, b.tot_amt,
  CASE WHEN a.pay_mthd='DD' THEN b.due_dt WHEN pg_temp.h(b.bill_no,'pl',10)<6 THEN b.bill_dt+2+pg_temp.h(b.bill_no,'pe',19) ELSE b.due_dt+1+pg_temp.h(b.bill_no,'pd',45) END AS pd,
  CASE WHEN pg_temp.h(b.bill_no,'pmx',12)=0 THEN 'CC' ELSE a.pay_mthd END AS pm
 FROM bill b JOIN acct a USING (acct_no)
 WHERE pg_temp.h(b.bill_no,'unp',100) >= CASE WHEN a.acct_sts='S' THEN 35 WHEN a.pay_mthd='DD' THEN 2 WHEN a.pay_mthd='CS' THEN 14 ELSE 8 END) q
WHERE pd <= date '2025-12-31';
UPDATE bill SET bill_sts='P' WHERE bill_no IN (SELECT bill_no FROM pymt);
UPDATE bill SET bill_sts='D' WHERE bill_sts='O' AND pg_temp.h(bill_no,'dsp',6)=0;
UPDATE acct a SET bal_amt = s.t FROM (SELECT acct_no, sum(tot_amt) t FROM bill WHERE bill_sts<>'P' GROUP BY 1) s WHERE s.acct_no=a.acct_no;

INSERT INTO outage
SELECT i, z, ut, st, CASE WHEN i IN (129,130) THEN NULL ELSE st + (CASE WHEN pl='Y' THEN 90 ELSE 25 END + pg_temp.h(i,'du',CASE WHEN ut='W' THEN 700 ELSE 420 END))*interval '1 minute' END,
 CASE WHEN i%21=8 THEN NULL WHEN pl='Y' THEN 'MNTN' WHEN ut='W' THEN (ARRAY['BRST','BRST','EQPT','THRD'])[1+pg_temp.h(i,'ca',4)] ELSE (ARRAY['WTHR','WTHR','EQPT','EQPT','THRD'])[1+pg_temp.h(i,'ca',5)] END,
 pl, CASE WHEN i%26=13 THEN NULL ELSE 12 + pg_temp.h(i,'af',1900) END
FROM (SELECT i, (ARRAY['N01','N02','N02','N03','N03','S01','S02','S02','S02','S03','E01','E02','E02','W01','W02'])[1+pg_temp.h(i,'oz',15)] AS z,
  CASE WHEN pg_temp.h(i,'ou',10)<7 THEN 'E' ELSE 'W' END AS ut,
  timestamp '2023-01-08 00:00' + (i*1083/130)*interval '1 day' + pg_temp.h(i,'oh',1440)*interval '1 minute' AS st,
  CASE WHEN pg_temp.h(i,'op',4)=0 THEN 'Y' ELSE 'N' END AS pl FROM generate_series(1,130) i) q;

INSERT INTO svc_ord
SELECT 9000+i, acct_no, ty, sts, rq,
 CASE WHEN sts='C' THEN rq + 1 + pg_temp.h(i,'sd',CASE ty WHEN 'RPR' THEN 9 WHEN 'LKG' THEN 12 WHEN 'RCN' THEN 5 ELSE 28 END) END,
 CASE WHEN sts IN ('C','S') THEN CASE WHEN rq < '2023-06-01' THEN (ARRAY[201,202,203,204])[1+pg_temp.h(i,'te',4)] WHEN rq<'2024-10-15' THEN (ARRAY[201,201,202,203,204,205])[1+pg_temp.h(i,'te',6)] ELSE (ARRAY[201,202,202,203,204,205,206])[1+pg_temp.h(i,'te',7)] END END
FROM (SELECT i, ty, a.acct_no,
   CASE WHEN pg_temp.h(i,'sx',14)=0 THEN 'X' WHEN i>342 AND pg_temp.h(i,'sn',2)=0 THEN 'N' WHEN i>332 AND pg_temp.h(i,'sn',3)<2 THEN 'S' ELSE 'C' END AS sts,
   date '2023-01-03' + (i*1080/360) AS rq
  FROM (SELECT i, (ARRAY['RPR','RPR','RPR','MTX','MTX','MTX','INS','LKG','LKG','DSC','RCN'])[1+pg_temp.h(i,'sty',11)] AS ty, 1+pg_temp.h(i,'sa',150) AS an FROM generate_series(1,360) i) g
  JOIN (SELECT acct_no, opn_dt, cls_dt, row_number() OVER (ORDER BY acct_no) rn FROM acct) a ON a.rn=g.an
  WHERE date '2023-01-03' + (i*1080/360) >= a.opn_dt AND (a.cls_dt IS NULL OR date '2023-01-03' + (i*1080/360) <= a.cls_dt)) q;
UPDATE svc_ord SET so_sts='S', cmpl_dt=NULL WHERE cmpl_dt > date '2025-12-31';
COMMIT;
