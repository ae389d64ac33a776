-- A restaurant chain's tills and kitchen with names cut short, codes of which some are explained, flags as Y and N or 1 and 0, few declared keys.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/pos.sql
BEGIN;
DROP SCHEMA IF EXISTS pos CASCADE;
CREATE SCHEMA pos;
SET LOCAL search_path = pos;

CREATE OR REPLACE FUNCTION pg_temp.h(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(i::text||':'||salt),1,7))::bit(28)::int) % n)::int $$;

CREATE TABLE str (
  str_no int PRIMARY KEY, str_nm varchar(40) NOT NULL, addr varchar(60), city varchar(30) NOT NULL, st char(2) NOT NULL, fmt_cd char(2) NOT NULL,
  seats int, opn_dt date NOT NULL, cls_dt date, mgr_emp int);
CREATE TABLE emp (
  emp_no int PRIMARY KEY, fnm varchar(20) NOT NULL, lnm varchar(20) NOT NULL, str_no int NOT NULL REFERENCES str(str_no), job_cd char(3) NOT NULL,
  hire_dt date NOT NULL, term_dt date, hr_rate numeric(6,2), ft_flg char(1) NOT NULL);
CREATE TABLE shft (
  shft_id int PRIMARY KEY, emp_no int NOT NULL REFERENCES emp(emp_no), str_no int NOT NULL, clk_in timestamp NOT NULL, clk_out timestamp, brk_min int NOT NULL DEFAULT 0);
CREATE TABLE cat (cat_cd char(2) PRIMARY KEY, cat_nm varchar(30) NOT NULL);
CREATE TABLE mitm (
  itm_no int PRIMARY KEY, itm_nm varchar(40) NOT NULL, cat_cd char(2) NOT NULL REFERENCES cat(cat_cd), prc numeric(6,2) NOT NULL, cst numeric(6,2),
  veg smallint NOT NULL DEFAULT 0, act char(1) NOT NULL DEFAULT 'Y', intro_dt date);
CREATE TABLE dsc (dsc_cd varchar(6) PRIMARY KEY, dsc_nm varchar(30) NOT NULL, dsc_typ char(1) NOT NULL, dsc_val numeric(6,2) NOT NULL, act char(1) NOT NULL);
CREATE TABLE chk (
  chk_no int PRIMARY KEY, str_no int NOT NULL REFERENCES str(str_no), srv_emp int NOT NULL, ord_typ smallint NOT NULL, tbl_no int, gst_cnt int,
  opn_ts timestamp NOT NULL, cls_ts timestamp, sts char(1) NOT NULL, dsc_cd varchar(6), gross_amt numeric(9,2) NOT NULL DEFAULT 0, dsc_amt numeric(9,2) NOT NULL DEFAULT 0,
  net_amt numeric(9,2) NOT NULL DEFAULT 0, tax_amt numeric(9,2) NOT NULL DEFAULT 0, tot_amt numeric(9,2) NOT NULL DEFAULT 0);
CREATE TABLE chkln (
  chk_no int NOT NULL REFERENCES chk(chk_no), ln_no int NOT NULL, itm_no int NOT NULL, qty int NOT NULL, unit_prc numeric(6,2) NOT NULL, ext_amt numeric(9,2) NOT NULL,
  vd_flg char(1) NOT NULL DEFAULT 'N', fire_ts timestamp, bump_ts timestamp, PRIMARY KEY (chk_no, ln_no));
CREATE TABLE pmt (
  pmt_id int PRIMARY KEY, chk_no int NOT NULL REFERENCES chk(chk_no), tndr_cd char(2) NOT NULL, amt numeric(9,2) NOT NULL, tip_amt numeric(7,2) NOT NULL DEFAULT 0, pmt_ts timestamp NOT NULL);
CREATE TABLE supp (sup_no int PRIMARY KEY, sup_nm varchar(40) NOT NULL, city varchar(30), phone varchar(20), pref char(1) NOT NULL DEFAULT 'N');
CREATE TABLE dlv (
  dlv_no int PRIMARY KEY, sup_no int NOT NULL, str_no int NOT NULL, ord_dt date NOT NULL, due_dt date NOT NULL, rcv_dt date, sts char(1) NOT NULL);
CREATE TABLE dlvln (
  dlv_no int NOT NULL REFERENCES dlv(dlv_no), ln_no int NOT NULL, stk_nm varchar(30) NOT NULL, uom varchar(4) NOT NULL, qty_ord numeric(8,2) NOT NULL, qty_rcv numeric(8,2), unit_cst numeric(8,2) NOT NULL,
  PRIMARY KEY (dlv_no, ln_no));

COMMENT ON TABLE chk IS 'guest checks (tickets)';
COMMENT ON TABLE mitm IS 'menu items';
COMMENT ON TABLE dlv IS 'stock deliveries from suppliers to stores';
COMMENT ON COLUMN str.fmt_cd IS 'SD=sit-down, DT=drive-thru, FC=food court';
COMMENT ON COLUMN emp.job_cd IS 'MGR manager, SRV server, CSH cashier, CK cook, HST host';
COMMENT ON COLUMN chk.ord_typ IS '1 dine-in 2 takeout 3 delivery';
COMMENT ON COLUMN chk.sts IS 'C=closed V=voided (no sale)';
COMMENT ON COLUMN chk.net_amt IS 'sales after discount, before tax';
COMMENT ON COLUMN chkln.vd_flg IS 'Y = line voided, not sold';
COMMENT ON COLUMN chkln.fire_ts IS 'sent to kitchen';
COMMENT ON COLUMN chkln.bump_ts IS 'marked ready by kitchen';
COMMENT ON COLUMN pmt.tndr_cd IS 'CA cash, CC credit card, GC gift card, MB mobile wallet';
COMMENT ON COLUMN pmt.amt IS 'amount applied to the check, without tip';
COMMENT ON COLUMN dsc.dsc_typ IS 'P percent, A amount';
COMMENT ON COLUMN dlv.sts IS 'R received, X cancelled, O on order';

INSERT INTO str VALUES
 (101,'Main Street','12 Main St','Columbus','OH','SD',84,'2023-01-03',NULL,1001),
 (102,'Easton Mall','4000 Easton Way','Columbus','OH','FC',NULL,'2023-01-03',NULL,1009),
 (103,'Lakeshore','77 Lake Ave','Cleveland','OH','SD',110,'2023-01-10',NULL,1017),
 (104,'Route 23','2310 Route 23','Delaware','OH','DT',32,'2023-02-01',NULL,1025),
 (105,'Riverfront','5 Water St','Pittsburgh','PA','SD',96,'2023-01-03',NULL,1033),
 (106,'Steel City Express','801 Liberty Ave','Pittsburgh','PA','DT',28,'2023-04-17',NULL,1041),
 (107,'Monument Circle','1 Circle Dr','Indianapolis','IN','SD',120,'2023-01-03',NULL,1049),
 (108,'Airport Plaza','7800 Airport Rd','Indianapolis','IN','FC',NULL,'2023-06-05','2025-03-31',1057),
 (109,'Campus Corner','220 College Ave','Ann Arbor','MI','DT',40,'2023-08-21',NULL,1065),
 (110,'Greektown','410 Monroe St','Detroit','MI','SD',75,'2024-03-11',NULL,1073),
 (111,'Bluegrass Station','19 Depot Ln','Lexington','KY','SD',68,'2025-11-17',NULL,NULL);

INSERT INTO emp (emp_no,fnm,lnm,str_no,job_cd,hire_dt,term_dt,hr_rate,ft_flg)
SELECT 1000+i, (ARRAY['James','Maria','Robert','Linda','Kyle','Jasmine','Andre','Tina','Marcus','Becky','Luis','Heather','Dwayne','Olga','Sean','Keisha','Trevor','Rosa','Neil','Gina','Curtis','Amber','Victor','Dana','Ricky','Joan','Felipe','Shannon','Gary','Mei','Tony'])[1+(i*11)%31],
 (ARRAY['Hall','Rivera','Stone','Bishop','Carter','Nolan','Price','Santos','Webb','Yates','Dixon','Frost','Grant','Holt','Jarvis','Knox','Lamb','Marsh','Norris','Pope','Reed','Shaw','Tate','Vance','Wolfe','Barnes','Cruz'])[1+(i*7)%27],
 s.str_no, j, hd, CASE WHEN pg_temp.h(i,'tm',6)=0 AND j<>'MGR' THEN LEAST(hd+120+pg_temp.h(i,'td',500), date '2025-12-20') WHEN s.cls_dt IS NOT NULL THEN s.cls_dt END,
 CASE WHEN i%37=5 THEN NULL ELSE CASE j WHEN 'MGR' THEN 27 WHEN 'CK' THEN 17.5 WHEN 'SRV' THEN 11 WHEN 'CSH' THEN 13.5 ELSE 12 END + pg_temp.h(i,'hr',17)*0.25 END, CASE WHEN j='MGR' OR pg_temp.h(i,'ft',5)<3 THEN 'Y' ELSE 'N' END
FROM generate_series(1,80) i JOIN str s ON s.str_no=101+(i-1)/8
CROSS JOIN LATERAL (SELECT CASE WHEN (i-1)%8=0 THEN 'MGR' WHEN (i-1)%8 IN (1,2) THEN 'CK' WHEN s.fmt_cd='SD' THEN CASE WHEN (i-1)%8=7 THEN 'HST' ELSE 'SRV' END ELSE CASE WHEN (i-1)%8=3 THEN 'CK' ELSE 'CSH' END END j,
  s.opn_dt + CASE WHEN (i-1)%8<4 THEN 0 ELSE pg_temp.h(i,'hd',LEAST(420, (coalesce(s.cls_dt,'2025-12-31')-s.opn_dt)-200)) END hd) x ORDER BY i;

INSERT INTO cat VALUES ('AP','Appetizers'),('BG','Burgers'),('SW','Sandwiches'),('SL','Salads'),('EN','Entrees'),('SD','Sides'),('DS','Desserts'),('BV','Beverages'),('BR','Beer & Wine'),('KD','Kids Menu');
INSERT INTO cat VALUES ('CT','Catering');
INSERT INTO mitm VALUES
 (1,'Loaded Nachos','AP',10.50,3.40,0,'Y','2023-01-03'),(2,'Mozzarella Sticks','AP',8.25,2.10,1,'Y','2023-01-03'),(3,'Buffalo Wings','AP',12.75,4.60,0,'Y','2023-01-03'),(4,'Spinach Dip','AP',9.50,2.60,1,'N','2023-01-03'),
 (5,'Classic Burger','BG',11.50,3.60,0,'Y','2023-01-03'),(6,'Bacon Cheeseburger','BG',13.75,4.55,0,'Y','2023-01-03'),(7,'Mushroom Swiss Burger','BG',13.25,4.20,0,'Y','2023-01-03'),(8,'Black Bean Burger','BG',12.25,3.10,1,'Y','2023-06-12'),
 (9,'Turkey Club','SW',11.25,3.75,0,'Y','2023-01-03'),(10,'Philly Cheesesteak','SW',13.00,4.80,0,'Y','2023-01-03'),(11,'Grilled Chicken Wrap','SW',10.75,3.30,0,'Y','2023-01-03'),(12,'Caprese Panini','SW',10.25,2.90,1,'Y','2024-04-01'),
 (13,'Caesar Salad','SL',9.25,2.20,1,'Y','2023-01-03'),(14,'Cobb Salad','SL',12.50,4.05,0,'Y','2023-01-03'),(15,'Harvest Salad','SL',11.00,3.00,1,'Y','2023-09-18'),
 (16,'Ribeye Steak','EN',27.50,11.90,0,'Y','2023-01-03'),(17,'Grilled Salmon','EN',22.00,8.70,0,'Y','2023-01-03'),(18,'Chicken Alfredo','EN',16.50,4.75,0,'Y','2023-01-03'),(19,'Vegetable Stir Fry','EN',14.25,3.45,1,'Y','2023-01-03'),(20,'BBQ Ribs','EN',21.25,7.95,0,'Y','2023-01-03'),
 (21,'French Fries','SD',3.95,0.70,1,'Y','2023-01-03'),(22,'Onion Rings','SD',4.75,0.95,1,'Y','2023-01-03'),(23,'Coleslaw','SD',2.95,0.50,1,'Y','2023-01-03'),(24,'Mac & Cheese','SD',5.25,1.35,1,'Y','2023-01-03'),
 (25,'Chocolate Brownie','DS',6.50,1.55,1,'Y','2023-01-03'),(26,'New York Cheesecake','DS',7.25,2.15,1,'Y','2023-01-03'),(27,'Apple Pie','DS',5.95,1.40,1,'N','2023-01-03'),
 (28,'Fountain Soda','BV',2.75,0.30,1,'Y','2023-01-03'),(29,'Iced Tea','BV',2.50,0.25,1,'Y','2023-01-03'),(30,'Coffee','BV',2.95,0.40,1,'Y','2023-01-03'),(31,'Milkshake','BV',5.75,1.60,1,'Y','2023-01-03'),
 (32,'Draft Lager','BR',6.25,1.50,1,'Y','2023-01-03'),(33,'House Red Wine','BR',8.50,2.40,1,'Y','2023-01-03'),(34,'Local IPA','BR',7.25,1.95,1,'Y','2024-02-05'),
 (35,'Kids Chicken Tenders','KD',6.75,1.90,0,'Y','2023-01-03'),(36,'Kids Grilled Cheese','KD',5.95,1.20,1,'Y','2023-01-03'),(37,'Truffle Fries','SD',6.95,1.80,1,'N','2023-05-15'),(38,'Lobster Roll','SW',24.00,NULL,0,'Y','2025-12-22');
INSERT INTO dsc VALUES ('SEN10','Senior 10%','P',10,'Y'),('EMP50','Employee Meal','P',50,'Y'),('STU15','Student 15%','P',15,'Y'),('HAPPY','Happy Hour','P',20,'Y'),('CPN5','$5 Coupon','A',5,'Y'),('LOY3','Loyalty $3 Off','A',3,'Y'),('GRP10','Grand Opening','P',10,'N'),('MIL10','Military 10%','P',10,'Y'),('APOL8','Guest Recovery $8','A',8,'Y'),('VAL25','Valentine 25%','P',25,'N');

INSERT INTO chk (chk_no,str_no,srv_emp,ord_typ,tbl_no,gst_cnt,opn_ts,cls_ts,sts,dsc_cd)
SELECT 50000+row_number() OVER (ORDER BY ots, i), sn, e.emp_no, ot, CASE WHEN ot=1 AND fmt_cd<>'FC' THEN 1+pg_temp.h(i,'tb',24) END,
  CASE WHEN ot=1 THEN 1+LEAST(pg_temp.h(i,'g1',6),pg_temp.h(i,'g2',8)) END, ots, ots + CASE WHEN ot=1 THEN 22+pg_temp.h(i,'dur',60) ELSE 5+pg_temp.h(i,'dur',22) END*interval '1 minute',
  CASE WHEN pg_temp.h(i,'vd',27)=0 THEN 'V' ELSE 'C' END,
  CASE WHEN pg_temp.h(i,'ds',7)=0 THEN (ARRAY['SEN10','SEN10','SEN10','EMP50','STU15','STU15','HAPPY','HAPPY','HAPPY','CPN5','CPN5','CPN5','CPN5','LOY3','LOY3','APOL8'])[1+pg_temp.h(i,'dc',16)] END
FROM (SELECT i, sn, s.fmt_cd, d + (10+GREATEST(pg_temp.h(i,'hr',12),pg_temp.h(i,'hr2',7)))*interval '1 hour' + pg_temp.h(i,'mi',60)*interval '1 minute' ots,
   CASE s.fmt_cd WHEN 'SD' THEN (ARRAY[1,1,1,1,1,2,3])[1+pg_temp.h(i,'ot',7)] WHEN 'DT' THEN (ARRAY[2,2,2,2,3,1])[1+pg_temp.h(i,'ot',6)] ELSE (ARRAY[1,1,2])[1+pg_temp.h(i,'ot',3)] END ot, d
  FROM (SELECT i, (ARRAY[101,101,101,102,103,103,104,105,105,105,106,107,107,107,107,108,109,109,110,110])[1+pg_temp.h(i,'sn',20)] sn, date '2023-01-04' + GREATEST(pg_temp.h(i,'dt',1085), pg_temp.h(i,'dt2',700)) d FROM generate_series(1,950) i) a
  JOIN str s ON s.str_no=a.sn WHERE d>s.opn_dt AND d<=coalesce(s.cls_dt,'2025-12-31')) b
JOIN LATERAL (SELECT emp_no FROM emp e WHERE e.str_no=sn AND job_cd IN ('SRV','CSH') AND e.hire_dt<=b.d AND coalesce(e.term_dt,'2025-12-31')>=b.d ORDER BY pg_temp.h(i*41+emp_no,'se',997) LIMIT 1) e ON true;

INSERT INTO chkln (chk_no,ln_no,itm_no,qty,unit_prc,ext_amt,vd_flg,fire_ts,bump_ts)
SELECT chk_no, row_number() OVER (PARTITION BY chk_no ORDER BY k), itm, q, p, q*p, CASE WHEN sts='V' OR (k>1 AND pg_temp.h(chk_no*9+k,'lv',30)=0) THEN 'Y' ELSE 'N' END,
  CASE WHEN kit THEN ft END, CASE WHEN kit AND sts='C' THEN ft + (4*60+pg_temp.h(chk_no*9+k,'kt',12*60)+CASE WHEN cat_cd='EN' THEN 240 ELSE 0 END)*interval '1 second' END
FROM (SELECT c.chk_no, c.sts, k, m.itm_no itm, m.cat_cd, m.cat_cd NOT IN ('BV','BR') kit, 1+LEAST(pg_temp.h(c.chk_no*9+k,'q',3),coalesce(c.gst_cnt,2)-1,pg_temp.h(c.chk_no*9+k,'q2',4)) q,
   CASE WHEN c.opn_ts<'2024-01-01' THEN round(m.prc*0.92*4,0)/4 ELSE m.prc END p, c.opn_ts + (2+k)*interval '1 minute' ft
 FROM chk c CROSS JOIN LATERAL generate_series(1,1+pg_temp.h(c.chk_no,'nl',3)+CASE WHEN c.gst_cnt>3 THEN 1 ELSE 0 END) k
 JOIN LATERAL (SELECT m.* FROM mitm m WHERE coalesce(m.intro_dt,'2023-01-03')<=c.opn_ts::date AND m.itm_no<>38 AND (m.act='Y' OR c.opn_ts<'2024-07-01') AND m.itm_no<>36
   AND CASE k WHEN 1 THEN m.cat_cd IN ('BG','SW','SL','EN') WHEN 2 THEN m.cat_cd IN ('BV','BR','SD') WHEN 3 THEN m.cat_cd IN ('AP','SD','KD') ELSE m.cat_cd IN ('DS','BV') END
   ORDER BY pg_temp.h(c.chk_no*101+m.itm_no*7,'it',9973)+ (m.itm_no*m.itm_no*37%1900) LIMIT 1) m ON true) z;

UPDATE chk c SET gross_amt=t.g FROM (SELECT chk_no, sum(ext_amt) g FROM chkln WHERE vd_flg='N' GROUP BY 1) t WHERE t.chk_no=c.chk_no AND c.sts='C';
UPDATE chk SET dsc_cd=NULL WHERE sts='V';
UPDATE chkln SET bump_ts=NULL WHERE vd_flg='Y';
UPDATE chk c SET dsc_amt = CASE d.dsc_typ WHEN 'P' THEN round(gross_amt*d.dsc_val/100,2) ELSE LEAST(d.dsc_val,gross_amt) END FROM dsc d WHERE d.dsc_cd=c.dsc_cd;
UPDATE chk SET net_amt=gross_amt-dsc_amt;
UPDATE chk SET tax_amt=round(net_amt*0.0675,2);
UPDATE chk SET tot_amt=net_amt+tax_amt;

INSERT INTO pmt (pmt_id,chk_no,tndr_cd,amt,tip_amt,pmt_ts)
SELECT row_number() OVER (ORDER BY cls_ts,chk_no,k), chk_no, t, a, CASE WHEN t='CA' OR ord_typ=2 AND pg_temp.h(chk_no,'tt',3)>0 THEN 0 ELSE round(a*(ARRAY[0.10,0.15,0.18,0.18,0.20,0.20,0.22])[1+pg_temp.h(chk_no*3+k,'tp',7)],2) END, cls_ts - interval '1 minute'
FROM (SELECT c.*, k, (ARRAY['CC','CC','CC','CC','CC','CA','CA','MB','MB','GC'])[1+pg_temp.h(chk_no*3+k,'tn',10)] t, CASE WHEN n=1 THEN tot_amt WHEN k=1 THEN round(tot_amt/2,2) ELSE tot_amt-round(tot_amt/2,2) END a
 FROM chk c CROSS JOIN LATERAL (SELECT CASE WHEN gst_cnt>1 AND pg_temp.h(chk_no,'sp',6)=0 THEN 2 ELSE 1 END n) nn CROSS JOIN LATERAL generate_series(1,n) k WHERE sts='C') x;

INSERT INTO shft (shft_id,emp_no,str_no,clk_in,clk_out,brk_min)
SELECT row_number() OVER (ORDER BY ci,e.emp_no), e.emp_no, CASE WHEN pg_temp.h(i,'os',25)=0 THEN (ARRAY[101,103,105,107])[1+pg_temp.h(i,'os2',4)] ELSE e.str_no END, ci,
  CASE WHEN pg_temp.h(i,'nco',45)=0 THEN NULL ELSE ci + CASE WHEN e.ft_flg='Y' THEN 450+pg_temp.h(i,'len',120) ELSE 240+pg_temp.h(i,'len',130) END*interval '1 minute' END, (ARRAY[0,15,30,30,30,45])[1+pg_temp.h(i,'br',6)]
FROM (SELECT i, 1001+pg_temp.h(i,'em',78) en FROM generate_series(1,950) i) g JOIN emp e ON e.emp_no=g.en
CROSS JOIN LATERAL (SELECT date '2023-01-05'+pg_temp.h(i,'sd',1085) d) dd CROSS JOIN LATERAL (SELECT d + (ARRAY[6,9,10,14,15])[1+pg_temp.h(i,'st',5)]*interval '1 hour' + (pg_temp.h(i,'sm',20)-10)*interval '1 minute' ci) cc
WHERE d>=e.hire_dt AND d<=coalesce(e.term_dt,'2025-12-31') AND e.emp_no NOT IN (1014,1052);

INSERT INTO supp VALUES (1,'Midwest Produce Co','Columbus','614-555-0142','Y'),(2,'Great Lakes Meats','Cleveland','216-555-0187','Y'),(3,'Keystone Dairy','Pittsburgh','412-555-0119','N'),(4,'Hoosier Bakery Supply','Indianapolis',NULL,'Y'),(5,'Atlantic Seafood Traders','Baltimore','410-555-0173','N'),(6,'Buckeye Beverage Dist','Columbus','614-555-0166','N'),(7,'Packright Paper Goods','Toledo','419-555-0130','N'),(8,'Sunrise Egg Farm','Lima',NULL,'N'),(9,'Motor City Foods','Detroit','313-555-0158','Y'),(10,'Valley Organic Growers','Dayton','937-555-0121','N'),(11,'Harbor Ice & Frozen','Erie','814-555-0190','N');
INSERT INTO dlv (dlv_no,sup_no,str_no,ord_dt,due_dt,rcv_dt,sts)
SELECT 9000+row_number() OVER (ORDER BY od,i), su, sn, od, od+3, CASE WHEN st='R' THEN od + CASE WHEN pg_temp.h(i,'lt',10)<2+su%4 THEN 4+pg_temp.h(i,'l2',4) ELSE 2+pg_temp.h(i,'l3',2) END END, st
FROM (SELECT a.*, CASE WHEN od>date '2025-12-06' THEN 'O' WHEN pg_temp.h(i,'cx',22)=0 THEN 'X' ELSE 'R' END st
 FROM (SELECT i, (ARRAY[1,1,1,2,2,2,2,3,3,4,4,4,5,6,6,7,8,9,9,9])[1+pg_temp.h(i,'su',20)] su, 101+pg_temp.h(i,'ss',10) sn, date '2023-01-06'+pg_temp.h(i,'od',1087) od FROM generate_series(1,460) i) a JOIN str s ON s.str_no=a.sn WHERE od>=s.opn_dt AND od<=coalesce(s.cls_dt,'2025-12-31')) b WHERE od+3<='2025-12-31';
INSERT INTO dlvln (dlv_no,ln_no,stk_nm,uom,qty_ord,qty_rcv,unit_cst)
SELECT dlv_no, row_number() OVER (PARTITION BY dlv_no ORDER BY nm), nm, u, q, CASE WHEN sts='R' THEN CASE WHEN pg_temp.h(dlv_no*17+x,'sh',11)=0 THEN round(q*0.8) ELSE q END END, round(c*(0.95+0.05*(extract(year from ord_dt)-2022)),2)
FROM (SELECT d.*, s.nm, s.u, s.c, s.x, (10+pg_temp.h(d.dlv_no*17+s.x,'qo',40))::numeric q, row_number() OVER (PARTITION BY d.dlv_no ORDER BY pg_temp.h(d.dlv_no*17+s.x,'pk',997)) r FROM dlv d JOIN (VALUES
 (1,'Lettuce','lb',1.40,1),(1,'Tomatoes','lb',1.85,2),(1,'Onions','lb',0.95,3),(1,'Potatoes','lb',0.62,4),(2,'Ground Beef','lb',4.60,5),(2,'Chicken Breast','lb',3.30,6),(2,'Ribeye','lb',11.20,7),(2,'Bacon','lb',5.10,8),(3,'Cheddar','lb',4.10,9),(3,'Mozzarella','lb',3.75,10),(3,'Milk','gal',3.20,11),(4,'Burger Buns','dz',3.60,12),(4,'Sandwich Bread','ea',2.80,13),(5,'Salmon Fillet','lb',9.40,14),(5,'Shrimp','lb',8.25,15),(6,'Soda Syrup','box',62.00,16),(6,'Lager Keg','ea',118.00,17),(7,'Takeout Boxes','cs',24.50,18),(7,'Napkins','cs',18.75,19),(8,'Eggs','dz',2.65,20),(9,'Frying Oil','box',31.00,21),(9,'Chicken Breast','lb',3.45,22),(9,'French Fries Frozen','cs',22.40,23)) s(sup,nm,u,c,x) ON s.sup=d.sup_no) z WHERE r<=2+dlv_no%2;
COMMIT;
