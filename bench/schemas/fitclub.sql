-- A chain of gyms as an object-relational mapper lays it out: quoted camelCase, createdAt, updatedAt and deletedAt nearly everywhere, amounts in cents,
-- a join table whose columns are called A and B, primary keys but no foreign key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/fitclub.sql
BEGIN;
DROP SCHEMA IF EXISTS fitclub CASCADE;
CREATE SCHEMA fitclub;
SET LOCAL search_path = fitclub;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE "User" ("id" int PRIMARY KEY, "firstName" text, "lastName" text, "email" text, "birthDate" date, "homeClubId" int, "marketingOptIn" boolean, "createdAt" timestamptz, "updatedAt" timestamptz, "deletedAt" timestamptz);
CREATE TABLE "Club" ("id" int PRIMARY KEY, "name" text, "city" text, "openedOn" date, "squareFeet" int, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Plan" ("id" int PRIMARY KEY, "title" text, "monthlyPriceCents" int, "isFamily" boolean, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Membership" ("id" int PRIMARY KEY, "userId" int, "planId" int, "startsAt" date, "endsAt" date, "status" text, "cancelReason" text, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Coach" ("id" int PRIMARY KEY, "fullName" text, "hourlyRate" numeric(6,2), "clubId" int, "isCertified" boolean, "hiredAt" date, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Skill" ("id" int PRIMARY KEY, "label" text);
CREATE TABLE "_CoachToSkill" ("A" int, "B" int);
CREATE TABLE "ClassType" ("id" int PRIMARY KEY, "label" text, "intensity" text);
CREATE TABLE "ClassSession" ("id" int PRIMARY KEY, "classTypeId" int, "coachId" int, "clubId" int, "startsAt" timestamptz, "durationMin" int, "capacity" int, "isCancelled" boolean, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Booking" ("id" int PRIMARY KEY, "sessionId" int, "userId" int, "checkedInAt" timestamptz, "cancelledAt" timestamptz, "createdAt" timestamptz, "updatedAt" timestamptz);
CREATE TABLE "Payment" ("id" int PRIMARY KEY, "membershipId" int, "amountCents" int, "method" text, "paidAt" timestamptz, "status" text, "createdAt" timestamptz, "updatedAt" timestamptz);

INSERT INTO "Club" SELECT i, n, c, o, f, o + interval '30 days', o + interval '400 days' FROM (VALUES (1,'Riverside','Portland',date '2012-03-01',21000),(2,'Harbor','Seattle',date '2014-09-15',34500),(3,'Old Mill','Bend',date '2016-05-20',12800),(4,'Eastgate','Bellevue',date '2018-01-10',27000),(5,'Midtown','Portland',date '2020-10-05',15500)) AS v(i, n, c, o, f);
INSERT INTO "Plan" SELECT i, t, p, f, timestamptz '2019-01-01 09:00+00', timestamptz '2022-01-01 09:00+00' FROM (VALUES (1,'Off-Peak',2900,false),(2,'Standard',4900,false),(3,'Premium',7900,false),(4,'Household',11900,true),(5,'Student',2500,false)) AS v(i, t, p, f);
INSERT INTO "User" SELECT i, (ARRAY['Ava','Ben','Cleo','Dan','Eve','Finn','Gus','Hana','Ida','Jon','Kai','Lia','Max','Nia','Omar','Pia','Quin'])[1 + i % 17], (ARRAY['Archer','Bloom','Castro','Drake','Ekman','Frost','Gray','Holt','Ito','Juarez','Kent','Lund','Moss'])[1 + i % 13] || CASE WHEN i > 221 THEN (ARRAY['sen','son','ley'])[1 + i / 221] ELSE '' END, 'user' || i || '@example.com',
  CASE WHEN i % 17 > 0 THEN date '1955-01-01' + pg_temp.pick(i,'bd',18000) END, CASE WHEN i % 23 > 0 THEN (ARRAY[1,1,2,2,2,3,4,5])[1 + pg_temp.pick(i,'hc',8)] END, pg_temp.pick(i,'mo',3) = 0, timestamptz '2020-01-05 10:00+00' + pg_temp.pick(i,'uc',1300) * interval '1 day', timestamptz '2024-01-05 10:00+00', CASE WHEN pg_temp.pick(i,'ud',15) = 0 THEN timestamptz '2024-02-01 10:00+00' + i * interval '1 hour' END FROM generate_series(1, 600) AS i;
INSERT INTO "Membership" SELECT i, 1 + (i * 7) % 590, 1 + (ARRAY[0,1,1,1,2,2,3,4])[1 + pg_temp.pick(i,'pl',8)], d, CASE WHEN s <> 'ACTIVE' THEN d + 180 + pg_temp.pick(i,'me',200) END, s, CASE WHEN s = 'CANCELLED' THEN (ARRAY['Moved away','Too expensive','Too expensive','Injury','Not using it',NULL])[1 + pg_temp.pick(i,'mr',6)] END, d - interval '2 days', d + interval '90 days'
  FROM (SELECT i, date '2020-02-01' + pg_temp.pick(i,'md',1400) AS d, (ARRAY['ACTIVE','ACTIVE','ACTIVE','CANCELLED','EXPIRED','PAUSED'])[1 + pg_temp.pick(i,'ms',6)] AS s FROM generate_series(1, 700) AS i) AS x;
INSERT INTO "Coach" SELECT i, n, 28 + pg_temp.pick(i,'hr',40) + i / 4.0, (ARRAY[1,1,2,2,2,2,3,4,5])[1 + pg_temp.pick(i,'cc',9)], pg_temp.pick(i,'ce',3) > 0, date '2013-01-15' + pg_temp.pick(i,'ch',3800), timestamptz '2020-01-01 10:00+00', timestamptz '2023-01-01 10:00+00'
  FROM (VALUES (1,'Marta Ruiz'),(2,'Theo Lang'),(3,'Sana Malik'),(4,'Greg Olsen'),(5,'Ivy Chan'),(6,'Paul Reyes'),(7,'Dina Abel'),(8,'Rob Stone'),(9,'Noor Haddad'),(10,'Kelly Byrne'),(11,'Sven Berg'),(12,'Lola Vance'),(13,'Arun Patel'),(14,'Tess Moore'),(15,'Hugo Klein'),(16,'Jada Wells'),(17,'Ed Marsh'),(18,'Yumi Sato')) AS v(i, n);
INSERT INTO "Skill" VALUES (1,'Nutrition'),(2,'Rehabilitation'),(3,'Olympic lifting'),(4,'Prenatal'),(5,'First aid'),(6,'Sports massage');
INSERT INTO "_CoachToSkill" SELECT c, s FROM generate_series(1, 17) AS c, generate_series(1, 6) AS s WHERE pg_temp.pick(c * 10 + s,'cs',3) = 0;
INSERT INTO "ClassType" VALUES (1,'Yoga','LOW'),(2,'Spin','HIGH'),(3,'Pilates','MEDIUM'),(4,'Boxing','HIGH'),(5,'Zumba','MEDIUM'),(6,'Aqua Fit','LOW');
INSERT INTO "ClassSession" SELECT i, t, (ARRAY[1,2,3,1,5,6])[t] + (ARRAY[0,6,12,3])[1 + pg_temp.pick(i,'sc',4)] % 13, c, timestamptz '2022-06-01 07:00+00' + pg_temp.pick(i,'ss',700) * interval '1 day' + pg_temp.pick(i,'sh',12) * interval '1 hour', (ARRAY[60,45,50,45,55,40])[t] + 5 * pg_temp.pick(i,'sd',3), 12 + 2 * pg_temp.pick(i,'sp',14), pg_temp.pick(i,'sx',12) = 0, timestamptz '2022-05-01 07:00+00', timestamptz '2022-05-02 07:00+00'
  FROM (SELECT i, (ARRAY[1,1,2,2,2,3,4,5,6])[1 + pg_temp.pick(i,'st',9)] AS t, 1 + pg_temp.pick(i,'sb',5) AS c FROM generate_series(1, 800) AS i) AS x;
INSERT INTO "Booking" SELECT i, s.id, CASE WHEN i % 90 = 0 THEN 321 ELSE 1 + pg_temp.pick(i,'bu',560) END, CASE WHEN pg_temp.pick(i,'bk',5) > 0 THEN s."startsAt" - interval '6 minutes' END, CASE WHEN pg_temp.pick(i,'bk',5) = 0 AND pg_temp.pick(i,'bl',2) = 0 THEN s."startsAt" - interval '1 day' END, s."startsAt" - interval '5 days', s."startsAt" - interval '5 days'
  FROM generate_series(1, 3600) AS i JOIN "ClassSession" AS s ON s.id = 1 + pg_temp.pick(i,'bs',790);
INSERT INTO "Payment" SELECT i, m.id, p."monthlyPriceCents", (ARRAY['CARD','CARD','CARD','BANK_TRANSFER','CASH'])[1 + pg_temp.pick(i,'pm',5)], m."startsAt" + pg_temp.pick(i,'pn',12) * interval '30 days' + interval '11 hours', (ARRAY['SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','SUCCEEDED','FAILED','REFUNDED'])[1 + pg_temp.pick(i,'ps',8)], m."startsAt", m."startsAt"
  FROM generate_series(1, 3000) AS i JOIN "Membership" AS m ON m.id = 1 + pg_temp.pick(i,'pi',700) JOIN "Plan" AS p ON p.id = m."planId";
ANALYZE "User"; ANALYZE "Club"; ANALYZE "Plan"; ANALYZE "Membership"; ANALYZE "Coach"; ANALYZE "Skill"; ANALYZE "_CoachToSkill"; ANALYZE "ClassType"; ANALYZE "ClassSession"; ANALYZE "Booking"; ANALYZE "Payment";
COMMIT;
