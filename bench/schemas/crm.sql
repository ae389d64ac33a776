-- A sales team's CRM as a web framework makes its tables: plain names, declared keys, timestamps, rows marked as deleted.
-- The data is the same on every server. Load with: psql DSN -f bench/schemas/crm.sql
BEGIN;
DROP SCHEMA IF EXISTS crm CASCADE;
CREATE SCHEMA crm;
SET LOCAL search_path = crm;

CREATE OR REPLACE FUNCTION pg_temp.h(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
$$ SELECT ((('x'||substr(md5(i::text||':'||salt),1,7))::bit(28)::int) % n)::int $$;
CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, a text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT a[1+pg_temp.h(i,salt,array_length(a,1))] $$;
CREATE OR REPLACE FUNCTION pg_temp.fname(i bigint, salt text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_temp.pick(i,salt||'fn',ARRAY['Emma','Liam','Olivia','Noah','Ava','Lucas','Mia','Ethan','Sofia','Mateo','Amelia','Henry','Chloe','Daniel','Priya','Arjun','Yuki','Kenji','Fatima','Omar','Ingrid','Lars','Clara','Hugo','Nadia','Pavel','Grace','Samuel','Zoe','Victor','Helen','Marcus','Elena','Tom','Ruth','Diego','Anita','Ben','Leila','Oscar']) $$;
CREATE OR REPLACE FUNCTION pg_temp.lname(i bigint, salt text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_temp.pick(i,salt||'ln',ARRAY['Anderson','Baker','Chen','Dubois','Eriksson','Fischer','Garcia','Hughes','Ivanov','Jensen','Kowalski','Lopez','Murphy','Nguyen','Okafor','Patel','Quinn','Rossi','Schmidt','Tanaka','Usman','Vargas','Walker','Xu','Young','Zimmermann','Bennett','Campbell','Dawson','Ellis','Foster','Gupta','Harris','Iqbal','Johansson','Keller','Lindgren','Morales','Novak','Olsen','Park','Reyes','Silva','Thompson','Weber']) $$;

CREATE TABLE territories (
  id serial PRIMARY KEY, name text NOT NULL UNIQUE, region text NOT NULL, created_at timestamp NOT NULL DEFAULT '2023-01-01');
CREATE TABLE sales_reps (
  id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, email text NOT NULL UNIQUE, title text NOT NULL,
  manager_id int REFERENCES sales_reps(id), territory_id int REFERENCES territories(id),
  hired_on date NOT NULL, is_active boolean NOT NULL DEFAULT true, created_at timestamp NOT NULL);
CREATE TABLE quotas (
  id serial PRIMARY KEY, sales_rep_id int NOT NULL REFERENCES sales_reps(id), fiscal_year int NOT NULL, quarter int NOT NULL CHECK (quarter BETWEEN 1 AND 4),
  amount numeric(12,2) NOT NULL, UNIQUE (sales_rep_id, fiscal_year, quarter));
CREATE TABLE accounts (
  id serial PRIMARY KEY, name text NOT NULL, industry text, segment text NOT NULL CHECK (segment IN ('smb','mid_market','enterprise')),
  country text NOT NULL, city text, employee_count int, website text, status text NOT NULL CHECK (status IN ('prospect','customer','churned')),
  owner_id int NOT NULL REFERENCES sales_reps(id), created_at timestamp NOT NULL, deleted_at timestamp);
CREATE TABLE contacts (
  id serial PRIMARY KEY, account_id int NOT NULL REFERENCES accounts(id), first_name text NOT NULL, last_name text NOT NULL, email text, phone text,
  job_title text, is_primary boolean NOT NULL DEFAULT false, email_opt_out boolean NOT NULL DEFAULT false, created_at timestamp NOT NULL, deleted_at timestamp);
CREATE TABLE campaigns (
  id serial PRIMARY KEY, name text NOT NULL, channel text NOT NULL, status text NOT NULL, budget numeric(12,2), actual_cost numeric(12,2),
  start_date date NOT NULL, end_date date);
CREATE TABLE products (
  id serial PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL, family text NOT NULL, list_price numeric(10,2) NOT NULL,
  billing_period text, is_active boolean NOT NULL DEFAULT true, created_at timestamp NOT NULL);
CREATE TABLE leads (
  id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, company text, email text, source text NOT NULL,
  status text NOT NULL CHECK (status IN ('new','contacted','qualified','unqualified','converted')),
  campaign_id int REFERENCES campaigns(id), owner_id int REFERENCES sales_reps(id), converted_account_id int, converted_at timestamp, created_at timestamp NOT NULL);
CREATE TABLE opportunities (
  id serial PRIMARY KEY, name text NOT NULL, account_id int NOT NULL REFERENCES accounts(id), owner_id int NOT NULL REFERENCES sales_reps(id),
  campaign_id int REFERENCES campaigns(id), type text NOT NULL CHECK (type IN ('new_business','expansion','renewal')),
  stage text NOT NULL CHECK (stage IN ('prospecting','qualification','proposal','negotiation','closed_won','closed_lost')),
  amount numeric(12,2), probability int NOT NULL, close_date date NOT NULL, lost_reason text, created_at timestamp NOT NULL, closed_at timestamp);
CREATE TABLE opportunity_lines (
  id serial PRIMARY KEY, opportunity_id int NOT NULL REFERENCES opportunities(id), product_id int NOT NULL REFERENCES products(id),
  quantity int NOT NULL, unit_price numeric(10,2) NOT NULL, discount_pct numeric(5,2) NOT NULL DEFAULT 0, line_total numeric(12,2) NOT NULL);
CREATE TABLE opportunity_stage_history (
  id serial PRIMARY KEY, opportunity_id int NOT NULL REFERENCES opportunities(id), from_stage text, to_stage text NOT NULL, changed_at timestamp NOT NULL);
CREATE TABLE activities (
  id serial PRIMARY KEY, type text NOT NULL CHECK (type IN ('call','email','meeting','demo','task')), subject text, owner_id int NOT NULL REFERENCES sales_reps(id),
  account_id int NOT NULL REFERENCES accounts(id), contact_id int, opportunity_id int REFERENCES opportunities(id),
  activity_at timestamp NOT NULL, duration_minutes int, is_completed boolean NOT NULL, created_at timestamp NOT NULL);

COMMENT ON COLUMN accounts.deleted_at IS 'soft delete; rows with a value are hidden from the app and from reports';
COMMENT ON COLUMN contacts.deleted_at IS 'soft delete; rows with a value are hidden from the app and from reports';
COMMENT ON COLUMN opportunities.amount IS 'deal value in USD';
COMMENT ON COLUMN opportunities.close_date IS 'expected close date while open, actual close date once closed_won or closed_lost';
COMMENT ON COLUMN opportunity_lines.line_total IS 'quantity * unit_price less discount';

INSERT INTO territories (name, region) VALUES
 ('US East','AMER'),('US West','AMER'),('US Central','AMER'),('Canada','AMER'),('UK & Ireland','EMEA'),('DACH','EMEA'),('Nordics','EMEA'),
 ('Southern Europe','EMEA'),('ANZ','APAC'),('Japan','APAC'),('Southeast Asia','APAC');

INSERT INTO sales_reps (first_name,last_name,email,title,manager_id,territory_id,hired_on,is_active,created_at)
SELECT v.f, v.l, lower(v.f||'.'||v.l)||'@brightloop.io', v.t, v.m, v.terr, v.d::date, v.a, v.d::timestamp + interval '9 hours' FROM (VALUES
 (1,'Margaret','Sloan','VP Sales',NULL::int,NULL::int,'2023-01-02',true),
 (2,'Derek','Holloway','Sales Manager',1,1,'2023-01-02',true),
 (3,'Annika','Berg','Sales Manager',1,7,'2023-01-09',true),
 (4,'Hiroshi','Nakamura','Sales Manager',1,10,'2023-01-16',true),
 (5,'Paula','Reinhart','Sales Manager',1,2,'2023-02-01',true),
 (6,'Jason','Tillman','Account Executive',2,1,'2023-01-02',true),
 (7,'Carmen','Ortega','Senior Account Executive',2,1,'2023-01-02',true),
 (8,'Tyler','Brooks','Account Executive',2,3,'2023-01-09',false),
 (9,'Monique','Lavoie','Account Executive',2,4,'2023-01-16',true),
 (10,'Kevin','Stroud','Senior Account Executive',5,2,'2023-01-02',true),
 (11,'Rachel','Kim','Account Executive',5,2,'2023-01-23',true),
 (12,'Brandon','Wells','Account Executive',5,3,'2023-03-06',true),
 (13,'Imogen','Clarke','Senior Account Executive',3,5,'2023-01-02',true),
 (14,'Declan','Byrne','Account Executive',3,5,'2023-01-30',true),
 (15,'Stefan','Krause','Senior Account Executive',3,6,'2023-01-02',true),
 (16,'Julia','Hofmann','Account Executive',3,6,'2023-04-03',true),
 (17,'Mikkel','Sorensen','Account Executive',3,7,'2023-01-09',true),
 (18,'Giulia','Conti','Account Executive',3,8,'2023-02-13',false),
 (19,'Rafael','Moreno','Account Executive',3,8,'2023-05-08',true),
 (20,'Bronte','Whitfield','Account Executive',4,9,'2023-01-09',true),
 (21,'Aiko','Yamada','Senior Account Executive',4,10,'2023-01-02',true),
 (22,'Wei Ling','Tan','Account Executive',4,11,'2023-06-05',true),
 (23,'Nathan','Pryce','Account Executive',5,2,'2024-02-05',true),
 (24,'Sanna','Lehtonen','Account Executive',3,7,'2024-08-12',true),
 (25,'Aaron','Fitch','Account Executive',2,1,'2025-09-15',true),
 (26,'Bianca','Duarte','Account Executive',5,3,'2025-11-03',true)) v(id,f,l,t,m,terr,d,a) ORDER BY v.id;
UPDATE sales_reps SET email = replace(email,' ','');

INSERT INTO quotas (sales_rep_id,fiscal_year,quarter,amount)
SELECT r.id, y, q, (CASE WHEN r.title LIKE 'Senior%' THEN 42000 ELSE 26000 END + (y-2023)*3000 + pg_temp.h(r.id*100+q,'quota',9)*500)::numeric
FROM sales_reps r, generate_series(2023,2025) y, generate_series(1,4) q
WHERE r.id BETWEEN 6 AND 25 AND r.hired_on <= make_date(y,(q-1)*3+1,1)+30 AND NOT (r.is_active = false AND y = 2025)
ORDER BY r.id,y,q;

INSERT INTO accounts (name,industry,segment,country,city,employee_count,website,status,owner_id,created_at,deleted_at)
SELECT nm, CASE WHEN i%23=7 THEN NULL ELSE (ARRAY['Software','Software','Healthcare','Manufacturing','Retail','Retail','Financial Services','Financial Services','Logistics','Education','Media','Energy','Software'])[1+pg_temp.h(i,'ind',13)] END,
  CASE WHEN e<150 THEN 'smb' WHEN e<1200 THEN 'mid_market' ELSE 'enterprise' END, c[1], c[2],
  CASE WHEN i%19=4 THEN NULL ELSE e END,
  CASE WHEN i%11=3 THEN NULL ELSE 'www.'||regexp_replace(lower(nm),'[^a-z]','','g')||'.com' END, 'prospect',
  CASE c[1] WHEN 'United States' THEN (ARRAY[6,7,7,8,10,10,11,12,23])[1+pg_temp.h(i,'own',9)] WHEN 'Canada' THEN 9 WHEN 'United Kingdom' THEN 13+pg_temp.h(i,'own',2)
   WHEN 'Ireland' THEN 14 WHEN 'Germany' THEN 15+pg_temp.h(i,'own',2) WHEN 'Sweden' THEN (ARRAY[17,24])[1+pg_temp.h(i,'own',2)] WHEN 'Spain' THEN 18+pg_temp.h(i,'own',2)
   WHEN 'Australia' THEN 20 WHEN 'Japan' THEN 21 ELSE 22 END,
  timestamp '2023-01-03 08:00' + (pg_temp.h(i,'acr',800)||' days')::interval + (pg_temp.h(i,'acm',560)||' minutes')::interval, NULL
FROM (SELECT i, (ARRAY['Northwind','Blue Harbor','Summit','Cedar','Ironbridge','Lakeside','Vantage','Redwood','Silverline','Beacon','Falcon','Pinnacle','Greenfield','Atlas','Orchid','Quantum','Riverstone','Copper','Horizon','Juniper'])[1+(i-1)%20]||' '||
   (ARRAY['Systems','Health','Logistics','Foods','Capital','Labs','Media','Energy'])[1+((i-1)/20+(i-1)%20)%8] nm,
   CASE WHEN pg_temp.h(i,'sz',10)<5 THEN 12+pg_temp.h(i,'em',137) WHEN pg_temp.h(i,'sz',10)<8 THEN 150+pg_temp.h(i,'em',1049) ELSE 1200+pg_temp.h(i,'em',9000) END e,
   (CASE pg_temp.h(i,'cty',20) WHEN 0 THEN ARRAY['United States','New York'] WHEN 1 THEN ARRAY['United States','Boston'] WHEN 2 THEN ARRAY['United States','Chicago'] WHEN 3 THEN ARRAY['United States','Austin'] WHEN 4 THEN ARRAY['United States','San Francisco'] WHEN 5 THEN ARRAY['United States','Seattle'] WHEN 6 THEN ARRAY['United States','Denver'] WHEN 7 THEN ARRAY['Canada','Toronto'] WHEN 8 THEN ARRAY['United Kingdom','London'] WHEN 9 THEN ARRAY['United Kingdom','Manchester'] WHEN 10 THEN ARRAY['Ireland','Dublin'] WHEN 11 THEN ARRAY['Germany','Berlin'] WHEN 12 THEN ARRAY['Germany','Munich'] WHEN 13 THEN ARRAY['Sweden','Stockholm'] WHEN 14 THEN ARRAY['Spain','Madrid'] WHEN 15 THEN ARRAY['Australia','Sydney'] WHEN 16 THEN ARRAY['Japan','Tokyo'] WHEN 17 THEN ARRAY['Singapore','Singapore'] WHEN 18 THEN ARRAY['United States','Atlanta'] ELSE ARRAY['United States',NULL] END) c
 FROM generate_series(1,160) i) s ORDER BY i;

INSERT INTO campaigns (name,channel,status,budget,actual_cost,start_date,end_date) VALUES
 ('Spring Webinar Series 2023','webinar','completed',12000,10450,'2023-03-06','2023-04-14'),
 ('SaaStr Annual 2023','trade_show','completed',60000,64800,'2023-09-05','2023-09-08'),
 ('Google Search Brand 2023','paid_search','completed',30000,29120.50,'2023-01-09','2023-12-22'),
 ('Customer Newsletter 2023','email','completed',5000,3875,'2023-02-01','2023-12-15'),
 ('LinkedIn ABM Enterprise','paid_social','completed',45000,47300,'2023-10-02','2024-03-29'),
 ('Winter Webinar 2024','webinar','completed',9000,8200,'2024-01-22','2024-02-16'),
 ('Google Search Generic 2024','paid_search','completed',40000,38640.75,'2024-01-08','2024-12-20'),
 ('London Tech Week 2024','trade_show','completed',35000,33250,'2024-06-10','2024-06-14'),
 ('Win-Back Email 2024','email','completed',4000,2980,'2024-05-06','2024-07-26'),
 ('Partner Roadshow APAC','event','completed',28000,31500,'2024-09-16','2024-11-08'),
 ('Product Launch Webinar 2025','webinar','completed',11000,11900,'2025-02-10','2025-03-07'),
 ('LinkedIn ABM Mid-Market 2025','paid_social','active',38000,22400,'2025-04-07',NULL),
 ('Google Search 2025','paid_search','active',42000,35110,'2025-01-06',NULL),
 ('Holiday Email Push 2025','email','planned',6000,NULL,'2025-12-01','2025-12-19'),
 ('Berlin SaaS Summit 2025','trade_show','cancelled',25000,0,'2025-10-13','2025-10-15');

INSERT INTO products (sku,name,family,list_price,billing_period,is_active,created_at) VALUES
 ('PLT-STR','Platform Starter','Platform',180,'annual',true,'2023-01-02'),
 ('PLT-PRO','Platform Pro','Platform',360,'annual',true,'2023-01-02'),
 ('PLT-ENT','Platform Enterprise','Platform',640,'annual',true,'2023-01-02'),
 ('ANL-ADD','Analytics Add-on','Add-ons',140,'annual',true,'2023-01-02'),
 ('SSO-ADD','SSO & Security Pack','Add-ons',95,'annual',true,'2023-01-02'),
 ('API-ADD','API Access','Add-ons',110,'annual',true,'2023-03-01'),
 ('AI-ADD','AI Assistant','Add-ons',220,'annual',true,'2024-09-02'),
 ('MOB-ADD','Mobile Offline','Add-ons',60,'monthly',false,'2023-01-02'),
 ('SUP-PRM','Premium Support','Support',3600,'annual',true,'2023-01-02'),
 ('SUP-247','24x7 Support','Support',9800,'annual',true,'2023-01-02'),
 ('SVC-ONB','Onboarding Package','Services',4500,NULL,true,'2023-01-02'),
 ('SVC-TRN','Training Day','Services',1800,NULL,true,'2023-01-02'),
 ('SVC-MIG','Data Migration','Services',7200,NULL,true,'2023-01-02'),
 ('PLT-LEG','Platform Classic','Platform',250,'annual',false,'2023-01-02'),
 ('SVC-CUS','Custom Development Block','Services',12500,NULL,true,'2025-10-01');

INSERT INTO opportunities (name,account_id,owner_id,campaign_id,type,stage,amount,probability,close_date,lost_reason,created_at,closed_at)
SELECT a.name||' - '||CASE ty WHEN 'new_business' THEN 'New Deal' WHEN 'expansion' THEN 'Expansion' ELSE 'Renewal' END||' #'||i, a.id,
  CASE WHEN pg_temp.h(i,'oo',8)=0 THEN (ARRAY[6,7,10,13,15,17,20,21])[1+pg_temp.h(i,'oo2',8)] ELSE a.owner_id END,
  CASE WHEN pg_temp.h(i,'cm',10)<4 THEN (SELECT c.id FROM campaigns c WHERE c.start_date<=cr::date AND c.id<14 ORDER BY pg_temp.h(i*31+c.id,'cc',1000) LIMIT 1) END,
  ty, st, CASE WHEN st='prospecting' AND i%3<>0 THEN NULL ELSE 3000+pg_temp.h(i,'amt',240)*150 END,
  CASE st WHEN 'prospecting' THEN 10 WHEN 'qualification' THEN 25 WHEN 'proposal' THEN 50 WHEN 'negotiation' THEN 75 WHEN 'closed_won' THEN 100 ELSE 0 END,
  cl, CASE WHEN st='closed_lost' AND pg_temp.h(i,'lrn',9)>0 THEN (ARRAY['price','price','price','competitor','competitor','no_decision','no_decision','no_decision','no_decision','timing','missing_feature'])[1+pg_temp.h(i,'lr',11)] END,
  cr, CASE WHEN st LIKE 'closed%' THEN cl + interval '9 hours' + (pg_temp.h(i,'clm',500)||' minutes')::interval END
FROM (SELECT i, acc, cr, cl, ty, CASE WHEN cl>date '2025-09-30' OR pg_temp.h(i,'op',14)=0 THEN (ARRAY['prospecting','qualification','qualification','proposal','proposal','negotiation'])[1+pg_temp.h(i,'st',6)]
        WHEN pg_temp.h(i,'wl',100) < CASE ty WHEN 'renewal' THEN 72 WHEN 'expansion' THEN 52 ELSE 36 END THEN 'closed_won' ELSE 'closed_lost' END st
   FROM (SELECT i, acc, cr, (cr + ((14+pg_temp.h(i,'cyc',95)+CASE WHEN acc%5=0 THEN pg_temp.h(i,'cy2',70) ELSE 0 END)||' days')::interval)::date cl,
      (ARRAY['new_business','new_business','new_business','expansion','expansion','renewal'])[1+pg_temp.h(i,'ty',6)] ty
     FROM (SELECT i, 1+LEAST(pg_temp.h(i,'ac',144), pg_temp.h(i,'ac2',230)) acc FROM generate_series(1,620) i) z
     CROSS JOIN LATERAL (SELECT timestamp '2023-01-05 09:00' + (pg_temp.h(z.i,'ocr',950)||' days')::interval + (pg_temp.h(z.i,'ocm',540)||' minutes')::interval cr) y) x) w
JOIN accounts a ON a.id=w.acc ORDER BY cr;
-- an account exists no later than its first opportunity
UPDATE accounts a SET created_at = LEAST(a.created_at, (SELECT min(o.created_at) - interval '3 hours' FROM opportunities o WHERE o.account_id=a.id))
 WHERE EXISTS (SELECT 1 FROM opportunities o WHERE o.account_id=a.id);

INSERT INTO opportunity_lines (opportunity_id,product_id,quantity,unit_price,discount_pct,line_total)
SELECT oid, pid, q, price, d, round(q*price*(1-d/100),2) FROM (
 SELECT o.id oid, p.id pid, k, CASE WHEN p.family IN ('Platform','Add-ons') THEN 5+pg_temp.h(o.id*7+k,'q',25)+CASE a.segment WHEN 'enterprise' THEN 60+pg_temp.h(o.id,'qe',60) WHEN 'mid_market' THEN 18 ELSE 0 END ELSE 1+pg_temp.h(o.id,'qs',3) END q,
  p.list_price price, (ARRAY[0,0,0,5,10,15,20])[1+pg_temp.h(o.id*5+k,'d',7)]::numeric d
 FROM opportunities o JOIN accounts a ON a.id=o.account_id CROSS JOIN LATERAL (SELECT k FROM generate_series(1,1+pg_temp.h(o.id,'nl',4)) k) kk
 JOIN products p ON p.id = CASE k WHEN 1 THEN (ARRAY[1,2,2,3,1,14])[1+pg_temp.h(o.id,'p1',6)] WHEN 2 THEN (ARRAY[4,5,6,4,CASE WHEN o.created_at>'2024-09-02' THEN 7 ELSE 4 END])[1+pg_temp.h(o.id,'p2',5)] WHEN 3 THEN 9+pg_temp.h(o.id,'p3',2) ELSE 11+pg_temp.h(o.id,'p4',3) END
 WHERE pg_temp.h(o.id,'nol',9)>0 AND o.amount IS NOT NULL) s ORDER BY oid,k;
UPDATE opportunities o SET amount = t.s FROM (SELECT opportunity_id, sum(line_total) s FROM opportunity_lines GROUP BY 1) t WHERE t.opportunity_id=o.id;

UPDATE accounts a SET status = CASE WHEN EXISTS (SELECT 1 FROM opportunities o WHERE o.account_id=a.id AND o.stage='closed_won') THEN CASE WHEN pg_temp.h(a.id,'chu',9)=0 THEN 'churned' ELSE 'customer' END ELSE 'prospect' END;
-- duplicates that were removed in the app; no opportunities, contacts or activities on them
UPDATE accounts SET deleted_at = timestamp '2025-03-03 10:15' + (id||' days')::interval WHERE id IN (150,153,157,160);

INSERT INTO contacts (account_id,first_name,last_name,email,phone,job_title,is_primary,email_opt_out,created_at,deleted_at)
SELECT a.id, f, l, CASE WHEN pg_temp.h(n,'em',15)=0 THEN NULL ELSE lower(f||'.'||l)||n||'@'||regexp_replace(lower(a.name),'[^a-z]','','g')||'.com' END,
 CASE WHEN pg_temp.h(n,'ph',4)=0 THEN NULL ELSE '+1-555-'||lpad((1000+pg_temp.h(n,'pn',8999))::text,4,'0') END,
 pg_temp.pick(n,'jt',ARRAY['CEO','CFO','CTO','VP Operations','IT Director','IT Manager','IT Manager','Procurement Manager','Procurement Manager','Operations Manager','Head of Sales',NULL]), k=1,
 pg_temp.h(n,'oo',8)=0, a.created_at + ((pg_temp.h(n,'cc',200))||' hours')::interval, CASE WHEN k>1 AND pg_temp.h(n,'del',14)=0 THEN timestamp '2025-06-02 12:00'+(pg_temp.h(n,'dd',150)||' days')::interval END
FROM accounts a CROSS JOIN LATERAL generate_series(1, CASE WHEN a.id%17=6 THEN 0 ELSE 1+pg_temp.h(a.id,'nc',5) END) k
CROSS JOIN LATERAL (SELECT a.id*10+k n) nn CROSS JOIN LATERAL (SELECT pg_temp.fname(n,'ct') f, pg_temp.lname(n,'ct') l) nm
WHERE a.deleted_at IS NULL ORDER BY a.id,k;

INSERT INTO leads (first_name,last_name,company,email,source,status,campaign_id,owner_id,converted_account_id,converted_at,created_at)
SELECT f,l,CASE WHEN st='converted' THEN (SELECT name FROM accounts WHERE id=acc) WHEN i%21=5 THEN NULL ELSE pg_temp.lname(i,'co')||' '||pg_temp.pick(i,'cs',ARRAY['Group','Partners','Industries','Digital','Solutions','GmbH','Ltd']) END,
 lower(f||'.'||l)||i||'@'||pg_temp.pick(i,'dm',ARRAY['gmail.com','outlook.com','example.com','corpmail.net']), src, st, cmp,
 CASE WHEN st='new' AND i%2=0 THEN NULL ELSE 6+LEAST(pg_temp.h(i,'lo',17),pg_temp.h(i,'lo2',24)) END, CASE WHEN st='converted' THEN acc END,
 CASE WHEN st='converted' THEN cr+((3+pg_temp.h(i,'cv',55))||' days')::interval END, cr
FROM (SELECT i, pg_temp.fname(i,'ld') f, pg_temp.lname(i,'ld') l, 1+pg_temp.h(i,'la',144) acc, cr, cmp,
  CASE WHEN cmp IS NULL THEN (ARRAY['referral','referral','organic','organic','organic','cold_call','partner'])[1+pg_temp.h(i,'sr',7)]
   ELSE (SELECT CASE channel WHEN 'trade_show' THEN 'event' ELSE channel END FROM campaigns WHERE id=cmp) END src,
  CASE WHEN pg_temp.h(i,'cvr',100) < CASE WHEN cmp IS NULL THEN 24 ELSE 10+cmp*2 END THEN 'converted' ELSE (ARRAY['new','contacted','contacted','qualified','unqualified','unqualified'])[1+pg_temp.h(i,'ls',6)] END st
 FROM (SELECT i, cr, CASE WHEN pg_temp.h(i,'hc',10)<6 THEN (SELECT c.id FROM campaigns c WHERE c.id<14 AND c.start_date<=cr::date AND coalesce(c.end_date,'2025-12-31')+20>=cr::date ORDER BY pg_temp.h(i*37+c.id,'lc',1000) LIMIT 1) END cmp
  FROM generate_series(1,520) i CROSS JOIN LATERAL (SELECT timestamp '2023-01-09 08:30'+(pg_temp.h(i,'lcr',1010)||' days')::interval+(pg_temp.h(i,'lcm',600)||' minutes')::interval cr) q) a) b ORDER BY cr;

INSERT INTO opportunity_stage_history (opportunity_id,from_stage,to_stage,changed_at)
SELECT oid, lag(s) OVER (PARTITION BY oid ORDER BY k), s, CASE WHEN k=1 THEN cr WHEN s LIKE 'closed%' THEN clo ELSE cr + (clo2-cr)*((k-1)::float8/(n)) END
FROM (SELECT o.id oid, o.created_at cr, o.closed_at clo, coalesce(o.closed_at, LEAST(o.close_date::timestamp, timestamp '2025-11-28')) clo2, s, row_number() OVER (PARTITION BY o.id ORDER BY k) k, count(*) OVER (PARTITION BY o.id) n
 FROM opportunities o CROSS JOIN LATERAL unnest(CASE o.stage WHEN 'prospecting' THEN ARRAY['prospecting'] WHEN 'qualification' THEN ARRAY['prospecting','qualification'] WHEN 'proposal' THEN ARRAY['prospecting','qualification','proposal']
  WHEN 'negotiation' THEN ARRAY['prospecting','qualification','proposal','negotiation'] WHEN 'closed_won' THEN CASE WHEN o.id%4=0 THEN ARRAY['prospecting','proposal','closed_won'] ELSE ARRAY['prospecting','qualification','proposal','closed_won'] END
  ELSE CASE WHEN pg_temp.h(o.id,'hl',3)=0 THEN ARRAY['prospecting','closed_lost'] ELSE ARRAY['prospecting','proposal','closed_lost'] END END) WITH ORDINALITY u(s,k)) t
ORDER BY 4, oid;

INSERT INTO activities (type,subject,owner_id,account_id,contact_id,opportunity_id,activity_at,duration_minutes,is_completed,created_at)
SELECT ty, CASE ty WHEN 'call' THEN pg_temp.pick(i,'sj',ARRAY['Discovery call','Follow-up call','Pricing call',NULL]) WHEN 'email' THEN pg_temp.pick(i,'sj',ARRAY['Intro email','Proposal sent','Checking in']) WHEN 'meeting' THEN pg_temp.pick(i,'sj',ARRAY['On-site meeting','Quarterly review','Contract review']) WHEN 'demo' THEN 'Product demo' ELSE pg_temp.pick(i,'sj',ARRAY['Prepare quote','Update forecast','Send contract']) END,
 o.owner_id, o.account_id, CASE WHEN ty<>'task' AND pg_temp.h(i,'act',6)>0 THEN (SELECT c.id FROM contacts c WHERE c.account_id=o.account_id AND c.deleted_at IS NULL ORDER BY pg_temp.h(i*13+c.id,'cs',999) LIMIT 1) END,
 CASE WHEN pg_temp.h(i,'ao',7)>0 THEN o.id END, act_at, CASE WHEN ty='call' THEN 5+pg_temp.h(i,'du',40) WHEN ty IN ('meeting','demo') THEN 30+15*pg_temp.h(i,'du',5) END,
 act_at < '2025-11-01' AND pg_temp.h(i,'dn',12)>0, act_at - interval '2 days'
FROM (SELECT i, 1+pg_temp.h(i,'op',600) oid, (ARRAY['call','call','call','call','email','email','email','email','email','meeting','meeting','demo','task'])[1+pg_temp.h(i,'ty',13)] ty FROM generate_series(1,1800) i) g
JOIN opportunities o ON o.id=g.oid CROSS JOIN LATERAL (SELECT date_trunc('minute', o.created_at) + (3+pg_temp.h(i,'at',GREATEST(5,o.close_date-o.created_at::date)))*interval '1 day' + (pg_temp.h(i,'am',300)-100)*interval '1 minute' AS act_at) t
WHERE pg_temp.h(o.id,'noact',12)>0 ORDER BY act_at;

CREATE INDEX ON opportunities (account_id); CREATE INDEX ON opportunities (owner_id); CREATE INDEX ON activities (opportunity_id);
COMMIT;
