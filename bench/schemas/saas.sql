-- A company that sells software by subscription: quoted camelCase names, enums, JSON, arrays, two keys to the
-- same table, a key to its own table, many-to-many, times that say that something was closed or cancelled.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/saas.sql
BEGIN;
DROP SCHEMA IF EXISTS saas CASCADE;
CREATE SCHEMA saas;
SET LOCAL search_path = saas;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TYPE "planTier" AS ENUM ('free', 'team', 'business', 'enterprise');
CREATE TYPE "subscriptionStatus" AS ENUM ('trialing', 'active', 'past_due', 'canceled');
CREATE TYPE "ticketPriority" AS ENUM ('low', 'normal', 'high', 'urgent');
CREATE TABLE "Country" ("code" char(2) PRIMARY KEY, "name" text NOT NULL, "region" text NOT NULL);
CREATE TABLE "TeamMember" (
  "id" int PRIMARY KEY, "fullName" text NOT NULL, "email" text NOT NULL, "jobTitle" text NOT NULL, "managerId" int REFERENCES "TeamMember",
  "isActive" boolean NOT NULL, "startedOn" date NOT NULL);
CREATE TABLE "Account" (
  "id" int PRIMARY KEY, "companyName" text NOT NULL, "industry" text NOT NULL, "countryCode" char(2) NOT NULL REFERENCES "Country",
  "employeeCount" int, "ownerId" int NOT NULL REFERENCES "TeamMember", "createdAt" timestamptz NOT NULL, "closedAt" timestamptz,
  "tags" text[] NOT NULL DEFAULT '{}', "settings" jsonb NOT NULL DEFAULT '{}');
CREATE TABLE "Plan" ("id" int PRIMARY KEY, "name" text NOT NULL, "tier" "planTier" NOT NULL, "monthlyPrice" numeric(8,2) NOT NULL, "isPublic" boolean NOT NULL);
CREATE TABLE "Feature" ("id" int PRIMARY KEY, "name" text NOT NULL, "isBeta" boolean NOT NULL);
CREATE TABLE "PlanFeature" ("planId" int REFERENCES "Plan", "featureId" int REFERENCES "Feature", PRIMARY KEY ("planId", "featureId"));
CREATE TABLE "Subscription" (
  "id" int PRIMARY KEY, "accountId" int NOT NULL REFERENCES "Account", "planId" int NOT NULL REFERENCES "Plan",
  "status" "subscriptionStatus" NOT NULL, "seats" int NOT NULL, "discountPct" numeric(4,1) NOT NULL DEFAULT 0, "startedOn" date NOT NULL, "canceledAt" timestamptz);
CREATE TABLE "Invoice" (
  "id" int PRIMARY KEY, "subscriptionId" int NOT NULL REFERENCES "Subscription", "invoiceNo" text NOT NULL, "issuedOn" date NOT NULL,
  "dueOn" date NOT NULL, "paidAt" timestamptz, "amountDue" numeric(10,2) NOT NULL, "taxAmount" numeric(10,2) NOT NULL, "currency" char(3) NOT NULL);
CREATE TABLE "UsageEvent" (
  "id" int PRIMARY KEY, "accountId" int NOT NULL REFERENCES "Account", "featureId" int NOT NULL REFERENCES "Feature", "occurredAt" timestamptz NOT NULL, "units" int NOT NULL);
CREATE TABLE "Ticket" (
  "id" int PRIMARY KEY, "accountId" int NOT NULL REFERENCES "Account", "assigneeId" int REFERENCES "TeamMember", "escalatedToId" int REFERENCES "TeamMember",
  "priority" "ticketPriority" NOT NULL, "subject" text NOT NULL, "openedAt" timestamptz NOT NULL, "closedAt" timestamptz, "satisfaction" int);

COMMENT ON TABLE "Account" IS 'Customers: one row per company';
COMMENT ON TABLE "UsageEvent" IS 'How often features are used';
COMMENT ON TABLE "Ticket" IS 'Support requests';
COMMENT ON COLUMN "Invoice"."amountDue" IS 'Revenue without tax';
COMMENT ON COLUMN "Account"."closedAt" IS 'When the account was closed (the customer churned); null while it is open';
COMMENT ON COLUMN "Account"."ownerId" IS 'Account manager';
COMMENT ON COLUMN "Ticket"."satisfaction" IS 'Rating from 1 to 5 given by the customer';

INSERT INTO "Country" VALUES ('US','United States','Americas'),('CA','Canada','Americas'),('BR','Brazil','Americas'),('DE','Germany','Europe'),
  ('FR','France','Europe'),('GB','United Kingdom','Europe'),('JP','Japan','Asia'),('IN','India','Asia');
INSERT INTO "TeamMember" SELECT i, n, lower(split_part(n, ' ', 1)) || '@askwire.example',
  (ARRAY['Account Executive','Support Engineer','Support Engineer','Account Executive','Head of Sales'])[CASE WHEN i = 1 THEN 5 ELSE 1 + pg_temp.pick(i,'jt',4) END],
  CASE WHEN i > 1 THEN CASE WHEN i < 5 THEN 1 ELSE 2 + pg_temp.pick(i,'m',3) END END, pg_temp.pick(i,'ia',5) > 0, date '2017-02-01' + pg_temp.pick(i,'so',3000)
  FROM unnest(ARRAY['Nora Lindqvist','Omar Farouk','Priya Raman','Tom Becker','Lena Fischer','Carlos Vega','Mei Tan','Anna Kowalska','Paul Dubois',
    'Ruth Adler','Igor Petrov','Sara Haddad','Leo Marino','Julia Stone','Kofi Mensah','Emma Larsen']) WITH ORDINALITY AS t (n, i);
INSERT INTO "Account" SELECT i, (ARRAY['Blue','North','Red','Silver','Bright','Green','Stone','Urban'])[1 + i % 8] || ' ' ||
  (ARRAY['Logistics','Foods','Analytics','Media','Robotics','Health','Textiles'])[1 + i % 7] || CASE WHEN i > 56 THEN ' ' || i / 56 + 1 ELSE '' END,
  (ARRAY['Retail','Healthcare','Finance','Manufacturing','Education'])[1 + pg_temp.pick(i,'in',5)],
  (ARRAY['US','US','CA','BR','DE','FR','GB','JP','IN'])[1 + pg_temp.pick(i,'co',9)], CASE WHEN i % 9 > 0 THEN 5 + pg_temp.pick(i,'em',900) END,
  1 + pg_temp.pick(i,'ow',15), timestamptz '2021-01-04 09:00+00' + (pg_temp.pick(i,'cr',2000) || ' days')::interval,
  CASE WHEN pg_temp.pick(i,'cl',6) = 0 THEN timestamptz '2026-07-01 09:00+00' + (pg_temp.pick(i,'cx',130) || ' days')::interval END,
  CASE pg_temp.pick(i,'tg',4) WHEN 0 THEN '{vip}' WHEN 1 THEN '{partner,pilot}' ELSE '{}' END::text[], jsonb_build_object('locale', (ARRAY['en','de','fr'])[1 + i % 3])
  FROM generate_series(1, 110) AS i;
INSERT INTO "Plan" VALUES (1,'Free','free',0,true),(2,'Team','team',29,true),(3,'Business','business',99,true),(4,'Enterprise','enterprise',499,false),(5,'Legacy Team','team',19,false),(6,'Startup','team',9,true);
INSERT INTO "Feature" VALUES (1,'Dashboards',false),(2,'Exports',false),(3,'Single Sign-On',false),(4,'Audit Log',false),(5,'Forecasting',true),(6,'Chat Assistant',true);
INSERT INTO "PlanFeature" VALUES (1,1),(2,1),(2,2),(3,1),(3,2),(3,3),(4,1),(4,2),(4,3),(4,4),(4,5),(5,1),(6,1),(6,2);
INSERT INTO "Subscription" SELECT i, 1 + pg_temp.pick(i,'ac',100), 1 + pg_temp.pick(i,'pl',5), s::"subscriptionStatus", 1 + pg_temp.pick(i,'se',80),
  (ARRAY[0,0,0,10,12.5,20])[1 + pg_temp.pick(i,'di',6)], date '2022-01-01' + pg_temp.pick(i,'sd',1600),
  CASE WHEN s = 'canceled' THEN timestamptz '2026-06-15 10:00+00' + (pg_temp.pick(i,'ca',150) || ' days')::interval END
  FROM generate_series(1, 180) AS i, LATERAL (SELECT (ARRAY['active','active','active','trialing','past_due','canceled'])[1 + pg_temp.pick(i,'ss',6)] AS s) AS x;
INSERT INTO "Invoice" SELECT i, 1 + pg_temp.pick(i,'su',175), 'INV-' || lpad(i::text, 5, '0'), d, d + 30,
  CASE WHEN pg_temp.pick(i,'pd',6) > 0 THEN (d + 3 + pg_temp.pick(i,'pa',45))::timestamptz END, a, round(a * 0.19, 2), (ARRAY['USD','USD','EUR'])[1 + pg_temp.pick(i,'cu',3)]
  FROM generate_series(1, 1400) AS i, LATERAL (SELECT date '2024-01-01' + pg_temp.pick(i,'is',1050) AS d, 20 + 7 * pg_temp.pick(i,'am',260)::numeric AS a) AS x;
INSERT INTO "UsageEvent" SELECT i, 1 + pg_temp.pick(i,'ua',105), 1 + pg_temp.pick(i,'uf',5), timestamptz '2025-01-01 00:00+00' + (pg_temp.pick(i,'uo',16000) || ' hours')::interval, 1 + pg_temp.pick(i,'uu',50)
  FROM generate_series(1, 2500) AS i;
INSERT INTO "Ticket" SELECT i, 1 + pg_temp.pick(i,'ta',95), CASE WHEN pg_temp.pick(i,'tn',9) > 0 THEN 3 + pg_temp.pick(i,'tt',13) END,
  CASE WHEN pg_temp.pick(i,'te',7) = 0 THEN 1 + pg_temp.pick(i,'tl',4) END, (ARRAY['low','normal','normal','high','urgent'])[1 + pg_temp.pick(i,'tp',5)]::"ticketPriority",
  (ARRAY['Cannot log in','Export is slow','Question about invoice','Feature request','Data missing in dashboard'])[1 + pg_temp.pick(i,'ts',5)], o,
  CASE WHEN pg_temp.pick(i,'tc',5) > 0 THEN o + (1 + pg_temp.pick(i,'th',300) || ' hours')::interval END, CASE WHEN pg_temp.pick(i,'tf',3) > 0 THEN 1 + pg_temp.pick(i,'tr',5) END
  FROM generate_series(1, 700) AS i, LATERAL (SELECT timestamptz '2025-02-01 08:00+00' + (pg_temp.pick(i,'to',15500) || ' hours')::interval AS o) AS x;
COMMIT;
ANALYZE saas."Country", saas."TeamMember", saas."Account", saas."Plan", saas."Feature", saas."PlanFeature", saas."Subscription", saas."Invoice", saas."UsageEvent", saas."Ticket";
