-- A trucking company's system with names cut short, codes of which some are explained, flags as Y and N or 1 and 0, keys of which some are not declared.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/fleet.sql
BEGIN;
DROP SCHEMA IF EXISTS fleet CASCADE;
CREATE SCHEMA fleet;
SET LOCAL search_path = fleet;

CREATE FUNCTION pg_temp.h(s text, n integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x'||substr(md5(s),1,7))::bit(28)::int) % n $$;

CREATE TABLE trm (
  trm_id smallint PRIMARY KEY,
  trm_nm varchar(40) NOT NULL,
  city varchar(30),
  st char(2),
  mgr_nm varchar(40)
);
COMMENT ON TABLE trm IS 'Terminals (home yards)';
CREATE TABLE trk (
  trk_id integer PRIMARY KEY,
  unit_no varchar(8) NOT NULL UNIQUE,
  mk varchar(20),
  mdl varchar(20),
  mdl_yr smallint,
  trm_id smallint,
  stat_cd char(1) NOT NULL,
  slp_flg char(1) NOT NULL DEFAULT 'N',
  acq_dt date,
  acq_amt numeric(10,2),
  odo integer,
  ret_dt date
);
COMMENT ON TABLE trk IS 'Tractors (trucks)';
COMMENT ON COLUMN trk.stat_cd IS 'A=active, S=in shop, R=retired';
COMMENT ON COLUMN trk.slp_flg IS 'sleeper cab Y/N';
COMMENT ON COLUMN trk.odo IS 'last known odometer, miles';
CREATE TABLE trl (
  trl_id integer PRIMARY KEY,
  unit_no varchar(8) NOT NULL UNIQUE,
  typ_cd char(2) NOT NULL,
  len_ft smallint,
  mdl_yr smallint,
  trm_id smallint REFERENCES trm(trm_id),
  oos_flg smallint NOT NULL DEFAULT 0
);
COMMENT ON COLUMN trl.typ_cd IS 'DV=dry van, RF=reefer, FB=flatbed, TK=tanker';
COMMENT ON COLUMN trl.oos_flg IS '1 = out of service';
CREATE TABLE drv (
  drv_id integer PRIMARY KEY,
  drv_no varchar(8) NOT NULL UNIQUE,
  fst_nm varchar(20) NOT NULL,
  lst_nm varchar(20) NOT NULL,
  trm_id smallint REFERENCES trm(trm_id),
  hire_dt date NOT NULL,
  term_dt date,
  act_flg smallint NOT NULL,
  lic_st char(2),
  lic_exp_dt date,
  hzm_flg char(1) NOT NULL DEFAULT 'N',
  pay_cd char(1) NOT NULL,
  mi_rt numeric(4,3)
);
COMMENT ON TABLE drv IS 'Drivers';
COMMENT ON COLUMN drv.term_dt IS 'termination date, empty while employed';
COMMENT ON COLUMN drv.hzm_flg IS 'hazmat endorsement';
COMMENT ON COLUMN drv.pay_cd IS 'M=per mile, H=hourly, P=percent of load';
CREATE TABLE cst (
  cst_id integer PRIMARY KEY,
  cst_nm varchar(50) NOT NULL,
  city varchar(30),
  st char(2),
  cr_lmt numeric(10,2),
  act_flg char(1) NOT NULL DEFAULT 'Y',
  sls_rep varchar(30),
  open_dt date
);
CREATE TABLE trp (
  trp_id integer PRIMARY KEY,
  trp_no varchar(10) NOT NULL UNIQUE,
  trk_id integer REFERENCES trk(trk_id),
  trl_id integer,
  drv_id integer REFERENCES drv(drv_id),
  cst_id integer,
  org_city varchar(30), org_st char(2),
  dst_city varchar(30), dst_st char(2),
  dsp_dt date NOT NULL,
  due_dt date,
  dlv_dt date,
  mi integer,
  wt_lb integer,
  rev_amt numeric(10,2),
  stat_cd char(1) NOT NULL
);
COMMENT ON TABLE trp IS 'Trips (one load each)';
COMMENT ON COLUMN trp.stat_cd IS 'D=dispatched, C=completed, X=cancelled';
COMMENT ON COLUMN trp.rev_amt IS 'linehaul revenue USD, empty for cancelled trips';
COMMENT ON COLUMN trp.dlv_dt IS 'actual delivery date';
CREATE TABLE trp_exp (
  exp_id integer PRIMARY KEY,
  trp_id integer NOT NULL REFERENCES trp(trp_id),
  exp_cd varchar(6) NOT NULL,
  exp_dt date NOT NULL,
  amt numeric(8,2) NOT NULL,
  reimb_flg char(1)
);
CREATE TABLE fuel_trx (
  trx_id integer PRIMARY KEY,
  trk_id integer NOT NULL REFERENCES trk(trk_id),
  drv_id integer,
  trx_dt date NOT NULL,
  vnd_nm varchar(30),
  st char(2),
  gal numeric(7,2) NOT NULL,
  ppg numeric(5,3) NOT NULL,
  tot_amt numeric(9,2) NOT NULL
);
COMMENT ON COLUMN fuel_trx.ppg IS 'price per gallon';
CREATE TABLE mnt_typ (
  mnt_cd varchar(5) PRIMARY KEY,
  dscr varchar(40) NOT NULL,
  pm_flg smallint NOT NULL
);
COMMENT ON COLUMN mnt_typ.pm_flg IS '1 = preventive, 0 = repair';
CREATE TABLE mnt_ord (
  ord_id integer PRIMARY KEY,
  trk_id integer NOT NULL,
  mnt_cd varchar(5) NOT NULL REFERENCES mnt_typ(mnt_cd),
  opn_dt date NOT NULL,
  cls_dt date,
  lbr_amt numeric(9,2),
  prt_amt numeric(9,2),
  shp_nm varchar(30)
);
COMMENT ON TABLE mnt_ord IS 'Maintenance work orders; cls_dt empty = still open';
CREATE TABLE insp (
  insp_id integer PRIMARY KEY,
  trk_id integer NOT NULL,
  drv_id integer,
  insp_dt date NOT NULL,
  st char(2),
  lvl smallint NOT NULL,
  res_cd char(1) NOT NULL,
  viol_cnt smallint NOT NULL DEFAULT 0
);
COMMENT ON TABLE insp IS 'Roadside inspections';
COMMENT ON COLUMN insp.res_cd IS 'P=passed, V=violations found, O=placed out of service';
CREATE TABLE inc (
  inc_id integer PRIMARY KEY,
  inc_dt date NOT NULL,
  trk_id integer REFERENCES trk(trk_id),
  drv_id integer,
  sev_cd smallint NOT NULL,
  prv_flg char(1),
  est_amt numeric(10,2),
  clm_no varchar(12),
  dscr varchar(80)
);
COMMENT ON TABLE inc IS 'Accidents and incidents';
COMMENT ON COLUMN inc.sev_cd IS '1=minor, 2=moderate, 3=major';
COMMENT ON COLUMN inc.prv_flg IS 'preventable Y/N, empty = not yet decided';

INSERT INTO trm VALUES
(1,'Dallas Main','Dallas','TX','Ruth Keaton'),(2,'Memphis Yard','Memphis','TN','Earl Jamison'),
(3,'Columbus North','Columbus','OH','Donna Fitch'),(4,'Atlanta South','Atlanta','GA','Marcus Boyd'),
(5,'Denver West','Denver','CO','Lori Salazar'),(6,'Fresno Drop Lot','Fresno','CA',NULL);

INSERT INTO trk
SELECT i, 'T'||(400+i), m, CASE m WHEN 'Freightliner' THEN 'Cascadia' WHEN 'Kenworth' THEN (ARRAY['T680','W990'])[1+i%2] WHEN 'Peterbilt' THEN '579' WHEN 'Volvo' THEN 'VNL 760' ELSE 'LT Series' END,
  y, 1+pg_temp.h('tt'||i,5), s, CASE WHEN pg_temp.h('sl'||i,10)<7 THEN 'Y' ELSE 'N' END,
  make_date(y,1,10)+pg_temp.h('ta'||i,330), 98000+pg_temp.h('tc'||i,720)*100+(y-2016)*4000,
  CASE WHEN i=37 THEN NULL ELSE 38000+(2025-y)*88000+pg_temp.h('od'||i,61000) END,
  CASE WHEN s='R' THEN date '2024-02-01'+pg_temp.h('rt'||i,600) END
FROM (SELECT i, (ARRAY['Freightliner','Freightliner','Freightliner','Kenworth','Kenworth','Peterbilt','Peterbilt','Volvo','Volvo','International'])[1+pg_temp.h('mk'||i,10)] m,
   2017+pg_temp.h('yr'||i,8) y,
   CASE WHEN i IN (4,11,19,33,42) THEN 'R' WHEN i IN (8,23,40,51) THEN 'S' ELSE 'A' END s
  FROM generate_series(1,55) i) x;

INSERT INTO trl
SELECT i, 'V'||(1000+i*3), t, CASE t WHEN 'FB' THEN 48 WHEN 'TK' THEN 42 ELSE 53 END, 2012+pg_temp.h('ly'||i,13),
  CASE WHEN i%13=0 THEN NULL ELSE 1+pg_temp.h('lt'||i,6) END, CASE WHEN pg_temp.h('lo'||i,11)=0 THEN 1 ELSE 0 END
FROM (SELECT i,(ARRAY['DV','DV','DV','DV','RF','RF','RF','FB','FB','TK'])[1+pg_temp.h('ty'||i,10)] t FROM generate_series(1,80) i) x;

INSERT INTO drv
SELECT i, 'D'||(2000+i*7), f, l, 1+pg_temp.h('dt'||i,5), hd,
  CASE WHEN gone THEN td END, CASE WHEN gone THEN 0 ELSE 1 END,
  (ARRAY['TX','TX','TN','OH','GA','CO','OK','AR'])[1+pg_temp.h('ls'||i,8)],
  CASE WHEN i=29 THEN NULL ELSE date '2025-02-01'+pg_temp.h('le'||i,1300) END,
  CASE WHEN pg_temp.h('hz'||i,10)<3 THEN 'Y' ELSE 'N' END, p,
  CASE WHEN p='M' THEN 0.480+pg_temp.h('mr'||i,24)*0.010 END
FROM (SELECT i,
  (ARRAY['James','Robert','Linda','Carlos','Dwayne','Teresa','Billy','Hector','Shawn','Patricia','Roy','Luis','Curtis','Angela','Wayne','Omar','Glenn','Tina','Jerome','Dale'])[1+i%20] f,
  (ARRAY['Hobbs','Ramirez','Tucker','McCoy','Jenkins','Delgado','Stokes','Whitfield','Pruitt','Vasquez','Barnes','Conley','Maddox','Ibarra','Lyles','Sutton','Greer','Nava','Tillman','Rourke','Boone','Castillo','Duffy'])[1+(i*5)%23] l,
  date '2015-03-02'+pg_temp.h('hd'||i,3700) hd,
  (ARRAY['M','M','M','M','M','H','P','P'])[1+pg_temp.h('pc'||i,8)] p,
  i IN (5,14,22,31,38,47,56,63) gone,
  date '2023-09-01'+pg_temp.h('td'||i,780) td
 FROM generate_series(1,70) i) x;
UPDATE drv SET hire_dt = date '2019-05-01' + drv_id WHERE term_dt IS NOT NULL AND hire_dt > date '2023-01-01';

INSERT INTO cst VALUES
(1,'Lone Star Beverage Co','Dallas','TX',75000,'Y','Kim Doyle','2016-04-11'),
(2,'Delta Grain & Feed','Memphis','TN',40000,'Y','Pete Ansel','2017-01-23'),
(3,'Buckeye Home Goods','Columbus','OH',60000,'Y','Kim Doyle','2015-08-03'),
(4,'Peachtree Paper','Atlanta','GA',85000,'Y','Nora Whit','2018-02-19'),
(5,'Front Range Foods','Denver','CO',50000,'Y','Nora Whit','2019-06-10'),
(6,'Sunbelt Furniture','Phoenix','AZ',30000,'Y','Pete Ansel','2020-03-02'),
(7,'Ozark Poultry','Springdale','AR',55000,'Y','Pete Ansel','2017-09-14'),
(8,'Gulf Coast Chemicals','Houston','TX',120000,'Y','Kim Doyle','2016-11-28'),
(9,'Great Lakes Steel','Cleveland','OH',95000,'Y','Lamar Tate','2018-07-16'),
(10,'Prairie Farm Supply','Wichita','KS',25000,'Y','Lamar Tate','2021-01-11'),
(11,'Bayou Seafood','New Orleans','LA',35000,'Y','Nora Whit','2021-05-24'),
(12,'Music City Retail','Nashville','TN',65000,'Y','Pete Ansel','2019-10-07'),
(13,'Sooner Building Products','Tulsa','OK',45000,'Y','Lamar Tate','2022-02-14'),
(14,'Carolina Textiles','Charlotte','NC',38000,'Y','Nora Whit','2020-08-31'),
(15,'Heartland Appliances','Kansas City','MO',70000,'Y','Lamar Tate','2022-09-05'),
(16,'Cascade Timber','Portland','OR',NULL,'Y',NULL,'2023-04-17'),
(17,'Mesa Solar','Albuquerque','NM',28000,'Y','Kim Doyle','2023-06-26'),
(18,'Hoosier Auto Parts','Indianapolis','IN',58000,'Y','Lamar Tate','2023-02-06'),
(19,'Tri-State Recycling','Cincinnati','OH',15000,'N','Pete Ansel','2016-05-30'),
(20,'Magnolia Nurseries','Jackson','MS',12000,'N','Nora Whit','2018-03-12'),
(21,'Red River Packaging','Shreveport','LA',42000,'Y','Kim Doyle','2024-01-22'),
(22,'Summit Outdoor Gear','Boulder','CO',33000,'Y',NULL,'2024-10-14'),
(23,'Lakeside Medical Supply','Chicago','IL',90000,'Y','Lamar Tate','2025-03-03'),
(24,'Pecos Pipe & Valve','Midland','TX',20000,'N','Kim Doyle','2019-01-28');

INSERT INTO trp
SELECT i, 'TR'||lpad((i+10000)::text,6,'0'), tk,
  CASE WHEN pg_temp.h('ntl'||i,40)=0 THEN NULL ELSE 1+pg_temp.h('tl'||i,76) END,
  dr, cu, oc, os, dc, ds, d,
  d+days, CASE WHEN s='C' THEN d+days+CASE WHEN pg_temp.h('lt'||i,100)<13 THEN 1+pg_temp.h('ltd'||i,3) WHEN pg_temp.h('lt'||i,100)<40 AND days>1 THEN -1 ELSE 0 END END,
  mi, CASE WHEN pg_temp.h('nw'||i,50)=0 THEN NULL ELSE 14000+pg_temp.h('wt'||i,310)*100 END,
  CASE WHEN s<>'X' THEN round((mi*(1.75+pg_temp.h('rpm'||i,140)/100.0)+180)::numeric,2) END, s
FROM (
 SELECT i, d, mi, 1+mi/520 days, oc,os,dc,ds,
  CASE WHEN d >= date '2025-12-12' AND i%2=0 THEN 'D' WHEN pg_temp.h('cx'||i,100)<5 THEN 'X' ELSE 'C' END s,
  (SELECT t.trk_id FROM trk t WHERE t.acq_dt<d AND (t.ret_dt IS NULL OR t.ret_dt>d+5) AND t.trk_id NOT IN (54) ORDER BY pg_temp.h('pt'||i||'-'||t.trk_id,100000) LIMIT 1) tk,
  (SELECT v.drv_id FROM drv v WHERE v.hire_dt<d AND (v.term_dt IS NULL OR v.term_dt>d+5) AND v.drv_id NOT IN (66,12,45) ORDER BY pg_temp.h('pd'||i||'-'||v.drv_id,100000)*(1+v.drv_id%4*0.3) LIMIT 1) dr,
  (SELECT c.cst_id FROM cst c WHERE c.open_dt<=d AND c.cst_id NOT IN (20,24) AND (c.act_flg='Y' OR d<date '2024-03-01') ORDER BY pg_temp.h('pu'||i||'-'||c.cst_id,100000)*(0.6+c.cst_id%7*0.25) LIMIT 1) cu
 FROM (SELECT i, date '2023-01-04'+ (i*1081/1500)+pg_temp.h('dd'||i,3) d,
   a.n oc, a.s os, b.n dc, b.s ds, (60+1.22*sqrt(((a.x-b.x)*54)^2+((a.y-b.y)*69)^2))::int + pg_temp.h('mi'||i,30) mi
  FROM generate_series(1,1500) i
  JOIN (VALUES (0,'Dallas','TX',-96.8,32.8),(1,'Memphis','TN',-90.0,35.1),(2,'Columbus','OH',-83.0,40.0),(3,'Atlanta','GA',-84.4,33.7),(4,'Denver','CO',-105.0,39.7),(5,'Houston','TX',-95.4,29.8),(6,'Kansas City','MO',-94.6,39.1),(7,'Chicago','IL',-87.6,41.9)) a(k,n,s,x,y) ON a.k=pg_temp.h('o'||i,8)
  JOIN (VALUES (0,'Dallas','TX',-96.8,32.8),(1,'Nashville','TN',-86.8,36.2),(2,'Columbus','OH',-83.0,40.0),(3,'Charlotte','NC',-80.8,35.2),(4,'Denver','CO',-105.0,39.7),(5,'Houston','TX',-95.4,29.8),(6,'Phoenix','AZ',-112.1,33.4),(7,'Chicago','IL',-87.6,41.9),(8,'Los Angeles','CA',-118.2,34.1),(9,'Oklahoma City','OK',-97.5,35.5),(10,'Jacksonville','FL',-81.7,30.3)) b(k,n,s,x,y)
    ON b.k=(pg_temp.h('b'||i,11) + CASE WHEN (SELECT (ARRAY['Dallas','Nashville','Columbus','Charlotte','Denver','Houston','Phoenix','Chicago','Los Angeles','Oklahoma City','Jacksonville'])[1+pg_temp.h('b'||i,11)])=a.n THEN 1 ELSE 0 END)%11
  ) g
) y;

UPDATE trp SET wt_lb = 45250 WHERE trp_id = 1025;

INSERT INTO trp_exp
SELECT row_number() OVER (ORDER BY t.trp_id,k), t.trp_id, c, t.dsp_dt+pg_temp.h('xd'||t.trp_id||k,2),
  CASE c WHEN 'TOLL' THEN 8+pg_temp.h('xa'||t.trp_id||k,9000)/100.0 WHEN 'LUMPER' THEN 75+pg_temp.h('xa'||t.trp_id||k,22000)/100.0
   WHEN 'SCALE' THEN 12.50 WHEN 'PARK' THEN 15+pg_temp.h('xa'||t.trp_id||k,20) ELSE 20+pg_temp.h('xa'||t.trp_id||k,18000)/100.0 END,
  CASE WHEN pg_temp.h('xr'||t.trp_id||k,12)=0 THEN NULL WHEN pg_temp.h('xr'||t.trp_id||k,12)<8 THEN 'Y' ELSE 'N' END
FROM trp t CROSS JOIN generate_series(1,3) k
CROSS JOIN LATERAL (SELECT (ARRAY['TOLL','TOLL','TOLL','LUMPER','SCALE','SCALE','PARK','WASH'])[1+pg_temp.h('xc'||t.trp_id||k,8)] c) q
WHERE t.stat_cd<>'X' AND pg_temp.h('xx'||t.trp_id||k,10)<2;

INSERT INTO fuel_trx
SELECT row_number() OVER (ORDER BY trx_dt,trp_id,k), trk_id, drv_id, trx_dt, vnd, st, gal, ppg, round(gal*ppg,2)
FROM (SELECT t.trp_id,k,t.trk_id, CASE WHEN pg_temp.h('fn'||t.trp_id||k,30)=0 THEN NULL ELSE t.drv_id END drv_id,
  t.dsp_dt+(k-1) trx_dt, (ARRAY['Pilot','Pilot','Love''s','Love''s','TA Petro','Flying J','Speedco',NULL])[1+pg_temp.h('fv'||t.trp_id||k,8)] vnd,
  CASE WHEN k=1 THEN t.org_st ELSE t.dst_st END st,
  (55+pg_temp.h('fg'||t.trp_id||k,9500)/100.0)::numeric(7,2) gal,
  (3.40+ 0.45*sin((t.dsp_dt-date '2023-01-01')/160.0)+pg_temp.h('fp'||t.trp_id||k,500)/1000.0)::numeric(5,3) ppg
 FROM trp t, generate_series(1,2) k WHERE t.stat_cd<>'X' AND (k=1 AND pg_temp.h('fx'||t.trp_id,10)<8 OR k=2 AND t.mi>850 AND pg_temp.h('fx'||t.trp_id,10)<9)) f
WHERE trx_dt<=date '2025-12-31';

INSERT INTO mnt_typ VALUES ('OIL','Oil and filter change',1),('PMA','PM inspection A',1),('PMB','PM inspection B',1),('TIRE','Tire replacement',0),('BRK','Brake repair',0),('ENG','Engine repair',0),('TRN','Transmission repair',0),('ELC','Electrical repair',0),('AC','Air conditioning repair',0),('WSH','Windshield replacement',0),('RCL','Manufacturer recall',0);

INSERT INTO mnt_ord
SELECT row_number() OVER (ORDER BY d,trk_id,j), trk_id, m, d, CASE WHEN d>date '2025-12-01' AND j%2=0 OR pg_temp.h('mo'||trk_id||'-'||j,60)=0 AND d>date '2025-06-01' THEN NULL ELSE d+dur END,
 CASE m WHEN 'OIL' THEN 85+pg_temp.h('ml'||trk_id||'-'||j,60) WHEN 'PMA' THEN 120+pg_temp.h('ml'||trk_id||'-'||j,100) WHEN 'PMB' THEN 260+pg_temp.h('ml'||trk_id||'-'||j,190) WHEN 'ENG' THEN 900+pg_temp.h('ml'||trk_id||'-'||j,3800) WHEN 'TRN' THEN 1100+pg_temp.h('ml'||trk_id||'-'||j,2900) ELSE 140+pg_temp.h('ml'||trk_id||'-'||j,700) END + 0.5*(trk_id%2),
 CASE m WHEN 'PMA' THEN NULL WHEN 'OIL' THEN 140+pg_temp.h('mp'||trk_id||'-'||j,90) WHEN 'PMB' THEN 90+pg_temp.h('mp'||trk_id||'-'||j,150) WHEN 'ENG' THEN 700+pg_temp.h('mp'||trk_id||'-'||j,6500) WHEN 'TRN' THEN 1500+pg_temp.h('mp'||trk_id||'-'||j,5000) WHEN 'TIRE' THEN 480+pg_temp.h('mp'||trk_id||'-'||j,2600) ELSE 110+pg_temp.h('mp'||trk_id||'-'||j,900) END + 0.25*(trk_id%3),
 CASE WHEN pg_temp.h('ms'||trk_id||'-'||j,12)=0 THEN NULL ELSE (ARRAY['Own shop','Own shop','Own shop','Rush Truck Center','TA Truck Service','Speedco'])[1+pg_temp.h('msh'||trk_id||'-'||j,6)] END
FROM (SELECT t.trk_id, j, greatest(date '2023-01-05', t.acq_dt+30)+ pg_temp.h('md'||t.trk_id||'-'||j, greatest(1,(coalesce(t.ret_dt,date '2025-12-22')-greatest(date '2023-01-05', t.acq_dt+30)))) d,
   (ARRAY['OIL','OIL','OIL','PMA','PMA','PMB','TIRE','TIRE','BRK','BRK','ENG','TRN','ELC','AC','WSH'])[1+pg_temp.h('mt'||t.trk_id||'-'||j,15)] m,
   pg_temp.h('mu'||t.trk_id||'-'||j,9) dur
  FROM trk t, generate_series(1,14) j WHERE t.trk_id NOT IN (54,17) AND pg_temp.h('mx'||t.trk_id,6)+j<=14) x;

INSERT INTO insp
SELECT row_number() OVER (ORDER BY d,trp_id), trk_id, drv_id, d, st, 1+pg_temp.h('il'||trp_id,3), r,
 CASE r WHEN 'P' THEN 0 WHEN 'V' THEN 1+pg_temp.h('iv'||trp_id,3) ELSE 2+pg_temp.h('iv'||trp_id,4) END
FROM (SELECT t.trp_id,t.trk_id,t.drv_id,t.dsp_dt+pg_temp.h('id'||t.trp_id,2) d, t.dst_st st,
  (ARRAY['P','P','P','P','P','P','V','V','V','O'])[1+pg_temp.h('ir'||t.trp_id,10)] r
 FROM trp t WHERE t.stat_cd<>'X' AND pg_temp.h('in'||t.trp_id,1000)<150) x;

INSERT INTO inc
SELECT row_number() OVER (ORDER BY d,trp_id), d, trk_id, drv_id, s,
 CASE WHEN d>date '2025-10-15' OR pg_temp.h('cp'||trp_id,15)=0 THEN NULL WHEN pg_temp.h('cp'||trp_id,15)<7 THEN 'Y' ELSE 'N' END,
 CASE WHEN pg_temp.h('ca'||trp_id,14)=0 THEN NULL ELSE CASE s WHEN 1 THEN 350+pg_temp.h('cb'||trp_id,2900) WHEN 2 THEN 3800+pg_temp.h('cb'||trp_id,14000) ELSE 21000+pg_temp.h('cb'||trp_id,78000) END END,
 CASE WHEN s>1 OR pg_temp.h('cc'||trp_id,3)=0 THEN 'CL-'||(50000+trp_id*7) END,
 (ARRAY['Backed into dock','Mirror strike','Rear-ended at stop','Tire blowout damage','Side swipe on highway','Hit fixed object','Animal strike','Jackknife on ice'])[1+pg_temp.h('cd'||trp_id,8)]
FROM (SELECT t.trp_id,t.trk_id,t.drv_id,t.dsp_dt+1 d,(ARRAY[1,1,1,1,2,2,3])[1+pg_temp.h('cs'||t.trp_id,7)] s
 FROM trp t WHERE t.stat_cd='C' AND pg_temp.h('ac'||t.trp_id,1000)<55) x;
COMMIT;
