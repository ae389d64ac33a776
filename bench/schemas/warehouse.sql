-- A wholesaler's warehouse and purchasing system grown over years: mixed styles, short names, single-letter codes, dates as integers or text, keys of which some are not declared.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/warehouse.sql
BEGIN;
DROP SCHEMA IF EXISTS warehouse CASCADE;
CREATE SCHEMA warehouse;
SET LOCAL search_path = warehouse;

CREATE FUNCTION pg_temp.h(s text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x'||substr(md5(s),1,7))::bit(28)::int) % n $$;
CREATE FUNCTION pg_temp.ymd(d date) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT to_char(d,'YYYYMMDD')::int $$;

CREATE TABLE whse (
  wh_cd char(2) PRIMARY KEY,
  wh_nm varchar(30) NOT NULL,
  city varchar(30),
  sq_m integer
);
CREATE TABLE emp (
  emp_id integer PRIMARY KEY,
  nm varchar(40) NOT NULL,
  dept char(1) NOT NULL,
  hire_dt integer NOT NULL,
  term_dt integer NOT NULL DEFAULT 0
);
COMMENT ON COLUMN emp.dept IS 'P=purchasing, S=sales, W=warehouse';
COMMENT ON COLUMN emp.hire_dt IS 'YYYYMMDD';
COMMENT ON COLUMN emp.term_dt IS 'YYYYMMDD, 0 = still employed';
CREATE TABLE itm_cat (
  cat_cd char(2) PRIMARY KEY,
  cat_desc varchar(40) NOT NULL
);
CREATE TABLE suppliers (
  supplier_id integer PRIMARY KEY,
  supplier_name varchar(60) NOT NULL,
  country varchar(30),
  pay_terms smallint,
  rating char(1),
  active char(1) NOT NULL DEFAULT 'Y'
);
COMMENT ON COLUMN suppliers.pay_terms IS 'payment days';
COMMENT ON COLUMN suppliers.rating IS 'A=preferred, B=approved, C=on probation, empty=not rated yet';
CREATE TABLE itm (
  itm_no varchar(8) PRIMARY KEY,
  descr varchar(60) NOT NULL,
  cat_cd char(2) REFERENCES itm_cat(cat_cd),
  uom varchar(3) NOT NULL,
  std_cost numeric(10,2) NOT NULL,
  lst_prc numeric(10,2) NOT NULL,
  pref_supp integer,
  stat char(1) NOT NULL,
  rop integer,
  intro_dt varchar(8)
);
COMMENT ON TABLE itm IS 'Item master';
COMMENT ON COLUMN itm.uom IS 'EA=each, BX=box, PK=pack, RL=roll';
COMMENT ON COLUMN itm.pref_supp IS 'preferred supplier, see suppliers';
COMMENT ON COLUMN itm.stat IS 'A=active, H=on hold, D=discontinued';
COMMENT ON COLUMN itm.rop IS 'reorder point, in stock units over all warehouses';
COMMENT ON COLUMN itm.intro_dt IS 'date introduced, YYYYMMDD';
CREATE TABLE po_hdr (
  po_no integer PRIMARY KEY,
  supp_id integer NOT NULL,
  ord_dt integer NOT NULL,
  exp_dt integer,
  st char(1) NOT NULL,
  buyer_id integer REFERENCES emp(emp_id)
);
COMMENT ON TABLE po_hdr IS 'Purchase orders';
COMMENT ON COLUMN po_hdr.ord_dt IS 'order date YYYYMMDD';
COMMENT ON COLUMN po_hdr.exp_dt IS 'promised delivery date YYYYMMDD';
COMMENT ON COLUMN po_hdr.st IS 'O=open (nothing received), P=partly received, C=closed, X=cancelled';
CREATE TABLE po_ln (
  po_no integer NOT NULL,
  ln_no smallint NOT NULL,
  itm_no varchar(8) NOT NULL,
  qty integer NOT NULL,
  unit_cost numeric(10,2) NOT NULL,
  PRIMARY KEY (po_no, ln_no)
);
CREATE TABLE rcpt (
  rcpt_no integer PRIMARY KEY,
  po_no integer NOT NULL,
  ln_no smallint NOT NULL,
  rcv_dt date NOT NULL,
  wh_cd char(2) NOT NULL,
  qty_ok integer NOT NULL,
  qty_rej integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE rcpt IS 'Goods receipts, per purchase order line';
COMMENT ON COLUMN rcpt.qty_ok IS 'pieces accepted into stock';
COMMENT ON COLUMN rcpt.qty_rej IS 'pieces refused at the dock';
CREATE TABLE cust (
  c_no integer PRIMARY KEY,
  c_nm varchar(60) NOT NULL,
  city varchar(30),
  reg char(2),
  typ char(1) NOT NULL,
  cr_lim numeric(10,0),
  since_yr smallint,
  blk char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON TABLE cust IS 'Customers';
COMMENT ON COLUMN cust.reg IS 'NO=north, SO=south, EA=east, WE=west';
COMMENT ON COLUMN cust.typ IS 'R=retailer, I=installer, F=facility manager, G=government';
COMMENT ON COLUMN cust.cr_lim IS 'credit limit, empty = none granted';
COMMENT ON COLUMN cust.blk IS 'Y = blocked for new orders';
CREATE TABLE so_hdr (
  so_no integer PRIMARY KEY,
  c_no integer NOT NULL REFERENCES cust(c_no),
  ord_dt date NOT NULL,
  req_dt varchar(10),
  rep_id integer,
  wh_cd char(2) NOT NULL,
  stat char(1) NOT NULL,
  disc_pct numeric(4,1) NOT NULL DEFAULT 0
);
COMMENT ON TABLE so_hdr IS 'Sales orders';
COMMENT ON COLUMN so_hdr.req_dt IS 'date the customer asked for, YYYY-MM-DD';
COMMENT ON COLUMN so_hdr.rep_id IS 'sales rep, emp.emp_id';
COMMENT ON COLUMN so_hdr.stat IS 'N=new, P=picking, S=shipped, I=invoiced, X=cancelled';
COMMENT ON COLUMN so_hdr.disc_pct IS 'discount on all lines, percent';
CREATE TABLE so_ln (
  so_no integer NOT NULL,
  ln_no smallint NOT NULL,
  itm_no varchar(8) NOT NULL,
  qty integer NOT NULL,
  prc numeric(10,2) NOT NULL,
  PRIMARY KEY (so_no, ln_no)
);
COMMENT ON COLUMN so_ln.prc IS 'price per unit before the order discount';
CREATE TABLE carriers (
  carrier_code varchar(4) PRIMARY KEY,
  carrier_name varchar(40) NOT NULL
);
CREATE TABLE "Shipments" (
  "ShipmentId" integer PRIMARY KEY,
  "OrderNo" integer NOT NULL,
  "ShipDate" varchar(10) NOT NULL,
  "CarrierCode" varchar(4) NOT NULL,
  "WeightKg" numeric(8,1),
  "FreightCost" numeric(10,2) NOT NULL,
  "DeliveredOn" date
);
COMMENT ON COLUMN "Shipments"."OrderNo" IS 'sales order';
COMMENT ON COLUMN "Shipments"."ShipDate" IS 'DD.MM.YYYY';
COMMENT ON COLUMN "Shipments"."DeliveredOn" IS 'empty until the carrier confirms delivery';
CREATE TABLE rtn_rsn (
  rsn char(1) PRIMARY KEY,
  txt varchar(40) NOT NULL
);
CREATE TABLE rtn (
  rtn_no integer PRIMARY KEY,
  so_no integer NOT NULL,
  ln_no smallint NOT NULL,
  rtn_dt varchar(8) NOT NULL,
  qty integer NOT NULL,
  rsn char(1) NOT NULL,
  crd_amt numeric(10,2) NOT NULL
);
COMMENT ON TABLE rtn IS 'Customer returns, per sales order line';
COMMENT ON COLUMN rtn.rtn_dt IS 'YYYYMMDD';
COMMENT ON COLUMN rtn.crd_amt IS 'amount credited to the customer';
CREATE TABLE stk_mv (
  mv_id integer PRIMARY KEY,
  mv_ts timestamp NOT NULL,
  itm_no varchar(8) NOT NULL,
  wh_cd char(2) NOT NULL,
  typ char(1) NOT NULL,
  qty integer NOT NULL
);
COMMENT ON TABLE stk_mv IS 'Stock movements; stock on hand = sum of qty';
COMMENT ON COLUMN stk_mv.typ IS 'B=opening balance, R=receipt, S=shipment, A=count adjustment, T=transfer between warehouses';
COMMENT ON COLUMN stk_mv.qty IS 'plus = in, minus = out';

INSERT INTO whse VALUES ('MA','Main Depot','Columbus',18500),('NO','North Depot','Cleveland',7200),('SO','South Depot','Cincinnati',9600),('XD','Cross Dock','Dayton',2100);
INSERT INTO emp VALUES (101,'Gloria Hatfield','P',20080414,0),(102,'Ed Kowalski','P',20130902,0),(103,'Priya Nair','P',20190107,0),(104,'Len Foster','P',20110516,20230831),(105,'Tamika Boyd','P',20230905,0),
 (201,'Art Delgado','S',20060301,0),(202,'Susan Pike','S',20140818,0),(203,'Mike Oyelaran','S',20170227,0),(204,'Dana Whitlock','S',20200720,20240215),(205,'Chris Yamada','S',20210412,0),(206,'Beth Corrigan','S',20240304,0),(207,'Noel Sandoval','S',20241118,0),
 (301,'Walt Jensen','W',20030609,0),(302,'Rita Gomez','W',20151102,0),(303,'Huy Pham','W',20180326,0),(304,'Carl Bauer','W',20190819,20221130),(305,'Jo Lindgren','W',20220110,0),(306,'Amos Reed','W',20230522,0);
INSERT INTO itm_cat VALUES ('EL','Electrical'),('PL','Plumbing'),('FA','Fasteners'),('TL','Hand tools'),('SF','Safety'),('LI','Lighting'),('PA','Paint and sealants'),('CL','Cleaning'),('HV','Heating and ventilation');
INSERT INTO carriers VALUES ('RDX','Roadex Freight'),('BLU','Blue Line Parcel'),('OVT','Ohio Valley Trucking'),('OWN','Own truck'),('SWF','Swift Courier'),('PUP','Customer pickup');
INSERT INTO rtn_rsn VALUES ('D','Damaged in transit'),('W','Wrong item sent'),('Q','Quality defect'),('O','Customer over-ordered'),('L','Delivered too late');

INSERT INTO suppliers
SELECT i, (ARRAY['Allied','Beacon','Crown','Delta','Eagle','Falcon','Granite','Hudson','Ironside','Keystone','Liberty','Monarch','Noble','Orion'])[1+(i-1)%14]||' '||(ARRAY['Supply','Manufacturing','Industrial'])[1+(i-1)/14],
   (ARRAY['USA','USA','USA','USA','Canada','Mexico','China','China','Germany','Taiwan'])[1+pg_temp.h('sc'||i,10)], (ARRAY[15,30,30,30,45,60])[1+pg_temp.h('pt'||i,6)],
   (ARRAY['A','A','A','B','B','B','B','C',NULL])[1+pg_temp.h('sr'||i,9)], CASE WHEN i IN (11,27,36) THEN 'N' ELSE 'Y' END
FROM generate_series(1,42) i;

INSERT INTO itm
SELECT c||'-'||(1000+i), adj||' '||noun, c, (ARRAY['EA','EA','EA','BX','PK','RL'])[1+pg_temp.h('um'||i,6)], k, round(k*(130+pg_temp.h('mk'||i,60))/100.0,2),
  CASE WHEN i%23=0 THEN NULL ELSE 1+pg_temp.h('ps'||i,38) END,
  CASE WHEN i%14=0 THEN 'D' WHEN i%29=0 THEN 'H' ELSE 'A' END, (20+pg_temp.h('rp'||i,30)*10),
  to_char(CASE WHEN i > 180 THEN date '2022-02-01' + (i-180)*45 ELSE date '2012-01-15' + i*18 END,'YYYYMMDD')
FROM (SELECT i, c, (ARRAY['Compact','Heavy-duty','Standard','Premium','Economy'])[1+((i-1)/9)%5] adj,
  CASE c WHEN 'EL' THEN (ARRAY['cable tie','junction box','wall socket','circuit breaker','extension lead'])[n] WHEN 'PL' THEN (ARRAY['ball valve','copper elbow','pipe clamp','sink trap','flexible hose'])[n]
   WHEN 'FA' THEN (ARRAY['wood screw','hex bolt','wall anchor','washer set','rivet pack'])[n] WHEN 'TL' THEN (ARRAY['claw hammer','screwdriver set','pipe wrench','tape measure','hacksaw'])[n]
   WHEN 'SF' THEN (ARRAY['work gloves','safety goggles','ear defenders','hard hat','high-vis vest'])[n] WHEN 'LI' THEN (ARRAY['LED panel','tube lamp','floodlight','work lamp','emergency light'])[n]
   WHEN 'PA' THEN (ARRAY['silicone sealant','wall paint','metal primer','wood varnish','masking tape'])[n] WHEN 'CL' THEN (ARRAY['floor cleaner','paper towel','mop head','degreaser','waste bag'])[n]
   ELSE (ARRAY['duct section','air filter','thermostat','vent grille','fan heater'])[n] END noun,
   round((1.2+power(pg_temp.h('kc'||i,1000)/1000.0,3)*90)::numeric,2) k
  FROM (SELECT i, (ARRAY['EL','PL','FA','TL','SF','LI','PA','CL','HV'])[1+(i-1)%9] c, 1+((i-1)/45)%5 n FROM generate_series(1,200) i) y) x;

INSERT INTO po_hdr
SELECT 40000+i, 1 + (pg_temp.h('su'||i,40)*(50+pg_temp.h('sv'||i,51))/100), pg_temp.ymd(d), pg_temp.ymd(d + 7 + pg_temp.h('ex'||i,30)),
  CASE WHEN pg_temp.h('px'||i,22)=0 THEN 'X' WHEN d > date '2024-12-05' THEN 'O' WHEN d > date '2024-10-15' AND i%3=0 THEN 'P' WHEN d > date '2024-11-10' AND i%3=1 THEN 'O' ELSE 'C' END,
  CASE WHEN pg_temp.h('bu'||i,4)=0 THEN CASE WHEN d <= date '2023-08-31' THEN 104 WHEN d >= date '2023-09-05' THEN 105 ELSE 101 END ELSE 101 + pg_temp.h('bv'||i,3) END
FROM (SELECT i, date '2022-01-03' + (i*1085/560) + pg_temp.h('pd'||i,3) d FROM generate_series(1,560) i) x;

INSERT INTO po_ln
SELECT po_no, row_number() OVER (PARTITION BY po_no ORDER BY i.itm_no), i.itm_no, 10*(2+pg_temp.h('pq'||po_no||i.itm_no,40)),
   round(i.std_cost*(88+pg_temp.h('pc'||po_no||i.itm_no,22)+(ord_dt/10000-2022)*4)/100.0,2)
FROM po_hdr p JOIN itm i ON pg_temp.h('pl'||po_no||i.itm_no,1000) < CASE WHEN i.pref_supp = p.supp_id THEN 330 ELSE 7 END
 AND to_date(i.intro_dt,'YYYYMMDD') < to_date(p.ord_dt::text,'YYYYMMDD') AND i.itm_no NOT IN ('TL-1013','SF-1077','CL-1125');
DELETE FROM po_hdr p WHERE NOT EXISTS (SELECT 1 FROM po_ln l WHERE l.po_no = p.po_no);

INSERT INTO rcpt
SELECT 70000 + row_number() OVER (ORDER BY dt, po_no, ln_no, part), po_no, ln_no, dt, (ARRAY['MA','MA','MA','NO','SO'])[1+pg_temp.h('rw'||po_no,5)], q - rej, rej
FROM (SELECT po_no, ln_no, part, to_date(exp_dt::text,'YYYYMMDD') + CASE WHEN part=2 THEN 9 ELSE 0 END + CASE WHEN pg_temp.h('rl'||po_no,10) < 3 + CASE WHEN supp_id%5=0 THEN 3 ELSE 0 END THEN 1+pg_temp.h('rl2'||po_no,16) ELSE -pg_temp.h('re'||po_no,6) END dt,
   q, CASE WHEN pg_temp.h('rj'||po_no||'-'||ln_no||part,12)=0 THEN 1+q*pg_temp.h('rk'||po_no||ln_no,15)/100 ELSE 0 END rej
  FROM (SELECT p.po_no, l.ln_no, p.supp_id, p.exp_dt, s.part, CASE WHEN split AND s.part=1 THEN l.qty*6/10 WHEN split THEN l.qty - l.qty*6/10 ELSE l.qty END q
        FROM po_hdr p JOIN po_ln l USING (po_no) CROSS JOIN LATERAL (SELECT pg_temp.h('sp'||p.po_no||'-'||l.ln_no,6)=0 AND p.st='C' AS split) k CROSS JOIN LATERAL generate_series(1, CASE WHEN split THEN 2 ELSE 1 END) s(part)
        WHERE p.st='C' OR (p.st='P' AND l.ln_no <= greatest(1,(SELECT count(*)/2 FROM po_ln z WHERE z.po_no=p.po_no)))) y) x;
UPDATE rcpt SET rcv_dt = date '2024-12-30' WHERE rcv_dt > date '2024-12-30';
UPDATE po_hdr p SET st = 'C' WHERE st = 'P' AND NOT EXISTS (SELECT 1 FROM po_ln l WHERE l.po_no=p.po_no AND NOT EXISTS (SELECT 1 FROM rcpt r WHERE r.po_no=l.po_no AND r.ln_no=l.ln_no));

INSERT INTO cust
SELECT i, (ARRAY['Buckeye','Lakeside','Miller','Summit','Tri-County','Riverbend','Hometown','Ace','Franklin','Pioneer','Northgate','Valley','Capital','Erie'])[1+(i-1)%14]||' '||(ARRAY['Hardware','Electric','Builders','Facilities','Plumbing','Home Center','Contractors','School District','Property Care','Lumber'])[1+(i-1)/14],
  (ARRAY['Columbus','Cleveland','Cincinnati','Toledo','Akron','Dayton','Youngstown','Lima','Mansfield','Athens'])[1+k], (ARRAY['EA','NO','SO','NO','NO','WE','EA','WE','NO','SO'])[1+k],
  CASE WHEN (i-1)/14 = 7 THEN 'G' WHEN (i-1)/14 IN (0,5,9) THEN 'R' WHEN (i-1)/14 IN (3,8) THEN 'F' ELSE 'I' END,
  CASE WHEN pg_temp.h('cl'||i,11)=0 THEN NULL ELSE (ARRAY[2500,5000,5000,10000,10000,15000,25000,50000])[1+pg_temp.h('cm'||i,8)] END, 1998 + pg_temp.h('cs'||i,24), CASE WHEN pg_temp.h('cb'||i,16)=0 THEN 'Y' ELSE 'N' END
FROM (SELECT i, pg_temp.h('ck'||i,10) k FROM generate_series(1,140) i) x;

INSERT INTO so_hdr
SELECT 500000+i, c, d, to_char(d + 2 + pg_temp.h('rq'||i,12),'YYYY-MM-DD'),
  CASE WHEN pg_temp.h('rn'||i,40)=0 THEN NULL WHEN pg_temp.h('rp'||c,5)=3 AND d > date '2024-02-15' THEN CASE WHEN d >= date '2024-03-04' THEN 206 ELSE 201 END ELSE 201 + pg_temp.h('rp'||c,5) END,
  (ARRAY['MA','MA','MA','NO','NO','SO','SO','SO'])[1+pg_temp.h('ow'||i,8)],
  CASE WHEN pg_temp.h('ox'||i,19)=0 THEN 'X' WHEN d > date '2024-12-24' THEN 'N' WHEN d > date '2024-12-19' THEN 'P' WHEN d > date '2024-12-01' THEN 'S' WHEN d > date '2024-11-01' AND i%4=0 THEN 'S' ELSE 'I' END,
  (ARRAY[0,0,0,0,0,2.5,5,5,7.5,10])[1+pg_temp.h('od'||i,10)]
FROM (SELECT i, 1 + (pg_temp.h('oc'||i,131)*(40+pg_temp.h('oe'||i,61))/100) c, date '2022-01-03' + floor(1091*power(i/1600.0,0.9))::int d FROM generate_series(1,1600) i) x;

INSERT INTO so_ln
SELECT so_no, row_number() OVER (PARTITION BY so_no ORDER BY i.itm_no), i.itm_no, CASE WHEN i.lst_prc > 40 THEN 1+pg_temp.h('lq'||so_no||i.itm_no,12) ELSE 5*(1+pg_temp.h('lq'||so_no||i.itm_no,16)) END,
   round(i.lst_prc*(100+(extract(year FROM o.ord_dt)::int-2022)*3)/100.0,2)
FROM so_hdr o JOIN itm i ON pg_temp.h('sl'||so_no||i.itm_no,1000) < CASE WHEN i.cat_cd='EL' THEN 24 WHEN i.cat_cd='CL' THEN 9 ELSE 15 END
 AND to_date(i.intro_dt,'YYYYMMDD') < o.ord_dt AND i.itm_no NOT IN ('SF-1077','PA-1106','HV-1117') AND NOT (i.stat='D' AND o.ord_dt > date '2024-03-31');
DELETE FROM so_hdr o WHERE NOT EXISTS (SELECT 1 FROM so_ln l WHERE l.so_no=o.so_no);

INSERT INTO "Shipments"
SELECT 900000 + row_number() OVER (ORDER BY d, so_no, part), so_no, to_char(d,'DD.MM.YYYY'), ca, CASE WHEN ca='PUP' THEN NULL ELSE w END,
  CASE WHEN ca='PUP' THEN 0 ELSE round((9 + w*(CASE ca WHEN 'SWF' THEN 0.62 WHEN 'BLU' THEN 0.41 WHEN 'OWN' THEN 0.18 ELSE 0.27 END))::numeric,2) END,
  CASE WHEN ca='PUP' THEN d WHEN d + tt > date '2024-12-31' THEN NULL WHEN pg_temp.h('nd'||so_no||part,60)=0 THEN NULL ELSE d+tt END
FROM (SELECT o.so_no, part, o.ord_dt + 1 + pg_temp.h('sd'||o.so_no,8) + (part-1)*6 d, (ARRAY['RDX','RDX','BLU','BLU','BLU','OVT','OVT','OWN','OWN','SWF','PUP'])[1+pg_temp.h('ca'||o.so_no||part,11)] ca, 1+pg_temp.h('tt'||o.so_no||part,5) tt,
   round((3+pg_temp.h('wt'||o.so_no||part,4000)/10.0)::numeric,1) w
  FROM so_hdr o CROSS JOIN LATERAL generate_series(1, CASE WHEN pg_temp.h('pt'||o.so_no,9)=0 AND o.ord_dt < date '2024-12-01' THEN 2 ELSE 1 END) part WHERE stat IN ('S','I')) x;

INSERT INTO rtn
SELECT 3000 + row_number() OVER (ORDER BY d, so_no, ln_no), so_no, ln_no, to_char(d,'YYYYMMDD'), q, rs, round(q*prc*(100-disc_pct)/100.0,2)
FROM (SELECT o.so_no, l.ln_no, o.ord_dt + 16 + pg_temp.h('rd'||o.so_no||'-'||l.ln_no,30) d, greatest(1, l.qty*(10+pg_temp.h('rq'||o.so_no||l.ln_no,90))/100) q, (ARRAY['D','D','D','W','W','Q','Q','Q','Q','O','L'])[1+pg_temp.h('rr'||o.so_no||l.ln_no,11)] rs, l.prc, o.disc_pct
  FROM so_hdr o JOIN so_ln l USING (so_no) WHERE o.stat='I' AND pg_temp.h('rt'||o.so_no||'-'||l.ln_no,1000) < 38 + CASE WHEN l.itm_no LIKE 'LI%' THEN 45 ELSE 0 END AND o.ord_dt < date '2024-11-10') x;

CREATE TEMP TABLE mv ON COMMIT DROP AS
SELECT rcv_dt + interval '8 hours' + pg_temp.h('mr'||rcpt_no,400)*interval '1 minute' ts, l.itm_no, r.wh_cd, 'R'::char(1) typ, r.qty_ok qty FROM rcpt r JOIN po_ln l USING (po_no, ln_no) WHERE qty_ok > 0
UNION ALL SELECT o.ord_dt + 1 + pg_temp.h('sd'||o.so_no,8) + interval '9 hours' + pg_temp.h('ms'||o.so_no||l.ln_no,420)*interval '1 minute', l.itm_no, o.wh_cd, 'S', -l.qty FROM so_hdr o JOIN so_ln l USING (so_no) WHERE o.stat IN ('S','I')
UNION ALL SELECT date '2022-03-01' + k*5 + interval '17 hours', i.itm_no, (ARRAY['MA','NO','SO'])[1+pg_temp.h('aw'||k,3)], 'A', CASE WHEN pg_temp.h('as'||k,3)=0 THEN 1 ELSE -1 END*(1+pg_temp.h('aq'||k,14)) FROM generate_series(1,200) k JOIN LATERAL (SELECT itm_no FROM itm ORDER BY pg_temp.h('ai'||k||itm_no,1000000) LIMIT 1) i ON true
UNION ALL SELECT date '2022-02-10' + k*9 + interval '11 hours', i.itm_no, w, 'T', s*(10+pg_temp.h('tq'||k,9)*5) FROM generate_series(1,110) k JOIN LATERAL (SELECT itm_no FROM itm WHERE intro_dt < '20220101' ORDER BY pg_temp.h('ti'||k||itm_no,1000000) LIMIT 1) i ON true CROSS JOIN LATERAL (VALUES ('MA',-1),(CASE WHEN k%2=0 THEN 'NO' ELSE 'SO' END,1)) v(w,s);
INSERT INTO stk_mv
SELECT row_number() OVER (ORDER BY ts, itm_no, wh_cd, typ, qty), ts, itm_no, wh_cd, typ, qty FROM (
 SELECT * FROM mv UNION ALL
 SELECT CASE WHEN i.intro_dt < '20220101' THEN timestamp '2022-01-01 06:00' ELSE to_date(i.intro_dt,'YYYYMMDD') + interval '6 hours' END, i.itm_no, w.wh_cd, 'B', greatest(0, coalesce(-m.q,0)) + pg_temp.h('bo'||i.itm_no||w.wh_cd,90)
 FROM itm i CROSS JOIN (VALUES ('MA'),('NO'),('SO')) w(wh_cd) LEFT JOIN (SELECT itm_no, wh_cd, sum(qty) q FROM mv GROUP BY 1,2) m ON m.itm_no=i.itm_no AND m.wh_cd=w.wh_cd) z WHERE qty <> 0;
COMMIT;
