-- A subscription software company's billing warehouse: dim_/fct_ prefixes, short column names, cents, flags, effective-from/to dates, few declared keys.
-- The data is the same on every server and ends on 2024-12-31. Load with: psql DSN -f bench/schemas/subs.sql
BEGIN;
DROP SCHEMA IF EXISTS subs CASCADE;
CREATE SCHEMA subs;
SET LOCAL search_path = subs;

-- a deterministic value 0..n-1 from key and salt (temporary, not part of the schema)
CREATE OR REPLACE FUNCTION pg_temp.h(k int, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(salt||':'||k::text),1,7))::bit(28)::int) % n) $$;

CREATE TABLE dim_country (
  country_cd char(2) PRIMARY KEY,
  country_nm text NOT NULL,
  region text NOT NULL
);
CREATE TABLE dim_rep (
  rep_id integer PRIMARY KEY,
  rep_nm text NOT NULL,
  team text,
  hire_dt date,
  active_flg char(1) NOT NULL
);
CREATE TABLE dim_acct (
  acct_id integer PRIMARY KEY,
  acct_nm text NOT NULL,
  industry text,
  country_cd char(2),
  rep_id integer,
  src_channel text,
  signup_dt date NOT NULL,
  churn_dt date,
  emp_cnt integer
);
CREATE TABLE acct_seg_hist (
  acct_id integer NOT NULL,
  seg_cd text NOT NULL,
  eff_from date NOT NULL,
  eff_to date,
  is_current boolean NOT NULL,
  PRIMARY KEY (acct_id, eff_from)
);
CREATE TABLE dim_plan (
  plan_id integer PRIMARY KEY,
  plan_cd text NOT NULL,
  plan_nm text NOT NULL,
  product text NOT NULL,
  bill_freq char(1) NOT NULL,
  incl_seats integer,
  sellable_flg char(1) NOT NULL
);
CREATE TABLE dim_plan_price (
  plan_id integer NOT NULL,
  price_cents integer NOT NULL,
  eff_from date NOT NULL,
  eff_to date
);
CREATE TABLE dim_user (
  user_id integer PRIMARY KEY,
  acct_id integer NOT NULL,
  user_email text,
  role_cd text,
  created_ts timestamp NOT NULL,
  last_login_ts timestamp,
  deact_flg char(1) NOT NULL
);
CREATE TABLE dim_feature (
  feat_cd text PRIMARY KEY,
  feat_nm text NOT NULL,
  product text NOT NULL,
  ga_dt date
);
CREATE TABLE dim_agent (
  agent_id integer PRIMARY KEY,
  agent_nm text NOT NULL,
  tier smallint NOT NULL
);
CREATE TABLE fct_subscription (
  sub_id integer PRIMARY KEY,
  acct_id integer NOT NULL,
  plan_id integer NOT NULL,
  start_dt date NOT NULL,
  end_dt date,
  sub_status text NOT NULL,
  seats integer NOT NULL,
  mrr_cents integer NOT NULL,
  disc_pct numeric(5,2) NOT NULL,
  from_trial_flg char(1) NOT NULL,
  auto_renew_flg char(1) NOT NULL,
  cancel_rsn text
);
CREATE TABLE fct_sub_event (
  evt_id integer PRIMARY KEY,
  sub_id integer NOT NULL,
  evt_dt date NOT NULL,
  evt_type text NOT NULL,
  mrr_delta_cents integer NOT NULL
);
CREATE TABLE fct_invoice (
  inv_id integer PRIMARY KEY,
  inv_no text NOT NULL,
  acct_id integer NOT NULL,
  sub_id integer NOT NULL,
  inv_dt date NOT NULL,
  due_dt date NOT NULL,
  net_cents integer NOT NULL,
  tax_cents integer NOT NULL,
  inv_status text NOT NULL,
  paid_dt date
);
CREATE TABLE fct_payment (
  pmt_id integer PRIMARY KEY,
  inv_id integer NOT NULL REFERENCES fct_invoice(inv_id),
  pmt_ts timestamp NOT NULL,
  amt_usd numeric(12,2) NOT NULL,
  method text NOT NULL,
  pmt_status text NOT NULL,
  fail_cd text
);
CREATE TABLE fct_usage_event (
  evt_id integer PRIMARY KEY,
  acct_id integer NOT NULL,
  user_id integer NOT NULL,
  feat_cd text NOT NULL,
  evt_ts timestamp NOT NULL,
  units integer NOT NULL
);
CREATE TABLE fct_ticket (
  tkt_id integer PRIMARY KEY,
  acct_id integer NOT NULL,
  user_id integer,
  agent_id integer,
  opened_ts timestamp NOT NULL,
  first_resp_ts timestamp,
  closed_ts timestamp,
  prio text NOT NULL,
  category text NOT NULL,
  csat smallint
);

COMMENT ON TABLE acct_seg_hist IS 'customer segment over time; one row per account and period';
COMMENT ON COLUMN acct_seg_hist.seg_cd IS 'SMB = small business, MM = mid-market, ENT = enterprise';
COMMENT ON COLUMN acct_seg_hist.eff_to IS 'last day of the period, inclusive; null for the current row';
COMMENT ON COLUMN dim_acct.churn_dt IS 'date the account left for good; null while it is a customer';
COMMENT ON COLUMN dim_acct.emp_cnt IS 'number of employees of the customer';
COMMENT ON COLUMN dim_plan.bill_freq IS 'M = monthly, Y = yearly';
COMMENT ON COLUMN dim_plan_price.price_cents IS 'list price per seat and month, US cents';
COMMENT ON COLUMN dim_plan_price.eff_to IS 'last day, inclusive; null = price in force';
COMMENT ON COLUMN fct_subscription.sub_status IS 'active, trialing, past_due, canceled';
COMMENT ON COLUMN fct_subscription.mrr_cents IS 'monthly recurring revenue, US cents; for a canceled subscription the last value';
COMMENT ON COLUMN fct_subscription.from_trial_flg IS 'Y = the subscription began as a trial';
COMMENT ON COLUMN fct_sub_event.evt_type IS 'new, upgrade, downgrade, cancel';
COMMENT ON COLUMN fct_invoice.net_cents IS 'amount before tax, US cents';
COMMENT ON COLUMN fct_invoice.inv_status IS 'paid, open, uncollectible, void';
COMMENT ON COLUMN fct_payment.amt_usd IS 'gross amount in US dollars (with tax)';
COMMENT ON COLUMN fct_payment.pmt_status IS 'succeeded or failed; each try is its own row';
COMMENT ON COLUMN fct_ticket.csat IS 'satisfaction 1 (bad) to 5 (very good); null if not rated';
COMMENT ON COLUMN fct_ticket.closed_ts IS 'null while the ticket is open';

INSERT INTO dim_country VALUES ('US','United States','AMER'),('CA','Canada','AMER'),('BR','Brazil','AMER'),('GB','United Kingdom','EMEA'),('DE','Germany','EMEA'),('FR','France','EMEA'),('NL','Netherlands','EMEA'),('SE','Sweden','EMEA'),('AU','Australia','APAC'),('JP','Japan','APAC'),('SG','Singapore','APAC'),('NZ','New Zealand','APAC');
INSERT INTO dim_rep
SELECT i, (ARRAY['Ana Ruiz','Bob Keller','Cleo Marsh','Dev Anand','Erik Lund','Fay Okoro','Gus Moreau','Hiro Tanaka','Ines Costa','Jude Blake','Kim Seo','Leo Brandt'])[i],
  (ARRAY['AMER East','AMER West','EMEA','APAC'])[1+i%4], date '2017-02-01' + pg_temp.h(i,'rh',2200), CASE WHEN i IN (6,11) THEN 'N' ELSE 'Y' END FROM generate_series(1,12) i;

INSERT INTO dim_plan VALUES
 (1,'STR-M','Starter Monthly','Core','M',3,'Y'),(2,'STR-Y','Starter Annual','Core','Y',3,'Y'),(3,'GRW-M','Growth Monthly','Core','M',10,'Y'),(4,'GRW-Y','Growth Annual','Core','Y',10,'Y'),
 (5,'SCL-M','Scale Monthly','Core','M',25,'Y'),(6,'SCL-Y','Scale Annual','Core','Y',25,'Y'),(7,'ANL-M','Analytics Add-on','Analytics','M',NULL,'Y'),(8,'ANL-Y','Analytics Add-on Annual','Analytics','Y',NULL,'Y'),
 (9,'LEG-M','Legacy Basic','Core','M',5,'N'),(10,'ENT-Y','Enterprise Custom','Core','Y',100,'Y'),(11,'EDU-Y','Education','Core','Y',50,'N');
INSERT INTO dim_plan_price VALUES
 (1,900,'2020-01-01','2022-12-31'),(1,1000,'2023-01-01','2024-03-31'),(1,1200,'2024-04-01',NULL),
 (2,800,'2020-01-01','2023-12-31'),(2,950,'2024-01-01',NULL),
 (3,1900,'2020-01-01','2023-06-30'),(3,2200,'2023-07-01',NULL),
 (4,1700,'2020-01-01','2023-06-30'),(4,1950,'2023-07-01',NULL),
 (5,3400,'2020-01-01','2024-03-31'),(5,3900,'2024-04-01',NULL),
 (6,3000,'2020-01-01','2024-03-31'),(6,3300,'2024-04-01',NULL),
 (7,600,'2021-05-01',NULL),(8,500,'2021-05-01',NULL),(9,500,'2018-01-01','2022-12-31'),(10,4500,'2020-01-01',NULL),(11,400,'2020-01-01','2023-08-31');

INSERT INTO dim_acct
SELECT i,
  (ARRAY['Acorn','Bluefin','Cobalt','Driftwood','Ember','Fernhill','Granite','Halcyon','Indigo','Juniper','Keystone','Lumen','Maple','Nimbus','Orchard','Pinecrest','Quarry','Redwood','Summit','Tidewater','Umber','Vertex','Willowby','Yarrow','Zephyr'])[1+i%25]||' '||
  (ARRAY['Labs','Logistics','Partners','Health','Foods','Media','Systems','Group','Studio','Retail','Energy','Finance','Works'])[1+(i*3+i/25)%13],
  (ARRAY['Software','Retail','Healthcare','Finance','Manufacturing','Media','Education',NULL,'Logistics','Software','Retail'])[1+pg_temp.h(i,'ind',11)],
  (ARRAY['US','US','US','US','CA','BR','GB','GB','DE','DE','FR','NL','SE','AU','AU','JP','SG','US'])[1+pg_temp.h(i,'cty',18)],
  CASE WHEN i%19=0 THEN NULL ELSE 1+least(pg_temp.h(i,'rep',14),11) END,
  (ARRAY['organic','organic','paid_search','referral','outbound','partner','event'])[1+pg_temp.h(i,'src',7)],
  date '2020-03-02' + pg_temp.h(i,'sg',1765) , NULL,
  CASE WHEN pg_temp.h(i,'seg',10)<6 THEN 4+pg_temp.h(i,'emp',90) WHEN pg_temp.h(i,'seg',10)<9 THEN 100+pg_temp.h(i,'emp',800) ELSE 1000+pg_temp.h(i,'emp',15000) END
FROM generate_series(1,300) i;

INSERT INTO acct_seg_hist
SELECT a.acct_id, CASE WHEN up THEN CASE WHEN s='ENT' THEN 'MM' ELSE 'SMB' END ELSE s END, a.signup_dt, CASE WHEN up THEN cut-1 END, NOT up
FROM (SELECT *, CASE WHEN emp_cnt<100 THEN 'SMB' WHEN emp_cnt<1000 THEN 'MM' ELSE 'ENT' END AS s,
        (emp_cnt>=100 AND pg_temp.h(acct_id,'up',3)=0 AND signup_dt<'2024-01-01') AS up, greatest(signup_dt+180, date '2023-01-01'+pg_temp.h(acct_id,'cut',600)) AS cut FROM dim_acct) a;
INSERT INTO acct_seg_hist
SELECT h.acct_id, CASE WHEN a.emp_cnt<1000 THEN 'MM' ELSE 'ENT' END, h.eff_to+1, NULL, true
FROM acct_seg_hist h JOIN dim_acct a USING (acct_id) WHERE NOT h.is_current;

-- core subscription: one per account; some accounts have a second (later) one or an analytics add-on
INSERT INTO fct_subscription
SELECT row_number() OVER (ORDER BY sd, k), acct_id, plan_id, sd, ed, CASE WHEN ed IS NOT NULL THEN 'canceled' WHEN tr AND sd>='2024-12-10' THEN 'trialing' WHEN pg_temp.h(k,'pd',22)=0 THEN 'past_due' ELSE 'active' END,
  seats, 0, disc, CASE WHEN tr THEN 'Y' ELSE 'N' END, CASE WHEN ed IS NULL AND pg_temp.h(k,'ar',8)>0 THEN 'Y' ELSE 'N' END,
  CASE WHEN ed IS NOT NULL AND pg_temp.h(k,'cr',9)>0 THEN (ARRAY['too_expensive','too_expensive','missing_feature','competitor','company_closed','low_usage','too_expensive','low_usage'])[pg_temp.h(k,'cr',9)] END
FROM (
 SELECT acct_id AS k, acct_id, signup_dt AS sd,
   CASE WHEN emp_cnt>=1000 THEN CASE WHEN pg_temp.h(acct_id,'pl',3)=0 THEN 6 ELSE 10 END WHEN emp_cnt>=100 THEN 3+pg_temp.h(acct_id,'pl',4) WHEN industry='Education' AND signup_dt<'2023-08-31' THEN 11 WHEN signup_dt<'2022-12-31' AND pg_temp.h(acct_id,'pl2',6)=0 THEN 9 ELSE 1+pg_temp.h(acct_id,'pl',4) END AS plan_id,
   CASE WHEN pg_temp.h(acct_id,'cx',100) < CASE WHEN emp_cnt<100 THEN 40 WHEN emp_cnt<1000 THEN 22 ELSE 8 END AND signup_dt<'2024-08-01' THEN least(signup_dt+95+pg_temp.h(acct_id,'cd',900), date '2024-12-28'-pg_temp.h(acct_id,'cd2',140)) END AS ed,
   CASE WHEN emp_cnt>=1000 THEN 60+pg_temp.h(acct_id,'st',240) WHEN emp_cnt>=100 THEN 10+pg_temp.h(acct_id,'st',70) ELSE 2+pg_temp.h(acct_id,'st',16) END AS seats,
   CASE WHEN pg_temp.h(acct_id,'dc',6)=0 THEN 10 WHEN emp_cnt>=1000 AND pg_temp.h(acct_id,'dc',6)<4 THEN 20 ELSE 0 END AS disc,
   pg_temp.h(acct_id,'tr',5)<2 AS tr
 FROM dim_acct WHERE acct_id % 41 <> 0
 UNION ALL
 SELECT 1000+acct_id, acct_id, greatest(signup_dt+30+pg_temp.h(acct_id,'as',400), date '2021-06-01'), 7+pg_temp.h(acct_id,'ap',2), NULL,
   CASE WHEN emp_cnt>=1000 THEN 20+pg_temp.h(acct_id,'st2',60) ELSE 3+pg_temp.h(acct_id,'st2',14) END, 0, pg_temp.h(acct_id,'tr2',3)=0
 FROM dim_acct WHERE acct_id % 41 <> 0 AND pg_temp.h(acct_id,'addon',4)=0 AND signup_dt < '2024-06-01'
) s WHERE sd <= '2024-12-31';
-- add-ons end when the core subscription ends before them or with it
DELETE FROM fct_subscription a USING fct_subscription c WHERE a.plan_id IN (7,8) AND c.acct_id=a.acct_id AND c.plan_id NOT IN (7,8) AND c.end_dt IS NOT NULL AND c.end_dt <= a.start_dt+60;
UPDATE fct_subscription a SET end_dt=c.end_dt, sub_status='canceled', auto_renew_flg='N', cancel_rsn=c.cancel_rsn FROM fct_subscription c WHERE a.plan_id IN (7,8) AND c.acct_id=a.acct_id AND c.plan_id NOT IN (7,8) AND c.end_dt IS NOT NULL;
UPDATE fct_subscription SET end_dt=start_dt+200, sub_status='canceled', auto_renew_flg='N', cancel_rsn='low_usage' WHERE plan_id IN (7,8) AND end_dt IS NULL AND sub_id%6=0 AND start_dt<'2024-06-01';
-- accounts that left and came back on another plan
INSERT INTO fct_subscription
SELECT 400+row_number() OVER (ORDER BY sub_id), acct_id, CASE WHEN plan_id IN (1,3,5) THEN plan_id+1 WHEN plan_id IN (2,4,6) THEN plan_id-1 ELSE 3 END, end_dt+45+sub_id%50, NULL, 'active', seats+2, 0, 10, 'N', 'Y', NULL
FROM fct_subscription WHERE end_dt<'2024-09-01' AND plan_id NOT IN (7,8) AND pg_temp.h(sub_id,'back',6)=0;
UPDATE dim_acct a SET churn_dt = x.d FROM (SELECT acct_id, max(end_dt) AS d FROM fct_subscription GROUP BY 1 HAVING bool_and(end_dt IS NOT NULL)) x WHERE x.acct_id=a.acct_id;
UPDATE fct_subscription s SET mrr_cents = CASE WHEN sub_status='trialing' THEN 0 ELSE round(s.seats * p.price_cents * (1 - s.disc_pct/100.0))::int END
FROM dim_plan_price p WHERE p.plan_id=s.plan_id AND s.start_dt BETWEEN p.eff_from AND coalesce(p.eff_to, date '9999-12-31');

-- movements: new at the start, then upgrades and downgrades, cancel at the end; their sum is the current MRR (0 once canceled)
INSERT INTO fct_sub_event
SELECT row_number() OVER (ORDER BY d, sub_id, o), sub_id, d, t, m FROM (
 SELECT sub_id, 1 AS o, start_dt AS d, 'new' AS t, mrr_cents - coalesce(up,0) - coalesce(dn,0) AS m FROM (SELECT *, CASE WHEN g<3 AND len>150 AND mrr_cents>0 THEN round(mrr_cents*0.2)::int END AS up, CASE WHEN g=3 AND len>150 AND mrr_cents>0 THEN -round(mrr_cents*0.15)::int END AS dn FROM (SELECT *, pg_temp.h(sub_id,'mv',9) AS g, coalesce(end_dt,date '2024-12-31')-start_dt AS len FROM fct_subscription) q) w
 UNION ALL
 SELECT sub_id, 2, start_dt + 30 + pg_temp.h(sub_id,'mvd',len-40), CASE WHEN g<3 THEN 'upgrade' ELSE 'downgrade' END, CASE WHEN g<3 THEN round(mrr_cents*0.2)::int ELSE -round(mrr_cents*0.15)::int END
 FROM (SELECT *, pg_temp.h(sub_id,'mv',9) AS g, coalesce(end_dt,date '2024-12-31')-start_dt AS len FROM fct_subscription) q WHERE g<=3 AND len>150 AND mrr_cents>0
 UNION ALL
 SELECT sub_id, 3, end_dt, 'cancel', -mrr_cents FROM fct_subscription WHERE end_dt IS NOT NULL) e;

-- invoices from 2023 on: monthly plans each month, yearly plans each year
INSERT INTO fct_invoice
SELECT row_number() OVER (ORDER BY d, sub_id), 'S-'||to_char(d,'YYYYMM')||'-'||lpad((row_number() OVER (ORDER BY d, sub_id))::text,5,'0'), acct_id, sub_id, d, d+30, net,
  CASE WHEN region='EMEA' THEN round(net*0.20)::int WHEN country_cd='AU' THEN round(net*0.10)::int ELSE 0 END, st,
  CASE WHEN st='paid' THEN least(d + CASE WHEN pg_temp.h(sub_id*100+n,'late',9)=0 THEN 31+pg_temp.h(sub_id*100+n,'ld',25) ELSE pg_temp.h(sub_id*100+n,'ld',28) END, date '2024-12-31') END
FROM (
 SELECT s.sub_id, s.acct_id, n, a.country_cd, c.region, (s.start_dt + (n*CASE WHEN p.bill_freq='Y' THEN 12 ELSE 1 END||' months')::interval)::date AS d,
   s.mrr_cents*CASE WHEN p.bill_freq='Y' THEN 12 ELSE 1 END AS net, 
   CASE WHEN pg_temp.h(s.sub_id*100+n,'is',100)<2 THEN 'void'
        WHEN pg_temp.h(s.sub_id*100+n,'is',100)<5 THEN 'uncollectible'
        WHEN (s.start_dt + (n*CASE WHEN p.bill_freq='Y' THEN 12 ELSE 1 END||' months')::interval)::date > '2024-11-15' AND pg_temp.h(s.sub_id*100+n,'op',5)<2 THEN 'open'
        WHEN s.sub_status='past_due' AND (s.start_dt + (n*CASE WHEN p.bill_freq='Y' THEN 12 ELSE 1 END||' months')::interval)::date > '2024-10-01' THEN 'open'
        ELSE 'paid' END AS st, s.end_dt
 FROM fct_subscription s JOIN dim_plan p USING (plan_id) JOIN dim_acct a USING (acct_id) JOIN dim_country c USING (country_cd) CROSS JOIN generate_series(0,60) n
 WHERE s.mrr_cents>0) z
WHERE d >= '2023-01-01' AND d <= '2024-12-31' AND (end_dt IS NULL OR d < end_dt);

INSERT INTO fct_payment
SELECT row_number() OVER (ORDER BY ts, inv_id), inv_id, ts, amt, m, st, CASE WHEN st='failed' THEN CASE WHEN m='ach' THEN 'insufficient_funds' ELSE (ARRAY['card_declined','card_declined','insufficient_funds','expired_card'])[1+pg_temp.h(inv_id,'fc',4)] END END
FROM (
 SELECT inv_id, paid_dt + time '06:00' + (pg_temp.h(inv_id,'pt',900)||' minutes')::interval AS ts, ((net_cents+tax_cents)/100.0)::numeric(12,2) AS amt, m, 'succeeded' AS st FROM (SELECT *, CASE WHEN net_cents>2000000 THEN 'wire' ELSE (ARRAY['card','card','card','ach','paypal'])[1+pg_temp.h(acct_id,'meth',5)] END AS m FROM fct_invoice) i WHERE inv_status='paid'
 UNION ALL
 SELECT inv_id, inv_dt + time '03:00' + (pg_temp.h(inv_id,'ft',120)||' minutes')::interval, ((net_cents+tax_cents)/100.0)::numeric(12,2), m, 'failed' FROM (SELECT *, (ARRAY['card','card','card','ach','paypal'])[1+pg_temp.h(acct_id,'meth',5)] AS m FROM fct_invoice WHERE net_cents<=2000000) i
  WHERE m IN ('card','ach') AND inv_status IN ('paid','uncollectible','open') AND (inv_status='uncollectible' OR (pg_temp.h(inv_id,'fl',14)=0 AND (paid_dt IS NULL OR paid_dt>inv_dt)))
) p;

INSERT INTO dim_user
SELECT row_number() OVER (ORDER BY acct_id, n), acct_id, 'u'||n||'@'||lower(replace(acct_nm,' ',''))||acct_id||'.example',
  CASE WHEN n=1 THEN 'admin' WHEN pg_temp.h(acct_id*50+n,'rl',8)=0 THEN 'billing' WHEN pg_temp.h(acct_id*50+n,'rl',8)<3 THEN 'viewer' ELSE 'editor' END,
  signup_dt + time '08:00' + (pg_temp.h(acct_id*50+n,'uc',120)*CASE WHEN n=1 THEN 0 ELSE 1 END||' days')::interval + (n||' hours')::interval, NULL,
  CASE WHEN churn_dt IS NOT NULL OR pg_temp.h(acct_id*50+n,'de',12)=0 THEN 'Y' ELSE 'N' END
FROM dim_acct a CROSS JOIN generate_series(1,9) n WHERE n <= 1+pg_temp.h(acct_id,'uc',CASE WHEN emp_cnt>=1000 THEN 9 WHEN emp_cnt>=100 THEN 6 ELSE 3 END);

INSERT INTO dim_feature VALUES ('dash','Dashboards','Core','2020-01-15'),('rpt','Scheduled reports','Core','2020-09-01'),('api','API calls','Core','2021-02-10'),('exp','CSV export','Core','2020-01-15'),('auto','Automations','Core','2022-06-20'),('fcst','Forecasting','Analytics','2021-05-01'),('coh','Cohort explorer','Analytics','2022-03-14'),('ai','AI assistant','Core','2024-05-06'),('sso','Single sign-on','Core','2021-11-01'),('wht','White labelling','Core','2024-09-30');
INSERT INTO fct_usage_event
SELECT row_number() OVER (ORDER BY t, i), acct_id, user_id, f, t, CASE WHEN f='api' THEN 20+pg_temp.h(i,'un',480) ELSE 1+pg_temp.h(i,'un',12) END
FROM (
 SELECT i, u.acct_id, u.user_id, timestamp '2024-01-01 06:00' + (pg_temp.h(i,'ud',366)||' days')::interval + (pg_temp.h(i,'um',900)||' minutes')::interval AS t,
  (ARRAY['dash','dash','dash','rpt','api','exp','exp','auto','fcst','coh','ai','sso'])[1+pg_temp.h(i,'uf',12)] AS f, u.created_ts, a.churn_dt
 FROM generate_series(1,9000) i JOIN dim_user u ON u.user_id = 1+((pg_temp.h(i,'uu',900)*pg_temp.h(i,'uu2',900))/1200)::int AND u.user_id % 13 <> 0 JOIN dim_acct a USING (acct_id)) z
WHERE t > created_ts AND (churn_dt IS NULL OR t < churn_dt) AND NOT (f='ai' AND t<'2024-05-06')
  AND (f NOT IN ('fcst','coh') OR EXISTS (SELECT 1 FROM fct_subscription s WHERE s.acct_id=z.acct_id AND s.plan_id IN (7,8) AND t::date BETWEEN s.start_dt AND coalesce(s.end_dt, date '2024-12-31')));
UPDATE dim_user u SET last_login_ts = x.m - interval '4 minutes' FROM (SELECT user_id, max(evt_ts) AS m FROM fct_usage_event GROUP BY 1) x WHERE x.user_id=u.user_id;
UPDATE dim_user SET last_login_ts = created_ts + interval '2 days' WHERE last_login_ts IS NULL AND pg_temp.h(user_id,'nl',3)>0 AND created_ts < '2024-12-28';

INSERT INTO dim_agent VALUES (1,'Abel Torres',1),(2,'Bea Lindqvist',1),(3,'Cody Marsh',1),(4,'Dina Farouk',2),(5,'Eli Novak',2),(6,'Flo Adeyemi',2),(7,'Gil Santos',3),(8,'Hana Ito',3),(9,'Ivo Petrov',1);
INSERT INTO fct_ticket
SELECT row_number() OVER (ORDER BY t, i), acct_id, user_id, CASE WHEN fr IS NULL THEN NULL ELSE CASE WHEN cat='billing' THEN 1+pg_temp.h(i,'ag',3) ELSE 1+least(pg_temp.h(i,'ag',10),7) END END, t, fr,
  CASE WHEN fr IS NOT NULL AND NOT (t>'2024-12-01' AND pg_temp.h(i,'opn',3)=0) AND pg_temp.h(i,'opn2',50)>0 THEN least(fr + ((30+pg_temp.h(i,'cl',CASE prio WHEN 'P1' THEN 900 WHEN 'P2' THEN 3000 ELSE 8000 END))||' minutes')::interval, timestamp '2024-12-31 20:00') END,
  prio, cat, NULL
FROM (SELECT *, CASE WHEN t>'2024-12-26' AND pg_temp.h(i,'nf',2)=0 THEN NULL ELSE t + ((4+pg_temp.h(i,'fr',CASE prio WHEN 'P1' THEN 55 WHEN 'P2' THEN 230 ELSE 900 END))||' minutes')::interval END AS fr FROM (
  SELECT i, u.acct_id, CASE WHEN pg_temp.h(i,'tu',9)=0 THEN NULL ELSE u.user_id END AS user_id, timestamp '2023-01-02 07:00' + (pg_temp.h(i,'td',728)||' days')::interval + (pg_temp.h(i,'tm',700)||' minutes')::interval AS t,
   (ARRAY['P1','P2','P2','P3','P3','P3','P3'])[1+pg_temp.h(i,'pr',7)] AS prio, (ARRAY['bug','bug','bug','how_to','how_to','billing','billing','feature_request','outage'])[1+pg_temp.h(i,'cat',9)] AS cat, u.created_ts, a.churn_dt
  FROM generate_series(1,2000) i JOIN dim_user u ON u.user_id=1+pg_temp.h(i,'tkt',900) AND u.acct_id % 6 <> 5 JOIN dim_acct a USING (acct_id)) q
 WHERE t > created_ts AND (churn_dt IS NULL OR t < churn_dt)) w;
UPDATE fct_ticket SET csat = 1+least(4,pg_temp.h(tkt_id,'cs',5)+CASE WHEN agent_id IN (4,8) THEN 2 WHEN agent_id IN (3) THEN 0 ELSE 1 END) WHERE closed_ts IS NOT NULL AND pg_temp.h(tkt_id,'rated',10)<6;
COMMIT;
