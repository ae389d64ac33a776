-- Home care agency: clients, carers, visits, plans, invoices, incidents. Data until end of June 2024.
DROP SCHEMA IF EXISTS homecare CASCADE;
CREATE SCHEMA homecare;
SET search_path TO homecare;

-- helper for repeatable pseudo values in [0,1); lives in the temp schema only
CREATE OR REPLACE FUNCTION pg_temp.h(s text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT (('x' || substr(md5(s), 1, 8))::bit(32)::bigint) / 4294967296.0::double precision $$;

CREATE TABLE areas (
  area_id      integer PRIMARY KEY,
  name         text NOT NULL UNIQUE,
  region       text NOT NULL,
  postcode     text NOT NULL,
  office_phone text
);
CREATE TABLE service_types (
  service_type_id integer PRIMARY KEY,
  name            text NOT NULL UNIQUE,
  category        text NOT NULL,
  hourly_rate     numeric(6,2) NOT NULL,
  default_minutes integer NOT NULL
);
CREATE TABLE qualifications (
  qualification_id integer PRIMARY KEY,
  name             text NOT NULL UNIQUE,
  category         text NOT NULL,
  valid_months     integer,
  mandatory        boolean NOT NULL
);
CREATE TABLE clients (
  client_id     integer PRIMARY KEY,
  first_name    text NOT NULL,
  last_name     text NOT NULL,
  gender        text NOT NULL CHECK (gender IN ('female','male')),
  date_of_birth date NOT NULL,
  area_id       integer NOT NULL REFERENCES areas,
  start_date    date NOT NULL,
  end_date      date,
  end_reason    text,
  funding_type  text NOT NULL CHECK (funding_type IN ('private','council','insurance')),
  lives_alone   boolean NOT NULL,
  phone         text,
  email         text
);
CREATE TABLE carers (
  carer_id      integer PRIMARY KEY,
  first_name    text NOT NULL,
  last_name     text NOT NULL,
  gender        text NOT NULL CHECK (gender IN ('female','male')),
  area_id       integer NOT NULL REFERENCES areas,
  hire_date     date NOT NULL,
  leave_date    date,
  contract_type text NOT NULL CHECK (contract_type IN ('full_time','part_time','zero_hours')),
  hourly_wage   numeric(5,2) NOT NULL,
  has_car       boolean NOT NULL,
  email         text
);
CREATE TABLE carer_qualifications (
  carer_id         integer NOT NULL REFERENCES carers,
  qualification_id integer NOT NULL REFERENCES qualifications,
  obtained_on      date NOT NULL,
  expires_on       date,
  PRIMARY KEY (carer_id, qualification_id)
);
CREATE TABLE care_plans (
  care_plan_id   integer PRIMARY KEY,
  client_id      integer NOT NULL REFERENCES clients,
  start_date     date NOT NULL,
  end_date       date,
  care_level     text NOT NULL CHECK (care_level IN ('low','medium','high','intensive')),
  hours_per_week numeric(4,1) NOT NULL,
  status         text NOT NULL CHECK (status IN ('draft','active','ended')),
  next_review_on date
);
CREATE TABLE visits (
  visit_id        integer PRIMARY KEY,
  client_id       integer NOT NULL REFERENCES clients,
  carer_id        integer REFERENCES carers,
  service_type_id integer NOT NULL REFERENCES service_types,
  scheduled_start timestamp NOT NULL,
  scheduled_end   timestamp NOT NULL,
  actual_start    timestamp,
  actual_end      timestamp,
  status          text NOT NULL CHECK (status IN ('scheduled','completed','cancelled','missed')),
  cancel_reason   text
);
CREATE TABLE invoices (
  invoice_id   integer PRIMARY KEY,
  client_id    integer NOT NULL REFERENCES clients,
  invoice_date date NOT NULL,
  due_date     date NOT NULL,
  amount       numeric(9,2) NOT NULL,
  status       text NOT NULL CHECK (status IN ('open','paid','overdue','cancelled')),
  paid_on      date
);
CREATE TABLE incidents (
  incident_id   integer PRIMARY KEY,
  client_id     integer NOT NULL REFERENCES clients,
  carer_id      integer REFERENCES carers,
  incident_type text NOT NULL,
  severity      text NOT NULL CHECK (severity IN ('low','medium','high')),
  occurred_on   date NOT NULL,
  reported_on   date NOT NULL,
  closed_on     date,
  injury        boolean NOT NULL
);
CREATE TABLE visit_feedback (
  feedback_id integer PRIMARY KEY,
  visit_id    integer NOT NULL UNIQUE REFERENCES visits,
  rating      integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  comment     text,
  given_on    date NOT NULL
);

INSERT INTO areas VALUES
 (1,'Ashford','North','NW1','020 7000 1101'),(2,'Brookfield','North','NW3','020 7000 1102'),
 (3,'Cliffside','South','SW2','020 7000 1103'),(4,'Dunmore','East','E4',NULL),
 (5,'Eastgate','East','E7','020 7000 1105'),(6,'Fairview','West','W5','020 7000 1106'),
 (7,'Greenhill','North','NW6','020 7000 1107'),(8,'Harbour Town','South','SE1','020 7000 1108'),
 (9,'Ivybridge','West','W9','020 7000 1109'),(10,'Kingsmead','South','SW4','020 7000 1110'),
 (11,'Lakeside','West','W12',NULL),(12,'Millbrook','East','E10','020 7000 1112'),
 (13,'Newtown','North','N2','020 7000 1113'),(14,'Oakwood','North','N8','020 7000 1114'),
 (15,'Parkside','South','SE9','020 7000 1115'),(16,'Queensbury','West','W14','020 7000 1116'),
 (17,'Riverside','South','SW11','020 7000 1117'),(18,'Stonebridge','East','E14','020 7000 1118'),
 (19,'Thornton','North','N15',NULL),(20,'Upton','East','E17','020 7000 1120'),
 (21,'Westbourne','West','W2','020 7000 1121'),(22,'Yewdale','South','SE22',NULL);

INSERT INTO service_types VALUES
 (1,'Personal care','Personal',26.50,45),(2,'Medication support','Nursing',31.00,30),
 (3,'Meal preparation','Household',21.00,45),(4,'Shopping','Household',20.00,60),
 (5,'Housekeeping','Household',19.50,90),(6,'Laundry','Household',19.50,60),
 (7,'Companionship','Social',18.50,60),(8,'Bathing assistance','Personal',27.50,60),
 (9,'Dressing assistance','Personal',26.00,30),(10,'Wound care','Nursing',38.00,30),
 (11,'Diabetes monitoring','Nursing',36.00,30),(12,'Dementia support','Personal',30.00,120),
 (13,'Respite care','Social',25.00,180),(14,'Palliative care','Nursing',42.00,120),
 (15,'Hospital escort','Social',22.50,150),(16,'Foot care','Nursing',33.00,45),
 (17,'Night sitting','Personal',24.00,480),(18,'Post-surgery care','Nursing',39.50,60),
 (19,'Garden help','Household',18.00,90),(20,'Pet care','Household',17.50,30);

INSERT INTO qualifications VALUES
 (1,'First aid','Safety',24,true),(2,'Moving and handling','Safety',12,true),
 (3,'Medication administration','Clinical',24,true),(4,'Safeguarding adults','Safety',36,true),
 (5,'Infection control','Safety',24,true),(6,'Food hygiene','Safety',36,false),
 (7,'Dementia care','Clinical',36,false),(8,'Palliative care','Clinical',36,false),
 (9,'Wound care','Clinical',24,false),(10,'Diabetes awareness','Clinical',24,false),
 (11,'Catheter care','Clinical',24,false),(12,'Mental health awareness','Clinical',36,false),
 (13,'Fire safety','Safety',12,false),(14,'Care diploma level 2','Diploma',NULL,false),
 (15,'Care diploma level 3','Diploma',NULL,false),(16,'Care diploma level 5','Diploma',NULL,false),
 (17,'Nursing degree','Diploma',NULL,false),(18,'Sign language','Communication',NULL,false),
 (19,'Conflict management','Communication',24,false),(20,'Team leadership','Communication',NULL,false);

-- 150 clients
INSERT INTO clients
SELECT i,
       CASE WHEN g.f THEN fn.f[1 + (i*17) % 31] ELSE fn.m[1 + (i*13) % 29] END,
       ln.l[1 + (i*23) % 61],
       CASE WHEN g.f THEN 'female' ELSE 'male' END,
       DATE '1925-03-01' + (pow(pg_temp.h('dob'||i), 1.3) * 11500)::int,
       1 + floor(pow(pg_temp.h('ca'||i), 1.3) * 22)::int,
       d.sd,
       CASE WHEN pg_temp.h('ce'||i) < 0.30 AND d.sd < DATE '2024-02-01'
            THEN LEAST(d.sd + 60 + (pg_temp.h('ced'||i) * (DATE '2024-06-15' - d.sd - 60))::int, DATE '2024-06-15') END,
       CASE WHEN pg_temp.h('ce'||i) < 0.30 AND d.sd < DATE '2024-02-01' AND pg_temp.h('cer'||i) < 0.9
            THEN (ARRAY['moved to care home','deceased','moved away','recovered','changed provider'])[1 + floor(pg_temp.h('cerr'||i)*5)::int] END,
       (ARRAY['council','council','council','private','private','insurance'])[1 + floor(pg_temp.h('cf'||i)*6)::int],
       pg_temp.h('cl'||i) < 0.58,
       CASE WHEN pg_temp.h('cp'||i) < 0.94 THEN '07700 ' || lpad((900000 + i*37)::text, 6, '0') END,
       CASE WHEN pg_temp.h('cm'||i) < 0.45 THEN 'client' || i || '@mailbox.example' END
FROM generate_series(1,150) i
CROSS JOIN LATERAL (SELECT pg_temp.h('cg'||i) < 0.62 AS f) g
CROSS JOIN LATERAL (SELECT DATE '2020-02-01' + (pg_temp.h('cs'||i) * 1560)::int AS sd) d
CROSS JOIN (SELECT ARRAY['Margaret','Dorothy','Edith','Joan','Betty','Sheila','Audrey','Barbara','Patricia','Maureen','Jean','Doris','Iris','Sylvia','Beryl','Pamela','Brenda','Hazel','Marjorie','Norma','Rita','Eileen','Gladys','Irene','Vera','Olive','Phyllis','Muriel','Shirley','June','Kathleen'] f,
                   ARRAY['Arthur','Albert','George','Harold','Ronald','Kenneth','Dennis','Raymond','Leonard','Norman','Stanley','Ernest','Frank','Walter','Derek','Gordon','Roy','Peter','Bernard','Donald','Eric','Gerald','Cyril','Reginald','Victor','Alfred','Douglas','Maurice','Trevor'] m) fn
CROSS JOIN (SELECT ARRAY['Adams','Bailey','Baker','Barnes','Bell','Bennett','Brooks','Butler','Carter','Chapman','Clark','Collins','Cook','Cooper','Cox','Davies','Edwards','Ellis','Evans','Fisher','Foster','Gibson','Graham','Gray','Green','Griffiths','Hall','Harris','Harrison','Harvey','Hill','Holmes','Hughes','Hunt','Jackson','Jenkins','Kelly','Kennedy','Knight','Lee','Lewis','Marshall','Martin','Mason','Mills','Morgan','Morris','Murphy','Murray','Palmer','Parker','Phillips','Powell','Price','Reid','Reynolds','Richards','Roberts','Rogers','Russell','Shaw'] l) ln;

-- 64 carers
INSERT INTO carers
SELECT i,
       CASE WHEN g.f THEN fn.f[1 + (i*7) % 37] ELSE fn.m[1 + (i*5) % 23] END,
       ln.l[1 + (i*11) % 43],
       CASE WHEN g.f THEN 'female' ELSE 'male' END,
       1 + (i*5 + floor(pg_temp.h('ra'||i)*3)::int) % 22,
       d.hd,
       CASE WHEN pg_temp.h('rl'||i) < 0.28 AND d.hd < DATE '2023-10-01'
            THEN LEAST(d.hd + 120 + (pg_temp.h('rld'||i) * (DATE '2024-06-10' - d.hd - 120))::int, DATE '2024-06-10') END,
       (ARRAY['full_time','full_time','part_time','part_time','zero_hours'])[1 + floor(pg_temp.h('rc'||i)*5)::int],
       (11.5 + floor(pg_temp.h('rw'||i)*22)*0.25 + CASE WHEN d.hd < DATE '2020-01-01' THEN 1.5 ELSE 0 END)::numeric(5,2),
       pg_temp.h('rv'||i) < 0.66,
       CASE WHEN pg_temp.h('re'||i) < 0.92 THEN 'carer' || i || '@carehome.example' END
FROM generate_series(1,64) i
CROSS JOIN LATERAL (SELECT pg_temp.h('rg'||i) < 0.76 AS f) g
CROSS JOIN LATERAL (SELECT DATE '2017-03-01' + (pg_temp.h('rh'||i) * 2580)::int AS hd) d
CROSS JOIN (SELECT ARRAY['Amelia','Sophie','Chloe','Grace','Priya','Fatima','Aisha','Natalia','Emma','Laura','Hannah','Megan','Zoe','Ewa','Ines','Maria','Joanna','Rachel','Nicole','Leah','Abena','Ngozi','Shanice','Elena','Katie','Paula','Rosa','Tanya','Yvonne','Zainab','Mei','Lucia','Bianca','Carla','Denise','Gemma','Holly'] f,
                   ARRAY['Adam','Ben','Carlos','Daniel','Emeka','Filip','Gareth','Hassan','Ivan','Jamal','Kofi','Liam','Marcin','Nathan','Omar','Paul','Ravi','Sam','Tomasz','Usman','Will','Yusuf','Jack'] m) fn
CROSS JOIN (SELECT ARRAY['Abbott','Ahmed','Alves','Appiah','Bose','Campbell','Chan','Costa','Cruz','Diaz','Dunn','Farrell','Ferreira','Fox','Gill','Gomez','Hussain','Iqbal','Jones','Kaur','Khan','Kowalski','Lopes','Mensah','Moore','Nowak','Nunez','Obi','Okafor','Osei','Patel','Pereira','Popescu','Quinn','Rahman','Santos','Sharma','Silva','Singh','Smith','Taylor','Walsh','Young'] l) ln;

INSERT INTO carer_qualifications
SELECT c.carer_id, q.qualification_id, o.ob,
       CASE WHEN q.valid_months IS NOT NULL THEN (o.ob + make_interval(months => q.valid_months))::date END
FROM carers c CROSS JOIN qualifications q
CROSS JOIN LATERAL (SELECT GREATEST(c.hire_date, COALESCE(c.leave_date, DATE '2024-06-20') - 20 - (pg_temp.h('qo'||c.carer_id||'-'||q.qualification_id) * COALESCE(q.valid_months*34, 1800))::int) AS ob) o
WHERE pg_temp.h('q'||c.carer_id||'-'||q.qualification_id) <
      CASE WHEN q.mandatory THEN 0.86 WHEN q.qualification_id IN (6,7,14) THEN 0.38 WHEN q.qualification_id IN (16,17,18) THEN 0.07 ELSE 0.17 END;

-- one to three consecutive plans per client, about 6 % of clients without any
INSERT INTO care_plans
SELECT row_number() OVER (ORDER BY c.client_id, k), c.client_id, p.sd,
       CASE WHEN p.last THEN c.end_date ELSE p.nx - 1 END,
       (ARRAY['low','medium','high','intensive'])[v.lv],
       v.lv*4 + floor(pg_temp.h('ph'||c.client_id||'-'||k)*9)*0.5,
       CASE WHEN p.last AND c.end_date IS NULL
            THEN CASE WHEN pg_temp.h('pd'||c.client_id) < 0.08 THEN 'draft' ELSE 'active' END ELSE 'ended' END,
       CASE WHEN p.last AND c.end_date IS NULL AND pg_temp.h('pr'||c.client_id) < 0.85
            THEN DATE '2024-05-15' + (pg_temp.h('prd'||c.client_id)*200)::int END
FROM clients c
CROSS JOIN LATERAL (SELECT 1 + floor(pg_temp.h('pn'||c.client_id)*3)::int AS n, COALESCE(c.end_date, DATE '2024-06-20') - c.start_date AS span) s
CROSS JOIN LATERAL generate_series(1, CASE WHEN s.span > 200 THEN s.n ELSE 1 END) k
CROSS JOIN LATERAL (SELECT c.start_date + (s.span*(k-1)/CASE WHEN s.span > 200 THEN s.n ELSE 1 END)::int AS sd,
                           c.start_date + (s.span*k/CASE WHEN s.span > 200 THEN s.n ELSE 1 END)::int AS nx,
                           k = CASE WHEN s.span > 200 THEN s.n ELSE 1 END AS last) p
CROSS JOIN LATERAL (SELECT LEAST(4, 1 + floor(pg_temp.h('pl'||c.client_id)*3)::int + (k-1)*(CASE WHEN pg_temp.h('pu'||c.client_id) < 0.6 THEN 1 ELSE 0 END)) AS lv) v
WHERE pg_temp.h('pnone'||c.client_id) > 0.06;

-- visits: about 2,900 between January 2021 and June 2024
INSERT INTO visits
WITH base AS (
  SELECT c.client_id, c.area_id, k,
         GREATEST(c.start_date, DATE '2021-01-04') AS sd, COALESCE(c.end_date, DATE '2024-06-30') AS ed
  FROM clients c
  CROSS JOIN LATERAL generate_series(1, CASE WHEN pg_temp.h('vz'||c.client_id) < 0.06 THEN 0
        ELSE floor((COALESCE(c.end_date, DATE '2024-06-30') - GREATEST(c.start_date, DATE '2021-01-04')) / 28.0 * (0.4 + 1.12*pg_temp.h('vn'||c.client_id)))::int END) k
  WHERE COALESCE(c.end_date, DATE '2024-06-30') > DATE '2021-01-04'
), d AS (
  SELECT b.*, b.client_id||'-'||b.k AS s, b.sd + floor(pg_temp.h('vd'||b.client_id||'-'||b.k) * (b.ed - b.sd))::int AS vday FROM base b
), t AS (
  SELECT d.*, st.service_type_id, st.default_minutes,
         d.vday + CASE WHEN st.service_type_id = 17 THEN interval '21 hours 30 minutes'
                       ELSE make_interval(hours => 7 + floor(pg_temp.h('vh'||s)*12)::int, mins => 15*floor(pg_temp.h('vq'||s)*4)::int) END AS ss
  FROM d JOIN service_types st ON st.service_type_id =
       CASE WHEN pg_temp.h('vt'||s) < 0.35 THEN (ARRAY[1,3,2,8])[1 + (client_id % 4)]
            ELSE 1 + floor(pow(pg_temp.h('vt2'||s), 1.5)*19)::int END
), n AS (
  SELECT t.*, row_number() OVER (ORDER BY ss, client_id, k) AS vid, ss + make_interval(mins => default_minutes) AS se,
         CASE WHEN vday > DATE '2024-06-20' THEN CASE WHEN pg_temp.h('vs'||s) < 0.05 THEN 'cancelled' ELSE 'scheduled' END
              WHEN pg_temp.h('vs'||s) < 0.075 THEN 'cancelled' WHEN pg_temp.h('vs'||s) < 0.105 THEN 'missed' ELSE 'completed' END AS st,
         floor(pow(pg_temp.h('vl'||s), 3)*45)::int - 6 AS late,
         floor(pg_temp.h('vx'||s)*25)::int - 10 AS extra
  FROM t
)
SELECT n.vid, n.client_id,
       CASE WHEN n.st = 'scheduled' AND pg_temp.h('vu'||s) < 0.2 THEN NULL ELSE r.carer_id END,
       n.service_type_id, n.ss, n.se,
       CASE WHEN n.st = 'completed' THEN n.ss + make_interval(mins => n.late) END,
       CASE WHEN n.st = 'completed' THEN n.se + make_interval(mins => GREATEST(n.late + n.extra, 10 - n.default_minutes + n.late)) END,
       n.st,
       CASE WHEN n.st = 'cancelled' AND pg_temp.h('vr'||s) < 0.88
            THEN (ARRAY['client in hospital','client away','carer ill','family visit','bad weather','client refused'])[1 + floor(pg_temp.h('vrr'||s)*6)::int] END
FROM n
CROSS JOIN LATERAL (
  SELECT c.carer_id FROM carers c JOIN areas ca USING (area_id) JOIN areas va ON va.area_id = n.area_id
  WHERE c.hire_date <= n.vday AND COALESCE(c.leave_date, DATE '2024-12-31') > n.vday AND c.carer_id NOT IN (63, 64)
  ORDER BY (ca.region = va.region AND pg_temp.h('vg'||n.s) < 0.9) DESC,
           ln(1e-9 + pg_temp.h('vc'||n.s||'-'||c.carer_id)) / CASE c.contract_type WHEN 'full_time' THEN 3 WHEN 'part_time' THEN 1.7 ELSE 0.8 END / (0.4 + pg_temp.h('cw'||c.carer_id)) DESC
  LIMIT 1) r
ORDER BY n.vid;

-- one invoice per client and month with completed visits
INSERT INTO invoices
WITH m AS (
  SELECT v.client_id, date_trunc('month', v.scheduled_start)::date AS mon,
         SUM(st.hourly_rate * EXTRACT(epoch FROM v.scheduled_end - v.scheduled_start)/3600)::numeric(9,2) AS amt
  FROM visits v JOIN service_types st USING (service_type_id)
  WHERE v.status = 'completed' AND v.scheduled_start < '2024-06-01'
  GROUP BY 1, 2
), i AS (
  SELECT row_number() OVER (ORDER BY mon, client_id) AS id, client_id, (mon + interval '1 month')::date AS idate, amt,
         pg_temp.h('is'||client_id||'-'||mon) AS h1, pg_temp.h('ip'||client_id||'-'||mon) AS h2 FROM m
), p AS (
  SELECT i.*, idate + 4 + floor(pow(h2, 1.4)*52)::int AS pd, idate + 30 AS dd FROM i
)
SELECT id, client_id, idate, dd, amt,
       CASE WHEN h1 < 0.015 THEN 'cancelled' WHEN h1 > 0.035 AND pd <= DATE '2024-06-20' THEN 'paid' WHEN dd < DATE '2024-06-20' THEN 'overdue' ELSE 'open' END,
       CASE WHEN h1 > 0.035 AND pd <= DATE '2024-06-20' THEN pd END
FROM p ORDER BY id;

INSERT INTO incidents
WITH v AS (
  SELECT v.*, row_number() OVER (ORDER BY pg_temp.h('in'||v.visit_id) / (0.25 + pg_temp.h('incl'||v.client_id))) AS rn
  FROM visits v WHERE v.status = 'completed'
), x AS (SELECT v.*, row_number() OVER (ORDER BY scheduled_start, visit_id) AS id FROM v WHERE rn <= 170)
SELECT id, client_id, CASE WHEN pg_temp.h('inc'||visit_id) < 0.82 THEN carer_id END,
       t.ty,
       CASE WHEN pg_temp.h('isv'||visit_id) < 0.52 THEN 'low' WHEN pg_temp.h('isv'||visit_id) < 0.84 THEN 'medium' ELSE 'high' END,
       scheduled_start::date, r.rep,
       CASE WHEN pg_temp.h('icl'||visit_id) < 0.86 AND r.rep + 2 + floor(pow(pg_temp.h('icd'||visit_id),2)*60)::int <= DATE '2024-06-20' THEN r.rep + 2 + floor(pow(pg_temp.h('icd'||visit_id),2)*60)::int END,
       t.ty = 'fall' AND pg_temp.h('ij'||visit_id) < 0.55 OR pg_temp.h('ij'||visit_id) < 0.06
FROM x
CROSS JOIN LATERAL (SELECT (ARRAY['fall','fall','fall','medication error','medication error','late visit complaint','property damage','aggressive behaviour','skin injury'])[1 + floor(pg_temp.h('ity'||visit_id)*9)::int] AS ty) t
CROSS JOIN LATERAL (SELECT scheduled_start::date + floor(pow(pg_temp.h('irp'||visit_id), 3)*8)::int AS rep) r
ORDER BY id;

INSERT INTO visit_feedback
SELECT row_number() OVER (ORDER BY v.scheduled_start, v.visit_id), v.visit_id, f.r,
       CASE WHEN pg_temp.h('fc'||v.visit_id) < 0.45 THEN
         CASE WHEN f.r >= 4 THEN (ARRAY['very kind','always friendly','thank you','did a great job','on time and careful'])[1 + floor(pg_temp.h('fcc'||v.visit_id)*5)::int]
              WHEN f.r = 3 THEN (ARRAY['ok','a bit rushed','could be better'])[1 + floor(pg_temp.h('fcc'||v.visit_id)*3)::int]
              ELSE (ARRAY['came too late','left too early','not friendly','forgot the medication'])[1 + floor(pg_temp.h('fcc'||v.visit_id)*4)::int] END END,
       v.scheduled_start::date + 1 + floor(pg_temp.h('fd'||v.visit_id)*10)::int
FROM visits v
CROSS JOIN LATERAL (SELECT LEAST(5, GREATEST(1, 1 + floor(pow(pg_temp.h('fr'||v.visit_id), 0.42)*5 - 0.7*pg_temp.h('frc'||v.carer_id))::int)) AS r) f
WHERE v.status = 'completed' AND v.scheduled_start < '2024-06-10' AND pg_temp.h('ff'||v.visit_id) < 0.22;
