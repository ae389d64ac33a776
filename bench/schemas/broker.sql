-- Online stock broker. Accounts, orders, trades, fees, cash movements. Data until end of June 2024.
DROP SCHEMA IF EXISTS broker CASCADE;
CREATE SCHEMA broker;
SET search_path TO broker;

CREATE OR REPLACE FUNCTION pg_temp.h(s text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(s), 1, 8))::bit(32)::bigint) / 4294967296.0::double precision $$;

CREATE TABLE code_lkp (
  cd_grp varchar(12) NOT NULL,
  cd     varchar(4)  NOT NULL,
  descr  varchar(60) NOT NULL,
  PRIMARY KEY (cd_grp, cd)
);
COMMENT ON TABLE code_lkp IS 'All code lists. cd_grp names the list (ACCT_TYPE, ACCT_STAT, ORD_STAT, ORD_TYPE, CHNL, FEE_TYPE, MV_TYPE, INSTR_TYPE, RISK)';

CREATE TABLE branch (
  br_id   integer PRIMARY KEY,
  br_nm   varchar(60) NOT NULL,
  city    varchar(40) NOT NULL,
  ctry_cd char(2) NOT NULL,
  opn_dt  date NOT NULL,
  cls_dt  date
);
COMMENT ON COLUMN branch.ctry_cd IS 'ISO country code';
COMMENT ON COLUMN branch.cls_dt IS 'closing date, empty while the branch is open';

CREATE TABLE advisor (
  adv_id  integer PRIMARY KEY,
  adv_nm  varchar(60) NOT NULL,
  br_id   integer NOT NULL REFERENCES branch,
  grade   varchar(10) NOT NULL,
  hire_dt date NOT NULL,
  left_dt date,
  email   varchar(80)
);
COMMENT ON COLUMN advisor.grade IS 'Junior, Senior or Lead';

CREATE TABLE cust (
  cust_id  integer PRIMARY KEY,
  first_nm varchar(40) NOT NULL,
  last_nm  varchar(40) NOT NULL,
  birth_dt date,
  city     varchar(40),
  ctry_cd  char(2) NOT NULL,
  email    varchar(80),
  reg_dt   date NOT NULL,
  risk_cd  char(1),
  adv_id   integer
);
COMMENT ON COLUMN cust.reg_dt IS 'date the customer registered';
COMMENT ON COLUMN cust.risk_cd IS 'risk profile, code list RISK';
COMMENT ON COLUMN cust.adv_id IS 'advisor looking after the customer, empty for self-directed customers';

CREATE TABLE acct (
  acct_id  integer PRIMARY KEY,
  acct_no  varchar(12) NOT NULL UNIQUE,
  cust_id  integer NOT NULL REFERENCES cust,
  acct_typ char(3) NOT NULL,
  stat     char(1) NOT NULL,
  opn_dt   date NOT NULL,
  cls_dt   date,
  cash_bal numeric(12,2) NOT NULL
);
COMMENT ON COLUMN acct.acct_typ IS 'code list ACCT_TYPE';
COMMENT ON COLUMN acct.stat IS 'A = active, F = frozen, C = closed';
COMMENT ON COLUMN acct.cash_bal IS 'current cash balance in EUR';

CREATE TABLE instr (
  instr_id  integer PRIMARY KEY,
  ticker    varchar(8) NOT NULL UNIQUE,
  instr_nm  varchar(60) NOT NULL,
  instr_typ char(2) NOT NULL,
  sector    varchar(30),
  exch      varchar(20) NOT NULL,
  act_flg   char(1) NOT NULL
);
COMMENT ON COLUMN instr.instr_typ IS 'EQ = share, ET = exchange traded fund, BD = bond';
COMMENT ON COLUMN instr.act_flg IS 'Y = can be traded, N = no longer listed';

CREATE TABLE ord (
  ord_id   integer PRIMARY KEY,
  acct_id  integer NOT NULL REFERENCES acct,
  instr_id integer NOT NULL,
  side     char(1) NOT NULL,
  ord_typ  char(3) NOT NULL,
  qty      integer NOT NULL,
  lmt_px   numeric(10,2),
  ord_ts   timestamp NOT NULL,
  chnl     char(1) NOT NULL,
  stat     char(3) NOT NULL
);
COMMENT ON COLUMN ord.side IS 'B = buy, S = sell';
COMMENT ON COLUMN ord.lmt_px IS 'limit or stop price in EUR, empty for market orders';
COMMENT ON COLUMN ord.chnl IS 'where the order came from, code list CHNL';
COMMENT ON COLUMN ord.stat IS 'code list ORD_STAT';

CREATE TABLE trd (
  trd_id  integer PRIMARY KEY,
  ord_id  integer NOT NULL,
  trd_ts  timestamp NOT NULL,
  qty     integer NOT NULL,
  px      numeric(10,2) NOT NULL,
  amt     numeric(14,2) NOT NULL
);
COMMENT ON TABLE trd IS 'Executions. Most executed orders have one, some have two';
COMMENT ON COLUMN trd.px IS 'execution price in EUR';
COMMENT ON COLUMN trd.amt IS 'trade value in EUR (qty * px)';

CREATE TABLE fee (
  fee_id  integer PRIMARY KEY,
  acct_id integer NOT NULL,
  trd_id  integer REFERENCES trd,
  fee_typ char(3) NOT NULL,
  amt     numeric(8,2) NOT NULL,
  fee_dt  date NOT NULL,
  wvd_flg char(1) NOT NULL DEFAULT 'N'
);
COMMENT ON COLUMN fee.fee_typ IS 'code list FEE_TYPE';
COMMENT ON COLUMN fee.amt IS 'fee in EUR';
COMMENT ON COLUMN fee.wvd_flg IS 'Y = fee was waived, customer did not pay it';

CREATE TABLE cash_mv (
  mv_id   integer PRIMARY KEY,
  acct_id integer NOT NULL REFERENCES acct,
  mv_typ  char(3) NOT NULL,
  amt     numeric(12,2) NOT NULL,
  mv_dt   date NOT NULL
);
COMMENT ON COLUMN cash_mv.mv_typ IS 'code list MV_TYPE';
COMMENT ON COLUMN cash_mv.amt IS 'amount in EUR, always positive';

CREATE TABLE px_hist (
  instr_id integer NOT NULL,
  px_dt    date NOT NULL,
  cls_px   numeric(10,2) NOT NULL,
  PRIMARY KEY (instr_id, px_dt)
);
COMMENT ON TABLE px_hist IS 'month-end closing prices';
COMMENT ON COLUMN px_hist.cls_px IS 'closing price in EUR';

INSERT INTO code_lkp VALUES
 ('ACCT_TYPE','CSH','Cash account'),('ACCT_TYPE','MRG','Margin account'),('ACCT_TYPE','RET','Retirement account'),('ACCT_TYPE','JNT','Joint account'),
 ('ACCT_STAT','A','Active'),('ACCT_STAT','F','Frozen'),('ACCT_STAT','C','Closed'),
 ('ORD_STAT','NEW','Open'),('ORD_STAT','FIL','Filled'),('ORD_STAT','PRT','Partially filled'),('ORD_STAT','CXL','Cancelled'),('ORD_STAT','REJ','Rejected'),
 ('ORD_TYPE','MKT','Market'),('ORD_TYPE','LMT','Limit'),('ORD_TYPE','STP','Stop'),
 ('CHNL','W','Website'),('CHNL','M','Mobile app'),('CHNL','P','Phone'),('CHNL','A','Advisor'),
 ('FEE_TYPE','COM','Commission'),('FEE_TYPE','CUS','Custody fee'),('FEE_TYPE','INA','Inactivity fee'),('FEE_TYPE','WDL','Withdrawal fee'),
 ('MV_TYPE','DEP','Deposit'),('MV_TYPE','WDR','Withdrawal'),('MV_TYPE','DIV','Dividend'),('MV_TYPE','INT','Interest'),
 ('INSTR_TYPE','EQ','Share'),('INSTR_TYPE','ET','Exchange traded fund'),('INSTR_TYPE','BD','Bond'),
 ('RISK','1','Very cautious'),('RISK','2','Cautious'),('RISK','3','Balanced'),('RISK','4','Dynamic'),('RISK','5','Speculative');

INSERT INTO branch VALUES
 (1,'Berlin Mitte','Berlin','DE','2009-03-02',NULL),(2,'Berlin West','Berlin','DE','2014-09-01',NULL),
 (3,'Hamburg Hafen','Hamburg','DE','2010-05-03',NULL),(4,'Munich Centre','Munich','DE','2009-10-05',NULL),
 (5,'Munich Schwabing','Munich','DE','2016-02-01','2022-06-30'),(6,'Frankfurt Main','Frankfurt','DE','2008-01-07',NULL),
 (7,'Cologne Dom','Cologne','DE','2012-04-02',NULL),(8,'Stuttgart City','Stuttgart','DE','2015-06-01',NULL),
 (9,'Vienna Ring','Vienna','AT','2011-03-07',NULL),(10,'Graz Centre','Graz','AT','2017-05-02','2023-03-31'),
 (11,'Salzburg Altstadt','Salzburg','AT','2019-09-02',NULL),(12,'Amsterdam Zuid','Amsterdam','NL','2013-01-07',NULL),
 (13,'Rotterdam Haven','Rotterdam','NL','2018-10-01',NULL),(14,'Utrecht Centre','Utrecht','NL','2020-03-02','2021-12-31'),
 (15,'Paris Opera','Paris','FR','2012-09-03',NULL),(16,'Lyon Presqu''ile','Lyon','FR','2017-01-09',NULL),
 (17,'Nice Promenade','Nice','FR','2019-04-01',NULL),(18,'Madrid Centro','Madrid','ES','2014-03-03',NULL),
 (19,'Barcelona Eixample','Barcelona','ES','2016-06-06',NULL),(20,'Valencia Puerto','Valencia','ES','2021-05-03',NULL),
 (21,'Milan Duomo','Milan','IT','2015-10-05',NULL),(22,'Rome Centro','Rome','IT','2018-02-05',NULL),
 (23,'Turin Centro','Turin','IT','2021-09-06',NULL),(24,'Dublin Docklands','Dublin','IE','2022-11-07',NULL);

INSERT INTO advisor
SELECT i, fn.a[1 + (i*7) % 26] || ' ' || ln.a[1 + (i*11) % 25], b.br_id,
       (ARRAY['Junior','Junior','Senior','Senior','Lead'])[1 + floor(pg_temp.h('ag'||i)*5)::int],
       d.hd,
       CASE WHEN b.cls_dt IS NOT NULL THEN GREATEST(b.cls_dt, d.hd + 60)
            WHEN pg_temp.h('al'||i) < 0.2 AND d.hd < DATE '2022-06-01' THEN d.hd + 300 + floor(pg_temp.h('ald'||i) * (DATE '2024-05-31' - d.hd - 300))::int END,
       CASE WHEN pg_temp.h('ae'||i) < 0.9 THEN 'advisor' || lpad(i::text, 2, '0') || '@broker.example' END
FROM generate_series(1,52) i
JOIN branch b ON b.br_id = CASE WHEN i <= 23 THEN i ELSE 1 + floor(pow(pg_temp.h('ab'||i), 1.5)*23)::int END
CROSS JOIN LATERAL (SELECT CASE WHEN b.cls_dt IS NOT NULL THEN b.opn_dt + floor(pg_temp.h('ah'||i) * (b.cls_dt - b.opn_dt - 200))::int
                                ELSE GREATEST(b.opn_dt, DATE '2012-01-01') + floor(pg_temp.h('ah'||i) * (DATE '2024-03-01' - GREATEST(b.opn_dt, DATE '2012-01-01')))::int END AS hd) d
CROSS JOIN (SELECT ARRAY['Anna','Bruno','Clara','David','Elisa','Felix','Giulia','Hugo','Irina','Jonas','Katrin','Lars','Marta','Nils','Olivia','Pablo','Quentin','Rosa','Stefan','Teresa','Ulrich','Vera','Willem','Xenia','Yannick','Zita'] a) fn
CROSS JOIN (SELECT ARRAY['Albrecht','Bianchi','Conti','Dubois','Engel','Fontaine','Garcia','Hoffmann','Ibanez','Jansen','Keller','Lorenz','Moreau','Navarro','Oster','Peeters','Ricci','Schuster','Torres','Urban','Vogel','Weiss','Visser','Zimmer','Brandt'] a) ln;

INSERT INTO cust
SELECT i, fn.a[1 + (i*17) % 47], ln.a[1 + (i*23) % 59],
       CASE WHEN pg_temp.h('cb'||i) < 0.96 THEN DATE '1944-01-01' + floor(pow(pg_temp.h('cbd'||i), 0.8)*22200)::int END,
       CASE WHEN pg_temp.h('cc'||i) < 0.97 THEN b.city END, b.ctry_cd,
       CASE WHEN pg_temp.h('ce'||i) < 0.93 THEN 'cust' || lpad(i::text, 3, '0') || '@mail.example' END,
       DATE '2018-01-08' + floor(pow(i/320.0, 0.75)*2330)::int + floor(pg_temp.h('cr'||i)*15)::int,
       CASE WHEN pg_temp.h('ck'||i) < 0.94 THEN (ARRAY['1','2','2','3','3','3','4','4','5'])[1 + floor(pg_temp.h('ckk'||i)*9)::int] END,
       CASE WHEN pg_temp.h('ca'||i) < 0.62 THEN
         (SELECT a.adv_id FROM advisor a WHERE a.adv_id NOT IN (44, 51) AND a.left_dt IS NULL
          ORDER BY ((SELECT x.city FROM branch x WHERE x.br_id = a.br_id) = b.city) DESC, pg_temp.h('caa'||i||'-'||a.adv_id) LIMIT 1) END
FROM generate_series(1,320) i
JOIN branch b ON b.br_id = 1 + floor(pow(pg_temp.h('ci'||i), 1.25)*24)::int
CROSS JOIN (SELECT ARRAY['Alexander','Beatrice','Carlo','Diana','Emil','Francesca','Gustav','Helena','Ignacio','Julia','Karim','Louise','Marco','Nadia','Oscar','Petra','Rafael','Sabine','Thomas','Ursula','Victor','Wanda','Xavier','Yasmin','Zoran','Adele','Benedikt','Camille','Dario','Eva','Florian','Greta','Henrik','Isabel','Joris','Klara','Leon','Mireille','Noah','Odette','Pieter','Rita','Sven','Tilda','Umberto','Valerie','Walter'] a) fn
CROSS JOIN (SELECT ARRAY['Aigner','Bauer','Becker','Blanc','Bos','Bruno','Castillo','Colombo','Cruz','De Jong','De Vries','Diaz','Esposito','Ferrari','Fischer','Fournier','Frank','Gallo','Girard','Gruber','Hahn','Herrera','Huber','Jimenez','Kaiser','Koch','Koller','Kramer','Lambert','Lange','Leroy','Lopez','Mancini','Marino','Martin','Mayer','Meijer','Mercier','Molina','Mulder','Neumann','Ortega','Petit','Pichler','Ramos','Richter','Rossi','Roth','Roux','Ruiz','Schmid','Smit','Steiner','Torres','Van Dijk','Vidal','Wagner','Winter','Wolf'] a) ln;

INSERT INTO acct
SELECT row_number() OVER (ORDER BY d.od, c.cust_id, k), 'D' || lpad((10000 + row_number() OVER (ORDER BY d.od, c.cust_id, k)*7)::text, 7, '0'), c.cust_id,
       CASE WHEN k = 1 THEN CASE WHEN pg_temp.h('t'||s) < 0.75 THEN 'CSH' WHEN pg_temp.h('t'||s) < 0.86 THEN 'JNT' ELSE 'MRG' END
            ELSE CASE WHEN pg_temp.h('t'||s) < 0.5 THEN 'RET' WHEN pg_temp.h('t'||s) < 0.85 THEN 'MRG' ELSE 'JNT' END END,
       x.st, d.od,
       CASE WHEN x.st = 'C' THEN d.od + 100 + floor(pg_temp.h('acd'||s)*(DATE '2024-06-10' - d.od - 100))::int END,
       CASE WHEN x.st = 'C' THEN 0 ELSE round((pow(pg_temp.h('bal'||s), 3.2)*64000 + pg_temp.h('bal2'||s)*400)::numeric, 2) END
FROM cust c
CROSS JOIN LATERAL generate_series(1, CASE WHEN pg_temp.h('an'||c.cust_id) < 0.05 THEN 0 WHEN pg_temp.h('an'||c.cust_id) < 0.66 THEN 1 WHEN pg_temp.h('an'||c.cust_id) < 0.92 THEN 2 ELSE 3 END) k
CROSS JOIN LATERAL (SELECT c.cust_id||'-'||k AS s) s
CROSS JOIN LATERAL (SELECT LEAST(c.reg_dt + CASE WHEN k = 1 THEN floor(pg_temp.h('ao'||s)*12)::int ELSE 30 + floor(pg_temp.h('ao'||s)*(DATE '2024-06-20' - c.reg_dt))::int END, DATE '2024-06-14') AS od) d
CROSS JOIN LATERAL (SELECT CASE WHEN d.od < DATE '2023-12-01' AND pg_temp.h('as'||s) < 0.12 THEN 'C' WHEN pg_temp.h('as'||s) > 0.965 THEN 'F' ELSE 'A' END AS st) x;

INSERT INTO instr VALUES
 (1,'ALZ','Alpenzeit Versicherung','EQ','Financials','Xetra','Y'),(2,'BRK','Brückner Bank','EQ','Financials','Xetra','Y'),
 (3,'CHM','Chemawerk','EQ','Materials','Xetra','Y'),(4,'DRV','Drivetec Motors','EQ','Automotive','Xetra','Y'),
 (5,'ELK','Elektra Power','EQ','Energy','Xetra','Y'),(6,'FLX','Flexnet Software','EQ','Technology','Xetra','Y'),
 (7,'GRN','Gronau Foods','EQ','Consumer goods','Xetra','Y'),(8,'HLX','Helix Pharma','EQ','Health care','Xetra','Y'),
 (9,'INV','Invista Chips','EQ','Technology','Euronext','Y'),(10,'JET','Jetline Airways','EQ','Transport','Euronext','Y'),
 (11,'KLM','Kalmar Shipping','EQ','Transport','Euronext','Y'),(12,'LUX','Luxora','EQ','Consumer goods','Euronext','Y'),
 (13,'MDX','Medixa','EQ','Health care','Euronext','Y'),(14,'NRG','Nordgas','EQ','Energy','Euronext','Y'),
 (15,'OPT','Optivision','EQ','Technology','Euronext','N'),(16,'PTL','Petrolis','EQ','Energy','Euronext','Y'),
 (17,'QBT','Qubitron','EQ','Technology','Nasdaq','Y'),(18,'RBT','Robotix','EQ','Industrials','Nasdaq','Y'),
 (19,'SCL','Social Loop','EQ','Technology','Nasdaq','Y'),(20,'STR','Streamly','EQ','Technology','Nasdaq','Y'),
 (21,'TSK','Taskhub','EQ','Technology','Nasdaq','Y'),(22,'UMB','Umbra Cosmetics','EQ','Consumer goods','Borsa Italiana','Y'),
 (23,'VNT','Venti Auto','EQ','Automotive','Borsa Italiana','Y'),(24,'VTA','Vita Assicura','EQ','Financials','Borsa Italiana','Y'),
 (25,'WND','Windmar','EQ','Energy','BME Madrid','Y'),(26,'XTL','Xatel','EQ','Telecom','BME Madrid','Y'),
 (27,'YLD','Yldiz Steel','EQ','Materials','BME Madrid','N'),(28,'ZEN','Zentis Labs','EQ','Health care','Nasdaq','Y'),
 (29,'ACN','Acona Build','EQ','Industrials','Xetra','Y'),(30,'BLU','Bluewave Telecom','EQ','Telecom','Xetra','Y'),
 (31,'EWLD','Easy World ETF','ET',NULL,'Xetra','Y'),(32,'EEUR','Easy Europe ETF','ET',NULL,'Xetra','Y'),
 (33,'EUSA','Easy USA ETF','ET',NULL,'Xetra','Y'),(34,'EEMK','Easy Emerging Markets ETF','ET',NULL,'Xetra','Y'),
 (35,'EDIV','Easy Dividend ETF','ET',NULL,'Euronext','Y'),(36,'ETEC','Easy Technology ETF','ET','Technology','Euronext','Y'),
 (37,'ECLN','Easy Clean Energy ETF','ET','Energy','Euronext','Y'),(38,'EGLD','Easy Gold ETF','ET',NULL,'Xetra','Y'),
 (39,'EHLT','Easy Health ETF','ET','Health care','Euronext','Y'),(40,'ESML','Easy Small Caps ETF','ET',NULL,'Xetra','N'),
 (41,'BDE10','Germany Government Bond 2032','BD','Government','Xetra','Y'),(42,'BFR10','France Government Bond 2031','BD','Government','Euronext','Y'),
 (43,'BIT05','Italy Government Bond 2027','BD','Government','Borsa Italiana','Y'),(44,'BES05','Spain Government Bond 2028','BD','Government','BME Madrid','Y'),
 (45,'BDRV','Drivetec Motors Bond 2026','BD','Automotive','Xetra','Y'),(46,'BELK','Elektra Power Bond 2029','BD','Energy','Xetra','Y'),
 (47,'BALZ','Alpenzeit Bond 2030','BD','Financials','Xetra','Y'),(48,'BAT30','Austria Government Bond 2051','BD','Government','Xetra','Y');

-- month-end prices January 2020 to June 2024 (delisted instruments end earlier)
INSERT INTO px_hist
SELECT i.instr_id, m.d,
       round((CASE i.instr_typ WHEN 'BD' THEN 88 + 14*pg_temp.h('p'||i.instr_id) ELSE 12 + 150*pow(pg_temp.h('p'||i.instr_id), 1.6) END
        * (1 + CASE i.instr_typ WHEN 'BD' THEN 0.03 ELSE 0.24 END * sin(m.n/ (5.0 + 4*pg_temp.h('w'||i.instr_id)) + 6.28*pg_temp.h('f'||i.instr_id)))
        * (1 + m.n * CASE i.instr_typ WHEN 'BD' THEN -0.001 WHEN 'ET' THEN 0.006 ELSE (pg_temp.h('g'||i.instr_id) - 0.35)*0.022 END)
        * (1 + (pg_temp.h('e'||i.instr_id||'-'||m.n) - 0.5) * CASE i.instr_typ WHEN 'BD' THEN 0.012 ELSE 0.09 END))::numeric, 2)
FROM instr i
CROSS JOIN (SELECT n, (DATE '2020-02-01' + make_interval(months => n) - interval '1 day')::date AS d FROM generate_series(0,53) n) m
WHERE i.act_flg = 'Y' OR m.d < CASE i.instr_id WHEN 15 THEN DATE '2022-09-01' WHEN 27 THEN DATE '2023-05-01' ELSE DATE '2021-11-01' END;

INSERT INTO ord
WITH b AS (
  SELECT a.acct_id, k, a.acct_id||'-'||k AS s, GREATEST(a.opn_dt, DATE '2020-01-02') AS sd, COALESCE(a.cls_dt, DATE '2024-06-28') AS ed, c.adv_id
  FROM acct a JOIN cust c USING (cust_id)
  CROSS JOIN LATERAL generate_series(1, CASE WHEN pg_temp.h('oz'||a.acct_id) < 0.09 THEN 0 ELSE
      floor((0.15 + pow(pg_temp.h('on'||a.acct_id), 2.2)*1.15) * GREATEST(0, COALESCE(a.cls_dt, DATE '2024-06-28') - GREATEST(a.opn_dt, DATE '2020-01-02')) / 60.0)::int END) k
), d AS (
  SELECT b.*, sd + floor(pg_temp.h('od'||s)*(ed - sd))::int AS d0,
         1 + floor(pow(pg_temp.h('oi'||s), 1.15)*48)::int AS i0 FROM b
), e AS (
  SELECT d.*, (d0 - CASE EXTRACT(isodow FROM d0) WHEN 6 THEN 1 WHEN 7 THEN 2 ELSE 0 END)::date AS d1,
         -- a few instruments are much liked, two are never ordered
         CASE WHEN pg_temp.h('oj'||s) < 0.2 THEN (ARRAY[31,17,6,33,12])[1 + floor(pow(pg_temp.h('ojj'||s),1.3)*5)::int] WHEN i0 IN (27, 48, 15, 40) THEN 8 + i0 % 7 ELSE i0 END AS iid
  FROM d
), f AS (
  SELECT e.*, CASE WHEN iid = 9 AND d1 < DATE '2022-06-01' THEN 15 WHEN iid = 32 AND d1 < DATE '2021-06-01' THEN 40 ELSE iid END AS instr_id,
         CASE WHEN pg_temp.h('ot'||s) < 0.55 THEN 'MKT' WHEN pg_temp.h('ot'||s) < 0.9 THEN 'LMT' ELSE 'STP' END AS typ,
         GREATEST(d1, sd) + make_interval(hours => 9 + floor(pg_temp.h('oh'||s)*8)::int, mins => floor(pg_temp.h('om'||s)*60)::int, secs => floor(pg_temp.h('os'||s)*60)::int) AS ts,
         pg_temp.h('ost'||s) AS hs
  FROM e
), g AS (
  SELECT f.*, (SELECT p.cls_px FROM px_hist p WHERE p.instr_id = f.instr_id ORDER BY abs(p.px_dt - f.d1), p.px_dt LIMIT 1) AS px FROM f
)
SELECT row_number() OVER (ORDER BY ts, acct_id, k), acct_id, instr_id,
       CASE WHEN pg_temp.h('ob'||s) < 0.66 THEN 'B' ELSE 'S' END, typ,
       GREATEST(1, round((120 + pow(pg_temp.h('oq'||s), 3)*9000) / px))::int,
       CASE WHEN typ <> 'MKT' THEN round(px * (0.96 + 0.07*pg_temp.h('ol'||s))::numeric, 2) END,
       ts,
       CASE WHEN adv_id IS NOT NULL AND pg_temp.h('oc'||s) < 0.22 THEN 'A' WHEN pg_temp.h('oc2'||s) < (0.28 + 0.08*(EXTRACT(year FROM ts) - 2020)) THEN 'M' WHEN pg_temp.h('oc2'||s) < 0.92 THEN 'W' ELSE 'P' END,
       CASE WHEN ts > '2024-06-21' AND typ <> 'MKT' AND hs < 0.6 THEN 'NEW'
            WHEN typ = 'MKT' THEN CASE WHEN hs < 0.03 THEN 'REJ' WHEN hs < 0.05 THEN 'CXL' ELSE 'FIL' END
            ELSE CASE WHEN hs < 0.05 THEN 'REJ' WHEN hs < 0.24 THEN 'CXL' WHEN hs < 0.31 THEN 'PRT' ELSE 'FIL' END END
FROM g ORDER BY 1;

INSERT INTO trd
WITH x AS (
  SELECT o.*, p.n, p.k,
         CASE WHEN o.stat = 'PRT' THEN GREATEST(1, floor(o.qty * (0.2 + 0.6*pg_temp.h('tp'||o.ord_id)))::int)
              WHEN p.n = 2 AND p.k = 1 THEN o.qty/2 WHEN p.n = 2 THEN o.qty - o.qty/2 ELSE o.qty END AS q,
         (SELECT h.cls_px FROM px_hist h WHERE h.instr_id = o.instr_id ORDER BY abs(h.px_dt - o.ord_ts::date), h.px_dt LIMIT 1) AS p0,
         o.ord_ts + make_interval(secs => CASE WHEN o.ord_typ = 'MKT' THEN 1 + floor(pg_temp.h('tt'||o.ord_id||k)*50) ELSE 60 + floor(pow(pg_temp.h('tt'||o.ord_id||k), 2)*25000) END) AS ts
  FROM ord o
  CROSS JOIN LATERAL (SELECT CASE WHEN o.stat = 'FIL' AND o.qty > 3 AND pg_temp.h('tn'||o.ord_id) < 0.07 THEN 2 ELSE 1 END AS n) n
  CROSS JOIN LATERAL (SELECT n.n, k FROM generate_series(1, n.n) k) p
  WHERE o.stat IN ('FIL','PRT')
), y AS (SELECT x.*, COALESCE(lmt_px, round(p0 * (0.985 + 0.03*pg_temp.h('tpx'||ord_id))::numeric, 2)) AS px FROM x)
SELECT row_number() OVER (ORDER BY ts, ord_id, k), ord_id, ts, q, px, q*px FROM y ORDER BY 1;

INSERT INTO fee
WITH f AS (
  SELECT o.acct_id, t.trd_id, 'COM' AS ty, LEAST(49, GREATEST(CASE o.chnl WHEN 'P' THEN 9.90 WHEN 'A' THEN 7.90 ELSE 2.90 END, round(t.amt*0.0015, 2))) AS amt, t.trd_ts::date AS d
  FROM trd t JOIN ord o USING (ord_id) WHERE pg_temp.h('fc'||t.trd_id) < 0.86
  UNION ALL
  SELECT a.acct_id, NULL, 'CUS', CASE a.acct_typ WHEN 'MRG' THEN 24 WHEN 'RET' THEN 12 ELSE 18 END, make_date(y, 12, 31)
  FROM acct a CROSS JOIN generate_series(2021, 2023) y WHERE a.opn_dt < make_date(y, 7, 1) AND COALESCE(a.cls_dt, DATE '2024-12-31') > make_date(y, 12, 31) AND pg_temp.h('fk'||a.acct_id) < 0.6
  UNION ALL
  SELECT a.acct_id, NULL, 'INA', 15, make_date(y, 12, 31)
  FROM acct a CROSS JOIN generate_series(2021, 2023) y WHERE a.opn_dt < make_date(y, 1, 1) AND COALESCE(a.cls_dt, DATE '2024-12-31') > make_date(y, 12, 31)
   AND NOT EXISTS (SELECT 1 FROM ord o WHERE o.acct_id = a.acct_id AND EXTRACT(year FROM o.ord_ts) = y)
  UNION ALL
  SELECT a.acct_id, NULL, 'WDL', 5, a.opn_dt + 40 + floor(pg_temp.h('fw'||a.acct_id)*(COALESCE(a.cls_dt, DATE '2024-06-28') - a.opn_dt - 40))::int
  FROM acct a WHERE COALESCE(a.cls_dt, DATE '2024-06-28') - a.opn_dt > 60 AND pg_temp.h('fw2'||a.acct_id) < 0.35
)
SELECT row_number() OVER (ORDER BY d, ty, acct_id, trd_id), acct_id, trd_id, ty, amt, d, CASE WHEN pg_temp.h('fwv'||acct_id||ty||d||COALESCE(trd_id,0)) < 0.06 THEN 'Y' ELSE 'N' END
FROM f ORDER BY 1;

INSERT INTO cash_mv
WITH m AS (
  SELECT a.acct_id, k, a.acct_id||'-'||k AS s, a.opn_dt AS od, COALESCE(a.cls_dt, DATE '2024-06-28') AS ed
  FROM acct a CROSS JOIN LATERAL generate_series(1, 1 + floor(pow(pg_temp.h('mn'||a.acct_id), 1.4) * LEAST(14, (COALESCE(a.cls_dt, DATE '2024-06-28') - a.opn_dt) / 90))::int) k
  WHERE pg_temp.h('mz'||a.acct_id) > 0.04
), x AS (
  SELECT m.*, CASE WHEN k = 1 THEN 'DEP' ELSE (ARRAY['DEP','DEP','DEP','DEP','WDR','WDR','DIV','DIV','INT'])[1 + floor(pg_temp.h('mt'||s)*9)::int] END AS ty,
         CASE WHEN k = 1 THEN LEAST(od + floor(pg_temp.h('md'||s)*10)::int, ed) ELSE od + floor(pg_temp.h('md'||s)*(ed - od))::int END AS d FROM m
)
SELECT row_number() OVER (ORDER BY d, acct_id, k), acct_id, ty,
       CASE ty WHEN 'DEP' THEN (100 * (1 + floor(pow(pg_temp.h('ma'||s), 2.5)*150)))::numeric WHEN 'WDR' THEN (50 * (2 + floor(pow(pg_temp.h('ma'||s), 2.2)*100)))::numeric
               WHEN 'DIV' THEN round((3 + pg_temp.h('ma'||s)*160)::numeric, 2) ELSE round((0.5 + pg_temp.h('ma'||s)*35)::numeric, 2) END, d
FROM x ORDER BY 1;
