-- A chain of clinics: short names with abbreviations, codes explained by comments and look-up tables, an enum,
-- an array, two keys to the same table, a key to its own table, money, dates that say that something ended.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/clinic.sql
BEGIN;
DROP SCHEMA IF EXISTS clinic CASCADE;
CREATE SCHEMA clinic;
SET LOCAL search_path = clinic;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TYPE appt_status AS ENUM ('scheduled', 'completed', 'cancelled', 'no_show');
CREATE TABLE sites (site_id int PRIMARY KEY, site_nm text NOT NULL, city text NOT NULL, state_cd char(2) NOT NULL, beds int);
CREATE TABLE specialties (spec_cd text PRIMARY KEY, descr text NOT NULL);
CREATE TABLE physicians (
  phys_id int PRIMARY KEY, first_nm text NOT NULL, last_nm text NOT NULL,
  spec_cd text NOT NULL REFERENCES specialties, site_id int NOT NULL REFERENCES sites,
  supervisor_id int REFERENCES physicians, hired_on date NOT NULL, left_on date, annual_sal numeric(10,2) NOT NULL);
CREATE TABLE insurers (insurer_id int PRIMARY KEY, name text NOT NULL, plan_type text NOT NULL);
CREATE TABLE patients (
  pat_id int PRIMARY KEY, mrn text NOT NULL UNIQUE, fname text NOT NULL, lname text NOT NULL, dob date NOT NULL,
  sex_cd char(1) NOT NULL, city text NOT NULL, state_cd char(2) NOT NULL, email text, insurer_id int REFERENCES insurers,
  allergies text[] NOT NULL DEFAULT '{}', deceased_on date);
CREATE TABLE appts (
  appt_id int PRIMARY KEY, pat_id int NOT NULL REFERENCES patients, phys_id int NOT NULL REFERENCES physicians,
  referring_phys_id int REFERENCES physicians, site_id int NOT NULL REFERENCES sites, sched_at timestamptz NOT NULL,
  status appt_status NOT NULL, dur_min int NOT NULL, is_telehealth boolean NOT NULL);
CREATE TABLE diagnoses (dx_cd text PRIMARY KEY, descr text NOT NULL, chronic_yn char(1) NOT NULL);
CREATE TABLE appt_dx (appt_id int REFERENCES appts, dx_cd text REFERENCES diagnoses, PRIMARY KEY (appt_id, dx_cd));
CREATE TABLE drugs (drug_id int PRIMARY KEY, generic_nm text NOT NULL, brand_nm text, unit_price numeric(8,2) NOT NULL, controlled boolean NOT NULL);
CREATE TABLE rx (
  rx_id int PRIMARY KEY, appt_id int NOT NULL REFERENCES appts, drug_id int NOT NULL REFERENCES drugs,
  qty int NOT NULL, refills int NOT NULL, issued_on date NOT NULL);
CREATE TABLE claims (
  claim_id int PRIMARY KEY, appt_id int NOT NULL REFERENCES appts, insurer_id int NOT NULL REFERENCES insurers,
  billed_amt numeric(10,2) NOT NULL, paid_amt numeric(10,2), submitted_on date NOT NULL, paid_on date, denial_reason text);

COMMENT ON TABLE sites IS 'Clinics: the places where patients are seen';
COMMENT ON TABLE appts IS 'Appointments (visits) of patients with physicians';
COMMENT ON TABLE rx IS 'Prescriptions written at an appointment';
COMMENT ON TABLE physicians IS 'Doctors';
COMMENT ON COLUMN patients.mrn IS 'Medical record number';
COMMENT ON COLUMN patients.sex_cd IS 'F female, M male';
COMMENT ON COLUMN appts.dur_min IS 'Length of the visit in minutes';
COMMENT ON COLUMN diagnoses.chronic_yn IS 'Y when the condition is chronic';
COMMENT ON COLUMN physicians.annual_sal IS 'Salary per year in dollars';
COMMENT ON COLUMN claims.paid_on IS 'When the insurer paid; null while the claim is open or when it was denied';
COMMENT ON COLUMN physicians.left_on IS 'Last day of employment';

INSERT INTO sites VALUES (1,'Lakeview','Chicago','IL',40),(2,'Harbor Point','Boston','MA',25),(3,'Mission Bay','San Francisco','CA',60),
  (4,'Cedar Hill','Dallas','TX',30),(5,'Elm Street','Boston','MA',12),(6,'Riverside','Sacramento','CA',18);
INSERT INTO specialties VALUES ('CARD','Cardiology'),('DERM','Dermatology'),('PEDS','Pediatrics'),('ORTH','Orthopedics'),('FAMP','Family practice');
INSERT INTO physicians SELECT i, (ARRAY['Ada','Ben','Clara','David','Elena','Frank','Grace','Hugo','Ines','Jonas'])[1 + i % 10],
  (ARRAY['Nguyen','Okafor','Silva','Becker','Haddad','Moreau','Tanaka'])[1 + i % 7],
  (ARRAY['CARD','DERM','PEDS','ORTH','FAMP'])[1 + pg_temp.pick(i,'s',5)], 1 + pg_temp.pick(i,'t',6),
  CASE WHEN i > 4 THEN 1 + pg_temp.pick(i,'v',4) END, date '2008-01-01' + pg_temp.pick(i,'h',6000),
  CASE WHEN i % 6 = 0 THEN date '2025-03-01' + pg_temp.pick(i,'l',200) END, 140000 + 500 * pg_temp.pick(i,'a',300)
  FROM generate_series(1, 28) AS i;
INSERT INTO insurers VALUES (1,'BlueShield','PPO'),(2,'Unity Health','HMO'),(3,'Medicare','public'),(4,'Harbor Mutual','PPO');
INSERT INTO patients SELECT i, 'MR' || lpad((i * 37)::text, 6, '0'),
  (ARRAY['Liam','Olivia','Noah','Emma','Mateo','Sofia','Lucas','Mia','Ethan','Zoe','Yusuf','Aisha'])[1 + pg_temp.pick(i,'f',12)],
  (ARRAY['Smith','Garcia','Chen','Johnson','Patel','Brown','Kim','Lopez','Novak','Rossi'])[1 + pg_temp.pick(i,'n',10)],
  date '1935-01-01' + pg_temp.pick(i,'b',31000), (ARRAY['F','M'])[1 + pg_temp.pick(i,'x',2)],
  (ARRAY['Chicago','Boston','San Francisco','Dallas','Oakland','Cambridge'])[1 + pg_temp.pick(i,'c',6)],
  (ARRAY['IL','MA','CA','TX','CA','MA'])[1 + pg_temp.pick(i,'c',6)],
  CASE WHEN pg_temp.pick(i,'e',5) > 0 THEN 'p' || i || '@mail.example' END,
  CASE WHEN pg_temp.pick(i,'i',8) > 0 THEN 1 + pg_temp.pick(i,'j',4) END,
  CASE pg_temp.pick(i,'g',6) WHEN 0 THEN '{penicillin}' WHEN 1 THEN '{peanuts,latex}' ELSE '{}' END::text[],
  CASE WHEN pg_temp.pick(i,'d',40) = 0 THEN date '2025-01-01' + pg_temp.pick(i,'dd',600) END
  FROM generate_series(1, 320) AS i;
INSERT INTO appts SELECT i, 1 + pg_temp.pick(i,'p',300), 1 + pg_temp.pick(i,'q',26),
  CASE WHEN pg_temp.pick(i,'r',4) = 0 THEN 1 + pg_temp.pick(i,'rr',28) END, 1 + pg_temp.pick(i,'si',6),
  timestamptz '2024-01-02 08:00+00' + (pg_temp.pick(i,'da',1050) || ' days')::interval + (pg_temp.pick(i,'ho',9) || ' hours')::interval,
  (ARRAY['completed','completed','completed','cancelled','no_show','scheduled'])[1 + pg_temp.pick(i,'st',6)]::appt_status,
  15 * (1 + pg_temp.pick(i,'du',5)), pg_temp.pick(i,'te',4) = 0 FROM generate_series(1, 1800) AS i;
INSERT INTO diagnoses VALUES ('I10','Hypertension','Y'),('E11','Type 2 diabetes','Y'),('J45','Asthma','Y'),('J06','Common cold','N'),
  ('S93','Ankle sprain','N'),('L20','Eczema','Y'),('R51','Headache','N'),('K21','Acid reflux','Y'),('Z00','Annual check-up','N');
INSERT INTO appt_dx SELECT DISTINCT i, (ARRAY['I10','E11','J45','J06','S93','L20','R51','Z00'])[1 + pg_temp.pick(i * 3 + k,'dx',8)]
  FROM generate_series(1, 1800) AS i, generate_series(0, 1) AS k WHERE k = 0 OR i % 3 = 0;
INSERT INTO drugs VALUES (1,'ibuprofen','Advil',0.12,false),(2,'metformin','Glucophage',0.35,false),(3,'lisinopril',NULL,0.18,false),
  (4,'oxycodone','OxyContin',2.40,true),(5,'albuterol','Ventolin',14.50,false),(6,'hydrocortisone','Cortizone',6.75,false),(7,'alprazolam','Xanax',1.10,true);
INSERT INTO rx SELECT i, 1 + pg_temp.pick(i,'ra',1800), 1 + pg_temp.pick(i,'rd',6), 10 * (1 + pg_temp.pick(i,'rq',9)), pg_temp.pick(i,'rf',4),
  date '2024-01-02' + pg_temp.pick(i,'ri',1050) FROM generate_series(1, 1300) AS i;
INSERT INTO claims SELECT i, i, 1 + pg_temp.pick(i,'ci',4), 80 + 5 * pg_temp.pick(i,'cb',120),
  CASE WHEN pg_temp.pick(i,'cp',5) > 1 THEN 60 + 4 * pg_temp.pick(i,'cb',120) END, date '2024-01-10' + pg_temp.pick(i,'cs',1040),
  CASE WHEN pg_temp.pick(i,'cp',5) > 1 THEN date '2024-01-10' + pg_temp.pick(i,'cs',1040) + 5 + pg_temp.pick(i,'cw',60) END,
  CASE WHEN pg_temp.pick(i,'cp',5) = 0 THEN (ARRAY['not covered','missing paperwork','duplicate claim'])[1 + pg_temp.pick(i,'cr',3)] END
  FROM generate_series(1, 1500) AS i;
COMMIT;
ANALYZE clinic.sites, clinic.specialties, clinic.physicians, clinic.insurers, clinic.patients, clinic.appts, clinic.diagnoses,
  clinic.appt_dx, clinic.drugs, clinic.rx, clinic.claims;
