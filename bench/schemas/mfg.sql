-- A manufacturer's production and quality system with names cut short, codes, flags, and keys of which some are not declared.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/mfg.sql
BEGIN;
DROP SCHEMA IF EXISTS mfg CASCADE;
CREATE SCHEMA mfg;
SET LOCAL search_path = mfg;

CREATE OR REPLACE FUNCTION pg_temp.h(k text, i bigint) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || substr(md5(k || ':' || i), 1, 7))::bit(28)::int $$;

CREATE TABLE itm_grp (grp_cd char(3) PRIMARY KEY, grp_nm varchar(40) NOT NULL);
CREATE TABLE itm_mst (
  itm_cd   varchar(12) PRIMARY KEY,
  itm_desc varchar(60) NOT NULL,
  itm_typ  char(2) NOT NULL,
  grp_cd   char(3),
  uom      varchar(4) NOT NULL,
  std_cst  numeric(10,2),
  ld_days  integer,
  act_flg  char(1) NOT NULL DEFAULT 'Y'
);
CREATE TABLE bom (
  par_itm  varchar(12) NOT NULL REFERENCES itm_mst(itm_cd),
  cmp_itm  varchar(12) NOT NULL REFERENCES itm_mst(itm_cd),
  qty_per  numeric(8,3) NOT NULL,
  PRIMARY KEY (par_itm, cmp_itm)
);
CREATE TABLE wc (
  wc_cd  varchar(6) PRIMARY KEY,
  wc_nm  varchar(40) NOT NULL,
  plt_cd char(2) NOT NULL,
  hr_rt  numeric(6,2) NOT NULL
);
CREATE TABLE mach (
  mach_id  integer PRIMARY KEY,
  mach_nm  varchar(40) NOT NULL,
  wc_cd    varchar(6) NOT NULL REFERENCES wc,
  mfr      varchar(30),
  inst_dt  date,
  stat     char(1) NOT NULL
);
CREATE TABLE oper (
  opr_id   integer PRIMARY KEY,
  fst_nm   varchar(30) NOT NULL,
  lst_nm   varchar(30) NOT NULL,
  hire_dt  date NOT NULL,
  shft     smallint,
  cert_flg char(1) NOT NULL,
  actv     smallint NOT NULL
);
CREATE TABLE wo (
  wo_no    integer PRIMARY KEY,
  itm_cd   varchar(12) NOT NULL REFERENCES itm_mst,
  qty_ord  integer NOT NULL,
  qty_cmp  integer NOT NULL,
  qty_scr  integer NOT NULL,
  stat     char(1) NOT NULL,
  prio     smallint NOT NULL,
  ent_dt   date NOT NULL,
  rel_dt   date,
  due_dt   date NOT NULL,
  cls_dt   date,
  rwk_flg  smallint NOT NULL DEFAULT 0
);
CREATE TABLE wo_op (
  wo_no    integer NOT NULL,
  op_seq   smallint NOT NULL,
  mach_id  integer NOT NULL,
  opr_id   integer,
  strt_ts  timestamp NOT NULL,
  end_ts   timestamp,
  setup_min integer NOT NULL,
  run_min  integer,
  qty_gd   integer,
  qty_rej  integer,
  PRIMARY KEY (wo_no, op_seq)
);
CREATE TABLE insp (
  insp_id  integer PRIMARY KEY,
  wo_no    integer NOT NULL REFERENCES wo,
  insp_typ char(2) NOT NULL,
  insp_dt  date NOT NULL,
  opr_id   integer,
  smp_sz   integer NOT NULL,
  rslt     char(1) NOT NULL
);
CREATE TABLE dfct_cd (
  dfct_cd  char(3) PRIMARY KEY,
  dfct_nm  varchar(40) NOT NULL,
  sev      smallint NOT NULL
);
CREATE TABLE dfct (
  dfct_id  integer PRIMARY KEY,
  insp_id  integer NOT NULL,
  dfct_cd  char(3) NOT NULL,
  qty      integer NOT NULL,
  disp     char(1)
);
CREATE TABLE mach_dwn (
  dwn_id   integer PRIMARY KEY,
  mach_id  integer NOT NULL REFERENCES mach,
  strt_ts  timestamp NOT NULL,
  end_ts   timestamp,
  rsn      varchar(4) NOT NULL,
  plan_flg char(1) NOT NULL,
  rmk      varchar(80)
);
COMMENT ON TABLE wo IS 'Work orders';
COMMENT ON COLUMN wo.stat IS 'P=planned, R=released, C=closed, X=cancelled';
COMMENT ON COLUMN wo.qty_scr IS 'scrapped quantity';
COMMENT ON COLUMN wo.prio IS '1 = high, 2 = normal, 3 = low';
COMMENT ON COLUMN wo.rwk_flg IS '1 = rework order';
COMMENT ON TABLE wo_op IS 'Operations booked on work orders';
COMMENT ON TABLE oper IS 'Operators and inspectors';
COMMENT ON TABLE insp IS 'Quality inspections';
COMMENT ON COLUMN insp.insp_typ IS 'FA first article, IP in process, FI final';
COMMENT ON COLUMN insp.rslt IS 'P pass, F fail, H on hold';
COMMENT ON COLUMN insp.opr_id IS 'inspector';
COMMENT ON COLUMN dfct.disp IS 'S scrap, R rework, U use as is';
COMMENT ON COLUMN itm_mst.itm_typ IS 'FG finished good, SA subassembly, RM raw material';
COMMENT ON COLUMN dfct_cd.sev IS '1 minor, 2 major, 3 critical';
COMMENT ON TABLE mach_dwn IS 'Machine downtime log';
COMMENT ON COLUMN mach_dwn.rsn IS 'BRKD breakdown, PM preventive maintenance, TOOL tool change, MATL waiting for material, PWR power failure';
COMMENT ON COLUMN mach.stat IS 'A active, M in maintenance, R retired';

INSERT INTO itm_grp VALUES ('PMP','Pumps'),('VLV','Valves'),('GBX','Gearboxes'),('HSG','Housings'),('SHF','Shafts'),('SEL','Seals and gaskets'),('FST','Fasteners'),('MET','Bar and sheet metal'),('ELC','Electrical parts');
INSERT INTO itm_mst VALUES
 ('FG-1001','Centrifugal pump CP40','FG','PMP','EA',412.50,21,'Y'),
 ('FG-1002','Centrifugal pump CP65','FG','PMP','EA',587.00,24,'Y'),
 ('FG-1003','Dosing pump DP10','FG','PMP','EA',298.75,18,'Y'),
 ('FG-1004','Gear pump GP22','FG','PMP','EA',365.20,20,'N'),
 ('FG-2001','Ball valve BV25','FG','VLV','EA',64.90,10,'Y'),
 ('FG-2002','Ball valve BV50','FG','VLV','EA',118.40,12,'Y'),
 ('FG-2003','Butterfly valve BF80','FG','VLV','EA',142.15,14,'Y'),
 ('FG-2004','Check valve CV32','FG','VLV','EA',51.30,9,'Y'),
 ('FG-3001','Gearbox GX100','FG','GBX','EA',894.00,32,'Y'),
 ('FG-3002','Gearbox GX200','FG','GBX','EA',1376.00,38,'Y'),
 ('FG-3003','Gearbox GX050','FG','GBX','EA',655.00,28,'N'),
 ('SA-4001','Pump housing 40','SA','HSG','EA',96.40,8,'Y'),
 ('SA-4002','Pump housing 65','SA','HSG','EA',131.80,9,'Y'),
 ('SA-4003','Gearbox housing','SA','HSG','EA',210.60,11,'Y'),
 ('SA-4004','Valve body 50','SA','HSG','EA',42.70,6,'Y'),
 ('SA-5001','Drive shaft 20 mm','SA','SHF','EA',38.25,5,'Y'),
 ('SA-5002','Drive shaft 35 mm','SA','SHF','EA',57.10,6,'Y'),
 ('SA-5003','Pinion shaft','SA','SHF','EA',73.95,7,'Y'),
 ('SA-5004','Impeller shaft','SA','SHF','EA',NULL,7,'N'),
 ('RM-6001','O-ring 40','RM','SEL','EA',0.85,14,'Y'),
 ('RM-6002','Flange gasket','RM','SEL','EA',2.30,14,'Y'),
 ('RM-6003','Mechanical seal','RM','SEL','EA',27.60,30,'Y'),
 ('RM-7001','Hex bolt M8','RM','FST','EA',0.22,7,'Y'),
 ('RM-7002','Hex bolt M12','RM','FST','EA',0.48,7,'Y'),
 ('RM-7003','Lock nut M8','RM','FST','EA',0.15,7,'Y'),
 ('RM-8001','Steel bar 40 mm','RM','MET','M',18.90,21,'Y'),
 ('RM-8002','Steel bar 60 mm','RM','MET','M',31.40,21,'Y'),
 ('RM-8003','Aluminium ingot','RM','MET','KG',4.10,28,'Y'),
 ('RM-8004','Brass rod 50 mm','RM','MET','M',44.75,35,'Y'),
 ('RM-8005','Grey iron GG25','RM','MET','KG',NULL,28,'N'),
 ('RM-9001','Motor 1.5 kW','RM','ELC','EA',136.00,42,'Y'),
 ('RM-9002','Motor 3 kW','RM','ELC','EA',204.50,45,'Y'),
 ('RM-9003','Limit switch','RM',NULL,'EA',11.35,16,'Y');
INSERT INTO bom VALUES
 ('FG-1001','SA-4001',1),('FG-1001','SA-5001',1),('FG-1001','RM-6003',1),('FG-1001','RM-7001',8),('FG-1001','RM-9001',1),('FG-1001','RM-6001',2),
 ('FG-1002','SA-4002',1),('FG-1002','SA-5002',1),('FG-1002','RM-6003',1),('FG-1002','RM-7002',12),('FG-1002','RM-9002',1),
 ('FG-1003','SA-4001',1),('FG-1003','RM-6001',4),('FG-1003','RM-9001',1),('FG-1003','RM-9003',2),
 ('FG-1004','SA-4001',1),('FG-1004','SA-5003',2),('FG-1004','RM-6003',1),
 ('FG-2001','RM-8004',0.35),('FG-2001','RM-6001',2),
 ('FG-2002','SA-4004',1),('FG-2002','RM-6001',3),('FG-2002','RM-6002',2),
 ('FG-2003','SA-4004',1),('FG-2003','RM-6002',2),('FG-2003','RM-7001',4),('FG-2003','RM-9003',1),
 ('FG-2004','RM-8004',0.28),('FG-2004','RM-6001',1),
 ('FG-3001','SA-4003',1),('FG-3001','SA-5002',2),('FG-3001','SA-5003',1),('FG-3001','RM-7002',16),('FG-3001','RM-6002',1),('FG-3001','RM-9001',1),('FG-3001','RM-7003',6),
 ('FG-3002','SA-4003',1),('FG-3002','SA-5002',3),('FG-3002','SA-5003',2),('FG-3002','RM-7002',20),
 ('SA-4001','RM-8003',3.2),('SA-4002','RM-8003',5.1),('SA-4003','RM-8003',7.75),('SA-4004','RM-8004',0.6),
 ('SA-5001','RM-8001',0.45),('SA-5002','RM-8002',0.5),('SA-5003','RM-8002',0.38);
INSERT INTO wc VALUES
 ('WC10','CNC turning','P1',58.00),('WC20','CNC milling','P1',64.50),('WC30','Grinding','P1',61.00),('WC40','Casting','P2',72.00),
 ('WC50','Assembly','P2',41.50),('WC60','Painting','P2',39.00),('WC70','Testing','P2',47.25),('WC80','Heat treatment','P1',69.00);
INSERT INTO mach VALUES
 (101,'Lathe L1','WC10','Mazak','2014-05-12','A'),(102,'Lathe L2','WC10','Mazak','2016-09-01','A'),(103,'Lathe L3','WC10','DMG Mori','2021-03-22','A'),(104,'Lathe L0','WC10','Okuma',NULL,'R'),
 (201,'Mill M1','WC20','Haas','2015-02-17','A'),(202,'Mill M2','WC20','DMG Mori','2019-11-04','A'),(203,'Mill M3','WC20','Haas','2023-06-12','M'),
 (301,'Grinder G1','WC30','Studer','2012-08-30','A'),(302,'Grinder G2','WC30','Studer','2020-01-20','A'),
 (401,'Die caster D1','WC40','Buhler','2010-04-06','A'),(402,'Die caster D2','WC40','Buhler','2018-07-16','M'),
 (501,'Assembly line 1','WC50',NULL,'2013-10-01','A'),(502,'Assembly line 2','WC50',NULL,'2017-10-02','A'),(503,'Press P1','WC50','Schuler','2011-01-24','A'),
 (601,'Paint booth 1','WC60','Wagner','2016-03-14','A'),(602,'Paint booth 2','WC60','Wagner','2024-02-05','A'),
 (701,'Test bench T1','WC70','Kistler','2015-12-07','A'),(702,'Test bench T2','WC70','Kistler','2022-05-30','A');
INSERT INTO oper
SELECT 1000 + i,
 (ARRAY['Karl','Martina','Stefan','Ana','Tomasz','Ewa','Ivan','Petra','Luis','Sandra','Ahmed','Julia','Milan','Greta','Robert','Dana','Oskar','Nadia'])[1 + (i * 7) % 18],
 (ARRAY['Brandt','Kowalski','Novotny','Silva','Horvat','Lindner','Popescu','Vogel','Nemeth','Kaya','Zimmer','Pavlov','Reis','Maier','Dvorak','Toth','Stein','Costa','Rusu','Wolf','Hahn','Simic','Beck'])[1 + (i * 5) % 23],
 CASE WHEN i >= 39 THEN date '2023-04-03' + (i - 39) * 413 ELSE date '2008-01-07' + (i * 7919) % 5400 END,
 CASE WHEN i % 13 = 0 THEN NULL ELSE 1 + pg_temp.h('sh', i) % 3 END,
 CASE WHEN pg_temp.h('ce', i) % 3 = 0 THEN 'N' ELSE 'Y' END,
 CASE WHEN pg_temp.h('ac', i) % 5 = 0 THEN 0 ELSE 1 END
FROM generate_series(1, 40) i;

INSERT INTO wo
SELECT 50000 + i, itm_cd, q,
  CASE st WHEN 'C' THEN q - sc WHEN 'R' THEN (q * (pg_temp.h('wp', i) % 70) / 100) ELSE 0 END,
  CASE st WHEN 'C' THEN sc WHEN 'R' THEN sc / 3 ELSE 0 END,
  st, (ARRAY[1,2,2,2,3])[1 + pg_temp.h('wpr', i) % 5], e,
  CASE WHEN st IN ('R','C') THEN e + 1 + pg_temp.h('wr', i) % 9 END,
  e + 22 + pg_temp.h('wd', i) % 20,
  CASE WHEN st = 'C' THEN e + 16 + pg_temp.h('wc', i) % 29 END,
  CASE WHEN pg_temp.h('rw', i) % 14 = 0 THEN 1 ELSE 0 END
FROM (
 SELECT i, e, itm_cd, q, (q * (pg_temp.h('wsc', i) % 9) * (1 + pg_temp.h('wsd', i) % 3) / 300) sc,
   CASE WHEN pg_temp.h('wx', i) % 17 = 0 THEN 'X' WHEN e > '2025-10-05' THEN CASE WHEN pg_temp.h('wy', i) % 3 = 0 THEN 'P' ELSE 'R' END
        WHEN e > '2025-08-05' AND pg_temp.h('wy', i) % 3 = 0 THEN 'R' WHEN pg_temp.h('wz', i) % 31 = 0 THEN 'P' ELSE 'C' END st
 FROM (
  SELECT i, date '2023-01-03' + (i * 1035 / 420) + pg_temp.h('we', i) % 5 AS e,
   (ARRAY['FG-1001','FG-1001','FG-1002','FG-1003','FG-1004','FG-2001','FG-2001','FG-2002','FG-2003','FG-2004','FG-3001','FG-3002','SA-4001','SA-4002','SA-4003','SA-4004','SA-5001','SA-5002','SA-5003','FG-2001','FG-1002'])[1 + pg_temp.h('wi', i) % 21] itm_cd,
   (ARRAY[20,25,40,50,60,75,80,100,120,150,200,250])[1 + pg_temp.h('wq', i) % 12] q
  FROM generate_series(1, 420) i
 ) a
) b;

INSERT INTO wo_op
SELECT wo_no, s * 10, mach_id,
  CASE WHEN pg_temp.h('oo', wo_no * 10 + s) % 25 = 0 THEN NULL ELSE 1001 + least(pg_temp.h('op1', wo_no * 10 + s) % 38, pg_temp.h('op2', wo_no * 10 + s) % 50) END,
  ts, CASE WHEN opn THEN NULL ELSE ts + (sm + rm) * interval '1 minute' END, sm,
  CASE WHEN opn THEN NULL ELSE rm END,
  CASE WHEN opn THEN NULL ELSE qty_ord - rj END, CASE WHEN opn THEN NULL ELSE rj END
FROM (
 SELECT w.wo_no, s, qty_ord,
  (ARRAY[101,102,103,201,202,203,301,302,401,402,501,502,503,601,701,702,501,101,201])[1 + (pg_temp.h('om', w.wo_no) + s * (3 + pg_temp.h('os', w.wo_no) % 3)) % 19] mach_id,
  w.rel_dt + (s - 1) * interval '2 days' + (360 + pg_temp.h('ot', w.wo_no * 10 + s) % 840) * interval '1 minute' ts,
  10 + 5 * (pg_temp.h('osm', w.wo_no * 10 + s) % 15) sm,
  30 + qty_ord * (1 + pg_temp.h('orm', w.wo_no * 10 + s) % 4) / 2 + pg_temp.h('orn', w.wo_no * 10 + s) % 60 rm,
  pg_temp.h('orj', w.wo_no * 10 + s) % 5 * qty_ord / 100 rj,
  (w.stat = 'R' AND s > 1) opn
 FROM wo w, generate_series(1, 4) s
 WHERE w.stat IN ('R','C') AND s <= 2 + pg_temp.h('on', w.wo_no) % 3 AND NOT (w.stat = 'R' AND s > 2)
) x;

INSERT INTO insp
SELECT row_number() OVER (ORDER BY d, wo_no, k), wo_no, (ARRAY['FA','IP','FI'])[k], d,
  CASE WHEN pg_temp.h('io', wo_no * 3 + k) % 19 = 0 THEN NULL ELSE 1030 + pg_temp.h('ii', wo_no * 3 + k) % 9 END,
  (ARRAY[5,8,13,20,32])[1 + pg_temp.h('iss', wo_no * 3 + k) % 5],
  CASE WHEN pg_temp.h('ir', wo_no * 3 + k) % 8 = 0 THEN 'F' WHEN pg_temp.h('ir', wo_no * 3 + k) % 21 = 1 THEN 'H' ELSE 'P' END
FROM (SELECT w.wo_no, k, LEAST(CASE WHEN k = 3 THEN cls_dt ELSE rel_dt + k * 3 END, date '2025-12-30') d FROM wo w, generate_series(1, 3) k
      WHERE (w.stat = 'C' AND (k = 3 AND pg_temp.h('ik', w.wo_no) % 10 > 0 OR k < 3 AND pg_temp.h('ij', w.wo_no * 3 + k) % 3 = 0))
         OR (w.stat = 'R' AND k = 1 AND w.wo_no % 2 = 0)) x;

INSERT INTO dfct_cd VALUES ('SCR','Surface scratch',1),('DIM','Dimension out of tolerance',2),('POR','Porosity',2),('CRK','Crack',3),('LEK','Leakage',3),('BUR','Burr',1),('PNT','Paint defect',1),('ASM','Wrong assembly',2),('MAT','Wrong material',3),('LBL','Missing label',1);
INSERT INTO dfct
SELECT row_number() OVER (ORDER BY insp_id, n), insp_id,
  (ARRAY['SCR','DIM','POR','CRK','LEK','BUR','PNT','ASM','SCR','DIM','BUR','DIM','POR','MAT','SCR'])[1 + (pg_temp.h('dc', insp_id) + n * 4) % 15],
  1 + pg_temp.h('dq', insp_id * 5 + n) % (CASE WHEN rslt = 'P' THEN 2 ELSE 7 END),
  CASE WHEN pg_temp.h('dd', insp_id * 5 + n) % 9 = 0 THEN NULL ELSE (ARRAY['S','R','R','U'])[1 + pg_temp.h('de', insp_id * 5 + n) % 4] END
FROM insp, generate_series(1, 3) n
WHERE (rslt = 'F' AND n <= 1 + pg_temp.h('dn', insp_id) % 3) OR (rslt = 'H' AND n = 1) OR (rslt = 'P' AND n <= (CASE WHEN pg_temp.h('dp', insp_id) % 4 = 0 THEN 1 + pg_temp.h('dp2', insp_id) % 2 ELSE 0 END));

INSERT INTO mach_dwn
SELECT row_number() OVER (ORDER BY ts, i), m, ts,
  CASE WHEN i IN (234, 239) THEN NULL ELSE ts + CASE r WHEN 'PM' THEN 120 + pg_temp.h('md', i) % 300 WHEN 'BRKD' THEN 45 + pg_temp.h('md', i) % 1400 WHEN 'TOOL' THEN 10 + pg_temp.h('md', i) % 50 ELSE 20 + pg_temp.h('md', i) % 240 END * interval '1 minute' END,
  r, CASE WHEN r = 'PM' OR (r = 'TOOL' AND i % 3 > 0) THEN 'Y' ELSE 'N' END,
  CASE WHEN r = 'BRKD' THEN (ARRAY['spindle bearing','hydraulic leak','control fault',NULL,'belt torn',NULL,'coolant pump'])[1 + pg_temp.h('mk', i) % 7] END
FROM (
 SELECT i, (ARRAY[101,102,103,201,202,203,301,401,402,501,503,601,602,701,401,101,402,201])[1 + pg_temp.h('mm', i) % 18] m,
  timestamp '2023-01-05' + (i * 1080 / 240) * interval '1 day' + (pg_temp.h('mt', i) % 1300) * interval '1 minute' ts,
  (ARRAY['BRKD','BRKD','PM','PM','TOOL','MATL','TOOL','PWR','BRKD'])[1 + pg_temp.h('mr', i) % 9] r
 FROM generate_series(1, 240) i WHERE i <> 240
) x;
COMMIT;
