-- A phone company's warehouse with names cut short: accounts, lines, calls, bills, tickets, and codes in tables of their own.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/telco.sql
BEGIN;
DROP SCHEMA IF EXISTS telco CASCADE;
CREATE SCHEMA telco;
SET LOCAL search_path = telco;

CREATE OR REPLACE FUNCTION pg_temp.h(k text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  'SELECT (''x''||substr(md5(k),1,7))::bit(28)::int % n';

CREATE TABLE seg_lkp (seg_cd char(3) PRIMARY KEY, seg_desc varchar(40) NOT NULL);
CREATE TABLE cd_lkp (
  cd_typ varchar(10) NOT NULL,
  cd varchar(4) NOT NULL,
  descr varchar(40) NOT NULL,
  PRIMARY KEY (cd_typ, cd)
);
COMMENT ON TABLE cd_lkp IS 'generic code table: descr for (cd_typ, cd)';
COMMENT ON COLUMN cd_lkp.cd_typ IS 'ACCTST = acct.stat_cd, SUBST = subscr.stat_cd, PAYM = pymt.meth_cd, TKTCAT = tkt.cat_cd, CDRTYP = cdr.typ_cd';

CREATE TABLE cust (
  cust_id int PRIMARY KEY,
  nm varchar(60) NOT NULL,
  seg_cd char(3) NOT NULL,
  city varchar(40),
  st char(2),
  since_dt date NOT NULL,
  eml varchar(80),
  cr_scr smallint
);
COMMENT ON TABLE cust IS 'customers (persons and companies)';
COMMENT ON COLUMN cust.st IS 'US state';
COMMENT ON COLUMN cust.cr_scr IS 'credit score, NULL = not checked';

CREATE TABLE acct (
  acct_no varchar(8) PRIMARY KEY,
  cust_id int NOT NULL REFERENCES cust,
  bill_cyc smallint NOT NULL,
  opn_dt date NOT NULL,
  cls_dt date,
  stat_cd varchar(4) NOT NULL,
  autopay_yn char(1) NOT NULL
);
COMMENT ON TABLE acct IS 'billing accounts';
COMMENT ON COLUMN acct.bill_cyc IS 'day of month the account is billed';
COMMENT ON COLUMN acct.stat_cd IS 'see cd_lkp, type ACCTST';

CREATE TABLE plan_dim (
  plan_id int PRIMARY KEY,
  plan_nm varchar(40) NOT NULL,
  plan_typ varchar(10) NOT NULL,
  mth_fee numeric(8,2) NOT NULL,
  incl_min int,
  incl_gb int,
  launch_dt date NOT NULL
);
COMMENT ON COLUMN plan_dim.mth_fee IS 'monthly fee, USD';
COMMENT ON COLUMN plan_dim.incl_min IS 'included voice minutes, NULL = unlimited';
COMMENT ON COLUMN plan_dim.incl_gb IS 'included data volume in GB, NULL = unlimited';

CREATE TABLE subscr (
  sub_id int PRIMARY KEY,
  acct_no varchar(8) NOT NULL,
  plan_id int NOT NULL,
  msisdn varchar(12) NOT NULL,
  act_dt date NOT NULL,
  deact_dt date,
  stat_cd varchar(4) NOT NULL
);
COMMENT ON TABLE subscr IS 'subscriptions (one phone line each)';
COMMENT ON COLUMN subscr.msisdn IS 'phone number';
COMMENT ON COLUMN subscr.act_dt IS 'activation date';
COMMENT ON COLUMN subscr.stat_cd IS 'see cd_lkp, type SUBST';

CREATE TABLE cdr (
  cdr_id int PRIMARY KEY,
  sub_id int NOT NULL,
  strt_ts timestamp NOT NULL,
  typ_cd varchar(4) NOT NULL,
  dur_sec int,
  vol_mb numeric(10,1),
  dest_ctry varchar(30),
  roam_yn char(1) NOT NULL,
  chrg_amt numeric(8,2) NOT NULL
);
COMMENT ON TABLE cdr IS 'call detail records: voice calls, text messages and data sessions';
COMMENT ON COLUMN cdr.dur_sec IS 'duration in seconds, voice calls only';
COMMENT ON COLUMN cdr.vol_mb IS 'data volume in MB, data sessions only';
COMMENT ON COLUMN cdr.dest_ctry IS 'country called or texted, NULL for data sessions';
COMMENT ON COLUMN cdr.chrg_amt IS 'charge in USD';

CREATE TABLE inv (
  inv_no int PRIMARY KEY,
  acct_no varchar(8) NOT NULL,
  inv_dt date NOT NULL,
  due_dt date NOT NULL,
  amt numeric(10,2) NOT NULL
);
COMMENT ON TABLE inv IS 'invoices';

CREATE TABLE pymt (
  pymt_id int PRIMARY KEY,
  inv_no int NOT NULL REFERENCES inv,
  pay_dt date NOT NULL,
  amt numeric(10,2) NOT NULL,
  meth_cd varchar(4) NOT NULL
);
COMMENT ON TABLE pymt IS 'payments received; an invoice can be paid in parts';

CREATE TABLE tkt (
  tkt_id int PRIMARY KEY,
  cust_id int NOT NULL,
  opn_ts timestamp NOT NULL,
  cls_ts timestamp,
  cat_cd varchar(4) NOT NULL,
  prio smallint NOT NULL,
  agt_nm varchar(40),
  csat smallint
);
COMMENT ON TABLE tkt IS 'support tickets';
COMMENT ON COLUMN tkt.cls_ts IS 'NULL = still open';
COMMENT ON COLUMN tkt.prio IS '1 = critical, 2 = high, 3 = normal, 4 = low';
COMMENT ON COLUMN tkt.agt_nm IS 'support agent, NULL = unassigned';
COMMENT ON COLUMN tkt.csat IS 'customer satisfaction 1 to 5, NULL = no answer';

INSERT INTO seg_lkp VALUES ('RES','Residential'),('SOH','Small Office / Home Office'),('SMB','Small and Medium Business'),('ENT','Enterprise'),('GOV','Government');
INSERT INTO cd_lkp VALUES
 ('ACCTST','A','Active'),('ACCTST','S','Suspended'),('ACCTST','C','Closed'),
 ('SUBST','AC','Active'),('SUBST','SU','Suspended'),('SUBST','DE','Deactivated'),
 ('PAYM','CC','Credit card'),('PAYM','DD','Direct debit'),('PAYM','BT','Bank transfer'),('PAYM','CK','Check'),('PAYM','CA','Cash'),
 ('TKTCAT','BIL','Billing'),('TKTCAT','NET','Network'),('TKTCAT','DEV','Device'),('TKTCAT','POR','Number porting'),('TKTCAT','OTH','Other'),
 ('CDRTYP','V','Voice'),('CDRTYP','S','SMS'),('CDRTYP','D','Data');

INSERT INTO cust
SELECT 1000 + n, nm, seg, city, st, DATE '2022-01-01' + pg_temp.h('since'||n, 1280),
       CASE WHEN pg_temp.h('em'||n,9) > 0 THEN
         CASE WHEN seg='RES' THEN lower(replace(replace(nm,' ','.'),'''','')) || (ARRAY['@gmail.com','@outlook.com','@yahoo.com'])[1+pg_temp.h('dm'||n,3)]
              ELSE 'billing@' || lower(regexp_replace(nm,'[^A-Za-z]','','g')) || '.com' END END,
       CASE WHEN pg_temp.h('cs'||n,8) > 0 THEN 520 + pg_temp.h('cx'||n,330) END
FROM (VALUES
 (1,'Maria Hernandez','RES','Austin','TX'),(2,'James Whitaker','RES','Denver','CO'),(3,'Aisha Patel','RES','Dallas','TX'),
 (4,'Robert Nguyen','RES','Houston','TX'),(5,'Emily Carter','RES','Phoenix','AZ'),(6,'Daniel Kim','RES','Denver','CO'),
 (7,'Sofia Rossi','RES','Albuquerque','NM'),(8,'William O''Brien','RES','Austin','TX'),(9,'Grace Johnson','RES','Tucson','AZ'),
 (10,'Omar Farouk','RES','Houston','TX'),(11,'Hannah Schmidt','RES','Boulder','CO'),(12,'Luis Ortega','RES','El Paso','TX'),
 (13,'Chloe Martin','RES','Phoenix','AZ'),(14,'Ethan Brooks','RES','Dallas','TX'),(15,'Priya Raman','RES','Austin','TX'),
 (16,'Noah Fischer','RES','Salt Lake City','UT'),(17,'Olivia Bennett','RES','Denver','CO'),(18,'Marcus Reed','RES',NULL,NULL),
 (19,'Isabella Moreno','RES','Santa Fe','NM'),(20,'Thomas Wright','RES','Tucson','AZ'),(21,'Yuki Tanaka','RES','Houston','TX'),
 (22,'Natalie Dubois','RES','Austin','TX'),(23,'Samuel Okafor','RES','Dallas','TX'),(24,'Lena Petrova','RES','Boulder','CO'),
 (25,'Carlos Mendez','RES','El Paso','TX'),(26,'Abigail Foster','RES','Salt Lake City','UT'),(27,'Henry Collins','RES','Phoenix','AZ'),
 (28,'Fatima Zahra','RES','Houston','TX'),(29,'Jack Sullivan','RES','Denver','CO'),(30,'Mei Lin','RES','Dallas','TX'),
 (31,'Victor Alvarez','RES',NULL,NULL),(32,'Rachel Goldberg','RES','Austin','TX'),(33,'Patrick Murphy','RES','Albuquerque','NM'),
 (34,'Zoe Anderson','RES','Phoenix','AZ'),
 (35,'Harper Design Studio','SOH','Austin','TX'),(36,'Lopez Accounting','SOH','El Paso','TX'),(37,'Blue Mesa Photography','SOH','Santa Fe','NM'),
 (38,'Wasatch Legal Services','SOH','Salt Lake City','UT'),(39,'Kessler Dental','SOH','Denver','CO'),(40,'Cactus Realty','SOH','Tucson','AZ'),
 (41,'Bright Minds Tutoring','SOH','Dallas','TX'),(42,'Rosewood Catering','SOH','Houston','TX'),
 (43,'Lone Star Plumbing','SMB','Austin','TX'),(44,'Front Range Logistics','SMB','Denver','CO'),(45,'Sonoran Solar','SMB','Phoenix','AZ'),
 (46,'Bayou City Printing','SMB','Houston','TX'),(47,'High Desert Motors','SMB','Albuquerque','NM'),(48,'Trinity Medical Supply','SMB','Dallas','TX'),
 (49,'Flatirons Brewing','SMB','Boulder','CO'),(50,'Pecan Street Software','SMB','Austin','TX'),(51,'Old Pueblo Builders','SMB','Tucson','AZ'),
 (52,'Mesa Verde Travel','SMB','Denver','CO'),
 (53,'Gulf Energy Partners','ENT','Houston','TX'),(54,'Rocky Mountain Health','ENT','Denver','CO'),(55,'Southwest Freight Lines','ENT','Dallas','TX'),
 (56,'Copper State Bank','ENT','Phoenix','AZ'),(57,'Great Basin Mining','ENT','Salt Lake City','UT'),(58,'Texan Retail Group','ENT','Dallas','TX')
) v(n,nm,seg,city,st);

INSERT INTO plan_dim VALUES
 (1,'Basic Talk','PREPAID',15.00,200,1,'2022-01-01'),
 (2,'Smart 5','POSTPAID',25.00,500,5,'2022-01-01'),
 (3,'Smart 20','POSTPAID',40.00,NULL,20,'2022-01-01'),
 (4,'Unlimited Plus','POSTPAID',65.00,NULL,NULL,'2022-01-01'),
 (5,'Senior Saver','POSTPAID',20.00,300,2,'2022-01-01'),
 (6,'Business Flex','BUSINESS',55.00,NULL,30,'2022-01-01'),
 (7,'Business Unlimited','BUSINESS',85.00,NULL,NULL,'2022-01-01'),
 (8,'Data Only 50','POSTPAID',35.00,0,50,'2022-06-01'),
 (9,'Student Prepaid','PREPAID',12.00,100,3,'2025-11-15');

-- 1 to 2 accounts per customer; customers 1018, 1031 and 1041 have none
INSERT INTO acct
SELECT 'A' || (20000 + row_number() OVER (ORDER BY cust_id, k)), cust_id,
       (ARRAY[1,10,15,25])[1+pg_temp.h('bc'||cust_id||k,4)], opn,
       CASE WHEN sc='C' THEN least(opn + 250 + pg_temp.h('cl'||cust_id||k,500), DATE '2025-11-30') END, sc,
       CASE WHEN pg_temp.h('ap'||cust_id||k,5) < 3 THEN 'Y' ELSE 'N' END
FROM (
  SELECT c.cust_id, k, c.since_dt + CASE WHEN k=1 THEN pg_temp.h('op'||c.cust_id,6) ELSE 60 + pg_temp.h('op2'||c.cust_id,90) END AS opn,
         (ARRAY['A','A','A','A','A','A','A','C','S','A','C','A'])[1+pg_temp.h('as'||c.cust_id||k,12)] AS sc
  FROM cust c
  CROSS JOIN LATERAL generate_series(1, CASE WHEN c.seg_cd='ENT' THEN 3 WHEN c.seg_cd='SMB' THEN 1+pg_temp.h('na'||c.cust_id,2) ELSE 1 + (pg_temp.h('na'||c.cust_id,6)=0)::int END) k
  WHERE c.cust_id NOT IN (1018,1031,1041)
) x;

INSERT INTO subscr
SELECT 500000 + row_number() OVER (ORDER BY acct_no, k), acct_no, plan_id,
       '1' || (ARRAY['512','720','214','713','602','505','801'])[1+pg_temp.h('ac'||acct_no||k,7)] || '555' || lpad(pg_temp.h('mn'||acct_no||k,10000)::text,4,'0'),
       act,
       CASE WHEN sc='DE' THEN coalesce(cls_dt, least(act + 90 + pg_temp.h('de'||acct_no||k,600), DATE '2025-12-15')) END,
       sc
FROM (
  SELECT a.acct_no, a.cls_dt, k, a.opn_dt + CASE WHEN k=1 THEN 0 ELSE pg_temp.h('act'||a.acct_no||k,180) END AS act,
         CASE WHEN a.stat_cd='C' THEN 'DE' WHEN a.stat_cd='S' THEN 'SU'
              ELSE (ARRAY['AC','AC','AC','AC','AC','DE','AC','AC','AC'])[1+pg_temp.h('ss'||a.acct_no||k,9)] END AS sc,
         CASE WHEN c.seg_cd IN ('ENT','SMB') THEN (ARRAY[6,7,6,8,7,6])[1+pg_temp.h('pl'||a.acct_no||k,6)]
              WHEN c.seg_cd='SOH' THEN (ARRAY[6,3,4])[1+pg_temp.h('pl'||a.acct_no||k,3)]
              ELSE (ARRAY[1,2,2,3,3,3,4,4,5,1])[1+pg_temp.h('pl'||a.acct_no||k,10)] END AS plan_id
  FROM acct a JOIN cust c USING (cust_id)
  CROSS JOIN LATERAL generate_series(1, CASE c.seg_cd WHEN 'ENT' THEN 2+pg_temp.h('ns'||a.acct_no,3) WHEN 'SMB' THEN 1+pg_temp.h('ns'||a.acct_no,3) ELSE 1+pg_temp.h('ns'||a.acct_no,2) END) k
) x;

-- 600 usage records from 2024 on, while the line was in service
INSERT INTO cdr
SELECT 9000000 + g, s.sub_id, t.ts, t.typ,
       CASE WHEN t.typ='V' THEN 12 + pg_temp.h('du'||g, CASE WHEN g%11=0 THEN 4200 ELSE 900 END) END,
       CASE WHEN t.typ='D' THEN round((5 + pg_temp.h('vo'||g,25000)/10.0)::numeric,1) END,
       CASE WHEN t.typ<>'D' THEN t.ctry END,
       CASE WHEN pg_temp.h('ro'||g,14)=0 THEN 'Y' ELSE 'N' END,
       CASE WHEN t.typ='D' THEN CASE WHEN pg_temp.h('ro'||g,14)=0 THEN round(2+pg_temp.h('ch'||g,900)/100.0,2) ELSE 0 END
            WHEN t.ctry='United States' THEN 0
            WHEN t.typ='S' THEN 0.25
            ELSE round(0.5 + pg_temp.h('ch'||g,1400)/100.0,2) END
FROM generate_series(1,600) g
CROSS JOIN LATERAL (SELECT sub_id, greatest(act_dt, DATE '2024-01-01') a, coalesce(deact_dt, DATE '2025-12-31') b FROM subscr
   WHERE coalesce(deact_dt, DATE '2025-12-31') > greatest(act_dt, DATE '2024-01-01') + 20 AND sub_id % 13 <> 5
   ORDER BY md5('cdr'||g||'-'||(sub_id / CASE WHEN g%2=0 THEN 1 ELSE 5 END)), sub_id LIMIT 1) s
CROSS JOIN LATERAL (SELECT s.a + pg_temp.h('ts'||g, s.b - s.a) + make_interval(hours => (6 + pg_temp.h('hr'||g,18)) % 24, mins => pg_temp.h('mi'||g,60), secs => pg_temp.h('se'||g,60)) AS ts,
   (ARRAY['V','V','V','V','S','S','D','D','D','V'])[1+pg_temp.h('ty'||g,10)] AS typ,
   (ARRAY['United States','United States','United States','United States','United States','United States','United States','Mexico','Mexico','Mexico','Canada','Canada','India','United Kingdom','Germany'])[1+pg_temp.h('ct'||g,15)] AS ctry) t;

-- quarterly invoices
INSERT INTO inv
SELECT 700000 + row_number() OVER (ORDER BY d, acct_no), acct_no, d, d + 21,
       round((fees*3 + pg_temp.h('ia'||acct_no||d,6000)/100.0)::numeric,2)
FROM (
  SELECT a.acct_no, make_date(extract(year FROM m)::int, extract(month FROM m)::int, a.bill_cyc) AS d,
         (SELECT coalesce(sum(p.mth_fee),0) FROM subscr s JOIN plan_dim p USING (plan_id) WHERE s.acct_no=a.acct_no) AS fees
  FROM acct a
  CROSS JOIN LATERAL generate_series(date_trunc('month', a.opn_dt) + interval '3 months', least(coalesce(a.cls_dt, DATE '2025-12-31'), DATE '2025-12-31'), interval '3 months') m
) x
WHERE d <= DATE '2025-12-10' AND pg_temp.h('sk'||acct_no||d,10) < 8;

-- about 1 in 9 invoices is not paid at all, some are paid late or in two parts
INSERT INTO pymt
SELECT 300000 + row_number() OVER (ORDER BY pay_dt, inv_no, k), inv_no, pay_dt, amt, meth
FROM (
  SELECT i.inv_no, k,
         i.inv_dt + CASE WHEN pg_temp.h('lt'||i.inv_no,7)=0 THEN 22 + pg_temp.h('ld'||i.inv_no,40) ELSE 3 + pg_temp.h('ld'||i.inv_no,18) END + (k-1)*25 AS pay_dt,
         CASE WHEN two THEN CASE WHEN k=1 THEN round(i.amt*0.6,2) ELSE i.amt - round(i.amt*0.6,2) END ELSE i.amt END AS amt,
         CASE WHEN a.autopay_yn='Y' THEN (ARRAY['DD','DD','CC'])[1+pg_temp.h('mt'||i.acct_no,3)]
              ELSE (ARRAY['CC','BT','CK','CC','CA'])[1+pg_temp.h('mt'||i.inv_no,5)] END AS meth
  FROM (SELECT *, pg_temp.h('tw'||inv_no,16)=0 AS two FROM inv) i JOIN acct a USING (acct_no)
  CROSS JOIN LATERAL generate_series(1, CASE WHEN i.two THEN 2 ELSE 1 END) k
  WHERE pg_temp.h('np'||i.inv_no,9) > 0
) x
WHERE pay_dt <= DATE '2025-12-31';

INSERT INTO tkt
SELECT 80000 + g, c.cust_id, ts,
       CASE WHEN NOT opn THEN ts + make_interval(hours => 1 + pg_temp.h('rh'||g, 30*prio), mins => pg_temp.h('rm'||g,60)) END,
       cat, prio,
       CASE WHEN opn AND g%2=0 THEN NULL ELSE (ARRAY['Dana Whitfield','Kevin Osei','Marta Nowak','Luke Ferreira','Sunita Rao'])[1+pg_temp.h('ag'||g,5)] END,
       CASE WHEN NOT opn AND pg_temp.h('cq'||g,4) > 0 THEN (ARRAY[1,2,3,3,4,4,4,5,5,5])[1+pg_temp.h('cv'||g,10)] END
FROM (SELECT g, DATE '2024-01-04' + (g*717/140) + make_interval(hours => 8 + pg_temp.h('th'||g,11), mins => pg_temp.h('tm'||g,60)) AS ts,
             1 + pg_temp.h('pr'||g,4) AS prio,
             (ARRAY['BIL','BIL','BIL','NET','NET','NET','NET','DEV','DEV','POR'])[1+pg_temp.h('ca'||g,10)] AS cat,
             (g > 128 AND pg_temp.h('oo'||g,3) > 0) OR pg_temp.h('oo'||g,40)=0 AS opn
      FROM generate_series(1,140) g) x
CROSS JOIN LATERAL (SELECT cust_id FROM cust WHERE since_dt <= x.ts AND cust_id % 7 <> 3
   ORDER BY md5('tc'||x.g||'-'||(cust_id/CASE WHEN x.g%2=0 THEN 1 ELSE 3 END)), cust_id LIMIT 1) c;

RESET search_path;

COMMIT;
